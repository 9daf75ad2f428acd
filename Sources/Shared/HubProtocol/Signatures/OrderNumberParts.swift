/// The four parts of an order's number, `<store>-<terminal>-<business day>-<counter>`: they say whose it is.
///
/// It is read from behind, since a store's id may hold hyphens and the other parts hold none: so each number
/// is of exactly one store and terminal, and that `S1` begins `S1-1` says nothing.
package struct OrderNumberParts: Hashable, Sendable {
    /// The seller's store.
    package let storeId: Substring
    /// The seller's number within the store, as it is written.
    package let terminalNumber: Substring
    /// The business day as it is written, eight digits in a plausible number.
    package let day: Substring
    /// The count of the day as it is written, digits in a plausible number.
    package let counter: Substring

    /// Nil for a text without four parts, which is nobody's number.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4 else { return nil }
        (terminalNumber, day, counter) = (
            parts[parts.count - 3], parts[parts.count - 2], parts[parts.count - 1]
        )
        storeId = text[..<terminalNumber.startIndex].dropLast()
    }

    /// Whether the number is this terminal's, used or not yet: both parts are compared completely.
    ///
    /// - Parameter terminalNumber: nil where the hub does not know it; the store alone is compared then.
    package func belongs(to storeId: String, _ terminalNumber: Int64?) -> Bool {
        self.storeId == storeId[...] && terminalNumber.map { self.terminalNumber == String($0)[...] } ?? true
    }
}
