/// Entities of the change feed that one terminal alone gets (shop.md).
public enum TerminalEntity {
    /// The hub's countersigned comparison of a shift; its id is the shift's and the epoch's.
    public static let statement = "statement"
    /// What the terminal may spend of points, coupon uses or a card's floor without the hub.
    public static let lease = "lease"
    /// What became of a payment that was stored or unknown.
    public static let payment = "payment"
}
