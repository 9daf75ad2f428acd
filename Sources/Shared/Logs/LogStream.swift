package import Logging

internal import HubProtocol
internal import Synchronization

/// How log lines are written.
package enum LogFormat: String, Sendable, CaseIterable {
    /// For people: what happened, and behind it the values by their names.
    case text
    /// One JSON object a line, for programs that collect logs.
    case json
}

/// The log of one program: its loggers write one form to standard error, and their level can change while
/// they are in use.
package final class LogStream: Sendable {
    /// The level of the start, to which ``reset()`` goes back.
    package let startLevel: Logger.Level
    private let current: Mutex<Logger.Level>
    private let makeHandler: @Sendable (_ label: String) -> any LogHandler
    fileprivate let repeated: RepeatedLines

    /// A log on standard error.
    package convenience init(format: LogFormat, level: Logger.Level) {
        self.init(level: level) { LineLogHandler(format: format, label: $0) }
    }

    /// The same by the words of a command line; what ``fault(format:level:)`` refuses counts as the default.
    package convenience init(format: String, level: String) {
        self.init(
            format: LogFormat(rawValue: format) ?? .text, level: Logger.Level(rawValue: level) ?? .notice)
    }

    /// What is wrong with the words of a command line; nil: nothing.
    package static func fault(format: String, level: String) -> String? {
        guard LogFormat(rawValue: format) != nil else {
            return "--log-format is one of \(LogFormat.allCases.map(\.rawValue).joined(separator: ", "))"
        }
        guard Logger.Level(rawValue: level) != nil else {
            return "--log-level is one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))"
        }
        return nil
    }

    /// A log whose lines go to other handlers.
    init(
        level: Logger.Level, repeated: RepeatedLines = RepeatedLines(),
        handler: @escaping @Sendable (_ label: String) -> any LogHandler
    ) {
        self.repeated = repeated
        startLevel = level
        current = Mutex(level)
        makeHandler = handler
    }

    /// From which level on lines are written, by every logger of this log.
    package var level: Logger.Level { current.withLock(\.self) }

    /// Writes the next level of detail too; at `trace` nothing changes.
    package func showMore() {
        current.withLock { level in
            let place = Logger.Level.allCases.firstIndex(of: level) ?? 0
            level = Logger.Level.allCases[max(0, place - 1)]
        }
    }

    /// Goes back to the level of the start.
    package func reset() { current.withLock { $0 = startLevel } }

    /// A logger of this log. A level that is set on it is its own from then on.
    package func logger(label: String) -> Logger {
        let base = makeHandler(label)
        return Logger(label: label) { _ in FollowingLogHandler(base: base, stream: self) }
    }
}

/// A handler whose level is the log's.
private struct FollowingLogHandler: LogHandler {
    var base: any LogHandler
    let stream: LogStream
    /// Nil while the log's is valid.
    private var ownLevel: Logger.Level?

    init(base: any LogHandler, stream: LogStream) {
        (self.base, self.stream) = (base, stream)
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? stream.level }
        set { ownLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue.map(Self.shown) }
    }

    /// What peers wrote stands in messages and beside them: one line stays one line, of some kilobytes at
    /// most, and no screen acts on it.
    func log(event: LogEvent) {
        var event = event
        event.message = Logger.Message(stringLiteral: Self.shown(event.message.description))
        event.metadata = event.metadata.map(Self.shown)
        if let error = event.error {
            event.metadata = (event.metadata ?? [:]).merging(["error": .string(Self.shown("\(error)"))]) {
                given, _ in given
            }
            event.error = nil
        }
        guard isWritten(event) else { return }
        base.log(event: event)
    }

    /// Warnings and errors of a kind are written once a minute, with how many there were: of one kind are
    /// those with one text and one reason, whichever request they came of.
    private func isWritten(_ event: LogEvent) -> Bool {
        guard (Logger.Level.warning...Logger.Level.error).contains(event.level) else { return true }
        let given = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let kind = ([event.level.rawValue, event.message.description] + given).joined(separator: "\n")
        return stream.repeated.isFirst(kind) { [base] count in
            var again = event
            again.metadata = (event.metadata ?? [:]).merging(
                ["again": .string("\(count) times in \(RepeatedLines.seconds) s")]) { given, _ in given }
            base.log(event: again)
        }
    }

    private static func shown(_ text: String) -> String {
        let start = TextBound.shown(text, upTo: TextBound.page).printable
        return TextBound.shown(start, upTo: TextBound.page)
    }

    private static func shown(_ metadata: Logger.Metadata) -> Logger.Metadata {
        Logger.Metadata(metadata.map { (shown($0.key), shown($0.value)) }) { first, _ in first }
    }

    private static func shown(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
        switch value {
        case .string(let text): .string(shown(text))
        case .stringConvertible(let value): .string(shown("\(value)"))
        case .array(let values): .array(values.map(shown))
        case .dictionary(let members): .dictionary(shown(members))
        }
    }
}
