package import HubProtocol
package import OfflineCore
package import Pricing

/// All that decides what can be done at the till at one moment, as plain values. ``Checkout`` gathers them;
/// ``TillAbilities`` decides by them alone.
package struct TillFacts: Hashable, Sendable {
    /// The store's tenders.
    package var tenders: [Tender]
    /// The card that a store without a payment service does not list: it is refused with that reason, and
    /// shown nowhere. Default: none.
    package var unlistedTenders: [Tender] = []
    /// The mode. Default: online.
    package var isOnline = true
    /// The causes that hold, in their order.
    package var causes: [OfflineCause] = []
    /// Why the hub's payment service takes no card now; nil, the default: it does.
    package var payment: TillObstacle?
    /// The terminal's own card machine; nil, the default: it has none.
    package var machine: Machine?
    /// How cards are taken as tokens; nil, the default: they are not.
    package var storage: CardStorage?
    /// The open shift; nil: none is open, or it decides nothing here.
    package var shift: String?
    /// The refusal of a sale under a clock that nobody has confirmed; nil: the clocks agree.
    package var clock: SaleRefusal?
    /// Whether the store sells in shifts alone and none is open.
    package var lacksShift = false
    /// Why the disk records nothing now; nil: it does.
    package var disk: SaleRefusal?
    /// Who is there.
    package var people = People()
    /// What needs an approver.
    package var approvals: Approvals
    /// What is known of points, of the member in question.
    package var points = PointsFacts()

    /// Facts of a till where nothing is amiss: online, with a payment service, without cashiers.
    package init(tenders: [Tender], approvals: Approvals = Approvals(listed: nil, hasManager: false)) {
        (self.tenders, self.approvals) = (tenders, approvals)
    }

    /// The store's people, and who of them is at the till.
    package struct People: Hashable, Sendable {
        /// Without cashiers no sign-in and no approval is needed.
        package var hasCashiers = false
        /// Whether anybody could approve.
        package var hasManager = false
        /// The role of whoever acts; nil: nobody is signed in.
        package var role: CashierRole?

        /// Nobody, in a store without cashiers.
        package init() {}
    }

    /// A card machine of the terminal's own.
    package struct Machine: Hashable, Sendable {
        /// Whether it takes every card, with the hub's payment service or without it.
        package var isFirst: Bool
        /// Whether it takes one now.
        package var readiness: MachineReadiness

        package init(isFirst: Bool, readiness: MachineReadiness = .ready) {
            (self.isFirst, self.readiness) = (isFirst, readiness)
        }
    }

    /// What limits the cards that are taken as tokens.
    package struct CardStorage: Hashable, Sendable {
        /// What the limits of `offlineCard` leave.
        package var room: OfflineCardRoom
        /// What the terminal's leases leave of the store's limit; nil: the store has none, or the hub lends
        /// more when it is needed.
        package var lease: Int64?

        /// What the limits leave; by default the store has no limit of its own.
        package init(room: OfflineCardRoom, lease: Int64? = nil) {
            (self.room, self.lease) = (room, lease)
        }
    }
}

/// What decides how many points a member can spend.
package struct PointsFacts: Hashable, Sendable {
    /// The store's scheme. Default: none.
    package var scheme: PointsScheme = .none
    /// Whether a member is named whom the hub or the terminal's copy has.
    package var isMemberKnown = false
    /// What the member has, where it is known: of the hub, or as of the last pull.
    package var balance: Int64?
    /// Whether ``balance`` is from a response of the hub to this request.
    package var isBalanceFresh = false
    /// What the terminal's leases leave.
    package var held: Int64 = 0
    /// Whether the hub is requested to lend more.
    package var isLending = false
    /// Whether the store's other tills are requested to give more, where the hub does not lend it.
    package var isShared = false

    /// A store without points.
    package init() {}
}
