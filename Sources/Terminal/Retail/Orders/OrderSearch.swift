internal import Pricing

/// What a person knows of an order: every member that is not nil has to match.
package struct OrderSearch: Hashable, Sendable {
    /// Any part of the order number, any case, or the ten characters of the short code on the receipt.
    package var number: String?
    /// The first business day, as in the order number.
    package var from: BusinessDay?
    /// The last business day.
    package var to: BusinessDay?
    /// The total in minor units, before the rounding of cash.
    package var amount: Int64?
    /// The member's id as the sale recorded it.
    package var member: String?
    /// A barcode or SKU of a line, or any part of its article's name in any case.
    package var article: String?

    /// A search that every order matches.
    package init() {}

    /// Whether an order of this number may match; it decides before the order's content is read.
    ///
    /// - Parameter shortCode: of the order's receipt; nil: it has none.
    package func mayMatch(_ orderNumber: OrderNumber, shortCode: String?) -> Bool {
        let day = orderNumber.businessDay
        if let from, day < from { return false }
        if let to, to < day { return false }
        guard let number else { return true }
        return orderNumber.description.contains(ignoringCase: number)
            || shortCode?.lowercased() == number.lowercased()
    }

    /// Whether no older order can match. Business days never go back from one order to the next.
    package func ends(at orderNumber: OrderNumber) -> Bool {
        from.map { orderNumber.businessDay < $0 } ?? false
    }

    /// Whether an order of this content matches, once its number does.
    package func matches(_ content: SaleContent) -> Bool {
        if let amount, content.totals.total != amount { return false }
        if let member, content.memberId != member { return false }
        guard let article else { return true }
        return content.lines.contains {
            $0.barcode == article || $0.sku == article || $0.name.contains(ignoringCase: article)
        }
    }
}

extension String {
    fileprivate func contains(ignoringCase part: String) -> Bool {
        lowercased().contains(part.lowercased())
    }
}

extension BusinessDay {
    /// Reads `2026-11-21`; nil for anything else, and for a day that no month has.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let number = Int64(parts.joined())
        else { return nil }
        self.init(number: number)
    }
}
