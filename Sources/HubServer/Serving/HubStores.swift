internal import HubCore
internal import HubStore

/// The stores of a process, by its configuration and roles, and who may call.
struct HubStores: Sendable {
    /// Nil without the sync role.
    let sync: OwnedStore<any Ledger>?
    /// Nil without the QoS role.
    let qos: OwnedStore<any QoSLedger>?
    let gate: AccessGate
    /// Where who may call is read again and again, since other processes change it; nil where a file says it.
    let access: (any Ledger)?
    /// Whether other processes decide in the same QoS store.
    let sharesDecisions: Bool

    init(_ configuration: HubConfiguration) async throws {
        switch configuration.store {
        case .sqlite(let path): try self.init(StorePaths(ledger: path), configuration)
        case .postgresql(let url): try await self.init(url: url, configuration)
        }
    }

    private init(_ paths: StorePaths, _ configuration: HubConfiguration) throws {
        let roles = configuration.roles
        sync =
            try roles.contains(.sync)
            ? OwnedStore(path: paths.ledger) { path throws(LedgerError) in try SQLiteLedger(path: path) }
            : nil
        qos =
            try roles.contains(.qos)
            ? OwnedStore(path: paths.qos) { path throws(LedgerError) in try SQLiteQoSLedger(path: path) }
            : nil
        gate = AccessGate(
            key: try HubKey.load(path: paths.key), revocations: Revocations(path: paths.revocations),
            operators: Operators(path: paths.operators), schemas: configuration.schemas,
            rates: configuration.limits.gate, now: WallClock.now)
        access = nil
        sharesDecisions = false
    }

    private init(url: String, _ configuration: HubConfiguration) async throws {
        let roles = configuration.roles
        let ledger = try PostgresLedger(url: url)
        sync = roles.contains(.sync) ? OwnedStore(shared: ledger) : nil
        qos = try roles.contains(.qos) ? OwnedStore(shared: PostgresQoSLedger(url: url)) : nil
        gate = AccessGate(
            key: HubKey(bytes: try await ledger.hubKey()), revocations: Revocations(path: nil),
            operators: Operators(path: nil), schemas: configuration.schemas,
            rates: configuration.limits.gate, now: WallClock.now)
        access = ledger
        sharesDecisions = qos != nil
    }

    /// The commands that need the order store; nil without the sync role.
    var ledgerDesk: LedgerDesk? { sync.map { desk(on: $0.ledger) } }

    private func desk(on ledger: any Ledger) -> LedgerDesk {
        LedgerDesk(ledger: ledger, revocations: gate.revocations, operators: gate.operators, now: gate.now)
    }

    /// Reads who may call, and tells the other processes where a file does that.
    func readAccess() async throws {
        if let desk = ledgerDesk ?? access.map(desk) { try await desk.publish() } else { gate.pull() }
    }
}

extension LimitsConfiguration {
    fileprivate var gate: RateGate {
        RateGate(TokenBucket.Rate(callsPerMinute: requestsPerMinute), now: QoSTime().now)
    }
}
