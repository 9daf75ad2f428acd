import Foundation

/// A folder of its own for one test, removed with it.
final class TemporaryHome: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "home-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/" + name)
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path + "/" + name)
    }

    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: path + "/" + name, withIntermediateDirectories: true)
    }

    /// Another folder that holds copies of the files `names`, as a power cut or a backup would leave them.
    func copy(_ names: [String]) throws -> TemporaryHome {
        let other = try TemporaryHome()
        for name in names where exists(name) { try other.write(read(name), to: name) }
        return other
    }
}
