package import Base
package import HubProtocol
package import OfflineCore
package import Pricing

/// The store's rules for a checkout.
package struct CheckoutPolicy: Hashable, Sendable {
    /// The most of one line, in thousandths. Key `checkout.maximumQuantityMilli`, default 10,000,000.
    package var maximumQuantityMilli: Int64 = 10_000_000
    /// The most lines of a sale: 500, so that a sale stays far below the 1 MiB of a request.
    package var maximumLines = 500
    /// The most coupons of a sale: 50.
    package var maximumCoupons = 50
    /// Minor units to which cash is rounded. Key `cash.roundingMinor`, default 1: no rounding.
    package var smallestCoin: Int64 = 1
    /// Whether the hub has a payment service, as far as the hub has reported. Default true: requests are sent
    /// to it.
    package var takesCards = true
    /// The store's ways to pay. Key `tenders` of `storeConfig`; nil: the hub named none, and cash and card
    /// are taken.
    package var listedTenders: TenderList?
    /// Whether the hub's payment service is the simulator.
    package var cardsAreSimulated = false
    /// Whether the terminal has a card machine of its own, which gives back what it charged. Key
    /// `cardMachine.address`, default none.
    package var hasCardMachine = false
    /// Whether that machine takes every card. Key `cardMachine.first`.
    package var isCardMachineFirst = false
    /// Whether that machine has its own way to the bank, so that the till takes cards whatever the hub has.
    package var hasOwnCards = false
    /// Up to which amounts cards are taken as tokens; nil, the default: none are.
    package var offlineCards: OfflineCardLimits?
    /// For the complete exchange of a card authorisation, default 60 s.
    package var cardDeadline: Duration = .seconds(60)
    /// How long the hub has, outside a sale, for a PIN that only it can check: 3 s, its own hashing and some
    /// others before it. Half of it refuses cashiers at a busy hub, twice of it makes one wait for a hub that
    /// is gone. In a sale the check shares the sale's wait budget.
    package var pinWaitBudget: Duration = .seconds(3)
    /// For the request of an authorisation's outcome, default 10 s.
    package var cardQueryDeadline: Duration = .seconds(10)
    /// How long a sign-in lasts without a command, in milliseconds. Key `account.idleMinutes`, default 15
    /// min.
    package var idleMilliseconds: Int64 = 900_000
    /// What the store lists as needing an approver. Key `account.approvals`; nil: the default of
    /// ``Approvals``.
    package var listedApprovals: Set<ApprovalAction>?
    /// What the terminal's own configuration file adds to it.
    package var addedApprovals: Set<ApprovalAction> = []
    /// Hundredths of a percent of a line. Key `account.discountBasisPoints`, default 1,000.
    package var discountBasisPoints = Approvals.standardDiscountBasisPoints
    /// Whether nothing is sold without an open shift. Key `shift.required`, default off.
    package var requiresShift = false
    /// Minor units by which counted cash may differ from what is expected. Key `shift.toleratedDifference`;
    /// nil, the default: any difference closes a shift, after a second count at the counter.
    package var toleratedDifference: Int64?
    /// Whether nobody is shown what should be in the drawer before it is counted. Key `shift.blindCount`,
    /// default off.
    package var countsBlind = false
    /// Of refunds without the order. Keys `refund.withoutOrder.perRefund` and `.perDay`.
    package var refundLimits = RefundLimitSettings()
    /// How members earn and spend points. Keys `points.*`, default none.
    package var points = PointsScheme.none
    /// What codes with a weight or price inside mean. Key `barcode.rules`, default none.
    package var barcodeRules: [BarcodeRule] = []
    /// The calling code of the store's country, by which telephone numbers are completed. Key
    /// `store.countryCode`; nil, the default: numbers stay as typed.
    package var countryCode: Int?
    /// Whether equal scans are one line at the counter. Key `checkout.equalScans`, default apart.
    package var joinsEqualScans = false
    /// Of receipts and reports. Key `display.language`, default English.
    package var language = Language.english
    /// The store's time zone and the start of its business day. Keys `store.timeZone` and
    /// `store.businessDayStartsAt`.
    package var calendar: BusinessCalendar
    /// Lines on top of every receipt: the store's name, its address, its tax number.
    package var receiptHeader: [String]

    /// Makes a policy with the default of every other field.
    package init(calendar: BusinessCalendar, receiptHeader: [String]) {
        self.calendar = calendar
        self.receiptHeader = receiptHeader
    }

    /// The ways to pay.
    var tenders: TenderList {
        let listed = listedTenders ?? .standard(takesCards: takesCards)
        return hasOwnCards ? listed.withCard : listed
    }

    /// The tender of this name; nil: the store has none. Without a payment service the hub lists no card, and
    /// a request for one is refused with that reason.
    func tender(_ method: String) -> Tender? {
        tenders[method] ?? unlistedTenders.first { $0.method == method }
    }

    /// What a store does not list and ``tender(_:)`` knows, so that its refusal has a reason.
    var unlistedTenders: [Tender] {
        !takesCards && tenders[Tender.card.method] == nil ? [.card] : []
    }

    /// Whether the hub gives money back to the card that it came from.
    var refundsCards: Bool { listedTenders != nil && takesCards }

    /// What needs an approver.
    ///
    /// - Parameter hasManager: whether the store has a person who could approve.
    func approvals(hasManager: Bool) -> Approvals {
        Approvals(
            listed: listedApprovals, adding: addedApprovals, hasManager: hasManager,
            discountBasisPoints: discountBasisPoints)
    }
}
