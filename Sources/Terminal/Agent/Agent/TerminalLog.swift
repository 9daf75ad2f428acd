internal import Logging

/// What the agent logs, to standard error.
enum TerminalLog {
    /// - Parameter level: a name of swift-log's levels; anything else counts as `notice`.
    static func logger(level: String) -> Logger {
        var logger = Logger(label: "pos") { label in StreamLogHandler.standardError(label: label) }
        logger.logLevel = Logger.Level(rawValue: level) ?? .notice
        return logger
    }
}
