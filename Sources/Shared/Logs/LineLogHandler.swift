import Base

internal import Glibc
internal import HubProtocol
internal import Logging

/// Writes each event as one line of its form.
struct LineLogHandler: LogHandler {
    let format: LogFormat
    let label: String
    let write: @Sendable (_ line: String) -> Void
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel: Logger.Level = .trace

    init(
        format: LogFormat, label: String,
        write: @escaping @Sendable (_ line: String) -> Void = LineLogHandler.writeToStandardError
    ) {
        self.format = format
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
        if let error = event.error { members["error"] = "\(error)" }
        let time = Timestamp.text(milliseconds: Self.now)
        switch format {
        case .json: write(Self.object(event, of: members, label: label, time: time))
        case .text:
            let values = members.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted("\($0.value)"))" }
            write("\(time) \(event.level.rawValue) \(label): \(event.message)\(values.joined())")
        }
    }

    /// The line's own members win over metadata of their names.
    private static func object(
        _ event: LogEvent, of metadata: Logger.Metadata, label: String, time: String
    ) -> String {
        var members = JSONObject(metadata.mapValues(json))
        members["at"] = .string(time)
        members["level"] = .string(event.level.rawValue)
        members["logger"] = .string(label)
        members["message"] = .string(event.message.description)
        return JSONValue.object(members).canonicalText
    }

    private static func json(_ value: Logger.MetadataValue) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .stringConvertible(let value): .string("\(value)")
        case .array(let values): .array(values.map(json))
        case .dictionary(let members): .object(JSONObject(members.mapValues(json)))
        }
    }

    /// A value with a space or a sign of its own is in quotation marks, so that it ends where it ends.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && !"\"=".utf8.contains($0) }
        return !text.isEmpty && isPlain ? text : JSONValue.string(text).canonicalText
    }

    /// Milliseconds since 1970.
    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// One call of the system for a line, so that lines of several threads do not mix.
    static func writeToStandardError(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                return
            }
            rest = rest.dropFirst(count)
        }
    }
}
