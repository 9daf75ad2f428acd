import Base

internal import AgentAPI
internal import CurlTransport
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// The document of `pos status --json`, made from one status of the machines and one depth of the outbox.
struct StatusDocument {
    let status: ModeStatus
    /// What the banner shows of it.
    let bannerStatus: ModeStatus
    /// Nil where the database cannot be read.
    let depth: OutboxDepth?
    /// The end of the hub's `Retry-After` for the outbox; nil while none holds.
    let retryAfterEnds: Instant?
    let losesLargePackets: Bool
    /// The interface that stands in for the main path; nil while that is used.
    let standby: String?
    let identity: Enrolment
    /// What the hub last said of this version.
    let schema: SchemaMessage
    let tuning: RemoteConfiguration
    let policy: SyncPolicy
    let pull: PullRecord
    /// The last time that order numbers leapt; nil: never.
    let leap: OrderNumberLeap?
    let store: StoreCondition
    /// Why the outbox stands still for good; nil where it does not, and where no drainer runs.
    let stop: DrainStop?
    /// How this computer's clock and the hub's compare.
    let clock: ClockComparison
    /// Whether the hub's certificate is known not to be good, also while kept connections still work.
    let isCertificateEnded: Bool
    let isDiskFull: Bool
    /// Whether sales wait for the disk (``DiskSpeed``).
    let isDiskSlow: Bool
    /// Whether the store has cashiers and nobody is signed in.
    let isSignInRequired: Bool
    let till: TillState
    /// Card sales whose response nobody has seen.
    let unseenCardSales: Int
    /// Cards that were taken offline and refused afterwards, and that nobody has settled.
    let cardDebts: Int
    /// What goes back to cards by the card machine and has no end yet.
    let cardReturns: [CardReturn]
    /// What the card machine wants of the shopper; nil while no request runs there.
    let cardStep: DeviceProgress?
    /// The newest booking at the card machine, where somebody else made it.
    let foreignBooking: Int64?
    /// What can be done now.
    let abilities: TillAbilities
    /// The services that sales do not wait for.
    let slowServices: [String]
    /// Whether a drill plays an outage.
    let isDrilling: Bool
    /// The store's other tills; nil where the tills do not see each other.
    let neighbours: NeighbourCounts?
    /// Entries that wait and have a copy at one of them; nil where there are none.
    let copied: Int64?
    /// Turns a moment of the machine into Unix milliseconds.
    let wall: (Instant) -> Int64
    let now: Instant
    let wallNow: Int64

    var response: StatusResponse {
        StatusResponse(
            mode: status.mode, since: time(status.since), causes: status.causes,
            manual: ManualState(status.manual), network: network, services: status.services.map(service),
            connectivity: ConnectivityState(status.connectivity, standby: standby, wall: wall),
            capabilities: Capabilities(
                status: status, abilities: abilities, slowServices: slowServices, stops: stops
            ).byModule, outbox: outbox, banner: banner, hub: tuning.configuration.hubURL,
            terminalId: identity.terminalId, storeId: identity.storeId, version: TerminalVersion.current,
            store: store.state, running: running)
    }

    private var running: RunningState {
        var state = RunningState(
            quality: status.quality, policy: PolicyState(policy), schema: schema.state,
            catalogue: pull.document(at: wallNow), leap: leap.map(OrderLeap.init),
            isSignInRequired: isSignInRequired, unseenCardSales: Int64(unseenCardSales),
            cardDebts: Int64(cardDebts), hubAheadMilliseconds: clock.hubAhead)
        state.clockState = clock.word
        state.cardReturns = CardReturnCounts(
            waiting: Int64(cardReturns.waiting.count),
            waitingForCard: Int64(cardReturns.waitingForCard.count),
            requested: Int64(cardReturns.requested.count), refused: Int64(cardReturns.refused.count))
        let end = { (obstacle: TillObstacle) in
            AbilityEnd(at: obstacle.end(in: status).map(time), command: obstacle.command)
        }
        state.tenders = abilities.tenders.map { TenderState($0, end: end) }
        state.till = till
        state.neighbours = neighbours
        (state.cardStep, state.foreignBooking) = (cardStep, foreignBooking)
        state.points = PointsState(abilities.points, tuning.checkoutPolicy.points, end: end)
        return state
    }

    private var network: NetworkState {
        let network = status.network
        return NetworkState(
            state: network.state, since: time(network.since), evidence: network.evidence,
            debounceMilliseconds: network.debounce.wholeMilliseconds,
            deadlineInMilliseconds: network.deadline.map { max(0, ($0 - now).wholeMilliseconds) })
    }

    private func service(_ service: ServiceStatus) -> ServiceState {
        ServiceState(
            service: service.service, isCore: service.isCore, state: service.state,
            since: time(service.since), source: service.source, generation: service.generation)
    }

    private var stops: Capabilities.Stops {
        let waitEnds = retryAfterEnds.map { tuning.checkoutPolicy.calendar.localTime(at: wall($0)) }
        return Capabilities.Stops(
            isTooOld: schema == .refused, isSuperseded: stop == .epochSuperseded, waitEnds: waitEnds)
    }

    /// Nil while the clocks of till and hub are near enough for sales.
    private var clockDiffersByHours: Int64? {
        clock.refusedDifference.map { Int64(ClockComparison.rounded($0).magnitude / 3_600_000) }
    }

