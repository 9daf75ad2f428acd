/// When a business day of a store begins, in the store's time zone: one rule for the days of sales at a till,
/// for the hub's own days, and for the day that a page shows first.
package struct BusinessDayBegin: Hashable, Sendable {
    /// Of a store's settings and of a terminal's file.
    package static let key = "store.businessDayStartsAt"

    /// Where neither store nor file says it, 04:00: a sale behind midnight belongs to the evening before.
    package static let standard = BusinessDayBegin(minutes: 4 * 60)

    /// Behind midnight, 0 to 1439.
    package let minutes: Int

    private init(minutes: Int) { self.minutes = minutes }

    /// - Parameter text: `HH:MM`; anything else gives nil.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        minutes = hour * 60 + minute
    }

    /// `HH:MM`.
    package var text: String {
        [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
