/// Who decides on card payments.
package enum PaymentService: Hashable, Sendable {
    /// How the simulator responds.
    package enum Simulation: String, Hashable, Sendable, CaseIterable {
        case approve
        case decline
        /// Decides, stores its decision and does not respond.
        case silent
        /// 503, nothing decided.
        case unavailable
    }

    /// Nobody: every card is refused with the reason.
    case none
    /// No money moves; every response and every card receipt states this.
    case simulator(Simulation)
    /// The gateway of `gateway.url`.
    case http

    private static let simulator = "simulator"

    /// Reads `none`, `http`, `simulator` or `simulator:BEHAVIOUR`.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        switch parts {
        case ["none"]: self = .none
        case ["http"]: self = .http
        case [Self.simulator]: self = .simulator(.approve)
        case _:
            guard parts.count == 2, parts[0] == Self.simulator,
                let simulation = Simulation(rawValue: parts[1])
            else { return nil }
            self = .simulator(simulation)
        }
    }

    /// What terminals get to know: whether there is one, and of what kind.
    var kind: String {
        switch self {
        case .none: "none"
        case .simulator: Self.simulator
        case .http: "http"
        }
    }

    /// Whether no money moves by what it decides.
    var isSimulated: Bool { kind == Self.simulator }

    /// The value as the configuration writes it.
    package var text: String {
        switch self {
        case .none: "none"
        case .http: "http"
        case .simulator(let simulation): "\(Self.simulator):\(simulation.rawValue)"
        }
    }
}
