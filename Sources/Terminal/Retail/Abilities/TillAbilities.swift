package import HubProtocol
internal import OfflineCore
internal import Pricing

/// What can be done at the till now: the one decision that the checkout, its quotes, the status, the front
/// ends and the doctor go by (cli-till.md, "What can be done now").
package struct TillAbilities: Hashable, Sendable {
    /// Of every tender of the store, in its order.
    package let tenders: [TenderAbility]
    /// Of the member in question.
    package let points: PointsAbility
    private let unlisted: [TenderAbility]
    private let facts: TillFacts

    /// Decides by `facts` alone.
    package init(_ facts: TillFacts) {
        self.facts = facts
        let stop = Self.saleStop(facts)
        tenders = facts.tenders.map { TenderAbility($0, facts, stop: stop) }
        unlisted = facts.unlistedTenders.map { TenderAbility($0, facts, stop: stop) }
        points = PointsAbility(facts.points, stop: stop, needs: Self.signIn(facts))
    }

    /// Of the tender of this name; nil: the till knows none.
    package subscript(method: String) -> TenderAbility? {
        (tenders + unlisted).first { $0.tender.method == method }
    }

    /// Of everything that is a card, also of one that the store does not list.
    package var cards: [TenderAbility] { (tenders + unlisted).filter { $0.tender.kind == .card } }

    /// Of an action that is no tender.
    package subscript(action: TillAction) -> ActionAbility {
        let stop: SaleRefusal? =
            switch action {
            case .sale, .coupon, .priceOverride, .exchange: Self.saleStop(facts)
            case .refund, .void, .note: facts.disk
            case .park, .manualSwitch: nil
            }
        return ActionAbility(
            refusal: stop,
            needs: action == .park
                ? []
                : Self.signIn(facts)
                    + (needsApproval(of: [action.approval].compactMap(\.self)) ? [.approval] : []))
    }

    /// What refuses every sale; of several the first in the order clock, shift, disk.
    private static func saleStop(_ facts: TillFacts) -> SaleRefusal? {
        facts.clock ?? (facts.lacksShift ? .shiftRequired : nil) ?? facts.disk
    }

    static func signIn(_ facts: TillFacts) -> [TillNeed] {
        facts.people.hasCashiers && facts.people.role == nil ? [.signIn] : []
    }

    /// Whether whoever is there could not do `actions` alone. With nobody signed in, a manager may still
    /// come.
    func needsApproval(of actions: [ApprovalAction]) -> Bool {
        facts.people.hasCashiers && facts.people.role != .manager
            && actions.contains(where: facts.approvals.needs)
    }
}

/// What a person still has to give.
package enum TillNeed: String, Hashable, Sendable, CaseIterable {
    /// A cashier signs in.
    case signIn
    /// A manager approves.
    case approval
    /// The number of the voucher.
    case reference
}

/// What is done at a till beside taking a tender.
package enum TillAction: String, Hashable, Sendable, CaseIterable {
    case sale, coupon, priceOverride, exchange, refund, void, note, park, manualSwitch

    /// What may need an approver; nil: nothing.
    var approval: ApprovalAction? {
        switch self {
        case .priceOverride: .priceOverride
        case .exchange, .refund: .refund
        case .void: .void
        case .manualSwitch: .manualOffline
        case .sale, .coupon, .note, .park: nil
        }
    }
}

/// Whether an action is possible, and what it needs.
package struct ActionAbility: Hashable, Sendable {
    /// Nil: it is possible.
    package let refusal: SaleRefusal?
    /// What is missing, in the order of ``TillNeed``.
    package let needs: [TillNeed]
}

