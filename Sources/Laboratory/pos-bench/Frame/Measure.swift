internal import ArgumentParser

/// Something that is measured together with its yardstick.
protocol Measure {
    /// Measures, in a folder of its own, and gives each line as soon as it is known.
    ///
    /// - Throws: ``BenchFailure`` when it could not be measured.
    func run(in workshop: Workshop, show: (String) -> Void) throws(BenchFailure)
}

/// A measure that is rows of the table and nothing else.
protocol RowMeasure: Measure {
    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row]
}

extension RowMeasure {
    func run(in workshop: Workshop, show: (String) -> Void) throws(BenchFailure) {
        for row in try rows(in: workshop) { show(row.text) }
    }
}

/// What `--only` takes, in the order of a full run.
enum MeasureName: String, CaseIterable, ExpressibleByArgument {
    case sale
    case saleTenders = "sale-tenders"
    case saleMachine = "sale-machine"
    case saleBesideLists = "sale-beside-lists"
    case neighbours
    case oneShot = "one-shot"
    case counter
    case keptCart = "kept-cart"
    case refund
    case offers
    case shift
    case machine
    case drain
    case drainPostgres = "drain-postgresql"
    case catalogueImport = "import"
    case importPostgres = "import-postgresql"
    case restart
    case errors
    case refresh
    case requests
    case hostile
    case hostilePostgres = "hostile-postgresql"
    case hostileCalls = "hostile-calls"
    case hostileCallsPostgres = "hostile-calls-postgresql"
    case memory
    case connections
    case busy
    case export
    case exportPostgres = "export-postgresql"
    case backup
    case disk
    case diskPostgres = "disk-postgresql"
    case readModel = "read-model"
    case readModelPostgres = "read-model-postgresql"
    case leases
    case leasesPostgres = "leases-postgresql"
    case polling
    case reach
    case reconnect
    case detection
    case detectors
    case agentDetection = "agent-detection"
    case idle
    case idleNeighbours = "idle-neighbours"

    static var all: String { allCases.map(\.rawValue).joined(separator: ", ") }

    func measure(_ options: BenchOptions) -> any Measure {
        switch self {
        case .sale: DurableSale()
        case .saleTenders: TenderedSale()
        case .saleMachine: MachineSale()
        case .saleBesideLists: SaleBesideLists()
        case .neighbours: NeighbourCosts()
        case .oneShot: OneShotSale()
        case .counter: CounterWork()
        case .keptCart: KeptCart()
        case .refund: DecidedRefund()
        case .offers: OfferEvaluation()
        case .shift: ShiftReports()
        case .machine: MachineEvents()
        case .drain: LoopbackDrain(store: .sqlite)
        case .drainPostgres: LoopbackDrain(store: .postgresql)
        case .catalogueImport: CatalogueImport(store: .sqlite)
        case .importPostgres: CatalogueImport(store: .postgresql)
        case .restart: RestartDrain()
        case .errors: DrainAfterErrors()
        case .refresh: CatalogueRefresh()
        case .requests: RequestRates()
        case .hostile: HostileNeighbours(store: .sqlite)
        case .hostilePostgres: HostileNeighbours(store: .postgresql)
        case .hostileCalls: HostileCalls(store: .sqlite)
        case .hostileCallsPostgres: HostileCalls(store: .postgresql)
        case .memory: HubMemory(mutations: 1_000_000)
        case .connections: IdleConnections()
        case .busy: BusyHub()
        case .export: OrderExport(store: .sqlite)
        case .exportPostgres: OrderExport(store: .postgresql)
        case .backup: BackupAndRestore()
        case .disk: SaleDisk(store: .sqlite)
        case .diskPostgres: SaleDisk(store: .postgresql)
        case .readModel: ReadModelCost(store: .sqlite)
        case .readModelPostgres: ReadModelCost(store: .postgresql)
        case .leases: LeaseIssue(store: .sqlite)
        case .leasesPostgres: LeaseIssue(store: .postgresql)
        case .polling: PollingTerminals()
        case .reach: DecisionReach()
        case .reconnect: ReconnectFigures()
        case .detection: DetectionFigures(seed: options.seed)
        case .detectors:
            DetectorTable(seed: options.seed, svg: options.svg, recordings: options.recordings)
        case .agentDetection: AgentDetection(rounds: options.rounds, seed: options.seed)
        case .idle: IdleAgent(seconds: options.idleSeconds)
        case .idleNeighbours: IdleNeighbours(seconds: options.idleSeconds)
        }
    }
}
