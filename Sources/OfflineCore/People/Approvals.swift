/// What may need an approver: the words of `account.approvals`.
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
    /// The answers to refusals: `sync edit`, `discard` and `resolve`.
    case refusals
    case openItem
}

/// A store's rules of approval: what a cashier does only with somebody else's PIN. The terminal asks by them,
/// and the hub holds what arrives against them.
public struct Approvals: Hashable, Sendable {
    /// What needs an approver.
    public let actions: Set<ApprovalAction>
    /// Hundredths of a percent of a line up to which its discount needs nobody. From 0 to 10,000.
    public let discountBasisPoints: Int64

    /// What needs an approver in a store that has a manager and says nothing else: everything but the manual
    /// switch, which has to work when the manager is not there.
    public static let standard = Set(ApprovalAction.allCases).subtracting([.manualOffline])

    /// 1,000, a tenth of the line: half of it calls the manager for every bruised apple, twice of it lets a
    /// fifth of a day's takings go by without anybody looking.
    public static let standardDiscountBasisPoints: Int64 = 1_000

    /// - Parameters:
    ///   - listed: what the store's configuration lists; nil: nothing, and the default holds.
    ///   - added: what the terminal's own file adds.
    ///   - hasManager: whether the store has anybody who could approve.
    public init(
        listed: Set<ApprovalAction>?, adding added: Set<ApprovalAction> = [], hasManager: Bool,
        discountBasisPoints: Int64 = standardDiscountBasisPoints
    ) {
        actions = (listed ?? (hasManager ? Self.standard : [])).union(added)
        self.discountBasisPoints = discountBasisPoints
    }

    public func needs(_ action: ApprovalAction) -> Bool { actions.contains(action) }

    /// Whether `discount` of a line that comes to `gross` is more than a cashier may give; both in minor
    /// units.
    public func isAboveLimit(discount: Int64, of gross: Int64) -> Bool {
        // Neither product fits 64 bits for the largest amounts of money.
        Int128(discount) * 10_000 > Int128(gross) * Int128(discountBasisPoints)
    }
}
