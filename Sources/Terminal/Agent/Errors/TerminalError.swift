public import AgentAPI

/// What a command of the terminal ends with when it cannot do its work: an exit code and one line that says
/// what happened and what to do next.
public struct TerminalError: Error, Equatable, Sendable {
    /// The exit codes of the command-line contract.
    public enum Kind: Int32, Sendable, CaseIterable {
        /// A business rule refused it.
        case refused = 1
        /// The command was used wrongly.
        case usage = 2
        /// The configuration or the home cannot be used.
        case unusable = 3
        /// The hub said no.
        case hubRefused = 4
        /// It cannot be recorded durably: nothing was sold.
        case notDurable = 5
        /// Temporarily impossible: try again.
        case tryAgain = 75
    }

    public let kind: Kind
    /// A stable word for programs, for example `unknown_barcode`.
    public let code: String
    /// One line for people.
    public let message: String
    /// What the error says beside its text.
    public let details: AgentFailure.Details

    public init(
        _ kind: Kind, code: String, _ message: String, details: AgentFailure.Details = AgentFailure.Details()
    ) {
        self.kind = kind
        self.details = details
        self.code = code
        self.message = message
    }

    /// As responses and `--json` carry it.
    public var failure: AgentFailure {
        AgentFailure(code: code, message: message, exit: Int64(kind.rawValue), details: details)
    }
}
