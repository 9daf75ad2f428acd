/// A store's limits of sync, beside those of the network.
public struct PolicySettings: Hashable, Sendable {
    /// When only the outbox is sent (`policy.quietHours`). Default none.
    public var quietHours: QuietHours?
    /// On a battery with less charge only the outbox is sent (`policy.batteryFloorPercent`). Default 15,
    /// allowed 0 (never) to 100.
    public var batteryFloorPercent: Int

    /// By default without quiet hours; the percentage is not checked here.
    public init(quietHours: QuietHours? = nil, batteryFloorPercent: Int = 15) {
        self.quietHours = quietHours
        self.batteryFloorPercent = batteryFloorPercent
    }
}

/// A daily interval in the store's time; it spans midnight when its end is before its start.
public struct QuietHours: Hashable, Sendable {
    /// Minutes after midnight, 0 to 1439; the first minute of quiet.
    public let start: Int
    /// Minutes after midnight, 0 to 1439; the first minute after it.
    public let end: Int

    /// Reads `HH:MM-HH:MM`; nil for anything else, and for an interval without length.
    public init?(_ text: String) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let start = Self.minute(ends[0]), let end = Self.minute(ends[1]), start != end
        else { return nil }
        self.start = start
        self.end = end
    }

    /// Whether the minute of the day is in the interval.
    public func contains(minuteOfDay minute: Int) -> Bool {
        start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(isDigit) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// The inputs of the policy beside the network.
public struct Context: Hashable, Sendable {
    /// Minutes after midnight in the store's time, 0 to 1439.
    public let minuteOfDay: Int
    /// The charge of the battery that the till runs on; nil on mains power.
    public let batteryPercent: Int?

    /// `minuteOfDay` is from 0 to 1439; by default the till is on mains power.
    public init(minuteOfDay: Int, batteryPercent: Int? = nil) {
        self.minuteOfDay = minuteOfDay
        self.batteryPercent = batteryPercent
    }
}
