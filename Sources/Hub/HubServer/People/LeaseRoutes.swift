internal import HubCore
internal import HubProtocol
internal import HubStore
internal import ServiceLifecycle
internal import Synchronization

/// Lends terminals what their sales spend (http.md section 6, Leases).
struct LeaseRoutes: Sendable {
    let service: LeaseService
    /// A request shows whether a member exists and how much they have, as a look-up does. Nil: nobody counts.
    let reads: MemberReadCounter?

    var routes: [Route] {
        [
            Route(.post, Routes.leases, .confirmedDevice, response: lend),
            Route(.post, Routes.leaseReturns, .confirmedDevice, response: takeBack),
        ]
    }

    @Sendable private func lend(_ request: HubRequest) async throws -> HubResponse {
        let device = try request.requireDevice()
        let body = try await request.json()
        let wanted = try Problem.reading(LeaseRequest(json: body))
        if let wait = reads?.count(device.terminalId) { throw Problem.rateLimited(wait) }
        let lent = try await service.lend(wanted, to: device)
        return HubResponse.json(lent.json).with("Cache-Control", "no-store")
    }

    @Sendable private func takeBack(_ request: HubRequest) async throws -> HubResponse {
        let device = try request.requireDevice()
        let body = try await request.json()
        let order = try Problem.reading(LeaseReturn(json: body))
        let lent = try await service.takeBack(order, from: device)
        return HubResponse.json(lent.json).with("Cache-Control", "no-store")
    }
}

/// What the routes lend, by the configuration of the terminal's store.
struct LeaseService: Sendable {
    let ledger: any Ledger
    let now: @Sendable () -> Int64
    let recalls: LeaseRecalls
    let keys: HubKeys

    /// Lends what a sale is about to spend, and notifies those who have what it lacks with their next
    /// request.
    func lend(_ wanted: LeaseRequest, to device: DeviceIdentity) async throws(LedgerError) -> LentLeases {
        var wanted = wanted
        if wanted.kind == .coupon {
            // A code as it was typed becomes the one that was imported.
            let found = try await ledger.coupons(typed: [wanted.subject])[wanted.subject]
            guard let code = found?["code"]?.string else { return LentLeases(leases: []) }
            wanted = LeaseRequest(kind: .coupon, subject: code, amount: wanted.amount, epoch: wanted.epoch)
        }
        if wanted.kind == .points {
            let memberId = try await ledger.memberOfPerson(wanted.subject).id
            wanted = LeaseRequest(
                kind: .points, subject: memberId, amount: wanted.amount, epoch: wanted.epoch)
        }
        let lent = try await ledger.lend(
            wanted, to: device, by: try await terms(of: device.storeId), at: now())
        recalls.note(lent.recalledFrom)
        let records = try await FeedView(ledger: ledger, sign: keys.signed).records(
            of: lent.leases, storeId: device.storeId, at: now())
        return LentLeases(leases: records, isRecalled: !lent.recalledFrom.isEmpty)
    }

    func takeBack(
        _ order: LeaseReturn, from device: DeviceIdentity
    ) async throws(LedgerError) -> LentLeases {
        let rest = try await ledger.takeBack(order, from: device, at: now())
        await recalls.look()
        return LentLeases(
            leases: try await FeedView(ledger: ledger, sign: keys.signed).records(
                of: rest, storeId: device.storeId, at: now()))
    }

    /// Lends the terminal its share of the points of somebody whom it looks up. A failure is none of the
    /// look-up.
    func lendShare(of memberId: String, to device: DeviceIdentity) async {
        guard let terms = try? await terms(of: device.storeId), terms.kinds.contains(.points) else { return }
        try? await ledger.lendShare(of: memberId, to: device, by: terms, at: now())
    }

    /// Lends the terminal its shares in advance. What fails is done by the next pull.
    func lendAhead(to device: DeviceIdentity) async {
        guard let terms = try? await terms(of: device.storeId) else { return }
        try? await ledger.lendAhead(to: device, by: terms, at: now())
    }

    private func terms(of storeId: String) async throws(LedgerError) -> LeaseTerms {
        LeaseTerms(settings: try await ledger.storeSettings(of: storeId))
    }
}

/// Which terminals have something that others want: their next response of the hub has the header
/// ``HeaderNames/feed``, by which an idle terminal pulls and returns it soon.
final class LeaseRecalls: Service {
    private let ledger: any Ledger
    private let now: @Sendable () -> Int64
    private let terminals = Mutex<Set<String>>([])

    /// What another process on the same store recalled is known after 5 s, which is little beside the 24 s
    /// between two polls of a terminal. Half of it reads the store twice as often for nothing.
    private static let interval: Duration = .seconds(5)

    init(ledger: any Ledger, now: @escaping @Sendable () -> Int64) {
        self.ledger = ledger
        self.now = now
    }

    func note(_ recalled: Set<String>) { terminals.withLock { $0.formUnion(recalled) } }

    func concern(_ terminalId: String) -> Bool { terminals.withLock { $0.contains(terminalId) } }

    /// Reads them from the store. What cannot be read now is read next time.
    func look() async {
        guard let owing = try? await ledger.terminalsOwingReturns(at: now()) else { return }
        terminals.withLock { $0 = owing }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { await self.look() } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }
}

extension HubRequest {
    /// Whether the terminal knows leases.
    var knowsLeases: Bool {
        let schema = (try? clampedHeader(HeaderNames.schema, into: 0...(1 << 31))) ?? 0
        return schema >= FeedView.firstWithLeases
    }
}
