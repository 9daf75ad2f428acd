internal import HubProtocol
internal import MachineRuntime
internal import Pricing

/// What the terminal's leases of one subject give to a sale.
struct LeaseSupply: Hashable {
    /// What the sale uses of them; nil: they leave too little.
    let uses: [LeaseUse]?
    /// What they leave before the sale.
    let left: Int64
    /// Whether the hub was requested to lend more, and responded.
    let isFromHub: Bool
}

extension Checkout {
    /// What the terminal's leases give of `amount`. Where they leave too little, the hub is requested to lend
    /// more, within what is left of the sale's budget.
    ///
    /// - Parameters:
    ///   - subject: as the terminal has it.
    ///   - name: as the hub has it; nil: the same.
    func supply(
        _ amount: Int64, of kind: LeaseKind, _ subject: String, named name: String? = nil,
        within waiting: SaleWaiting
    ) async throws(SaleRefusal) -> LeaseSupply {
        do throws(StorageError) {
            var held = try await held(kind, of: subject)
            var isFromHub = false
            if held.left < amount {
                let wish = LeaseWish(
                    kind: kind, subject: name ?? subject, amount: amount,
                    epoch: try await ports.wallet.epoch())
                let lent = await inquiry.query("lease", within: waiting) {
                    [lender = ports.lender] () throws(InquiryError) in
                    try await lender.lend(wish)
                }
                if let lent {
                    isFromHub = true
                    try await ports.wallet.keep(lent)
                    held = try await self.held(kind, of: subject)
                }
            }
            return LeaseSupply(
                uses: held.left >= amount ? held.uses(for: amount) : nil, left: held.left,
                isFromHub: isFromHub)
        } catch {
            throw SaleRefusal(error)
        }
    }

    private func held(
        _ kind: LeaseKind, of subject: String
    ) async throws(StorageError) -> [HeldLease] {
        let hubTime = ports.hubClock.hubMilliseconds()
        let sold = (hubTime ?? ports.time.wallMilliseconds()) + leastLeaseTime
        return try await ports.wallet.held(kind, of: subject, at: hubTime).filter { $0.expiresAt > sold }
    }

    /// How long a lease has to last when a sale is priced, in milliseconds: a minute for the people, what two
    /// cards may take, and the minute before a lease's end in which nothing is recorded. So no card is charged
    /// for a sale that is then not recorded. At most 11 minutes: from then on the hub prolongs a lease of 15.
    private var leastLeaseTime: Int64 {
        let cards = (policy.cardDeadline + policy.cardQueryDeadline) * 2
        return min(660_000, 120_000 + cards.components.seconds * 1_000)
    }

    /// What a sale uses of the terminal's leases for its coupons: one use of each that is for a limited
    /// number of sales, with and without the hub, so that two terminals never use the same one.
    func uses(
        of coupons: [String], within waiting: SaleWaiting
    ) async throws(SaleRefusal) -> [LeaseUse] {
        guard !coupons.isEmpty else { return [] }
        let limited = try await offers.limited(coupons)
        var uses: [LeaseUse] = []
        for code in coupons {
            guard let subject = limited[code] else { continue }
            let supply = try await supply(1, of: .coupon, subject, named: code, within: waiting)
            guard let use = supply.uses else {
                throw .couponRefused(code: code, objection: supply.isFromHub ? .lent : .needsHub)
            }
            uses += use
        }
        return uses
    }

    /// The refusal of a sale whose lease another sale of this terminal spent after the cart was priced.
    func refusal(_ use: LeaseUse, left: Int64, of content: SaleContent) async -> SaleRefusal {
        switch use.kind {
        case .points:
            return .points(.unavailable(wanted: content.points?.spent ?? use.amount, available: left))
        case .card: return .offlineCardLimit(.perStore)
        case .coupon: break
        }
        let limited = (try? await offers.limited(content.coupons)) ?? [:]
        let code = content.coupons.first { limited[$0] == use.subject } ?? content.coupons.first ?? ""
        return .couponRefused(code: code, objection: .usedUp)
    }
}
