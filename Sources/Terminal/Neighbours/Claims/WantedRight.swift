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
    /// Parts of leases, by the claims, with their owners. Not on disk: a part whose response was lost before a
    /// restart is left idle, since a copy of this disk that ran later may have spent it.
    private var parts: [String: String] = [:]
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

    /// Keeps that a part is claimed; of claims without a response the oldest are forgotten.
    mutating func request(_ wanted: WantedRight) {
        guard wanted.claim.kind == RightKind.lease.rawValue else { return }
        if parts.count >= Self.mostParts, let oldest = parts.keys.min() { parts[oldest] = nil }
        parts[wanted.claim.claimId] = wanted.owner
    }

    func hasRequested(_ claimId: String, of owner: String) -> Bool { parts[claimId] == owner }

    /// What was claimed in an earlier epoch is not spent in a new one.
    mutating func forgetParts() { parts = [:] }

    /// Those of an hour in which each sale claims one.
    private static let mostParts = 256

    /// Whether a grant of a receipt is one that this till can have claimed before its start: its owner grants
    /// no more than ``RightKind/mostGranted`` that are open.
    mutating func mayLookUp(_ claimId: String, of owner: String) -> Bool {
        let known = lookedUp[owner] ?? []
        guard !known.contains(claimId) else { return true }
        guard known.count < RightKind.receipt.mostGranted else { return false }
        lookedUp[owner, default: []].insert(claimId)
        return true
    }
}

extension RightKind {
    /// What one till has of another one's rights at most and has not used; of leases what it is given in a
    /// day, since what was given does not come back.
    var mostGranted: Int {
        switch self {
        case .cart: NeighbourLimits.cartsGranted
        case .receipt: NeighbourLimits.refundsGranted
        case .lease: NeighbourLimits.partsADay
        }
    }
}
