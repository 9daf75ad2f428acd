internal import HubProtocol

/// The number on the receipt, unique without any server: `<store>-<terminal>-<business day>-<counter>`.
package struct OrderNumber: Hashable, Sendable, CustomStringConvertible {
    /// The store's id from the enrolment; it may contain hyphens.
    package let storeId: String
    /// The terminal's number within its store, from 1.
    package let terminalNumber: Int64
    /// The day as the ledger recorded it, never before the last one used; eight digits in the text.
    package let businessDay: BusinessDay
    /// From 1 within a business day; gaps are possible, repetitions are not.
    package let counter: Int64

    /// Makes a number from its parts without checking them; the ledger assigns the counter.
    package init(storeId: String, terminalNumber: Int64, businessDay: BusinessDay, counter: Int64) {
        self.storeId = storeId
        self.terminalNumber = terminalNumber
        self.businessDay = businessDay
        self.counter = counter
    }

    /// Reads a number from its end, since a store's id may contain hyphens; nil for anything else.
    package init?(_ text: String) {
        guard let parts = OrderNumberParts(text), let counter = Self.digits(parts.counter), counter > 0,
            let dayNumber = Self.digits(parts.day), let day = BusinessDay(number: dayNumber),
            let terminal = Self.digits(parts.terminalNumber), terminal > 0
        else { return nil }
        self.init(
            storeId: String(parts.storeId), terminalNumber: terminal, businessDay: day, counter: counter)
    }

    /// Digits alone: a sign is no part of a number on a receipt.
    private static func digits(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }

    /// The number as printed, for example `S1-2-20261121-0042`: the counter has at least four digits.
    package var description: String {
        "\(storeId)-\(terminalNumber)-\(businessDay.number)-\(padded(counter, to: 4))"
    }
}
