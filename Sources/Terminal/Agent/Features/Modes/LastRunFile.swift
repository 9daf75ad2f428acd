internal import Foundation
internal import HubProtocol
internal import OfflineMode
internal import SystemPackage

/// `<home>/last-run.json`: what the next start takes over. Losing it is harmless, so it is not synced.
struct LastRunFile: LastRunStorage {
    /// Longer than any of its documents.
    private static let length = 160

    private let path: String

    init(home: TerminalHome) {
        path = home.path + "/last-run.json"
    }

    func load() -> LastRunOnDisk? {
        guard let bytes = FileManager.default.contents(atPath: path),
            let json = try? JSONParser.parse(Array(bytes)), let isDown = json["networkIsDown"]?.bool
        else { return nil }
        return LastRunOnDisk(
            networkIsDown: isDown, lastInternetOk: json["lastInternetOk"]?.integer,
            lastBackendOk: json["lastBackendOk"]?.integer)
    }

    func save(_ run: LastRunOnDisk) {
        let json: JSONValue = [
            "networkIsDown": .bool(run.networkIsDown), "lastInternetOk": JSONValue(run.lastInternetOk),
            "lastBackendOk": JSONValue(run.lastBackendOk),
        ]
        // In place and always as long as before, so that an idle till never waits for its disk here. A
        // killed process leaves it complete; a file that a power cut corrupted is read as absent.
        let bytes = json.canonicalBytes
        let line = bytes + [UInt8](repeating: 0x20, count: max(0, Self.length - 1 - bytes.count)) + [0x0A]
        guard
            let file = try? FileDescriptor.open(
                path, .writeOnly, options: .create, permissions: .ownerReadWrite)
        else { return }
        _ = try? file.closeAfter { try file.writeAll(line) }
    }
}
