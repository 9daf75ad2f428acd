internal import Foundation
package import HubProtocol
internal import Pricing

/// Converts a moment to the business day in the store's time zone.
package struct BusinessCalendar: Hashable, Sendable {
    /// The zone's name in the tz database, for example `Asia/Shanghai`.
    package let timeZone: String

    private let begin: BusinessDayBegin
    private let zone: TimeZone

    /// - Parameters:
    ///   - timeZone: configuration key `store.timeZone`.
    ///   - begin: configuration key `store.businessDayStartsAt`.
    /// - Returns: nil when the zone is unknown on this machine.
    package init?(timeZone: String, begin: BusinessDayBegin = .standard) {
        guard let zone = TimeZone(identifier: timeZone) else { return nil }
        self.timeZone = timeZone
        self.begin = begin
        self.zone = zone
    }

    /// The business day at `milliseconds` since 1970. Later moments never have an earlier day.
    package func day(at milliseconds: Int64) -> BusinessDay {
        BusinessDay(
            secondsSince1970: begin.day(at: milliseconds) { second in
                zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
            })
    }

    /// Seconds: zones are set back by an hour, or half of it; historically by two.
    private static let longestChange: Double = 7_200

    /// The store's wall clock at `milliseconds` since 1970, for people: `2026-11-21 12:04:05`.
    package func localTime(at milliseconds: Int64) -> String {
        let seconds = localSeconds(at: milliseconds)
        let inDay = (seconds % 86_400 + 86_400) % 86_400
        return BusinessDay(secondsSince1970: seconds).text + " " + padded(inDay / 3600, to: 2) + ":"
            + padded(inDay / 60 % 60, to: 2) + ":" + padded(inDay % 60, to: 2)
    }

    /// The same for a receipt. In an hour that the clock repeats the offset from UTC is behind it, since two
    /// receipts would have the same time: `2026-10-25 02:30:00 +01:00`.
    package func receiptTime(at milliseconds: Int64) -> String {
        let local = localTime(at: milliseconds)
        let moment = Date(timeIntervalSince1970: (Double(milliseconds) / 1000).rounded(.down))
        let offset = zone.secondsFromGMT(for: moment)
        let isRepeated = [-Self.longestChange, Self.longestChange].contains { distance in
            let other = zone.secondsFromGMT(for: moment.addingTimeInterval(distance))
            guard other != offset else { return false }
            // Where the clock showed the same with the other offset, that held there.
            let twin = moment.addingTimeInterval(Double(offset - other))
            return zone.secondsFromGMT(for: twin) == other
        }
        guard isRepeated else { return local }
        let minutes = Int64(abs(offset) / 60)
        return local + " " + (offset < 0 ? "-" : "+") + padded(minutes / 60, to: 2) + ":"
            + padded(minutes % 60, to: 2)
    }

    /// Minutes after midnight on the store's wall clock at `milliseconds` since 1970, 0 to 1439.
    package func minuteOfDay(at milliseconds: Int64) -> Int {
        Int((localSeconds(at: milliseconds) % 86_400 + 86_400) % 86_400 / 60)
    }

    /// The store's wall clock around `milliseconds` since 1970, with the next change to or from summer time.
    package func zone(at milliseconds: Int64) -> StoreZone {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        let change = zone.nextDaylightSavingTimeTransition(after: date).map { next in
            StoreClock.Change(
                at: Int64(next.timeIntervalSince1970 * 1000),
                // A second later, so that no rounding of the moment shows the offset of before.
                offsetSeconds: Int64(zone.secondsFromGMT(for: next.addingTimeInterval(1))))
        }
        return StoreZone(
            name: timeZone,
            clock: StoreClock(offsetSeconds: Int64(zone.secondsFromGMT(for: date)), change: change))
    }

    /// Seconds since 1970 that the wall clock shows at `milliseconds`.
    package func localSeconds(at milliseconds: Int64) -> Int64 {
        let seconds = Int64((Double(milliseconds) / 1000).rounded(.down))
        return seconds + Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }
}
