/// The number on the receipt, unique without any server: `<store>-<terminal>-<business day>-<counter>`.
public struct OrderNumber: Hashable, Sendable, CustomStringConvertible {
    public let storeId: String
    public let terminalNumber: Int64
    public let businessDay: BusinessDay
    /// From 1 within a business day; gaps are possible, repetitions are not.
    public let counter: Int64

    public init(storeId: String, terminalNumber: Int64, businessDay: BusinessDay, counter: Int64) {
        self.storeId = storeId
        self.terminalNumber = terminalNumber
        self.businessDay = businessDay
        self.counter = counter
    }

    /// Reads a number from its end, since a store's id may contain hyphens; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, let counter = Self.digits(parts[parts.count - 1]), counter > 0,
            let dayNumber = Self.digits(parts[parts.count - 2]), let day = BusinessDay(number: dayNumber),
            let terminal = Self.digits(parts[parts.count - 3]), terminal > 0
        else { return nil }
        self.init(
            storeId: parts.dropLast(3).joined(separator: "-"), terminalNumber: terminal, businessDay: day,
            counter: counter)
    }

    /// Digits alone: a sign is no part of a number on a receipt.
    private static func digits(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }

    public var description: String {
        "\(storeId)-\(terminalNumber)-\(businessDay.number)-\(padded(counter, to: 4))"
    }
}
