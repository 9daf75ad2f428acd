/// Why a command of the cashier was not done: a stable word, one line for people that says what to do next,
/// and the exit code's kind.
public protocol Refusal: Error, Hashable, Sendable {
    /// Stable, lower case with underscores; front ends decide by it.
    var code: String { get }
    /// One line: what happened and what to do next.
    var message: String { get }
    var exit: RefusalExit { get }
}

/// The exit codes that a refusal may end a command with.
public enum RefusalExit: Int32, Hashable, Sendable {
    /// Refused by a business rule.
    case rule = 1
    /// The request itself is wrong.
    case usage = 2
    /// The home is not usable for it yet.
    case home = 3
    /// Cannot record durably: nothing was sold.
    case notRecorded = 5
    /// Temporarily impossible.
    case tryAgain = 75
}
