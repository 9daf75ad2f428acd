import Base

/// The outcomes of one API over the last window: how many failed in a row, and what share failed.
///
/// The window is a ring of twelve slots with running totals, so its size does not grow with the traffic. A
/// slot is dropped at once, which makes the window up to a twelfth shorter than its setting.
struct OutcomeWindow: Hashable, Codable, Sendable {
    /// Failures since the last success. A run does not age: only a success shows that the API works.
    private(set) var failuresInARow = 0
    private var slots = [Slot](repeating: Slot(), count: slotCount)
    private var total = Slot()
    /// The number of the newest slot, counted from the clock's zero.
    private var newest: Int64 = 0

    private struct Slot: Hashable, Codable, Sendable {
        var succeeded = 0
        var failed = 0
    }

    private static let slotCount = 12

    /// Nanoseconds of one slot of a window of this length.
    static func slotWidth(of window: Duration) -> Int64 {
        max(1, window.wholeNanoseconds / Int64(slotCount))
    }

    mutating func note(failed: Bool, at now: Instant, settings: ServiceSettings) {
        forgetOld(at: now, settings: settings)
        let index = Int(newest % Int64(Self.slotCount))
        if failed {
            failuresInARow += 1
            slots[index].failed += 1
            total.failed += 1
        } else {
            failuresInARow = 0
            slots[index].succeeded += 1
            total.succeeded += 1
        }
    }

    /// Whether the run or the rate of failures reaches its threshold.
    mutating func isTripped(at now: Instant, settings: ServiceSettings) -> Bool {
        if failuresInARow >= settings.consecutiveFailures { return true }
        forgetOld(at: now, settings: settings)
        let samples = total.succeeded + total.failed
        guard samples >= settings.minimumSamples else { return false }
        return total.failed * 1_000 >= samples * settings.failurePerMille
    }

    private mutating func forgetOld(at now: Instant, settings: ServiceSettings) {
        let current = max(newest, now.nanoseconds / settings.outcomeSlot)
        guard current != newest else { return }
        for number in max(newest + 1, current - Int64(Self.slotCount) + 1)...current {
            let index = Int(number % Int64(Self.slotCount))
            total.succeeded -= slots[index].succeeded
            total.failed -= slots[index].failed
            slots[index] = Slot()
        }
        newest = current
    }
}
