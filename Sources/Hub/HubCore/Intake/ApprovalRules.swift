package import HubProtocol
import OfflineCore
import Pricing

/// What the hub knows of a store when it holds a mutation against the store's rules of approval.
package struct ApprovalFacts: Hashable, Sendable {
    /// What the store tunes from the hub.
    package let settings: StoreSettings
    /// Ids of the store's managers, those of every store included.
    package let managers: Set<String>
    /// Whether the store has cashiers.
    package let hasCashiers: Bool
    /// Since when the settings are these, in milliseconds since 1970.
    let settingsSince: Int64

    /// Makes the facts of one store, as they are within the transaction of the push.
    ///
    /// - Parameter settingsSince: the hub's moment of the settings as the feed has it; nil or empty: of ever.
    package init(
        settings: StoreSettings, managers: Set<String>, hasCashiers: Bool, settingsSince: String? = nil
    ) {
        self.settings = settings
        self.settingsSince = settingsSince.flatMap { HybridLogicalClock($0)?.milliseconds } ?? 0
        self.managers = managers
        self.hasCashiers = hasCashiers
    }

    /// Whether whoever did something may approve it, or names another person who may.
    func isApproved(by approverId: String?, for cashierId: String?) -> Bool {
        if let cashierId, managers.contains(cashierId) { return true }
        guard let approverId, approverId != cashierId else { return false }
        return managers.contains(approverId)
    }

    var approvals: Approvals {
        let listed = settings.values["account.approvals"]?.array.map { names in
            Set(names.compactMap { $0.string.flatMap(ApprovalAction.init(rawValue:)) })
        }
        return Approvals(
            listed: listed, hasManager: !managers.isEmpty,
            discountBasisPoints: settings.values["account.discountBasisPoints"]?.integer
                ?? Approvals.standardDiscountBasisPoints)
    }
}

