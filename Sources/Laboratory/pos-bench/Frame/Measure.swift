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
    case oneShot = "one-shot"
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
    case memory
    case connections
    case busy
    case reconnect
    case detection
    case detectors
    case debounce
    case agentDetection = "agent-detection"
    case idle

    static var all: String { allCases.map(\.rawValue).joined(separator: ", ") }

    func measure(_ options: BenchOptions) -> any Measure {
        switch self {
        case .sale: DurableSale()
        case .oneShot: OneShotSale()
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
        case .memory: HubMemory(mutations: 1_000_000)
        case .connections: IdleConnections()
        case .busy: BusyHub()
        case .reconnect: ReconnectFigures()
        case .detection: DetectionFigures(seed: options.seed)
        case .detectors:
            DetectorTable(seed: options.seed, svg: options.svg, recordings: options.recordings)
        case .debounce: DebounceRules(seed: options.seed)
        case .agentDetection: AgentDetection(rounds: options.rounds, seed: options.seed)
        case .idle: IdleAgent(seconds: options.idleSeconds)
        }
    }
}

/// The options of the command line.
struct BenchOptions {
    /// How long the idle programs are watched.
    var idleSeconds: Int
    /// Of everything that is drawn.
    var seed: UInt64
    /// How often the real agents are cut off.
    var rounds: Int
    /// Where the chart of the detectors goes; nil: nowhere.
    var svg: String?
    /// A folder of link recordings; nil: drawn links alone.
    var recordings: String?
}

/// Why something could not be measured.
enum BenchFailure: Error, Equatable, CustomStringConvertible {
    /// Build it first; `make bench` does.
    case programMissing(path: String)
    /// A program did not do its part.
    case programFailed(name: String, detail: String, lastErrors: String)
    /// A call of the system failed.
    case system(call: String, code: Int32)
    /// What the measure needs is not here; it is left out.
    case notHere(String)
    case sqlite(code: Int32, detail: String)

    var description: String {
        switch self {
        case .programMissing(let path): "\(path) is missing; `make bench` builds it"
        case .programFailed(let name, let detail, let lastErrors):
            "\(name): \(detail); its last messages: \(lastErrors)"
        case .system(let call, let code): "\(call) failed with error \(code)"
        case .notHere(let reason): reason
        case .sqlite(let code, let detail): "SQLite failed with \(code): \(detail)"
        }
    }
}
