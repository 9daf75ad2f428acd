internal import ArgumentParser
internal import Glibc
internal import HubProtocol
internal import HubServer
internal import HubStore

/// Why a command did not do its work: one line for the person, and the exit code of cli.md.
struct CommandFailure: Error, CustomStringConvertible {
    /// The exit codes of every command.
    enum Code: Int32 {
        case wrongUsage = 2
        case unusable = 3
        case refused = 4
        case tryAgain = 75
    }

    let code: Code
    let line: String
    /// Which record of a list the hub refused, from 0; nil: no single one.
    let place: Int?

    var description: String { line }

    static func usage(_ line: String) -> CommandFailure { CommandFailure(code: .wrongUsage, line: line) }
    static func unusable(_ line: String) -> CommandFailure { CommandFailure(code: .unusable, line: line) }
    static func refused(_ line: String) -> CommandFailure { CommandFailure(code: .refused, line: line) }
    static func tryAgain(_ line: String) -> CommandFailure { CommandFailure(code: .tryAgain, line: line) }

    private init(code: Code, line: String, place: Int? = nil) {
        self.code = code
        self.line = line
        self.place = place
    }

    /// What a hub's refusal means for a command.
    init(_ problem: Problem) {
        self.init(
            code: problem.status == 503 ? .tryAgain : .refused, line: problem.detail,
            place: problem.extensions["place"]?.integer.flatMap { Int(exactly: $0) })
    }

    /// Why a store or a listener could not be opened.
    init(starting error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let problem as Problem: self.init(problem)
        case LedgerError.busy, LedgerError.full, LedgerError.unavailable:
            self.init(code: .tryAgain, line: "\(error)")
        case LedgerError.notEmpty: self.init(code: .refused, line: "\(error)")
        case _: self.init(code: .unusable, line: "\(error)")
        }
    }
}