    /// What is wrong with a clock and stops nothing.
    private var clockTrouble: Banner.Trouble? {
        guard clock.refusedDifference == nil else { return nil }
        switch clock {
        case .unknown: return nil
        case .unconfirmed(let last):
            let calendar = tuning.checkoutPolicy.calendar
            return .dateUnconfirmed(
                today: String(calendar.localTime(at: wallNow).prefix(10)),
                last: String(calendar.localTime(at: last).prefix(10)))
        case .compared: return clock.difference.map { .clockWrong(milliseconds: ClockComparison.rounded($0)) }
        case .hubLeapt(let milliseconds):
            return .hubClockLeapt(milliseconds: ClockComparison.rounded(milliseconds))
        }
    }

    /// What stops sales or sending beside the mode.
    private var firstTroubles: [Banner.Trouble] {
        var troubles: [Banner.Trouble] = []
        if isDrilling { troubles.append(.drill) }
        if isDiskFull { troubles.append(.diskFull) }
        if stop == .epochSuperseded { troubles.append(.superseded) }
        if let hours = clockDiffersByHours { troubles.append(.clockDiffers(hours: hours)) }
        return troubles
    }

    private var banner: BannerTextsByLanguage {
        BannerDocument(
            status: bannerStatus, isTooOld: schema == .refused, losesLargePackets: losesLargePackets,
            probesInternet: tuning.configuration.internetProbeURL != nil, first: firstTroubles,
            refused: (depth?.rejected ?? 0) + (depth?.conflicted ?? 0),
            isCertificateEnded: isCertificateEnded, cardDebts: cardDebts, owed: cardReturns.refused.count,
            isDiskSlow: isDiskSlow, standby: standby, clock: clockTrouble, store: store.trouble,
            pending: depth?.pending ?? 0, copied: Int(clamping: copied ?? 0),
            language: tuning.configuration.language,
            calendar: tuning.checkoutPolicy.calendar, wall: wall
        ).texts
    }

    private var outbox: OutboxCounts {
        guard let depth else { return .unreadable }
        var counts = OutboxCounts(
            depth, wallNow: wallNow, retryAfterEnds: retryAfterEnds.map(wall),
            losesLargePackets: losesLargePackets)
        counts.copied = copied
        return counts
    }

    private func time(_ instant: Instant) -> String { Timestamp.text(milliseconds: wall(instant)) }
}

extension ManualState {
    init(_ manual: ManualStatus) {
        self.init(
            isOn: manual.isOn, since: manual.since.map(Timestamp.text(milliseconds:)), by: manual.by,
            reason: manual.reason)
    }
}

extension OrderLeap {
    fileprivate init(_ leap: OrderNumberLeap) {
        self.init(
            at: Timestamp.text(milliseconds: leap.at), reason: leap.reason.rawValue, number: leap.number)
    }
}

extension ConnectivityState {
    /// - Parameters:
    ///   - standby: the interface that stands in for the main path; nil while that is used.
    ///   - wall: turns a moment of the machine into Unix milliseconds.
    init(_ snapshot: ConnectivitySnapshot, standby: String? = nil, wall: (Instant) -> Int64) {
        func time(_ instant: Instant) -> String { Timestamp.text(milliseconds: wall(instant)) }
        self.init(
            state: snapshot.state, transport: snapshot.transport,
            isMetered: snapshot.isMetered, isConstrained: snapshot.isConstrained,
            latencyMilliseconds: snapshot.latencyMilliseconds,
            lastInternetOkAt: snapshot.lastInternetOk.map(time),
            lastBackendOkAt: snapshot.lastBackendOk.map(time),
            captivePortalSuspected: snapshot.captivePortalSuspected, reason: snapshot.reason,
            calls: Calls(
                coreCallsFail: snapshot.coreCallsFail, rateLimitEndsAt: snapshot.rateLimitEnds.map(time)),
            standby: standby)
    }
}

extension PolicyState {
    fileprivate init(_ policy: SyncPolicy) {
        func activity(_ activity: SyncActivity) -> Activity {
            Activity(heldBy: policy.obstacles(to: activity))
        }
        self.init(
            mutations: activity(.mutations), catalogue: activity(.catalogue),
            wholeCatalogue: activity(.wholeCatalogue), attachments: activity(.attachments),
            telemetry: activity(.telemetry), usesSmallBatches: policy.usesSmallBatches)
    }
}

extension OutboxCounts {
    /// - Parameters:
    ///   - wallNow: Unix milliseconds.
    ///   - retryAfterEnds: the end of the hub's `Retry-After` in Unix milliseconds; nil while none is valid.
    init(_ depth: OutboxDepth, wallNow: Int64, retryAfterEnds: Int64?, losesLargePackets: Bool) {
        self.init(
            pending: Int64(depth.pending),
            oldestAgeMilliseconds: depth.oldestMadeAt.map { max(0, wallNow - $0) },
            rejected: Int64(depth.rejected), conflicted: Int64(depth.conflicted),
            acknowledgedThrough: depth.acknowledgedThrough, losesLargePackets: losesLargePackets,
            retryAfterEndsAt: retryAfterEnds.map(Timestamp.text(milliseconds:)))
    }
}
