internal import OfflineCore

/// What the cashier has to know now: whose trouble it is and what helps. What happens to the sale is the same
/// in all of them: it is kept here and sent by itself.
struct Banner: Hashable {
    enum Trouble: Hashable {
        /// A person switched the terminal off the hub, for a reason in their words.
        case switchedOff(reason: String?)
        /// The file of the manual switch cannot be read.
        case flagCorrupt
        /// The hub was not reached yet in this run.
        case connecting
        /// No interface with carrier, address and route.
        case noInterface
        /// A login page responds in the hub's place.
        case loginPage
        /// The hub's name has no address.
        case nameNotFound
        /// The hub's certificate is expired or made out to another name, or TLS fails.
        case certificate
        /// The same while kept connections still work: the next new one fails.
        case certificateEnded
        /// Nothing comes back over the shop's connection, not from an independent address either.
        case noInternet
        /// Nothing comes back from the hub, and no independent address is configured that could say more.
        case noResponse
        /// The way works and the hub does not respond: an independent address does, or the hub's machine
        /// alone.
        case hubSilent(internetResponds: Bool)
        /// These core services of the hub are faulty.
        case services([String])
        /// The hub does not take this terminal's identity.
        case signIn
        /// The hub responds to this version no more.
        case tooOld
        case slow
        /// Sales fail on their way to the hub, which responds to everything else.
        case notArriving
        /// The path to the hub loses large packets.
        case largePackets
        /// The hub requested to wait; nothing helps before the end of it.
        case busy
        /// The database cannot be read: nothing is sold or sent before it is repaired.
        case databaseDamaged
        /// The database holds less than the terminal recorded.
        case journalIncomplete
        /// So many entries are not sent, since their content is not what was written.
        case entriesHeldBack(Int)
        /// Another copy of this terminal goes on, so that nothing of this one is sent.
        case superseded
        /// The clocks of till and hub differ by so many hours, and sales are refused.
        case clockDiffers(hours: Int64)
        /// This till's clock differs from the hub's by so many milliseconds; sales go by the hub's.
        case clockWrong(milliseconds: Int64)
        /// The hub's clock leapt by so many milliseconds; sales go on by its former time.
        case hubClockLeapt(milliseconds: Int64)
        /// The hub has not confirmed this till's date, which is long after the hub's last response or before
        /// it.
        case dateUnconfirmed(today: String, last: String)
        /// The disk has no room for another sale.
        case diskFull
        /// Every sale waits for the disk.
        case slowDisk
        /// A drill plays an outage; it ends by itself.
        case drill
        /// The main path is dark, and the hub is reached over this other interface.
        case standby(interface: String)
        /// So many entries get no result of the hub while others do, and nobody has dealt with them.
        case entriesNotTaken(Int)
        /// So many entries were refused by the hub, and nobody has dealt with them.
        case refused(Int)
        /// So many cards that were taken offline were refused afterwards, and nobody has settled the debts.
        case cardDebts(Int)
        /// So many refunds were refused by the card machine, and nobody has paid them in cash.
        case owedToCustomers(Int)
    }

    /// What a person can do about it.
    enum Action: String, Hashable {
        case none
        /// Query the hub again now.
        case retry
        /// Enrol this terminal again.
        case signIn
        /// Take the manual switch back.
        case switchOn
        /// Bring what can be read of the database into a fresh one.
        case repair
        /// Decide about entries that are not sent or were refused.
        case resolve
        /// See what is wrong.
        case examine
    }

    let isOffline: Bool
    /// What troubles, the one that matters most first; empty when all is well.
    let troubles: [Trouble]

    init(isOffline: Bool, troubles: [Trouble]) {
        (self.isOffline, self.troubles) = (isOffline, troubles)
    }

    /// - Parameters:
    ///   - probesInternet: whether an independent address is configured, so that silence of all is known to
    /// be
    ///     the shop's.
    ///   - first: what stops sales or sending, before everything but a damaged database.
    ///   - store: what is wrong with the database; damage stops everything and comes first.
    ///   - last: what can wait.
    init(
        _ status: ModeStatus, isTooOld: Bool = false, losesLargePackets: Bool = false,
        probesInternet: Bool = true, first: [Trouble] = [], store: Trouble? = nil, last: [Trouble] = []
    ) {
        isOffline = status.mode == .offline
        let found = Self.troubles(status, isTooOld: isTooOld)
            .map { $0 == .noInternet && !probesInternet ? .noResponse : $0 }
        let others = first + (isOffline || isTooOld ? found : Self.naming(losesLargePackets, found))
        // The same is not said twice.
        let last = last.filter { $0 != .certificateEnded || !found.contains(.certificate) }
        switch store {
        case nil: troubles = others + last
        case .databaseDamaged?: troubles = [.databaseDamaged] + others + last
        case let store?: troubles = others + [store] + last
        }
    }

