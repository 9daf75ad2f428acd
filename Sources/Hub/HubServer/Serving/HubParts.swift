import Base

internal import CurlHTTP
internal import Dashboard
internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Logging
internal import ServiceLifecycle

/// What a hub is made of, by its roles: the one place where its parts are made and joined.
///
/// Everything comes in by the initializer, so a test makes one as a process does, with clocks of its own, and
/// sends requests to its tables without a socket.
struct HubParts: Sendable {
    private let configuration: HubConfiguration
    private let clocks: HubClocks
    private let logger: Logger
    let stores: HubStores
    private let figures = HubFigures()
    private let pushes: PushOutcomes
    /// Nil without the QoS role.
    let engine: QoSEngine?
    private let pages: DashboardPages
    private let live = LiveEvents()
    /// One for all listeners, as the worker is.
    private let turns: TerminalTurns
    private let bodies: FairWorker
    /// One for all listeners: an attempt counts wherever it comes in.
    private let passwords: PasswordCheck
    private let fleet: FleetReader
    /// Nil without a store of orders.
    private let telemetry: PiggybackedTelemetry?
    private let heads: HeadParts?
    let shifts: ShiftBook?
    /// Nil without a store of orders.
    let memberReads: MemberReadCounter?
    /// Nil without a store of orders.
    private let recalls: LeaseRecalls?
    /// Sends the hub's own requests: to the payment gateway, and the probes of services.
    private let session: any HTTPSession
    /// Nil without a payment service.
    private let gateway: (any PaymentGateway)?

    /// Opens the stores that the roles need, and reads who may call.
    ///
    /// - Parameter session: what sends the hub's own requests; nil: libcurl, on a thread of its own.
    /// - Throws: ``HubStartError``, an error of a store, or of the keys.
    init(
        _ configuration: HubConfiguration, clocks: HubClocks = .system, session: (any HTTPSession)? = nil,
        logger: Logger
    ) async throws {
        self.configuration = configuration
        self.clocks = clocks
        self.logger = logger
        pushes = PushOutcomes(now: clocks.monotonic)
        passwords = PasswordCheck(now: clocks.monotonic)
        turns = TerminalTurns(
            bytesPerMinute: configuration.limits.bytesPerMinute, now: clocks.monotonic)
        // A core stays for all else.
        bodies = FairWorker("bodies", width: max(1, ProcessInfo.processInfo.activeProcessorCount - 1))
        stores = try await HubStores(configuration, clocks: clocks, logger: logger)
        if let qos = stores.qos {
            engine = try await QoSEngine.opened(
                qos.ledger, configuration.qos, isShared: stores.sharesDecisions, logger: logger)
        } else {
            engine = nil
        }
        pages = try DashboardPages()
        do {
            self.session =
                try session
                ?? CurlSession(
                    configuration: CurlSessionConfiguration(userAgent: "pos-hub", threadName: "hub-requests"))
        } catch {
            throw HubStartError.noRequests(reason: "\(error)")
        }
        gateway = try PaymentGatewayAddress.gateway(configuration, through: self.session)
        fleet = FleetReader(
            ledger: stores.sync?.ledger, engine: engine, live: live, now: clocks.wall, logger: logger)
        telemetry = stores.sync.map { [engine] in
            PiggybackedTelemetry(
                ledger: $0.ledger, engine: engine, alarms: StoreAlarms(ledger: $0.ledger),
                places: NeighbourPlaces(ledger: StoredPlaces(ledger: $0.ledger)))
        }
        heads = stores.sync.map {
            HeadParts(
                reader: HeadReader(ledger: $0.ledger, now: clocks.wall), queue: HeadQueue(ledger: $0.ledger))
        }
        shifts = stores.sync.map { [stores] in
            ShiftBook(ledger: $0.ledger, keys: stores.authorizer.keys, now: clocks.wall, logger: logger)
        }
        memberReads = stores.sync.map {
            MemberReadCounter(
                ledger: $0.ledger, readsPerMinute: configuration.limits.memberReadsPerMinute,
                perDay: configuration.limits.intake.lookUpsPerDay,
                now: clocks.wall, clock: clocks.monotonic)
        }
        recalls = stores.sync.map { LeaseRecalls(ledger: $0.ledger, now: clocks.wall) }
        try await stores.readAccess()
    }

    private var authorizer: Authorizer { stores.authorizer }

    /// What runs beside the listeners.
    var services: [any Service] {
        var services: [any Service] = []
        if stores.sync == nil || stores.access != nil {
            services.append(AccessPull(stores: stores, engine: engine, logger: logger))
        }
        if let ledger = stores.sync?.ledger {
            services.append(
                RetentionService(
                    ledger: ledger, periods: configuration.retention, now: clocks.wall, logger: logger))
            services.append(SalesSumming(ledger: ledger, logger: logger))
        }
        if let leaseWatch { services.append(leaseWatch) }
        if let forwarding { services.append(forwarding) }
        if let webhooks { services.append(webhooks) }
        if let shifts { services.append(ShiftWatch(book: shifts)) }
        services.append(authorizer.log)
        if configuration.roles.contains(.ops) { services.append(fleet) }
        if let telemetry { services.append(telemetry) }
        if let heads { services.append(heads.queue) }
        if let memberReads { services.append(memberReads) }
        if let recalls { services.append(recalls) }
        if let engine {
            services.append(
                ServiceProbes(probes: probes, engine: engine, interval: configuration.qos.probe))
        }
        return services
    }

