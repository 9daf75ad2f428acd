/// An article as the terminal sells it.
public struct Product: Hashable, Sendable {
    /// The article's code in the catalogue, unique within it; refunds and promotions use it.
    public let sku: String
    /// Opaque; what the scanner reads.
    public let barcode: String
    /// The name for receipts and screens, as imported at the hub.
    public let name: String
    /// What promotions may reach; empty: none.
    public let department: String
    /// Minor units per unit, tax included.
    public let price: Int64
    /// ISO 4217.
    public let currency: String
    /// The rate of the tax included in the price, in hundredths of a percent.
    public let taxBasisPoints: Int64
    /// Whether thousandths of a unit may be sold (kilograms, litres); otherwise only full units.
    public let isDivisible: Bool
    /// Whether its stock is counted, so that a sale of it moves the stock.
    public let isCounted: Bool

    /// Makes an article; an empty `department` means none.
    public init(
        sku: String, barcode: String, name: String, department: String, price: Int64, currency: String,
        taxBasisPoints: Int64,
        isDivisible: Bool, isCounted: Bool
    ) {
        self.sku = sku
        self.barcode = barcode
        self.name = name
        self.department = department
        self.price = price
        self.currency = currency
        self.taxBasisPoints = taxBasisPoints
        self.isDivisible = isDivisible
        self.isCounted = isCounted
    }
}
