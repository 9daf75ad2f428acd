package import AgentAPI
package import HubProtocol

/// What the screen requests of the agent.
package enum CounterRequest: Sendable {
    /// `POST /v1/quotes` with the body of a sale.
    case quote(SellCall)
    case sell(SellCall)
    /// Ends the wait of a sale for its card.
    case giveUp(key: String)
    case signIn(cashierId: String, pin: String)
    case signOut
    /// How each tender is taken now, and how many points the member can spend.
    case tenders(member: String?)
    case setManual(SetManualCall)
    /// The agent sends its next request to the hub now.
    case retry
    /// Articles with `text` in name, SKU or barcode.
    case search(text: String, limit: Int)
    /// What sells an article that the catalogue does not have.
    case departments
    /// Keeps the cart at the agent under a name; nil: without one.
    case park(SellCall, name: String?)
    case parkedCarts
    case resume(cartId: String)
    /// Takes a cart up that another window has on its screen.
    case takeCart(cartId: String, AgentPerson)
    /// Takes a cart up that another till of the store has parked.
    case fetchCart(cartId: String)
    /// The same; where that till is silent, a new cart gets its lines.
    case copyCart(cartId: String, AgentPerson)
    /// Removes a parked or left cart for good.
    case drop(cartId: String, reason: String, isHandedBack: Bool)
    /// Keeps the cart with what was taken for it just now, which counts once the agent has it.
    case take(KeepCartCall)
    /// Keeps the cart without what the customer gets back.
    case handBack(KeepCartCall)
    /// Removes the cart on the screen for good.
    case empty(cartId: String, isHandedBack: Bool)
    case orders(limit: Int)
    /// One order, with what can still come back of it.
    case order(id: String)
    /// What of a receipt's sale can still come back.
    case receiptLeft(code: String)
    case refund(RefundOrderCall)
    case void(VoidOrderCall)
    /// Card sales whose result nobody has seen, after `seen` is taken off the list; nil: the list alone.
    case unseenSales(seen: String?)
    /// What the hub refused, and what is held back.
    case refusals
    case resolve(ResolveRefusalCall)
    case addMember(AddMemberCall)
    /// The open shift.
    case shift
    case openShift(OpenShiftCall)
    case moveCash(MoveCashCall)
    case closeShift(CloseShiftCall)
    case printer
    /// Prints what waits for a person.
    case printAgain
    case printTestPage
    /// A copy of the receipt of the order `id`.
    case printCopy(id: String)
    /// Who of the store's other tills is there.
    case tills
}

/// What the agent responded.
package enum CounterResponse: Sendable {
    case quote(QuoteResponse)
    case sold(SaleResponse)
    case session(SessionResponse)
    case tenders(CounterTenders)
    case products([ProductCall.Response])
    case departments([DepartmentRecord])
    case parked(CartRecord)
    /// The cart on the screen as the agent has it on disk.
    case kept(CartSummary)
    case parkedCarts([CartRecord])
    /// A parked cart, which is the screen's again.
    case resumed(CartRecord)
    case orders([OrderEntry])
    case order(OrderEntry)
    case receiptLeft(ReceiptLeftResponse)
    case refunded(RefundResponse)
    case voided(OrderResponse)
    case unseenSales([UnseenSalesCall.Sale])
    case refusals(RefusalListCall.Response)
    case member(AddMemberCall.Response)
    case shift(CounterShift)
    case printer(PrinterCall.Response)
    case tills(NeighboursCall.Response)
    /// Done, without anything to show.
    case done
    case refused(AgentFailure)
    /// There is no agent now. The screen keeps all it has.
    case gone
}

/// The part of the agent's status that is on the screen.
package struct CounterStatus: Hashable, Sendable {
    /// As enrolled; `-` while it is unknown.
    package let storeId: String
    /// The terminal sells on its own.
    package let isOffline: Bool
    /// The banner in the screen's language.
    package let banner: String
    /// How bad what the banner says is.
    package let level: BannerAdvice.Level
    /// The command that helps, without the program's name: `sync now`; nil: none.
    package let command: String?
    /// The store has cashiers and nobody is signed in.
    package let isSignInRequired: Bool
    /// Card sales whose result nobody has seen.
    package let unseenCardSales: Int
    /// What does not work now, or with limits, in the order in which it is shown.
    package let obstacles: [Obstacle]
    /// How each tender of the store is taken now; empty while the agent has not decided.
    package let tenders: [TenderState]
    /// The till itself; nil while the agent does not run.
    package let till: TillState?
    /// What the till's card machine wants of the shopper; nil: nothing.
    package let cardStep: DeviceProgress?
    /// The newest booking at the till's card machine, where somebody else made it.
    package let foreignBooking: Int64?
    /// Who of the store's other tills is there; nil: they do not see each other.
    package let neighbours: NeighbourCounts?

    /// A module that cannot do everything.
    package struct Obstacle: Hashable, Sendable {
        /// As in the status: `payment.card`, for example.
        package let module: TillModule
        /// Why, and what ends it, in the screen's language.
        package let text: String
        /// Whether nothing of the module works now.
        package let stopsAll: Bool

        /// An obstacle; `text` is one line.
        package init(module: TillModule, text: String, stopsAll: Bool) {
            (self.module, self.text, self.stopsAll) = (module, text, stopsAll)
        }
    }

    /// A status; without a `command` the banner has no key.
    package init(
        storeId: String, isOffline: Bool, banner: String, level: BannerAdvice.Level, command: String?,
        isSignInRequired: Bool,
        unseenCardSales: Int = 0, obstacles: [Obstacle] = [], tenders: [TenderState] = [],
        till: TillState? = nil, cardStep: DeviceProgress? = nil, foreignBooking: Int64? = nil,
        neighbours: NeighbourCounts? = nil
    ) {
        self.neighbours = neighbours
        self.foreignBooking = foreignBooking
        self.cardStep = cardStep
        self.till = till
        self.tenders = tenders
        self.storeId = storeId
        self.isOffline = isOffline
        self.banner = banner
        self.level = level
        self.command = command
        self.isSignInRequired = isSignInRequired
        self.unseenCardSales = unseenCardSales
        self.obstacles = obstacles
    }
}

/// What happened.
package enum CounterEvent: Sendable {
    case key(Key)
    case resized(columns: Int, rows: Int)
    case status(CounterStatus)
    /// The response to the request that ``CounterEffect/request(id:_:)`` numbered.
    case response(id: Int, CounterResponse)
    /// The carts that are not sold, whoever works on them.
    case carts([CartSummary])
    /// The agent has ended; the next ``status(_:)`` is of another one.
    case agentGone
    /// The agent responds again after it was gone.
    case agentReturned
    /// ``CounterEffect/keepCart(_:)`` was refused.
    case cartRefused(AgentFailure)
    /// A second has passed while ``CounterScreen/wantsSeconds``.
    case secondPassed
}

/// What is to be done.
package enum CounterEffect: Sendable {
    case request(id: Int, CounterRequest)
    /// The lines on the screen are to be on disk within 100 ms; nothing waits for it.
    case keepCart(KeepCartCall)
    case bell
    case leave
}
