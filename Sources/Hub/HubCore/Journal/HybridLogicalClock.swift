/// The hub's clock for ordering what it accepts: wall-clock milliseconds that never step back, and a counter
/// for what falls into the same one. (Kulkarni et al., "Logical Physical Clocks", 2014)
///
/// Written as `<13 digits of milliseconds>-<6 digits of counter>`, so that text order is time order.
package struct HybridLogicalClock: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970.
    package private(set) var milliseconds: Int64
    /// From 0 up to 999,999.
    package private(set) var counter: Int64

    /// The clock before its first tick.
    package init() {
        milliseconds = 0
        counter = 0
    }

    /// A clock that stands at a moment. What is out of range is clamped into it.
    package init(milliseconds: Int64, counter: Int64) {
        self.milliseconds = max(0, milliseconds)
        self.counter = min(max(0, counter), 999_999)
    }

    /// Reads what ``description`` wrote; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 13, parts[1].utf8.count == 6,
            let milliseconds = Int64(parts[0]), let counter = Int64(parts[1]), milliseconds >= 0, counter >= 0
        else { return nil }
        self.milliseconds = milliseconds
        self.counter = counter
    }

    /// Steps to the next moment, later than every one before even when the wall clock stepped back.
    ///
    /// - Parameter now: the wall clock, in milliseconds since 1970.
    package mutating func tick(now: Int64) {
        if now > milliseconds {
            milliseconds = now
            counter = 0
        } else if counter < 999_999 {
            counter += 1
        } else {
            milliseconds += 1
            counter = 0
        }
    }

    /// By milliseconds, then by counter: the same order as that of the text.
    package static func < (left: Self, right: Self) -> Bool {
        (left.milliseconds, left.counter) < (right.milliseconds, right.counter)
    }
}

extension HybridLogicalClock: CustomStringConvertible {
    /// `<13 digits>-<6 digits>`, for example `1795233906789-000042`: the `hlc` of docs/reference/http.md.
    package var description: String { Self.padded(milliseconds, 13) + "-" + Self.padded(counter, 6) }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