    /// Nil without an order store.
    var leaseWatch: LeaseWatch? {
        stores.sync.map { LeaseWatch(ledger: $0.ledger, now: clocks.wall, logger: logger) }
    }

    /// Nil without an order store.
    var webhooks: WebhookService? {
        stores.sync.map {
            WebhookService(
                ledger: $0.ledger, sender: WebhookSender(session: session), now: clocks.wall, logger: logger)
        }
    }

    /// Nil without an order store or a payment service.
    var forwarding: PaymentForwarding? {
        guard let ledger = stores.sync?.ledger, let gateway else { return nil }
        return PaymentForwarding(
            ledger: ledger, gateway: gateway,
            sealingKey: { [keys = authorizer.keys] id in
                keys.ring.entry(id)?.privateBytes.map { Array($0) }
            }, now: clocks.wall, logger: logger)
    }

    /// The probes of the configuration; of `order`, when it has none, this process's own order store.
    private var probes: [ServiceProbes.Probe] {
        var probes = configuration.qos.probes.map { service, url in
            ServiceProbes.get(service, url, through: session)
        }
        if let ledger = stores.sync?.ledger, configuration.qos.probes["order"] == nil {
            probes.append(
                ServiceProbes.Probe(service: "order") { [pushes] in
                    do {
                        try pushes.requireAccepted()
                        try await ledger.checkWritable()
                        return true
                    } catch {
                        return false
                    }
                })
        }
        return probes
    }

    /// - Parameter descriptors: how many the process may have open.
    func listeners(descriptors: Int, onListening: @escaping @Sendable (String) -> Void) -> [Listener] {
        let local = localServices
        let addresses = PeerAddresses(trusted: configuration.limits.trustedAddresses)
        let network = Connections(
            maximum: DescriptorBudget.connections(ofDescriptors: descriptors),
            perAddress: Int(clamping: configuration.limits.connectionsPerAddress), addresses: addresses,
            figures: figures)
        let readiness = Readiness(awaited: local.count + 1, announce: onListening)
        let main = Listener(
            place: .network(configuration.listen, configuration.tls), routes: networkTable(network),
            connections: network, now: clocks.monotonic, logger: logger,
            onListening: { await readiness.listens($0, isPublic: true) })
        let others = local.map { path, service in
            // Commands of this machine's owner, out of the reserve.
            let own = Connections(
                maximum: DescriptorBudget.localConnections, perAddress: DescriptorBudget.localConnections,
                addresses: addresses)
            return Listener(
                place: .local(path: path), routes: localTable(service, own), connections: own,
                now: clocks.monotonic, logger: logger,
                onListening: { await readiness.listens($0, isPublic: false) })
        }
        return [main] + others
    }

    /// What the network may request.
    func networkTable(_ connections: Connections) -> RouteTable {
        table(routes(isLocal: false), limits: .terminal, connections)
    }

    /// What this machine's owner may request on the local socket of a service.
    func localTable(_ service: any AdminService, _ connections: Connections) -> RouteTable {
        let served = routes(isLocal: false)
        // For the owner of this machine, who has to see what others can request.
        let listing = Route(.get, Routes.servedRoutes, .owner) { _ in
            .json(["routes": .array(served.map(\.json))])
        }
        return table(
            routes(isLocal: true) + AdminRoutes(service: service).routes + [listing], limits: .local,
            connections)
    }

    private func table(_ routes: [Route], limits: BodyLimits, _ connections: Connections) -> RouteTable {
        RouteTable(
            routes, authorizer: authorizer, limits: limits, figures: figures, connections: connections,
            turns: turns, recalls: recalls,
            lost: configuration.roles.contains(.ops)
                ? dashboard(isOpen: configuration.ops.isOpen).lost : nil)
    }

    private func dashboard(isOpen: Bool) -> DashboardRoutes {
        DashboardRoutes(
            authorizer: authorizer, isOpen: isOpen, pages: pages, reader: fleet, live: live,
            overrides: engine.map { OverrideService(engine: $0, log: authorizer.log) },
            ledger: stores.sync?.ledger, log: authorizer.log)
    }

    /// The service of each file that this process owns, by the path of its socket.
    var localServices: [(path: String, service: any AdminService)] {
        var services: [(path: String, service: any AdminService)] = []
        if let socket = stores.sync?.socket, let service = stores.ledgerService {
            services.append((socket, service))
        }
        if let socket = stores.qos?.socket, let engine {
            services.append((socket, QoSAdminService(engine: engine, log: authorizer.log)))
        }
        return services
    }

