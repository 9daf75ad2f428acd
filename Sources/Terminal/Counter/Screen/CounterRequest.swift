public import AgentAPI

/// What the screen requests of the agent.
public enum CounterRequest: Sendable {
    /// `POST /v1/quotes` with the body of a sale.
    case quote(SellCall)
    case sell(SellCall)
    /// Ends the wait of a sale for its card.
    case giveUp(key: String)
    case signIn(cashierId: String, pin: String)
    case signOut
    /// Who is signed in.
    case session
    case setManual(SetManualCall)
    /// The agent sends its next request to the hub now.
    case retry
    /// Articles with `text` in name, SKU or barcode.
    case search(text: String, limit: Int)
    /// Keeps the cart at the agent under a name; nil: without one.
    case park(SellCall, name: String?)
    case parkedCarts
    case resume(cartId: String)
    case orders(limit: Int)
    case refund(RefundOrderCall)
}

/// What the agent responded.
public enum CounterResponse: Sendable {
    case quote(QuoteResponse)
    case sold(SaleResponse)
    case session(SessionResponse)
    case products([ProductCall.Response])
    case parked(CartRecord)
    case parkedCarts([CartRecord])
    /// A parked cart, which is the screen's again.
    case resumed(CartRecord)
    case orders([OrderEntry])
    case refunded(RefundResponse)
    /// Done, without anything to show.
    case done
    case refused(AgentFailure)
    /// There is no agent now. The screen keeps all it has.
    case gone
}

/// The part of the agent's status that is on the screen.
public struct CounterStatus: Hashable, Sendable {
    /// As enrolled; `-` while it is unknown.
    public let storeId: String
    /// The terminal sells on its own.
    public let isOffline: Bool
    /// The banner in the screen's language.
    public let banner: String
    /// The command that helps, without the program's name: `sync now`; nil: none.
    public let command: String?
    /// The store has cashiers and nobody is signed in.
    public let isSignInRequired: Bool

    /// A status; without a `command` the banner has no key.
    public init(
        storeId: String, isOffline: Bool, banner: String, command: String?, isSignInRequired: Bool
    ) {
        self.storeId = storeId
        self.isOffline = isOffline
        self.banner = banner
        self.command = command
        self.isSignInRequired = isSignInRequired
    }
}

/// What happened.
public enum CounterEvent: Sendable {
    case key(Key)
    case resized(columns: Int, rows: Int)
    case status(CounterStatus)
    /// The response to the request that ``CounterEffect/request(id:_:)`` numbered.
    case response(id: Int, CounterResponse)
    /// A second has passed while ``CounterScreen/isWaiting``.
    case secondPassed
}

/// What is to be done.
public enum CounterEffect: Sendable {
    case request(id: Int, CounterRequest)
    case bell
    case leave
}
