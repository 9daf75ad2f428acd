internal import HubCore
internal import HubStore
internal import HubStorePostgres
internal import HubStoreSQLite
internal import Logging

/// The stores of a process, by its configuration and roles, and who may call.
struct HubStores: Sendable {
    /// Nil without the sync role.
    let sync: OwnedStore<any Ledger>?
    /// Nil without the QoS role.
    let qos: OwnedStore<any QoSLedger>?
    let authorizer: Authorizer
    /// Nil in a process without the order store: it reads the public halves from a file.
    let vault: HubKeyVault?
    private let publishedKeys: PublishedKeys
    /// Where who may call is read again and again, since other processes change it; nil where a file has it.
    let access: (any Ledger)?
    /// Whether other processes decide in the same QoS store.
    let sharesDecisions: Bool

    init(_ configuration: HubConfiguration, clocks: HubClocks, logger: Logger) async throws {
        switch configuration.store {
        case .sqlite(let path): try await self.init(StorePaths(ledger: path), configuration, clocks, logger)
        case .postgresql(let url): try await self.init(url: url, configuration, clocks, logger)
        }
    }

    private init(
        _ paths: StorePaths, _ configuration: HubConfiguration, _ clocks: HubClocks, _ logger: Logger
    ) async throws {
        let roles = configuration.roles
        sync =
            try roles.contains(.sync)
            ? OwnedStore(path: paths.ledger) { path throws(LedgerError) in
                try SQLiteLedger(path: path, isChecked: true)
            }
            : nil
        qos =
            try roles.contains(.qos)
            ? OwnedStore(path: paths.qos) { path throws(LedgerError) in
                try SQLiteQoSLedger.opened(path: path) { [logger] kept in
                    logger.error(
                        "the store of QoS decisions was damaged and lies at \(kept) now; decisions start anew"
                    )
                }
            }
            : nil
        vault = sync.map { HubKeyVault(ledger: $0.ledger, configuration: configuration, now: clocks.wall) }
        publishedKeys = PublishedKeys(path: paths.publicKeys)
        let revocations = Revocations(path: paths.revocations)
        let terminals = KnownTerminals(path: paths.terminals)
        let keys = try await vault?.opened() ?? HubKeys(now: clocks.wall)
        if vault == nil {
            guard publishedKeys.pull(into: keys) else {
                throw HubStartError.notPublished(path: paths.publicKeys)
            }
            guard revocations.pull() else { throw HubStartError.notPublished(path: paths.revocations) }
            guard terminals.pull() else { throw HubStartError.notPublished(path: paths.terminals) }
        }
        let ledger = sync?.ledger
        let operators = Operators(path: paths.operators)
        authorizer = Authorizer(
            keys: keys, revocations: revocations, terminals: terminals,
            lookUp: { id in
                guard let ledger else {
                    terminals.pull()
                    return
                }
                if let terminal = try await ledger.terminal(id) { terminals.note(terminal) }
            },
            operators: operators,
            lookUpOperator: { digest in
                guard let ledger else { return operators.pull() }
                if let record = try await ledger.operatorRecord(tokenDigest: digest) {
                    operators.note(record)
                }
            },
            operatorLookUps: .operatorLookUps(now: clocks.monotonic), hosts: configuration.ops.hostCheck,
            sessions: SessionSigner(keys: keys, isSecure: configuration.hasSecurePages),
            log: OperatorLog(ledger: ledger, now: clocks.wall, logger: logger),
            schemas: configuration.schemas,
            rates: configuration.limits.rates(clocks), openRates: configuration.limits.openRates(clocks),
            now: clocks.wall)
        access = nil
        sharesDecisions = false
    }

    private init(
        url: String, _ configuration: HubConfiguration, _ clocks: HubClocks, _ logger: Logger
    ) async throws {
        let roles = configuration.roles
        let ledger = try PostgresLedger(url: url)
        sync = roles.contains(.sync) ? OwnedStore(shared: ledger) : nil
        qos = try roles.contains(.qos) ? OwnedStore(shared: PostgresQoSLedger(url: url)) : nil
        let vault = HubKeyVault(ledger: ledger, configuration: configuration, now: clocks.wall)
        self.vault = vault
        publishedKeys = PublishedKeys(path: nil)
        let terminals = KnownTerminals(path: nil)
        let keys = try await roles.contains(.sync) ? vault.opened() : vault.openedPublicly()
        let operators = Operators(path: nil)
        authorizer = Authorizer(
            keys: keys,
            revocations: Revocations(configuration), terminals: terminals,
            lookUp: { id in
                if let terminal = try await ledger.terminal(id) { terminals.note(terminal) }
            },
            operators: operators,
            lookUpOperator: { digest in
                if let record = try await ledger.operatorRecord(tokenDigest: digest) {
                    operators.note(record)
                }
            },
            operatorLookUps: .operatorLookUps(now: clocks.monotonic), hosts: configuration.ops.hostCheck,
            sessions: SessionSigner(keys: keys, isSecure: configuration.hasSecurePages),
            log: OperatorLog(ledger: ledger, now: clocks.wall, logger: logger),
            schemas: configuration.schemas, rates: configuration.limits.rates(clocks),
            openRates: configuration.limits.openRates(clocks), now: clocks.wall)
        access = ledger
        sharesDecisions = qos != nil
    }

    /// The commands that need the order store; nil without the sync role.
    var ledgerService: LedgerService? { sync.flatMap { service(on: $0.ledger) } }

    private func service(on ledger: any Ledger) -> LedgerService? {
        vault.map {
            LedgerService(
                ledger: ledger, vault: $0, publishedKeys: publishedKeys, revocations: authorizer.revocations,
                known: authorizer.terminals, operators: authorizer.operators, now: authorizer.now)
        }
    }

    /// Reads who may call, and publishes it to the other processes where they read it from a file.
    func readAccess() async throws {
        guard let service = ledgerService ?? access.flatMap(service) else {
            authorizer.pull()
            publishedKeys.pull(into: authorizer.keys)
            return
        }
        if access != nil { try await vault?.refresh() }
        try await service.publish()
    }
}

extension LimitsConfiguration {
    fileprivate func rates(_ clocks: HubClocks) -> RateGate {
        RateGate(TokenBucket.Rate(callsPerMinute: requestsPerMinute), now: clocks.monotonic)
    }

    fileprivate func openRates(_ clocks: HubClocks) -> OpenRateGate {
        OpenRateGate(perSecond: openRequestsPerAddressPerSecond, now: clocks.monotonic)
    }
}
