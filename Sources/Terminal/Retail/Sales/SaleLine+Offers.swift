internal import Pricing

extension SaleLine {
    /// The line with another price, which `offers` made.
    func priced(_ price: PricedLine, offers: [Reductions.Part]) -> SaleLine {
        SaleLine(
            sku: sku, barcode: barcode, name: name, price: price, offers: offers,
            listPrice: listPrice, discountReason: discountReason, isCounted: isCounted)
    }
}

extension PricedLine {
    /// The line with `amount` more taken off.
    func reduced(by amount: Int64) throws(PricingError) -> PricedLine {
        try PricedLine(
            quantityMilli: quantityMilli, unitPrice: unitPrice, discount: discount + amount,
            taxBasisPoints: taxBasisPoints)
    }
}
