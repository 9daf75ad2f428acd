internal import ArgumentParser
internal import Glibc
internal import HubCore
internal import HubProtocol
internal import HubServer
internal import HubStore

/// Why a command did not do its work: one line for the person, and the exit code of cli.md.
struct CommandFailure: Error, CustomStringConvertible {
    /// The exit codes of every command.
    enum Code: Int32 {
        /// What was to be checked does not hold.
        case invalid = 1
        case wrongUsage = 2
        case unusable = 3
        case refused = 4
        case tryAgain = 75

        /// The word of a failure that has none of its own.
        var word: String {
            switch self {
            case .invalid: "invalid"
            case .wrongUsage: "wrong_usage"
            case .unusable: "unusable"
            case .refused: "refused"
            case .tryAgain: "try_again"
            }
        }
    }

    let code: Code
    /// A stable word for programs: the hub's problem code, or one of this program's own.
    let word: String
    let line: String
    /// What the hub found wrong with the records of an import; empty for every other failure.
    let objections: [ImportObjection]
    /// Each of several mistakes, for a person and for programs; empty where ``line`` has the only one.
    let mistakes: [String]

    var description: String { line }

    /// The document of a failure for programs.
    var document: JSONValue {
        var error: JSONObject = ["code": .string(word), "message": .string(line)]
        if !mistakes.isEmpty { error["mistakes"] = .array(mistakes.map(JSONValue.string)) }
        return ["error": .object(error)]
    }

    static func invalid(_ line: String) -> CommandFailure { CommandFailure(code: .invalid, line: line) }
    static func usage(_ line: String) -> CommandFailure { CommandFailure(code: .wrongUsage, line: line) }
    static func unusable(_ line: String) -> CommandFailure { CommandFailure(code: .unusable, line: line) }
    static func refused(_ line: String, mistakes: [String] = []) -> CommandFailure {
        CommandFailure(code: .refused, line: line, mistakes: mistakes)
    }
    static func tryAgain(_ line: String) -> CommandFailure { CommandFailure(code: .tryAgain, line: line) }

    private init(
        code: Code, word: String? = nil, line: String, objections: [ImportObjection] = [],
        mistakes: [String] = []
    ) {
        self.code = code
        self.word = word ?? code.word
        self.line = line
        self.objections = objections
        self.mistakes = mistakes
    }

    /// What a hub's refusal means for a command.
    init(_ problem: Problem) {
        self.init(
            code: problem.status == 503 ? .tryAgain : .refused, word: problem.code.rawValue,
            line: problem.detail,
            objections: (problem.extensions["objections"]?.array ?? []).map { objection in
                ImportObjection(
                    objection["detail"]?.string ?? "",
                    place: objection["place"]?.integer.flatMap { Int(exactly: $0) })
            })
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

extension CommandFailure {
    /// A command that makes no store found none.
    static func noStore(at place: String) -> CommandFailure {
        .unusable(
            "there is no hub's store at \(place): name the hub with --config or --store; a new one is made by "
                + "`pos-hub serve`, `pos-hub import` and `pos-hub restore`")
    }
}

extension StoreLocation {
    /// Where the file of this store should be and is not; nil where it is, and for a database.
    var missingFile: String? {
        switch self {
        case .sqlite(let path): Self.isMissing(path) ? path : nil
        case .postgresql: nil
        }
    }

    /// A file of no bytes, as an ended copy leaves it, is no store either: opened as one it would be a new
    /// hub.
    static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_size == 0
    }
}
