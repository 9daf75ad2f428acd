import Base

internal import HubProtocol
internal import Logging

/// Writes each line for people: the time, the level, the program's part, what happened, and behind it the
/// metadata by name. A value with a space or a sign of its own is in quotation marks, so that it ends where
/// it ends.
struct TextLogHandler: LogHandler {
    let label: String
    let write: @Sendable (_ line: String) -> Void
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel: Logger.Level = .trace

    init(label: String, write: @escaping @Sendable (_ line: String) -> Void) {
        self.label = label
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var members = metadata
        for given in [metadataProvider?.get() ?? [:], event.metadata ?? [:]] {
            members.merge(given) { $1 }
        }
        if let error = event.error { members["error"] = .string("\(error)") }
        let values = members.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted("\($0.value)"))" }
        let time = Timestamp.text(milliseconds: JSONLogHandler.now)
        write("\(time) \(event.level.rawValue) \(label): \(event.message)\(values.joined())")
    }

    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && !"\"=".utf8.contains($0) }
        return !text.isEmpty && isPlain ? text : JSONValue.string(text).canonicalText
    }
}
