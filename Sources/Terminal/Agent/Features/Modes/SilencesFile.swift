internal import Foundation
internal import HubProtocol
internal import Logging
internal import OfflineCore
internal import OfflineMode

/// `<home>/silences.json`: what the till learned of its link. Losing it is harmless, so it is not synced.
struct SilencesFile: SilenceStorage {
    private let path: String
    private let logger: Logger

    init(home: TerminalHome, logger: Logger) {
        path = home.path + "/silences.json"
        self.logger = logger
    }

    func load() -> SilenceMemory {
        guard let bytes = FileManager.default.contents(atPath: path) else { return SilenceMemory() }
        if let memory = Self.memory(in: bytes) { return memory }
        logger.warning(
            "the learned response times of the link are corrupt; learning starts again",
            metadata: ["file": "\(path)"])
        return SilenceMemory()
    }

    private static func memory(in bytes: Data) -> SilenceMemory? {
        guard let json = try? JSONParser.parse(Array(bytes)), let silences = json["silencesMs"]?.array,
            let returns = json["returnsMs"]?.array
        else { return nil }
        let (kept, held) = (silences.compactMap(\.integer), returns.compactMap(\.integer))
        guard kept.count == silences.count, held.count == returns.count else { return nil }
        return SilenceMemory(silences: kept, returns: held)
    }

    func save(_ memory: SilenceMemory) {
        let json: JSONValue = [
            "silencesMs": .array(memory.silences.map(JSONValue.integer)),
            "returnsMs": .array(memory.returns.map(JSONValue.integer)),
        ]
        try? Data(json.canonicalBytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
