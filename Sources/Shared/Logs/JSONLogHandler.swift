import Base

internal import Glibc
internal import HubProtocol
internal import Logging

/// Writes each line as one JSON object: `at`, `level`, `logger`, `message`, and the metadata beside them.
struct JSONLogHandler: LogHandler {
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
        let given = [metadata, metadataProvider?.get() ?? [:], event.metadata ?? [:]]
        var members: JSONObject = [:]
        for (key, value) in given.joined() { members[key] = Self.json(value) }
        if let error = event.error { members["error"] = .string("\(error)") }
        members["at"] = .string(Timestamp.text(milliseconds: Self.now))
        members["level"] = .string(event.level.rawValue)
        members["logger"] = .string(label)
        members["message"] = .string(event.message.description)
        write(JSONValue.object(members).canonicalText)
    }

    private static func json(_ value: Logger.MetadataValue) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .stringConvertible(let value): .string("\(value)")
        case .array(let values): .array(values.map(json))
        case .dictionary(let members): .object(JSONObject(members.mapValues(json)))
        }
    }

    /// Milliseconds since 1970.
    static var now: Int64 {
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
