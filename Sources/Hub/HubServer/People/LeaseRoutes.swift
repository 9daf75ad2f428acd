internal import HubCore
internal import HubProtocol
internal import HubStore

/// Lends terminals what their sales spend (http.md section 6, Leases).
struct LeaseRoutes: Sendable {
    let service: LeaseService
    /// A wish shows whether a member exists and how much they have, as a look-up does. Nil: nobody counts.
    let reads: MemberReadCounter?

    var routes: [Route] { [Route(.post, Routes.leases, .confirmedDevice, response: lend)] }

    @Sendable private func lend(_ request: HubRequest) async throws -> HubResponse {
        let device = try request.requireDevice()
        let body = try await request.json()
        let wish: LeaseWish
        do throws(ShapeError) {
            wish = try LeaseWish(json: body)
        } catch {
            throw Problem.malformed(error)
        }
        if let wait = reads?.count(device.terminalId) { throw Problem.rateLimited(wait) }
        let leases = try await service.lend(wish, to: device)
        return HubResponse.json(["leases": .array(leases.map(\.json))]).with("Cache-Control", "no-store")
    }
}

/// What the routes lend, by the configuration of the terminal's store.
struct LeaseService: Sendable {
    let ledger: any LeaseLedger & EntityLedger & CatalogueLedger & StoreSettingsLedger & StoreKeyLedger
    let now: @Sendable () -> Int64

    /// Lends what a sale is about to spend.
    func lend(_ wish: LeaseWish, to device: DeviceIdentity) async throws(LedgerError) -> [LeaseRecord] {
        var wish = wish
        if wish.kind == .coupon {
            // A code as it was typed becomes the one that was imported.
            let found = try await ledger.coupons(typed: [wish.subject])[wish.subject]
            guard let code = found?["code"]?.string else { return [] }
            wish = LeaseWish(kind: .coupon, subject: code, amount: wish.amount, epoch: wish.epoch)
        }
        if wish.kind == .points {
            let memberId = try await ledger.memberOfPerson(wish.subject).id
            wish = LeaseWish(kind: .points, subject: memberId, amount: wish.amount, epoch: wish.epoch)
        }
        let leases = try await ledger.lend(
            wish, to: device, by: try await terms(of: device.storeId), at: now())
        return try await FeedView(ledger: ledger).records(of: leases, storeId: device.storeId, at: now())
    }

    /// Lends the terminal its share of the points of somebody whom it looks up. A failure is none of the
    /// look-up.
    func lendShare(of memberId: String, to device: DeviceIdentity) async {
        guard let terms = try? await terms(of: device.storeId), terms.kinds.contains(.points) else { return }
        // Less than every epoch: the hub's own knowledge counts.
        let wish = LeaseWish(kind: .points, subject: memberId, amount: 0, epoch: 0)
        _ = try? await ledger.lend(wish, to: device, by: terms, at: now())
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

extension HubRequest {
    /// Whether the terminal knows leases.
    var knowsLeases: Bool {
        let schema = (try? clampedHeader(HeaderNames.schema, into: 0...(1 << 31))) ?? 0
        return schema >= FeedView.firstWithLeases
    }
}
