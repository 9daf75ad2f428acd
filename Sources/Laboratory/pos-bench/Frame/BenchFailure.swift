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
