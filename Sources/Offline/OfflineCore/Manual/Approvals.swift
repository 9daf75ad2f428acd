/// What may need an approver: the values of `account.approvals`.
public enum ApprovalAction: String, Hashable, Sendable, CaseIterable {
    case refund
    case void
    case priceOverride
    /// A cashier's own discount above ``Approvals/discountBasisPoints``.
    case discount
    case manualOffline
    case noSale
    case cardOffline
    case cashMovement
    /// The ways to settle a refused mutation: `sync edit`, `discard` and `resolve`.
    case refusals
    case openItem
    /// A refund above `refund.withoutOrder`, where neither the terminal nor the hub has the order.
    case refundLimit
    /// Taking a cart off the screen of another window.
    case cartCopy
    /// Deciding what became of a card machine's payment that nobody can prove.
    case cardDecision
}

/// A store's rules of approval: what a cashier does only with somebody else's PIN. The terminal requests the
/// PIN, and the hub checks incoming mutations.
public struct Approvals: Hashable, Sendable {
    /// What needs an approver.
    public let actions: Set<ApprovalAction>
    /// Hundredths of a percent of a line up to which its discount needs nobody. From 0 to 10,000.
    public let discountBasisPoints: Int64

    /// What needs an approver in a store that has a manager and configures nothing else: everything but the
    /// manual switch, which must work when the manager is absent.
    public static let standard = Set(ApprovalAction.allCases).subtracting([.manualOffline])

    /// 1,000, a tenth of the line. Halved, every small price reduction needs the manager; doubled, a fifth
    /// of a day's sales can be given away without approval.
    public static let standardDiscountBasisPoints: Int64 = 1_000

    /// - Parameters:
    ///   - listed: what the store's configuration lists; nil where it lists nothing and the default applies.
    ///   - added: what the terminal's own file adds.
    ///   - hasManager: whether the store has anybody who could approve.
    public init(
        listed: Set<ApprovalAction>?, adding added: Set<ApprovalAction> = [], hasManager: Bool,
        discountBasisPoints: Int64 = standardDiscountBasisPoints
    ) {
        actions = (listed ?? (hasManager ? Self.standard : [])).union(added)
        self.discountBasisPoints = discountBasisPoints
    }

    /// Whether `action` needs somebody else's PIN in this store.
    public func needs(_ action: ApprovalAction) -> Bool { actions.contains(action) }

    /// Whether `discount` of a line that comes to `gross` is more than a cashier may give; both in minor
    /// units.
    public func isAboveLimit(discount: Int64, of gross: Int64) -> Bool {
        // Neither product fits 64 bits for the largest amounts of money.
        Int128(discount) * 10_000 > Int128(gross) * Int128(discountBasisPoints)
    }
}
