internal import ArgumentParser

/// Something that is measured together with its yardstick.
protocol Measure {
    /// Measures, in a folder of its own.
    ///
    /// - Throws: ``BenchFailure`` when it could not be measured.
    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row]
}

/// What `--only` takes, in the order of a full run.
enum MeasureName: String, CaseIterable, ExpressibleByArgument {
    case sale
    case oneShot = "one-shot"
    case machine
    case drain
    case drainPostgres = "drain-postgresql"
    case restart
    case refresh
    case requests
    case memory
    case herd
    case detection
    case debounce
    case idle

    static var all: String { allCases.map(\.rawValue).joined(separator: ", ") }

    func measure(idleSeconds: Int) -> any Measure {
        switch self {
        case .sale: DurableSale()
        case .oneShot: OneShotSale()
        case .machine: MachineEvents()
        case .drain: LoopbackDrain(store: .sqlite)
        case .drainPostgres: LoopbackDrain(store: .postgresql)
        case .restart: RestartDrain()
        case .refresh: CatalogueRefresh()
        case .requests: RequestRates()
        case .memory: HubMemory(mutations: 1_000_000)
        case .herd: HerdFigures()
        case .detection: DetectionFigures()
        case .debounce: DebounceRules()
        case .idle: IdleAgent(seconds: idleSeconds)
        }
    }
}
