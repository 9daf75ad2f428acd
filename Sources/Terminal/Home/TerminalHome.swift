internal import Foundation

/// The terminal's data folder and the names of what lies in it.
public struct TerminalHome: Sendable, Equatable {
    /// Absolute path of the folder.
    public let path: String

    public init(path: String) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
    }

    public var configuration: String { path + "/terminal.json" }
    public var socket: String { path + "/agent.sock" }
    public var lock: String { path + "/agent.lock" }
    public var deviceKey: String { path + "/device.key" }

    /// Whether `pos init` was finished here.
    public var isInitialised: Bool {
        FileManager.default.fileExists(atPath: configuration)
            && FileManager.default.fileExists(atPath: deviceKey)
    }

    /// Makes the folder, readable by its owner alone, where it is missing.
    public func create() throws(TerminalError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw TerminalError(
                .unusable, code: "home_unusable",
                "cannot make the home \(path); choose another with --home or mend the permissions")
        }
        try requireWritable()
    }

    /// Refuses a folder that is not there or cannot be written.
    public func requireWritable() throws(TerminalError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            throw TerminalError(
                .unusable, code: "home_missing",
                "there is no terminal in \(path); run `pos init --hub URL --enrol CODE --home \(path)`")
        }
        let probe = path + "/.writable-\(ProcessInfo.processInfo.processIdentifier)"
        guard FileManager.default.createFile(atPath: probe, contents: nil) else {
            throw TerminalError(
                .unusable, code: "home_not_writable",
                "the home \(path) cannot be written; mend its permissions or the disk")
        }
        try? FileManager.default.removeItem(atPath: probe)
    }

    /// Refuses a home where `pos init` has not been finished.
    public func requireInitialised() throws(TerminalError) {
        guard FileManager.default.fileExists(atPath: path), isInitialised else {
            throw TerminalError(
                .unusable, code: "home_missing",
                "there is no terminal in \(path); run `pos init --hub URL --enrol CODE --home \(path)`")
        }
    }
}