    /// - Parameter isLocal: whether only this machine's owner can connect.
    private func routes(isLocal: Bool) -> [Route] {
        var routes: [Route] = []
        var checks: [@Sendable () async throws -> Void] = []
        if let ledger = stores.sync?.ledger, let telemetry {
            checks.append { [pushes] in
                try pushes.requireAccepted()
                try await ledger.checkWritable()
            }
            if let heads, let shifts, let recalls {
                routes += syncRoutes(
                    on: ledger, telemetry, heads, shifts,
                    LeaseService(
                        ledger: ledger, now: clocks.wall, recalls: recalls, keys: authorizer.keys))
            }
            routes +=
                BackOfficeRoutes(
                    office: BackOffice(ledger: ledger, now: clocks.wall), log: authorizer.log
                ).routes
            routes += JournalRoutes(ledger: ledger).routes
            if let service = stores.ledgerService {
                routes += ImportRoutes(service: service, log: authorizer.log).routes
                routes += EnrolmentCodeRoutes(service: service, log: authorizer.log).routes
            }
        }
        if let qos = stores.qos, let engine {
            if stores.sync == nil { checks.append { try await qos.ledger.checkWritable() } }
            routes +=
                QoSRoutes(
                    engine: engine, overrides: OverrideService(engine: engine, log: authorizer.log),
                    onHead: heads?.note
                ).routes
        }
        if configuration.roles.contains(.ops) {
            let isOpen = isLocal || configuration.ops.isOpen
            routes.append(
                CollectedFigures(
                    own: figures, engine: engine, ledger: stores.sync?.ledger, reader: fleet,
                    condition: HubCondition(configuration: configuration), now: clocks.wall
                ).route(isOpen: isOpen))
            routes += dashboard(isOpen: isOpen).routes
            if !isLocal { routes += loginRoutes.routes }
        }
        routes += HealthRoutes(readiness: ReadinessCheck(checks, now: clocks.monotonic)).routes
        return isLocal ? routes.map { $0.opened() } : routes
    }

    private var loginRoutes: LoginRoutes {
        LoginRoutes(
            authorizer: authorizer, ledger: stores.sync?.ledger, passwords: passwords, pages: pages)
    }

    private func syncRoutes(
        on ledger: any Ledger, _ telemetry: PiggybackedTelemetry, _ heads: HeadParts, _ shifts: ShiftBook,
        _ leases: LeaseService
    ) -> [Route] {
        EnrolmentRoutes(
            ledger: ledger, authorizer: authorizer, tokenLifetime: configuration.tokenLifetimeMilliseconds,
            hosts: configuration.renewalHosts,
            publish: { [stores] in try await stores.ledgerService?.publish(newcomer: $0) }
        ).routes
            + MutationRoutes(
                ledger: WatchedJournal(ledger: metered(ledger), outcomes: pushes, figures: figures),
                telemetry: telemetry,
                heads: heads.reader,
                inFlight: InFlightKeys(), bodies: bodies, limits: configuration.limits.intake,
                figures: figures,
                shifts: shifts, now: clocks.wall
            ).routes
            + RelayRoutes(
                ledger: ledger,
                journal: WatchedJournal(ledger: metered(ledger), outcomes: pushes, figures: figures),
                keys: authorizer.keys, bodies: bodies, limits: configuration.limits.intake, figures: figures,
                shifts: shifts, now: clocks.wall
            ).routes
            + CatalogueRoutes(
                ledger: ledger, keys: authorizer.keys, bodies: bodies, payments: configuration.payments,
                now: clocks.wall, leases: leases, isConfirmed: authorizer.isConfirmed
            ).routes
            + SessionRoutes(ledger: ledger, pins: PINService(now: clocks.monotonic)).routes
            + MemberRoutes(ledger: ledger, reads: memberReads, leases: leases).routes
            + LeaseRoutes(service: leases, reads: memberReads).routes
            + ReceiptRoutes(ledger: ledger).routes
            + RefundRoutes(ledger: ledger, now: clocks.wall).routes
            + PromotionRoutes(ledger: ledger, now: clocks.wall, bodies: bodies).routes
            + TelemetryRoutes(
                ledger: metered(ledger), heads: heads, alarms: StoreAlarms(ledger: ledger),
                places: telemetry.places, now: clocks.wall
            ).routes
            + AttachmentRoutes(
                ledger: ledger, authorizer: authorizer, limits: configuration.limits.intake,
                scheme: configuration.tls == nil ? "http" : "https",
                urlLifetime: configuration.uploadLifetime.components.seconds * 1000
            ).routes
            + PaymentRoutes(
                ledger: ledger, service: configuration.payments, gateway: gateway,
                limits: configuration.limits.intake, now: clocks.wall
            ).routes
    }

    /// Where this process decides on the services too, it measures by its own intake how fast tills may
    /// drain.
    private func metered(_ ledger: any Ledger) -> any JournalLedger {
        guard let engine else { return ledger }
        return MeteredJournal(ledger: ledger, engine: engine)
    }
}

extension HubConfiguration {
    var tokenLifetimeMilliseconds: Int64 { tokenLifetime.components.seconds * 1000 }
}
