package import HubProtocol

/// What a store keeps of the amounts of one accepted sale or refund, for a comparison with the journal.
package struct KeptSums: Hashable, Sendable {
    /// The order's row; nil where there is none.
    package var total: Int64?
    /// Likewise.
    package var currency: String?
    /// The row of the figures; nil where there is none.
    package var gross: Int64?
    /// Likewise.
    package var discounts: Int64?
    /// Likewise.
    package var refunds: Int64?
    /// Likewise.
    package var tax: Int64?
    /// The document of the journal feed; nil where there is none.
    package var document: String?
    /// Whether the order's row names a void.
    package var isVoided = false
    /// The row of the figures of the void; nil where there is none.
    package var voidGross: Int64?

    package init() {}

    /// Whether they are what the mutation's own document comes to.
    package func agree(with payload: JSONValue, of type: String) -> Bool {
        if type == CompletedOrder.type {
            let order = try? CompletedOrder(received: payload)
            guard order?.total == total, order?.currency == currency else { return false }
            guard !isVoided || voidGross == gross.map({ -$0 }) else { return false }
        }
        let entry = SaleEntry.ofContent(type: type, payload)?.amounts
        let filed = document.map { text in
            let (common, content) = JournalDocument.shown(text)
            let kind: SaleEntry.Kind = common.kind == .order ? .sale : .refund
            return SaleFigures(of: SaleDocument(shown: content), kind).amounts
        }
        return filed == entry && entry?.gross == gross && entry?.discounts == discounts
            && entry?.refunds == refunds
            && entry?.tax == tax
    }
}