    private static func troubles(_ status: ModeStatus, isTooOld: Bool) -> [Trouble] {
        let held = status.causes.map { Self.trouble(of: $0, status) }
        guard isTooOld else { return held.isEmpty ? Self.troubles(online: status) : held }
        // Behind what keeps the till offline, since nothing syncs then whatever its version.
        return held.isEmpty ? [.tooOld] + Self.troubles(online: status) : held + [.tooOld]
    }

    var action: Action {
        // No request goes out inside a `Retry-After`, whoever requests it.
        if !isOffline, troubles.contains(.busy) { return .none }
        return switch troubles.first {
        case .switchedOff?, .flagCorrupt?: .switchOn
        case .signIn?, .superseded?: .signIn
        case .connecting?, .noInterface?, .loginPage?, .nameNotFound?, .certificate?, .noInternet?,
            .noResponse?, .hubSilent?, .services?:
            .retry
        case .databaseDamaged?: .repair
        case .refused?, .entriesHeldBack?: .resolve
        case .journalIncomplete?, .entriesNotTaken?, .cardDebts?, .owedToCustomers?, .slowDisk?,
            .certificateEnded?:
            .examine
        case .clockWrong?, .hubClockLeapt?, .dateUnconfirmed?: .none
        case .tooOld?, .slow?, .notArriving?, .largePackets?, .busy?, .clockDiffers?, .diskFull?, .drill?,
            .standby?, nil:
            .none
        }
    }

    private static func trouble(of cause: OfflineCause, _ status: ModeStatus) -> Trouble {
        switch cause {
        case .manual:
            let reason = status.manual.reason
            return reason == "flag_corrupt" ? .flagCorrupt : .switchedOff(reason: reason)
        case .network: return network(status)
        case .service:
            return status.connectivity.reason == .http5xx || !isHubSilent(status)
                ? .services(faulty(status)) : hubSilent(status)
        }
    }

    private static func troubles(online status: ModeStatus) -> [Trouble] {
        switch status.connectivity.state {
        case .offline, .localNetworkOnly: [network(status)]
        case .authBlocked: [.signIn]
        case .backendDown: [hubSilent(status)] + busy(status)
        case .onlineDegraded:
            degraded(status)
        case .online: busy(status)
        }
    }

    /// What loses large packets is shown in the place of what comes of it.
    private static func naming(_ losesLargePackets: Bool, _ troubles: [Trouble]) -> [Trouble] {
        guard losesLargePackets else { return troubles }
        return [.largePackets] + troubles.filter { $0 != .notArriving && $0 != .slow }
    }

    /// A hub that does not answer at all is not slow: while T1 runs, the countdown names it.
    private static func degraded(_ status: ModeStatus) -> [Trouble] {
        if status.connectivity.rateLimitEnds != nil { return [.busy] }
        if status.connectivity.coreCallsFail { return [.notArriving] }
        if status.network.state == .suspect { return [] }
        return [status.connectivity.reason == .connectFail ? hubSilent(status) : .slow]
    }

    private static func busy(_ status: ModeStatus) -> [Trouble] {
        status.connectivity.rateLimitEnds == nil ? [] : [.busy]
    }

    private static func network(_ status: ModeStatus) -> Trouble {
        switch status.connectivity.reason {
        case .noInterface: .noInterface
        case .captivePortal: .loginPage
        case .dnsFail: .nameNotFound
        case .tlsError: .certificate
        case .none, .timeout, .connectFail, .http5xx, .http401, .rateLimit, .manual:
            status.network.isFirstLook ? .connecting : .noInternet
        }
    }

    private static func hubSilent(_ status: ModeStatus) -> Trouble {
        .hubSilent(internetResponds: status.network.internetResponds)
    }

    private static func isHubSilent(_ status: ModeStatus) -> Bool {
        status.services.allSatisfy { !$0.isCore || $0.state == .healthy || $0.source == .local }
    }

    private static func faulty(_ status: ModeStatus) -> [String] {
        status.services.filter { $0.isCore && $0.state != .healthy }.map(\.service)
    }
}

extension NetworkStatus {
    /// Whether the hub was not reached since the terminal started.
    fileprivate var isFirstLook: Bool { evidence.contains { $0 == "starting" || $0 == "lastRun" } }
}