/// Whether what a mutation did needed an approver whom it does not name.
///
/// The terminal requests the PIN; the hub sees two ids. What it finds missing is flagged, not refused: the
/// money has moved.
package struct ApprovalClaim: Hashable, Sendable {
    /// Done whatever the amount.
    let actions: Set<ApprovalAction>
    /// Lines with a cashier's own discount, in minor units.
    let discounts: [Discount]
    /// What was taken from cards without any payment service, in minor units.
    let storedCards: Int64
    /// Whether a part of it is a token. Without limits none is taken, and a card machine takes what it will.
    let hasToken: Bool
    /// By how much a drawer's count differed from what was expected, in minor units, 0 or more.
    let countDifference: UInt64
    let cashierId: String?
    let approverId: String?

    struct Discount: Hashable, Sendable {
        let amount: Int64
        let gross: Int64
    }

    /// What `mutation` records of people and of what they did; empty for most mutations, of which nothing has
    /// to be looked up.
    ///
    /// - Parameters:
    ///   - people: of its payload.
    ///   - order: the sale that it is; nil: none, or one that cannot be read.
    static func claims(
        of mutation: Mutation, _ people: EntryMembers, _ order: CompletedOrder?
    ) -> [ApprovalClaim] {
        let own: ApprovalClaim? =
            switch mutation.type {
            case CompletedRefund.type: ApprovalClaim([.refund], by: people)
            case VoidedOrder.type: ApprovalClaim([.void], by: people)
            case "mutation.discarded": ApprovalClaim([.refusals], by: people)
            case CompletedOrder.type: order.flatMap(sale)
            case CashMove.type:
                ApprovalClaim(
                    [people.kind == CashMove.Kind.noSale.rawValue ? .noSale : .cashMovement],
                    by: people)
            case ShiftClosing.type: count(mutation.payload)
            case CardDecision.type: ApprovalClaim([.cardDecision], by: people)
            case _: nil
            }
        let edit = people.editedBy.map { editor in
            ApprovalClaim(
                actions: [.refusals], discounts: [], storedCards: 0, cashierId: editor,
                approverId: people.editApproverId)
        }
        return [own, edit].compactMap(\.self)
    }

    /// Whether an approver is missing by the rules of the store.
    ///
    /// - Parameter moment: when it was done by the terminal's clock, in milliseconds since 1970. A limit for
    ///   cards or counts that was set later is not the one that the terminal had.
    package func isMissing(by facts: ApprovalFacts, at moment: Int64) -> Bool {
        guard isAboveCardLimit(of: facts, at: moment) || needsApproval(by: facts, at: moment) else {
            return false
        }
        return !facts.isApproved(by: approverId, for: cashierId)
    }

    private func needsApproval(by facts: ApprovalFacts, at moment: Int64) -> Bool {
        guard facts.hasCashiers else { return false }
        let approvals = facts.approvals
        var done = actions
        if discounts.contains(where: { approvals.isAboveLimit(discount: $0.amount, of: $0.gross) }) {
            done.insert(.discount)
        }
        if isAboveTolerated(by: facts, at: moment) { done.insert(.cashMovement) }
        return done.contains(where: approvals.needs)
    }

    /// As the terminal decides it: without the store's key no count needs an approval.
    private func isAboveTolerated(by facts: ApprovalFacts, at moment: Int64) -> Bool {
        guard countDifference > 0, moment >= facts.settingsSince,
            let tolerated = facts.settings.values["shift.toleratedDifference"]?.integer
        else { return false }
        return countDifference > tolerated.magnitude
    }

    /// The limit of one sale is one where nobody could approve more, too. The other limits are sums that only
    /// the terminal keeps.
    private func isAboveCardLimit(of facts: ApprovalFacts, at moment: Int64) -> Bool {
        guard storedCards > 0, moment >= facts.settingsSince else { return false }
        guard let limits = OfflineCardLimits(facts.settings) else { return hasToken }
        return storedCards > limits.perSale
    }

    /// Nil for a sale of the catalogue's articles at its prices without a discount of the cashier's and
    /// without a card that was taken offline.
    private static func sale(_ order: CompletedOrder) -> ApprovalClaim? {
        var discounts: [Discount] = []
        var actions: Set<ApprovalAction> = []
        for line in order.lines {
            if let price = line.listPrice, price != line.unitPrice { actions.insert(.priceOverride) }
            if line.openItem == true { actions.insert(.openItem) }
            if let discount = ownDiscount(of: line) { discounts.append(discount) }
        }
        let cards = storedCards(in: order)
        guard !actions.isEmpty || !discounts.isEmpty || cards > 0 else { return nil }
        return ApprovalClaim(
            actions: actions, discounts: discounts, storedCards: cards,
            hasToken: (order.payments ?? []).contains { $0.details?.state == .storedOffline },
            cashierId: order.cashierId, approverId: order.approverId)
    }

    /// Nil for a count of what was expected, and for one that cannot be read, which has a flag of its own.
    private static func count(_ payload: JSONValue) -> ApprovalClaim? {
        guard let closing = try? ShiftClosing(json: payload), closing.cash.difference != 0 else {
            return nil
        }
        return ApprovalClaim(
            actions: [], discounts: [], storedCards: 0, countDifference: closing.cash.difference.magnitude,
            cashierId: closing.closedBy, approverId: closing.closeApproverId)
    }

    /// At most what an integer holds; what cannot be read has a flag of its own.
    private static func storedCards(in order: CompletedOrder) -> Int64 {
        (order.payments ?? []).reduce(0) { sum, payment in
            guard payment.details?.isWithoutBank == true, let amount = payment.amount, amount > 0
            else { return sum }
            return Merging.add(amount, to: sum) ?? .max
        }
    }

    private static func ownDiscount(of line: CompletedOrder.Line) -> Discount? {
        guard let discount = line.given, discount > 0 else { return nil }
        do throws(PricingError) {
            let own = try MoneyRange.sum([discount] + (line.offers ?? []).map { -($0.amount ?? 0) })
            guard own > 0 else { return nil }
            let gross = try MoneyRange.share(of: line.unitPrice, times: line.quantityMilli, over: 1000)
            return Discount(amount: own, gross: max(0, gross))
        } catch {
            // Amounts that cannot be money are flagged as such; the discount counts as all of the line.
            return Discount(amount: 1, gross: 0)
        }
    }

    private init(_ actions: Set<ApprovalAction>, by people: EntryMembers) {
        self.init(
            actions: actions, discounts: [], storedCards: 0, cashierId: people.cashierId,
            approverId: people.approverId)
    }

    init(
        actions: Set<ApprovalAction>, discounts: [Discount], storedCards: Int64, hasToken: Bool = false,
        countDifference: UInt64 = 0, cashierId: String?, approverId: String?
    ) {
        self.hasToken = hasToken
        self.countDifference = countDifference
        self.actions = actions
        self.discounts = discounts
        self.storedCards = storedCards
        self.cashierId = cashierId
        self.approverId = approverId
    }
}
