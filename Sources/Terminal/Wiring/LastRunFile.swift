internal import Foundation
internal import HubProtocol
internal import OfflineMode

/// `<home>/last-run.json`: what the next start takes over. Losing it is harmless, so it is not synced.
struct LastRunFile: LastRunStorage {
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
        try? Data(json.canonicalBytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
