import Base

package import HubProtocol

/// What is odd about a finished sale although it is one: its number, its day, its amount. It is flagged and
/// never rejected, since the money was taken.
package struct SalePlausibility: Hashable, Sendable {
    /// Any of ``IntakeFlag/orderNumberForeign``, `orderNumberImplausible`, `businessDayImplausible` and
    /// `amountImplausible`; empty for a plausible sale.
    package let flags: Set<IntakeFlag>

    /// Whether the number counts as used, and may be named to the terminal as the last one.
    package var numberCounts: Bool {
        flags.isDisjoint(with: [.orderNumberForeign, .orderNumberImplausible])
    }

    /// - Parameters:
    ///   - order: the sale.
    ///   - storeId: of the terminal that recorded it.
    ///   - terminalNumber: nil when the hub does not know it; the store alone is compared then.
    ///   - now: the hub's clock, in milliseconds since 1970.
    package init(
        of order: CompletedOrder, storeId: String, terminalNumber: Int64?, at now: Int64,
        within limits: IntakeLimits
    ) {
        let days = Self.days(at: now)
        var flags: Set<IntakeFlag> = []
        if let number = OrderNumberParts(order.orderNumber), number.belongs(to: storeId, terminalNumber) {
            if !Self.isPlausible(number, days) { flags.insert(.orderNumberImplausible) }
        } else {
            flags.insert(.orderNumberForeign)
        }
        if let businessDay = order.businessDay, !Self.isDay(businessDay.filter { $0 != "-" }, in: days) {
            flags.insert(.businessDayImplausible)
        }
        if order.total > limits.plausibleSaleAmount { flags.insert(.amountImplausible) }
        self.flags = flags
    }

    /// From 400 days ago, as long as an expired token renews, to the day after tomorrow: a terminal's
    /// business day is at most a day ahead of UTC, and its clock may be off by some hours.
    private static func days(at now: Int64) -> ClosedRange<Int64> {
        let today = TerminalUsage.day(at: now)
        return (today - 400)...(today + 2)
    }

    /// A counter from 10⁹ on is none: a till that sold ten times a second for a day came to 864,000.
    private static func isPlausible(_ number: OrderNumberParts, _ days: ClosedRange<Int64>) -> Bool {
        let counter = number.counter.utf8
        guard (1...9).contains(counter.count), counter.allSatisfy(isDigit),
            counter.contains(where: { $0 != UInt8(ascii: "0") })
        else { return false }
        return isDay(number.day, in: days)
    }

    /// Whether eight digits are a day of the calendar within `days` since 1970.
    private static func isDay(_ text: some StringProtocol, in days: ClosedRange<Int64>) -> Bool {
        day(text).map(days.contains) ?? false
    }

    /// Of eight digits, in days since 1970; nil for what is no day of the calendar.
    static func day(_ text: some StringProtocol) -> Int64? {
        guard text.utf8.count == 8, text.utf8.allSatisfy(isDigit), let number = Int64(text) else {
            return nil
        }
        return CivilDate(year: number / 10_000, month: number / 100 % 100, day: number % 100).daysSince1970
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
