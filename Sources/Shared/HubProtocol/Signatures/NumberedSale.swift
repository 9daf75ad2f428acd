/// What an order's number says of its sale: `<store>-<terminal>-<business day>-<counter>`, read from behind,
/// since a store's id may hold hyphens.
///
/// A number belongs to the terminal whose store and number it names, also before its sale is there; that a
/// text begins with a store's id says nothing.
public struct NumberedSale: Hashable, Sendable {
    /// The store that the number names.
    public let storeId: String
    /// The number of the terminal within the store, as written.
    public let terminal: String
    /// As written, eight digits where it is a day.
    public let day: String
    /// As written, digits where it is a counter.
    public let counter: String

    /// Nil for a text of less than four parts.
    public init?(_ number: String) {
        let parts = number.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 4 else { return nil }
        storeId = parts.dropLast(3).joined(separator: "-")
        (terminal, day, counter) = (parts[parts.count - 3], parts[parts.count - 2], parts[parts.count - 1])
    }

    /// Whether it is a sale of this terminal.
    ///
    /// - Parameter terminalNumber: nil: not known, the store alone is compared.
    public func isOf(storeId: String, terminalNumber: Int64?) -> Bool {
        self.storeId == storeId && terminalNumber.map { terminal == "\($0)" } ?? true
    }
}
