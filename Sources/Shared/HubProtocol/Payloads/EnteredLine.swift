/// An article as it was scanned or typed, and how much of it: a line of a basket, of the request that sells
/// it and of a cart that is kept, before anything is looked up.
package struct EnteredLine: Fact {
    /// An unknown one refuses the sale unless ``department`` is set, and only with that it may be empty.
    package var barcode = ""
    /// The department that sells what the catalogue does not have, exactly as in the catalogue; an article
    /// that it has is sold as itself. Nil: an article of the catalogue.
    package var department: String?
    /// Minor units off the whole line; nil: none.
    package var discountMinor: Int64?
    /// Why ``discountMinor`` is taken off, at most 200 bytes of UTF-8; nil: no reason.
    package var discountReason: String?
    /// Thousandths of a unit; of a code with a weight or price inside the number of scans. Nil: one piece, or
    /// one scan of such a code. Goods by weight have no such default.
    package var quantityMilli: Int64?
    /// The tax rate of ``department`` in hundredths of a percent; nil: its only one.
    package var taxBasisPoints: Int64?
    /// Minor units per whole unit in place of the catalogue's price; nil: the catalogue's.
    package var unitPriceMinor: Int64?

    /// ``quantityMilli`` with its default.
    package var quantityOrOne: Int64 { quantityMilli ?? 1000 }

    /// A line; what is nil, as all by default but the barcode, was not entered.
    package init(
        barcode: String, quantityMilli: Int64? = nil, unitPriceMinor: Int64? = nil,
        discountMinor: Int64? = nil, discountReason: String? = nil, department: String? = nil,
        taxBasisPoints: Int64? = nil
    ) {
        self.barcode = barcode
        self.department = department
        self.discountMinor = discountMinor
        self.discountReason = discountReason
        self.quantityMilli = quantityMilli
        self.taxBasisPoints = taxBasisPoints
        self.unitPriceMinor = unitPriceMinor
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("barcode", &barcode)
        try m.text("department", &department, .optional.orNull)
        try m.number("discountMinor", &discountMinor, .optional.orNull)
        try m.text("discountReason", &discountReason, .optional.orNull)
        try m.number("quantityMilli", &quantityMilli, .optional.orNull)
        try m.number("taxBasisPoints", &taxBasisPoints, .optional.orNull)
        try m.number("unitPriceMinor", &unitPriceMinor, .optional.orNull)
    }
}