/// How one tender is taken now.
package struct TenderAbility: Hashable, Sendable {
    /// Who takes the money.
    package enum Route: String, Hashable, Sendable, CaseIterable {
        /// The hub's payment service.
        case hub
        /// The terminal's own card machine.
        case machine
        /// A token that the hub forwards later.
        case stored
        /// The till itself: cash and vouchers.
        case local
        /// Nobody: a sale with it is refused.
        case refused
    }

    /// As the store lists it.
    package let tender: Tender
    /// Who takes it.
    package let route: Route
    /// What one sale takes of it without an approval, in minor units; nil: no limit.
    package let limit: Int64?
    /// What is missing, in the order of ``TillNeed``.
    package let needs: [TillNeed]
    /// Why a sale with it is refused; nil unless ``route`` is ``Route/refused``.
    package let refusal: SaleRefusal?
    /// Why it is refused, or not taken by its usual way; nil: nothing is amiss.
    package let obstacle: TillObstacle?
    /// Whether an approver can allow more than ``limit``; a manager who is signed in needs none.
    package let canExceed: Bool

    init(_ tender: Tender, _ facts: TillFacts, stop: SaleRefusal?) {
        let way = stop.map { Way(refusal: $0) } ?? Way(of: tender, facts)
        self.tender = tender
        (route, limit, refusal, canExceed) = (way.route, way.limit, way.refusal, way.canExceed)
        let signIn = TillAbilities.signIn(facts)
        needs =
            way.route == .refused
            ? [] : signIn + (way.needsApproval ? [.approval] : []) + (way.needsNumber ? [.reference] : [])
        obstacle = way.obstacle ?? (way.route != .refused && !signIn.isEmpty ? .signInRequired : nil)
    }

    private struct Way {
        var route: Route
        var limit: Int64?
        var refusal: SaleRefusal?
        var obstacle: TillObstacle?
        var canExceed = false
        var needsApproval = false
        var needsNumber = false

        init(_ route: Route, _ obstacle: TillObstacle? = nil) {
            (self.route, self.obstacle) = (route, obstacle)
        }

        init(refusal: SaleRefusal, _ obstacle: TillObstacle? = nil) {
            self.init(.refused, obstacle ?? TillObstacle(refusal))
            self.refusal = refusal
        }

        init(of tender: Tender, _ facts: TillFacts) {
            switch tender.kind {
            case .cash: self.init(.local)
            case .voucher:
                if facts.isOnline ? tender.isOnline : tender.isOffline {
                    self.init(.local)
                    needsNumber = true
                } else {
                    self.init(
                        refusal: .tenderRefused(tender.method, isOnline: facts.isOnline),
                        facts.isOnline ? nil : facts.modeObstacle)
                }
            case .card, .wallet: self.init(card: tender, facts)
            }
        }

        private init(card tender: Tender, _ facts: TillFacts) {
            let machine = facts.machine.flatMap { machine in
                machine.isFirst || facts.payment != nil && tender.isOffline ? machine : nil
            }
            // A first machine is no makeshift: what the payment service is like is nobody's concern.
            let first = machine?.isFirst == true ? machine : nil
            let obstacle = first == nil ? facts.payment : first?.readiness.obstacle
            if let machine, !machine.readiness.isPassed {
                self.init(by: machine, obstacle)
            } else if facts.payment == nil, tender.isOnline {
                self.init(.hub, obstacle)
            } else if let away = facts.payment, let storage = facts.storage, tender.isOffline {
                self.init(storage, obstacle ?? away, facts.people)
            } else if let machine {
                self.init(by: machine, obstacle ?? machine.readiness.obstacle)
            } else if let away = facts.payment {
                self.init(refusal: .cardOffline(facts.cardAbsence), away)
            } else {
                self.init(refusal: .tenderRefused(tender.method, isOnline: true))
            }
        }

        /// One that took nothing a moment ago is tried where nothing else takes the card.
        private init(by machine: TillFacts.Machine, _ obstacle: TillObstacle?) {
            if machine.readiness == .undecided {
                self.init(refusal: .cardMachine(.undecided), .machineUndecided)
            } else {
                self.init(.machine, obstacle)
            }
        }

        /// The store's own limit comes first: no approval exceeds it.
        private init(_ storage: TillFacts.CardStorage, _ away: TillObstacle, _ people: TillFacts.People) {
            let isManager = people.role == .manager
            let canApprove = people.hasCashiers && people.hasManager
            let left = storage.room.left
            if let lease = storage.lease, lease <= 0 {
                self.init(refusal: .offlineCardLimit(.perStore), .cardLimit(.perStore))
                return
            }
            guard left > 0 || isManager || canApprove else {
                let limit = storage.room.excess(of: 1) ?? .perTerminal
                self.init(refusal: .offlineCardLimit(limit), .cardLimit(limit))
                return
            }
            self.init(.stored, away)
            canExceed = isManager || canApprove
            if isManager || left <= 0 {
                limit = storage.lease
                needsApproval = !isManager
            } else {
                limit = min(left, storage.lease ?? left)
            }
        }
    }
}

