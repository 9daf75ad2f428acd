internal import Foundation

/// The folder of one run, on a real disk, and the folder of the built programs.
struct Workshop {
    /// Where `pos` and `pos-hub` lie: beside this program.
    let programs: String
    private let root: String

    /// - Parameter parent: where the folder is made; nil: beside the programs, since `/tmp` is often memory.
    init(parent: String?) throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        programs = (own as NSString).deletingLastPathComponent
        root = (parent ?? programs) + "/bench-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    /// An empty folder named `name`.
    func folder(_ name: String) throws(BenchFailure) -> String {
        let path = root + "/" + name
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .system(call: "mkdir \(path)", code: errno)
        }
        return path
    }

    func program(_ name: String) throws(BenchFailure) -> String {
        let path = programs + "/" + name
        guard access(path, X_OK) == 0 else { throw .programMissing(path: path) }
        return path
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: root)
    }
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
