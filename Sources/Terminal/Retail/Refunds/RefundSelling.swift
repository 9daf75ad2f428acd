package import HubProtocol

/// The tills of the store, which decide about refunds of what they sold where the hub does not respond.
package protocol RefundSelling: Sendable {
    /// The ids of those that cannot be reached; nil: this terminal sees no other tills.
    var unseen: [String]? { get }

    /// What notes of the store's tills say was given back of a sale, in minor units by the refunds' ids.
    func returned(of orderNumber: String) -> [String: Int64]

    /// Lets the till that sold it decide; what it grants it gives back itself no more. ``end(_:isMade:)``
    /// follows.
    func decide(_ inquiry: RefundInquiry, of orderNumber: String, by seller: String) async -> SellerDecision

    /// What other tills may give back of sales of this one, and have not; empty where this terminal sees
    /// none.
    func granted() async throws(StorageError) -> [GrantedRefund]

    /// - Returns: whether this till gives it back again, durably; false: its taker used it meanwhile, or this
    ///   till writes no notes now.
    func takeBack(_ refund: GrantedRefund) async -> Bool

    /// The refund is recorded, or it is not made and never will be.
    func end(_ refundId: String, isMade: Bool)
}

/// What the till that sold it decided about a refund.
package enum SellerDecision: Hashable, Sendable {
    /// - `by`: the hub where the seller reached it, which knows all tills; else the seller.
    case granted(by: RefundArbiter)
    /// More than is left would come back.
    case refused
    /// It did not respond in time, or decides nothing about this sale.
    case silent
}

/// Who decided a refund or void, as the mutation has it.
package struct RefundJudgement: Hashable, Sendable {
    package let arbiter: RefundArbiter
    /// The ids of tills that could not be reached; nil: the hub decided, which knows all of them.
    package let unseen: [String]?

    package init(_ arbiter: RefundArbiter, unseen: [String]? = nil) {
        (self.arbiter, self.unseen) = (arbiter, unseen)
    }
}
