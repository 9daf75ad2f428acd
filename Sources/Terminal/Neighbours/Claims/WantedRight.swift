package import HubProtocol

/// A right that this till claims, or claimed, of another one.
package struct WantedRight: Hashable, Sendable {
    package let claim: RightClaim
    package let owner: String

    package init(_ claim: RightClaim, of owner: String) { (self.claim, self.owner) = (claim, owner) }
}

/// What this till claimed, beside what others say they granted to it: what it never claimed it neither
/// adopts nor releases.
struct OwnClaims: Hashable, Sendable {
    /// Carts, by the claims.
    private var carts: [String: WantedRight]
    /// Claims on receipts that were looked up since the start, by the owners.
    private var lookedUp: [String: Set<String>] = [:]

    init(_ carts: [WantedRight]) {
        self.carts = Dictionary(carts.map { ($0.claim.claimId, $0) }) { first, _ in first }
    }

    mutating func keep(_ cart: WantedRight) { carts[cart.claim.claimId] = cart }

    func has(_ cart: WantedRight) -> Bool { carts[cart.claim.claimId] == cart }

    /// The claim that a grant of `owner` answers; nil: this till made none.
    func claim(by grant: GrantedRight, of owner: String) -> WantedRight? {
        carts[grant.claimId].flatMap { $0.owner == owner && $0.claim.right == grant.right ? $0 : nil }
    }

    /// Whether a grant of a receipt is one that this till can have claimed before its start: its owner grants
    /// no more than ``RightKind/mostGranted`` that are open.
    mutating func mayLookUp(_ claimId: String, of owner: String) -> Bool {
        let known = lookedUp[owner] ?? []
        guard !known.contains(claimId) else { return true }
        guard known.count < RightKind.receipt.mostGranted ?? .max else { return false }
        lookedUp[owner, default: []].insert(claimId)
        return true
    }
}

extension RightKind {
    /// What one till has of another one's rights at most and has not used; nil: a lease is its own limit,
    /// since what was given of it does not come back.
    var mostGranted: Int? {
        switch self {
        case .cart: NeighbourLimits.cartsGranted
        case .receipt: NeighbourLimits.refundsGranted
        case .lease: nil
        }
    }
}
