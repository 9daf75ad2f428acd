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
