public import HubProtocol
public import OfflineCore
public import Pricing

/// All that decides what can be done at the till at one moment, as plain values. ``Checkout`` gathers them;
/// ``TillAbilities`` decides by them alone.
public struct TillFacts: Hashable, Sendable {
    /// The store's tenders.
    public var tenders: [Tender]
    /// The card that a store without a payment service does not list: it is refused with that reason, and
    /// shown nowhere. Default: none.
    public var unlistedTenders: [Tender] = []
    /// The mode. Default: online.
    public var isOnline = true
    /// The causes that hold, in their order.
    public var causes: [OfflineCause] = []
    /// Why the hub's payment service takes no card now; nil, the default: it does.
    public var payment: TillObstacle?
    /// Whether the terminal has a card machine of its own. Default: no.
    public var hasMachine = false
    /// How cards are taken as tokens; nil, the default: they are not.
    public var storage: CardStorage?
    /// The open shift; nil: none is open, or it decides nothing here.
    public var shift: String?
    /// The refusal of a sale under a clock that nobody has confirmed; nil: the clocks agree.
    public var clock: SaleRefusal?
    /// Whether the store sells in shifts alone and none is open.
    public var lacksShift = false
    /// Why the disk records nothing now; nil: it does.
    public var disk: SaleRefusal?
    /// Who is there.
    public var people = People()
    /// What needs an approver.
    public var approvals: Approvals
    /// What is known of points, of the member in question.
    public var points = PointsFacts()

    /// Facts of a till where nothing is amiss: online, with a payment service, without cashiers.
    public init(tenders: [Tender], approvals: Approvals = Approvals(listed: nil, hasManager: false)) {
        (self.tenders, self.approvals) = (tenders, approvals)
    }

    /// The store's people, and who of them is at the till.
    public struct People: Hashable, Sendable {
        /// Without cashiers no sign-in and no approval is needed.
        public var hasCashiers = false
        /// Whether anybody could approve.
        public var hasManager = false
        /// The role of whoever acts; nil: nobody is signed in.
        public var role: CashierRole?

        /// Nobody, in a store without cashiers.
        public init() {}
    }

    /// What limits the cards that are taken as tokens.
    public struct CardStorage: Hashable, Sendable {
        /// What the limits of `offlineCard` leave.
        public var room: OfflineCardRoom
        /// What the terminal's leases leave of the store's limit; nil: the store has none, or the hub lends
        /// more when it is needed.
        public var lease: Int64?

        /// What the limits leave; by default the store has no limit of its own.
        public init(room: OfflineCardRoom, lease: Int64? = nil) {
            (self.room, self.lease) = (room, lease)
        }
    }
}

/// What decides how many points a member can spend.
public struct PointsFacts: Hashable, Sendable {
    /// The store's scheme. Default: none.
    public var scheme: PointsScheme = .none
    /// Whether a member is named whom the hub or the terminal's copy has.
    public var isMemberKnown = false
    /// What the member has, where it is known: of the hub, or as of the last pull.
    public var balance: Int64?
    /// Whether ``balance`` is from a response of the hub to this request.
    public var isBalanceFresh = false
    /// What the terminal's leases leave.
    public var held: Int64 = 0
    /// Whether the hub is requested to lend more.
    public var isLending = false

    /// A store without points.
    public init() {}
}
