import Base

internal import HubProtocol

/// When a terminal made an entry.
enum EntryTimes {
    /// What the store's clock can have shown then, in Unix milliseconds: the hub's time as the terminal
    /// followed it (`hubTime` of the payload), then the terminal's own clock. What cannot be read is left
    /// out.
    static func made(_ payload: JSONValue?, _ generatedAt: String?) -> [Int64] {
        [payload?["hubTime"]?.string, generatedAt].compactMap { $0.flatMap(Timestamp.milliseconds(of:)) }
    }
}
