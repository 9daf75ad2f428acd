import Base

internal import AgentAPI
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import Synchronization
internal import TerminalStore

/// Collects what a status shows from the parts that know it.
struct StatusReader: Sendable {
    let store: TerminalStores
    let offline: OfflineService
    let drainer: OutboxDrainer
    let permissions: SyncPermissions
    let path: HubPathChooser
    let feed: CatalogueFeed
    let checkout: Checkout
    let carts: Carts
    let cardReturns: CardReturns
    /// Nil: the till has none of its own.
    let cardMachine: CardDevice?
    let saleWaits: SaleWaits
    let disk: DiskSpeed
    let drill: DrillSwitch
    let tuning: RemoteConfiguration
    let schema: SchemaStatus
    let hubClock: HubTimeKeeper
    let certificate: HubCertificate
    let banner: SteadyBanner
    let neighbours: NeighboursFeature
    let time: any SystemTime
    let revisions: StatusRevisions
    /// Whether the drainer runs. In a process that only reads the disk it does not.
    let isRunning: Bool

    /// The status of now.
    ///
    /// - Parameter subject: whose points it has.
    func response(of subject: PointsSubject = .copied) async throws(TerminalError) -> StatusResponse {
        let condition = await StoreCondition.read(store, isRunning: isRunning)
        let depth = try await depth(condition)
        revisions.named(pending: depth?.pending ?? 0)
        let status = offline.status
        let session = (try? await checkout.authority.session()) ?? SessionResponse(nil)
        return StatusDocument(
            status: status, bannerStatus: banner.status(for: status, at: time.now()), depth: depth,
            retryAfterEnds: await drainer.retryAfterEnds,
            losesLargePackets: await drainer.losesLargePackets, standby: path.standby?.interface,
            identity: store.enrolment, schema: schema.word, tuning: tuning,
            policy: permissions.policy(of: status), pull: feed.record,
            leap: (try? await store.facts.orderNumberLeap()) ?? nil, store: condition,
            stop: await drainStop(), clock: hubClock.comparison(), isCertificateEnded: certificate.isEnded,
            isDiskFull: !store.database.hasRoomForSale, isDiskSlow: disk.isSlow,
            isSignInRequired: store.copy.hasCashiers && session.cashier == nil, till: await till(session),
            unseenCardSales: (try? await checkout.unseenCardSales().count) ?? 0,
            cardDebts: (try? await checkout.cardDebts().count { !$0.isSettled }) ?? 0,
            cardReturns: (try? await cardReturns.open()) ?? [],
            cardStep: cardMachine?.progress, foreignBooking: cardMachine?.foreignReceipt,
            abilities: await abilities(subject),
            slowServices: saleWaits.current.slowServices, isDrilling: drill.isOn,
            neighbours: neighbours.counts, copied: depth.flatMap(neighbours.copied),
            wall: offline.wallMilliseconds(of:),
            now: time.now(), wallNow: time.wallMilliseconds()
        ).response
    }

    /// Without an agent no cart is on a screen.
    private func abilities(_ subject: PointsSubject) async -> TillAbilities {
        switch subject {
        case .member(let typed): return await checkout.abilities(ofMember: typed)
        case .openCart(let frontEnd):
            return await checkout.abilities(ofMember: isRunning ? await carts.openMember(of: frontEnd) : nil)
        case .copied:
            return await checkout.abilities(
                ofMember: isRunning ? await carts.openMember(of: nil) : nil, isFromHub: false)
        }
    }

    /// Nil of a damaged database, of which everything else is still known.
    private func depth(_ condition: StoreCondition) async throws(TerminalError) -> OutboxDepth? {
        guard condition.damage == nil else { return nil }
        do throws(OutboxStorageError) {
            return try await store.outbox.depth()
        } catch {
            guard store.database.damage == nil else { return nil }
            throw TerminalError(.notDurable, code: "store_unavailable") { $0.unreadable(.outbox, "\(error)") }
        }
    }

    private func till(_ session: SessionResponse) async -> TillState {
        let policy = tuning.checkoutPolicy
        var till = TillState(
            storeName: policy.receiptHeader.first ?? store.enrolment.storeId,
            number: store.enrolment.terminalNumber, timeZone: policy.calendar.timeZone,
            cashier: session.cashier,
            shiftId: (try? await SQLiteShifts(store.database).openShiftId()) ?? nil)
        till.joinsEqualScans = policy.joinsEqualScans
        till.smallestCoin = policy.smallestCoin
        return till
    }

    private func drainStop() async -> DrainStop? {
        guard isRunning, case .stopped(let stop) = await drainer.status else { return nil }
        return stop
    }
}

enum PointsSubject: Sendable {
    /// Whoever was typed.
    case member(String)
    /// The member of the cart on the screen of a front end; nil: of the one that changed last.
    case openCart(FrontEnd?)
    /// The same of any screen, as the terminal's copy has the member: a status that is sent with each change
    /// sends nothing to the hub.
    case copied
}

/// Counts the changes of the status, so that a watcher can wait for the next one.
final class StatusRevisions: Sendable {
    private let revisions = Broadcast<Int64>(1)
    private let time: any SystemTime
    private let waiting = Mutex((pending: 0, isNoted: false))

    init(time: any SystemTime) {
        self.time = time
    }

    var current: Int64 { revisions.current }

    /// The status changed.
    func advance() { revisions.update { $0 += 1 } }

    /// A status has named so many entries that wait to be sent.
    func named(pending: Int) { waiting.withLock { $0.pending = pending } }

    /// Entries got their results: a status that named some as waiting is soon another one, and so is every
    /// status where one of them was refused.
    func resultsArrived(isOneRefused: Bool = false) {
        let isNews = waiting.withLock { waiting in
            guard waiting.pending > 0 || isOneRefused, !waiting.isNoted else { return false }
            waiting.isNoted = true
            return true
        }
        guard isNews else { return }
        Task { [self] in
            try? await time.sleep(until: time.now() + Self.gap)
            waiting.withLock { $0.isNoted = false }
            advance()
        }
    }

    /// A banner changes every two seconds at most. Halved, the status is read more often than it is seen
    /// while an outbox drains; doubled, a banner names for four seconds what has been sent.
    private static let gap = Duration.seconds(1)

    /// Returns when the revision is no longer `seen`, after `limit`, or when the task is cancelled.
    func wait(after seen: Int64, limit: Duration) async {
        let changes = revisions.stream()
        _ = await withDeadline(time.now() + limit, on: time) {
            for await revision in changes where revision != seen { return }
        }
    }
}
