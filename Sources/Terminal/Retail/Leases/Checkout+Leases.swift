import Base

internal import HubProtocol
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Pricing

/// What the terminal's leases of one subject give to a sale.
struct LeaseSupply: Hashable {
    /// What the sale uses of them; nil: they leave too little.
    let uses: [LeaseUse]?
    /// What they leave before the sale.
    let left: Int64
    /// Whether the hub was requested to lend more, and responded.
    let isFromHub: Bool
    /// Whether other terminals return what is lacking, if they can.
    let isRecalled: Bool
}

extension Checkout {
    /// What the terminal's leases give of `amount`. Where they leave too little, the hub is requested to lend
    /// more, within what is left of the sale's budget; where it does not respond, the other tills of the
    /// store are requested to give a part of theirs.
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
            var (isFromHub, isRecalled) = (false, false)
            if held.left < amount {
                let wanted = LeaseRequest(
                    kind: kind, subject: name ?? subject, amount: amount,
                    epoch: try await ports.wallet.epoch())
                let lent = await inquiry.query(.lease, within: waiting) {
                    [lender = ports.lender] () throws(InquiryError) in
                    try await lender.lend(wanted)
                }
                if let lent {
                    (isFromHub, isRecalled) = (true, lent.isRecalled)
                    try await ports.wallet.keep(lent)
                    held = try await self.held(kind, of: subject)
                } else if kind != .card, await ports.tills.canTake {
                    let begin = ports.time.now()
                    await ports.tills.take(amount - held.left, of: subject, after: waiting.forTills)
                    waiting.addForTills(ports.time.now() - begin)
                    held = try await self.held(kind, of: subject)
                }
            }
            let uses = held.left >= amount ? held.uses(for: amount) : nil
            noteNeeded(uses ?? [])
            return LeaseSupply(
                uses: uses, left: held.left, isFromHub: isFromHub, isRecalled: isRecalled)
        } catch {
            throw SaleRefusal(error)
        }
    }

    func held(
        _ kind: LeaseKind, of subject: String
    ) async throws(StorageError) -> [HeldLease] {
        let hubTime = ports.hubClock.hubMilliseconds()
        let sold = (hubTime ?? ports.time.wallMilliseconds()) + leastLeaseTime
        return try await ports.wallet.held(kind, of: subject, at: hubTime).filter { $0.expiresAt > sold }
    }

    /// How long a lease has to last when a sale is priced, in milliseconds: a minute for the people, what
    /// two cards may take, and the minute before a lease's end in which nothing is recorded. So no card is
    /// charged for a sale that is then not recorded. At most 11 minutes: from then on the hub prolongs a
    /// lease of 15.
    private var leastLeaseTime: Int64 {
        let cards = (policy.cardDeadline + policy.cardQueryDeadline) * 2
        return min(660_000, 120_000 + cards.components.seconds * 1_000)
    }

    /// What a sale uses of the terminal's leases for its coupons: one use of each that is for a limited
    /// number of sales, with and without the hub, so that two terminals never use the same one.
    func couponUses(
        of cart: Cart, within waiting: SaleWaiting
    ) async throws(SaleRefusal) -> [LeaseUse] {
        guard !cart.coupons.isEmpty else { return [] }
        let limited = try await offers.limited(cart.coupons, named: cart.leasedCoupons)
        var uses: [LeaseUse] = []
        for code in cart.coupons {
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
        let limited = (try? await offers.limited(content.coupons, named: Set(content.coupons))) ?? [:]
        let code = content.coupons.first { limited[$0] == use.subject } ?? content.coupons.first ?? ""
        return .couponRefused(code: code, objection: .usedUp)
    }
}

/// How leases come back that others want (the feed's entity `lease`, `recalled`).
extension Checkout {
    /// How long a sale that is priced keeps its leases here: the 60 s of a card, and a minute in which the
    /// customer looks for it. Half of it can take a coupon out of a sale while the card is read; double lets
    /// another till's customer wait for twice as long.
    static let neededFor = Duration.seconds(120)

    /// Leases that sales and quotes are about to spend: nothing of them is given to another till.
    package var leasesAtHand: Set<String> {
        noteNeeded([])
        return Set(neededLeases.keys)
    }

    /// A sale or quote is about to spend of these leases.
    func noteNeeded(_ uses: [LeaseUse]) {
        let now = ports.time.now()
        neededLeases = neededLeases.filter { now - $0.value < Self.neededFor }
        for use in uses { neededLeases[use.leaseId] = now }
    }

    /// A sale that used these leases is recorded.
    func noteSpent(_ uses: [LeaseUse]) { for use in uses { neededLeases[use.leaseId] = nil } }

    /// Returns to the hub what it recalled and no sale here is about to spend. First nothing more of it can
    /// be spent here, then the hub learns that, as often as it takes. Called after pulls and every few
    /// seconds; without the hub nothing is given up.
    package func returnRecalledLeases() async {
        guard ports.modes.status.mode == .online else { return }
        do {
            guard let order = try await ports.wallet.giveUp(except: leasesAtHand) else { return }
            let rest = try await ports.lender.giveBack(order)
            try await ports.wallet.keep(rest)
            try await ports.wallet.noteReturned(order.leases.map(\.leaseId))
        } catch {
            // Without a response, or without a disk: the next call goes on with it.
        }
    }
}
