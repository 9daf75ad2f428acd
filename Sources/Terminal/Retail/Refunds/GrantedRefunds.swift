package import HubProtocol
internal import OfflineCore

/// What another till of the store may give back of a sale of this one, and has not: this till gives it back
/// itself no more.
package struct GrantedRefund: Hashable, Sendable {
    package let refundId: String
    /// As printed on the sale's receipt.
    package let orderNumber: String
    /// Minor units.
    package let amount: Int64
    /// ISO 4217; empty where the sale cannot be read.
    package internal(set) var currency = ""
    /// The till that may give it back.
    package let terminalId: String
    /// That till's number; nil: it was not heard since the start.
    package let terminalNumber: Int64?
    /// Unix milliseconds of the wall clock.
    package let madeAt: Int64
    /// Since that till was heard last, or since the start.
    package let silence: Duration

    package init(_ grant: GrantedRight, terminalNumber: Int64?, silence: Duration) {
        (refundId, orderNumber, amount) = (grant.claimId, grant.right, grant.amount)
        (terminalId, madeAt) = (grant.to, grant.madeAt)
        (self.terminalNumber, self.silence) = (terminalNumber, silence)
    }

    /// A till that was heard just now may be giving it back.
    package var mayBeTakenBack: Bool { silence >= NeighbourLimits.takenBackAfter }
}

extension Orders {
    /// The oldest first.
    package func grantedRefunds() async throws(OrderRefusal) -> [GrantedRefund] {
        guard let sellers = receipts.sellers else { return [] }
        var granted = try await OrderRefusal.accessing(await sellers.granted())
        granted.sort { ($0.madeAt, $0.refundId) < ($1.madeAt, $1.refundId) }
        for index in granted.indices {
            granted[index].currency =
                (try? await show(granted[index].orderNumber))?.sale.content.currency ?? ""
        }
        return granted
    }

    /// Lets this till give back again what a silent till was granted. Where that till made the refund
    /// meanwhile, the hub flags the second one (`refund_repeated`). It needs an approver in a store with
    /// cashiers, whatever the store lists.
    package func takeBack(
        _ refundId: String, by claim: PersonClaim
    ) async throws(OrderRefusal) -> GrantedRefund {
        _ = try await authorize(claim, .refund, isApproved: true)
        guard let sellers = receipts.sellers,
            let grant = try await grantedRefunds().first(where: { $0.refundId == refundId })
        else { throw .unknownGrant(refundId) }
        guard grant.mayBeTakenBack else {
            throw .takerHeard(till: grant.terminalNumber.map(String.init) ?? grant.terminalId)
        }
        guard await sellers.takeBack(grant) else { throw .notTakenBack(refundId) }
        return grant
    }
}
