internal import HubProtocol
internal import HubStore
internal import Logging
internal import ServiceLifecycle

/// What a process of the hub is made of, by its roles.
struct HubParts: Sendable {
    private let configuration: HubConfiguration
    private let logger: Logger
    private let gate: AccessGate
    private let metrics = RequestCounter()
    private let sync: SyncParts?

    init(_ configuration: HubConfiguration, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        let paths = StorePaths(ledger: configuration.storePath)
        sync = configuration.roles.contains(.sync) ? try SyncParts(configuration, paths) : nil
        gate = AccessGate(
            key: try HubKey.load(path: paths.key), revocations: Revocations(path: paths.revocations),
            operators: sync?.ledger, now: WallClock.now)
    }

    /// What has to be done before the first request.
    func prepare() async throws {
        if let sync {
            try await LedgerDesk(ledger: sync.ledger, revocations: gate.revocations, now: gate.now)
                .publishRevocations()
        } else {
            gate.revocations.pull()
        }
    }

    /// What runs beside the listeners.
    var services: [any Service] {
        sync == nil ? [RevocationPull(revocations: gate.revocations)] : []
    }

    func listeners(onListening: @escaping @Sendable (String) -> Void) -> [Listener] {
        let local = localDesks
        let readiness = Readiness(awaited: local.count + 1, announce: onListening)
        let main = Listener(
            place: .network(configuration.listen, configuration.tls),
            routes: table(routes, limits: .terminal, isLocal: false), logger: logger,
            onListening: { await readiness.listens($0, isPublic: true) })
        let others = local.map { path, desk in
            Listener(
                place: .local(path: path),
                routes: table(
                    routes + AdminRoutes(desk: desk).routes, limits: .local, isLocal: true),
                logger: logger, onListening: { await readiness.listens($0, isPublic: false) })
        }
        return [main] + others
    }

    private func table(_ routes: [Route], limits: BodyLimits, isLocal: Bool) -> RouteTable {
        RouteTable(routes, gate: gate, limits: limits, isLocal: isLocal, metrics: metrics)
    }

    /// The desk of each store that this process owns, by the path of its socket.
    private var localDesks: [(path: String, desk: any AdminDesk)] {
        guard let sync else { return [] }
        let desk = LedgerDesk(ledger: sync.ledger, revocations: gate.revocations, now: gate.now)
        return [(StorePaths.socket(of: configuration.storePath), desk)]
    }

    private var routes: [Route] {
        var routes: [Route] = []
        var checks: [@Sendable () async throws -> Void] = []
        if let ledger = sync?.ledger {
            checks.append { try await ledger.checkWritable() }
            routes +=
                EnrolmentRoutes(
                    ledger: ledger, key: gate.key, tokenLifetime: configuration.tokenLifetimeMilliseconds,
                    now: gate.now
                ).routes
            routes += MutationRoutes(ledger: ledger, inFlight: InFlightKeys(), now: gate.now).routes
            routes += CatalogueRoutes(ledger: ledger, key: gate.key).routes
        }
        return routes + HealthRoutes(checks: checks).routes
    }
}

/// The order store with its lock.
struct SyncParts: Sendable {
    let ledger: SQLiteLedger
    private let lock: StoreLock

    init(_ configuration: HubConfiguration, _ paths: StorePaths) throws {
        let socket = StorePaths.socket(of: paths.ledger)
        guard socket.utf8.count <= HubStartError.longestSocketPath else {
            throw HubStartError.socketPathTooLong(path: socket)
        }
        guard let lock = try StoreLock.taken(of: paths.ledger) else {
            throw HubStartError.storeOwned(path: paths.ledger)
        }
        self.lock = lock
        ledger = try SQLiteLedger(path: paths.ledger)
    }
}

extension HubConfiguration {
    var tokenLifetimeMilliseconds: Int64 { tokenLifetime.components.seconds * 1000 }
}