/// How points are spent now.
package struct PointsAbility: Hashable, Sendable {
    /// Where they come from.
    package enum Route: String, Hashable, Sendable, CaseIterable {
        /// The terminal's leases, and the hub lends what is lacking.
        case hub
        /// The terminal's leases, and what the store's other tills give of theirs.
        case local
        /// Nothing: a sale that spends any is refused.
        case refused
    }

    /// Where they come from.
    package let route: Route
    /// The most that one sale spends; nil: the hub or the store's other tills decide.
    package let limit: Int64?
    /// What the member has, as far as it is known.
    package let balance: Int64?
    /// What is missing, in the order of ``TillNeed``.
    package let needs: [TillNeed]
    /// Why a sale that spends any is refused; nil unless ``route`` is ``Route/refused``.
    package let refusal: SaleRefusal?
    private let facts: PointsFacts

    init(_ facts: PointsFacts, stop: SaleRefusal? = nil, needs: [TillNeed] = []) {
        self.facts = facts
        balance = facts.isMemberKnown ? facts.balance : nil
        let most = Self.most(facts)
        refusal =
            stop
            ?? Self.refusal(of: max(1, facts.scheme.minimumSpend), facts, most).map(SaleRefusal.points)
        route = refusal != nil ? .refused : facts.isLending ? .hub : .local
        limit = refusal != nil ? 0 : most
        self.needs = refusal != nil ? [] : needs
    }

    /// The refusal of a sale that spends `points`, above 0, as far as it is known before the hub is asked.
    func refusal(of points: Int64) -> PointsRefusal? { Self.refusal(of: points, facts, Self.most(facts)) }

    private static func most(_ facts: PointsFacts) -> Int64? {
        guard facts.isLending || facts.isShared else { return facts.held }
        guard facts.isBalanceFresh, let balance = facts.balance else { return nil }
        return max(facts.held, balance, 0)
    }

    private static func refusal(of points: Int64, _ facts: PointsFacts, _ most: Int64?) -> PointsRefusal? {
        guard facts.scheme.value > 0 else { return .notOffered }
        guard facts.isMemberKnown else { return .memberUnknown }
        guard points >= facts.scheme.minimumSpend else { return .belowMinimum(facts.scheme.minimumSpend) }
        guard let most, points > most else { return nil }
        return .unavailable(wanted: points, available: most, isFromHub: facts.isLending)
    }
}

extension TillFacts {
    /// Why the terminal is offline; nil while it is not.
    fileprivate var modeObstacle: TillObstacle? { TillObstacle(causes, core: "order") }

    /// Of ``SaleRefusal/cardOffline(_:)``.
    var cardAbsence: CardAbsence {
        switch payment {
        case .noPayments: .notConfigured
        case .notEnrolled: .notEnrolled
        case _: isOnline ? .unavailable : .offline(causes)
        }
    }
}

extension TillObstacle {
    /// What stands behind a refusal of every sale, or of a tender; nil where the refusal says it all.
    package init?(_ refusal: SaleRefusal) {
        switch refusal {
        case .clockDiffers(let own, let hub): self = .clockDiffers(own: own, hub: hub)
        case .shiftRequired: self = .shiftRequired
        case .diskFull: self = .diskFull
        case .notRecorded, .notEnrolled: self = .notRecording
        case .offlineCardLimit(let limit): self = .cardLimit(limit)
        case _: return nil
        }
    }
}
