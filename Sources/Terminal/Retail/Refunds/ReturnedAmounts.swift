package import HubProtocol

/// The money that came back of one sale, as far as one till knows it: by its own refunds, by what it granted
/// to others, and by the notes of the store's tills. One refund that several of them name counts once.
package struct ReturnedAmounts: Hashable, Sendable {
    private var amounts: [String: Int64]

    /// - Parameter noted: minor units by the refunds' ids.
    package init(_ own: [Refund], _ given: [GrantedRight] = [], _ noted: [String: Int64] = [:]) {
        amounts = noted
        for refund in own { note(refund.id, refund.content.total) }
        for grant in given { note(grant.claimId, grant.amount) }
    }

    private mutating func note(_ id: String, _ amount: Int64) {
        amounts[id] = max(amount, amounts[id] ?? 0)
    }

    /// Whether what a sale came to leaves `amount` for the refund of this id.
    package func leave(_ amount: Int64, of total: Int64, for refundId: String) -> Bool {
        var left = total
        for (id, returned) in amounts where id != refundId {
            let (next, overflow) = left.subtractingReportingOverflow(returned)
            guard !overflow else { return false }
            left = next
        }
        return amount <= left
    }
}
