public import HubProtocol
import OfflineCore
import Pricing

/// What the hub knows of a store when it holds a mutation against the store's rules of approval.
public struct ApprovalFacts: Hashable, Sendable {
    /// What the store tunes from the hub.
    public let settings: StoreSettings
    /// Ids of the store's managers, those of every store included.
    public let managers: Set<String>
    /// Whether the store has cashiers.
    public let hasCashiers: Bool
    /// Since when the settings are these, in milliseconds since 1970.
    let settingsSince: Int64

    /// Makes the facts of one store, as they are within the transaction of the push.
    ///
    /// - Parameter settingsSince: the hub's moment of the settings as the feed has it; nil or empty: of ever.
    public init(
        settings: StoreSettings, managers: Set<String>, hasCashiers: Bool, settingsSince: String? = nil
    ) {
        self.settings = settings
        self.settingsSince = settingsSince.flatMap { HybridLogicalClock($0)?.milliseconds } ?? 0
        self.managers = managers
        self.hasCashiers = hasCashiers
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
public struct ApprovalClaim: Hashable, Sendable {
    /// Done whatever the amount.
    let actions: Set<ApprovalAction>
    /// Lines with a cashier's own discount, in minor units.
    let discounts: [Discount]
    let cashierId: String?
    let approverId: String?

    struct Discount: Hashable, Sendable {
        let amount: Int64
        let gross: Int64
    }

    /// What `mutation` records of people and of what they did; empty for most mutations, of which nothing has
    /// to be looked up.
    public static func claims(of mutation: Mutation) -> [ApprovalClaim] {
        let payload = mutation.payload
        let own: ApprovalClaim? =
            switch mutation.type {
            case "refund.completed": ApprovalClaim([.refund], [], payload)
            case "order.voided": ApprovalClaim([.void], [], payload)
            case "mutation.discarded": ApprovalClaim([.refusals], [], payload)
            case "order.completed": sale(payload)
            case _: nil
            }
        let edit = payload["editedBy"]?.string.map { editor in
            ApprovalClaim(
                actions: [.refusals], discounts: [], cashierId: editor,
                approverId: payload["editApproverId"]?.string)
        }
        return [own, edit].compactMap(\.self)
    }

    /// Whether an approver is missing by the rules of the store.
    public func isMissing(by facts: ApprovalFacts) -> Bool {
        guard facts.hasCashiers else { return false }
        let approvals = facts.approvals
        let isAbove = discounts.contains { approvals.isAboveLimit(discount: $0.amount, of: $0.gross) }
        let done = actions.union(isAbove ? [.discount] : [])
        guard done.contains(where: approvals.needs) else { return false }
        if let cashierId, facts.managers.contains(cashierId) { return false }
        guard let approverId, approverId != cashierId else { return true }
        return !facts.managers.contains(approverId)
    }

    /// Nil for a sale of the catalogue's articles at its prices without a discount of the cashier's.
    private static func sale(_ payload: JSONValue) -> ApprovalClaim? {
        var discounts: [Discount] = []
        var actions: Set<ApprovalAction> = []
        for line in payload["lines"]?.array ?? [] {
            if let price = line["listPrice"]?.integer, price != line["unitPrice"]?.integer {
                actions.insert(.priceOverride)
            }
            if line["openItem"]?.bool == true { actions.insert(.openItem) }
            if let discount = ownDiscount(of: line) { discounts.append(discount) }
        }
        return actions.isEmpty && discounts.isEmpty ? nil : ApprovalClaim(actions, discounts, payload)
    }

    private static func ownDiscount(of line: JSONValue) -> Discount? {
        guard let discount = line["discount"]?.integer, discount > 0 else { return nil }
        let offered = (line["offers"]?.array ?? []).map { $0["amount"]?.integer ?? 0 }
        do throws(PricingError) {
            let own = try MoneyRange.sum([discount] + offered.map { -max(0, $0 == .min ? 0 : $0) })
            guard own > 0 else { return nil }
            let gross = try MoneyRange.share(
                of: line["unitPrice"]?.integer ?? 0, times: line["quantityMilli"]?.integer ?? 0, over: 1000)
            return Discount(amount: own, gross: max(0, gross))
        } catch {
            // Amounts that cannot be money are flagged as such; the discount counts as all of the line.
            return Discount(amount: 1, gross: 0)
        }
    }

    private init(_ actions: Set<ApprovalAction>, _ discounts: [Discount], _ payload: JSONValue) {
        self.init(
            actions: actions, discounts: discounts, cashierId: payload["cashierId"]?.string,
            approverId: payload["approverId"]?.string)
    }

    init(actions: Set<ApprovalAction>, discounts: [Discount], cashierId: String?, approverId: String?) {
        self.actions = actions
        self.discounts = discounts
        self.cashierId = cashierId
        self.approverId = approverId
    }
}
