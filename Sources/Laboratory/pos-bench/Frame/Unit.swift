internal import Simulation

/// What a figure counts, and how it is written.
enum Unit {
    /// Nanoseconds, written as the largest unit that leaves a whole part.
    case time
    /// Simulated nanoseconds, written as seconds.
    case seconds
    case perSecond
    case perHour
    case percent
    case count
    case bytes

    func text(_ value: Double) -> String {
        switch self {
        case .time: Self.time(value)
        case .seconds: "\(fixed(value / 1e9, places: 1)) s"
        case .perSecond: "\(Self.grouped(value))/s"
        case .perHour: "\(value < 10 ? fixed(value, places: 2) : Self.grouped(value))/h"
        case .percent: "\(fixed(value, places: 3)) %"
        case .count: Self.grouped(value)
        case .bytes: Self.bytes(value)
        }
    }

    private static func time(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1e3: "\(fixed(nanoseconds, places: 1)) ns"
        case ..<1e6: "\(fixed(nanoseconds / 1e3, places: 1)) us"
        case ..<1e9: "\(fixed(nanoseconds / 1e6, places: 2)) ms"
        default: "\(fixed(nanoseconds / 1e9, places: 2)) s"
        }
    }

    private static func bytes(_ count: Double) -> String {
        abs(count) < 100_000 ? "\(fixed(count, places: 1)) B" : "\(fixed(count / 1_048_576, places: 1)) MiB"
    }

    /// A whole number with a comma between thousands.
    private static func grouped(_ value: Double) -> String {
        let digits = String(Int64(value.rounded()))
        var text = ""
        for (offset, digit) in digits.reversed().enumerated() {
            if offset > 0, offset % 3 == 0, digit != "-" { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}
