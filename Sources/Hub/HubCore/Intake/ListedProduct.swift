package import HubProtocol

/// A product of the catalogue, as the intake compares sales with it. A sale is a fact: what differs is
/// flagged.
package struct ListedProduct: Hashable, Sendable {
    /// Minor units.
    package let price: Int64
    /// ISO 4217.
    package let currency: String
    /// Thousandths of a unit; nil for a product whose stock is not counted.
    package let stockMilli: Int64?
    /// Every sale has a price of its own.
    package let hasOpenPrice: Bool

    /// Makes a product from the catalogue's row; nil in `stockMilli` turns ``IntakeFlag/stockNegative`` off.
    package init(
        price: Int64, currency: String, stockMilli: Int64?, hasOpenPrice: Bool = false,
        prices: [PriceRecord] = []
    ) {
        self.price = price
        self.currency = currency
        self.stockMilli = stockMilli
        self.hasOpenPrice = hasOpenPrice
    }

    /// What differs between the catalogue and a line of a sale in `saleCurrency`.
    ///
    /// - Parameters:
    ///   - prices: those that go before the catalogue's.
    ///   - storeId: where it was sold.
    ///   - moments: when it was sold by the terminal's clock, and when it arrived: one of them is right.
    package func flags(
        of line: CompletedOrder.Line, in saleCurrency: String, by prices: [PriceRecord] = [],
        at storeId: String,
        _ moments: [Int64]
    ) -> Set<IntakeFlag> {
        var flags: Set<IntakeFlag> = []
        let valid = moments.map { PriceRecord.price(of: prices, in: storeId, at: $0) ?? price }
        if !hasOpenPrice, !valid.contains(line.unitPrice) { flags.insert(.priceDiffers) }
        if currency != saleCurrency { flags.insert(.currencyDiffers) }
        return flags
    }

    /// Whether more is sold than the catalogue counted.
    ///
    /// - Parameters:
    ///   - soldMilli: this sale, in thousandths of a unit; what comes back is never flagged.
    ///   - total: all sales with this one, less what came back.
    package func flags(selling soldMilli: Int64, upTo total: Int64) -> Set<IntakeFlag> {
        guard let stockMilli, soldMilli > 0 else { return [] }
        return stockMilli < total ? [.stockNegative] : []
    }
}
