package import Base
internal import HubProtocol
package import AgentAPI

internal import Pricing

/// The counter as a value: events in, effects out; ``frame()`` shows it. It has no clock and no terminal.
///
/// A change of the cart is priced by the agent before it counts, one after the other. While it is priced
/// keys go on to work, so that a scanner never waits.
package struct CounterScreen: Sendable {
    /// One line for the cashier.
    package struct Message: Hashable, Sendable {
        /// In the language of the screen.
        package let text: String
        /// Something was refused; the bell has rung.
        package let isError: Bool
    }

    /// As the agent has priced it last.
    package internal(set) var cart: CounterCart
    /// What is over the cart; nil: the scan field has the keys.
    package internal(set) var dialog: CounterDialog?
    /// Nil: there is nothing to say.
    package internal(set) var message: Message?
    /// Nil: the agent has sent none yet.
    package internal(set) var status: CounterStatus?
    /// There is no agent, and ``status`` is what the last one said.
    package internal(set) var isAgentGone = false
    /// Who is signed in; nil: nobody.
    package internal(set) var cashier: SessionResponse.Cashier?
    /// The sale before this cart: its change is still asked for when the dialog is gone.
    package internal(set) var lastSale: SaleRecord?
    /// The line that quantity, discount, price and removal are about.
    package internal(set) var selected = 0
    /// What is typed or scanned.
    package internal(set) var field = LineEditor()
    /// Of the window.
    package internal(set) var columns: Int
    /// Of the window.
    package internal(set) var rows: Int
    /// Seconds that ``action`` has been waited for.
    package internal(set) var waited = 0
    /// The words in the language of the screen.
    /// Of the texts.
    package var language: Language { text.language }
    let text: any CounterTexts

    /// What the agent has decided about tenders and points, newer than ``status`` while the pay dialog is
    /// open.
    var tenders = CounterTenders(tenders: [])
    /// The newest query for ``tenders``.
    var readingTenders = 0
    /// The pay dialog opens again once the cart is priced.
    var paysNext = false
    /// Changes behind the one that is priced now.
    var queue: [CartChange] = []
    /// The cart as it will be, by the number of the request that prices it.
    var pricing: (id: Int, next: CounterCart, change: CartChange)?
    /// The one request beside pricing whose response is waited for.
    var action: (id: Int, request: CounterRequest)?
    /// The cashier has been warned that the clocks differ; paying again confirms it, for this run.
    var isClockConfirmed = false
    /// What the cashier has been warned of; the same again confirms it.
    enum Warning: Hashable, Sendable {
        /// A voucher of the cart with this key paid another sale.
        case voucher(cart: String)
        /// So much change is above the currency's largest note, of the cart with this key.
        case change(Int64, cart: String)
        /// This count differs by more than is tolerated.
        case count(Int64)
        /// This is more than the drawer should have.
        case drawer(Int64)
    }

    var warnings: Set<Warning> = []
    /// ISO 4217, of the shift that was shown last.
    var currencyOfDrawer = ""
    /// Keys that wait for a response.
    var ahead: [Key] = []
    /// The newest search; an older one's response is late.
    var searching = 0
    /// The newest query for what is left of the sale of a refund.
    var lookingForLeft = 0
    /// The newest query for card sales that nobody saw, beside what the cashier does.
    var lookingForUnseen = 0
    /// A receipt was not printed, and no look at the printer since has shown that nothing waits.
    var isPaperWaiting = false
    /// Seconds until a PIN that was wrong too often is checked again; nil: none is waited for.
    var pinWait: Int?
    /// The newest query for the paper of the sale on the screen.
    var lookingForPaper = 0
    /// What was refused for want of a cashier or an approver, and goes on once there is one.
    var interrupted: CounterRequest?
    /// The newest scan that no article of the catalogue has; nil: the scans behind it were found.
    var unknownScan: EnteredLine?
    /// Who approves the next request, once.
    var approver: AgentPerson.Approver?
    /// Of the carts that this screen sent to be kept.
    var revision: Int64 = 0
    /// Left carts that the cashier did not want, and that are not offered again.
    var declined: Set<String> = []
    /// Who wanted the cart on this screen last.
    var wantedBy: String?
    /// As the agent names this front end; nil: it has no name.
    package var frontEnd: String?
    /// Carts on the screens of other windows.
    var elsewhere: [CartSummary] = []
    /// What Enter does as the next key: somebody else has or sells that cart too.
    var confirming: CartDoubt?
    /// The cart on this screen, once the agent's list has had it.
    var listed: String?
    /// A cart that is taken up once the sale is known whose goods come back for it.
    var resuming: CartRecord?
    /// The key of a sale whose response did not come: the same again is no second customer's.
    var unanswered: String?
    var lastId = 0
    var effects: [CounterEffect] = []
    private let mintKey: @Sendable () -> String
    let secondsFromUTC: @Sendable (_ zone: String, _ milliseconds: Int64) -> Int64

    /// - Parameters:
    ///   - secondsFromUTC: of a zone of the tz database at a moment since 1970; 0 for one that is unknown.
    ///   - mintKey: makes a ULID for each new cart.
    package init(
        language: Language, columns: Int = 80, rows: Int = 24,
        secondsFromUTC: @escaping @Sendable (_ zone: String, _ milliseconds: Int64) -> Int64 = { _, _ in 0 },
        mintKey: @escaping @Sendable () -> String
    ) {
        self.secondsFromUTC = secondsFromUTC
        text = language.counterTexts
        (self.columns, self.rows) = (columns, rows)
        self.mintKey = mintKey
        cart = CounterCart(key: mintKey())
    }

    /// Whether a response is waited for that keys may depend on.
    var isWaiting: Bool { action != nil || pricing != nil }
    /// Whether ``CounterEvent/secondPassed`` is wanted.
    package var wantsSeconds: Bool {
        isWaiting || isPrinting || isPrinterShown || isPaperWaiting || pinWait != nil
    }

    /// The printer's panel is open; what it shows is looked up each second.
    private var isPrinterShown: Bool { if case .printer(.some) = dialog { true } else { false } }

    var isSettling: Bool {
        switch action?.request {
        case .sell, .park, .empty: true
        default: false
        }
    }

    /// How many scans and changes are not priced yet.
    package var unpriced: Int { queue.count + (pricing == nil ? 0 : 1) }

    /// Takes an event.
    ///
    /// - Returns: what is to be done, in order.
    package mutating func handle(_ event: CounterEvent) -> [CounterEffect] {
        effects = []
        switch event {
        case .key(let key): take(key)
        case .resized(let columns, let rows): (self.columns, self.rows) = (columns, rows)
        case .status(let status):
            let before = self.status
            self.status = status
            // A sign-in ends by itself, and another front end may sign in.
            if let till = status.till { cashier = till.cashier }
            if isAgentGone, message?.text == text.gone { say(text.agentBack) }
            isAgentGone = false
            receive(status, before: before)
            notice(status, before: before)
            if case .obstacles = dialog, status.obstacles.isEmpty { dialog = nil }
        case .response(let id, let response): receive(response, of: id)
        case .carts(let carts): offer(carts)
        case .agentGone: isAgentGone = true
        // A sale whose response did not come may be recorded: paying again finds it, with its change.
        case .agentReturned: if unanswered != cart.key { keepCart() }
        case .cartRefused(let failure): noteLost(failure)
        case .secondPassed:
            waited += isWaiting ? 1 : 0
            if isPrinting || isPrinterShown || isPaperWaiting { lookingForPaper = send(.printer) }
            countPINWait()
        }
        return effects
    }

    // MARK: - What the agent is requested

    mutating func send(_ request: CounterRequest) -> Int {
        lastId += 1
        effects.append(.request(id: lastId, request))
        return lastId
    }

    /// Sends a request whose response is waited for; refused while another one is out.
    mutating func act(_ request: CounterRequest) {
        guard action == nil else { return complain(text.busy) }
        waited = 0
        action = (send(request), request)
    }

    mutating func change(_ change: CartChange) {
        queue.append(change)
        priceNext()
    }

    mutating func priceNext() {
        // What is scanned while a sale or a parked cart is on its way belongs to whatever cart is behind it.
        guard pricing == nil, !isSettling else { return }
        while !queue.isEmpty {
            let change = queue.removeFirst()
            guard change.isPossible(in: cart) else { continue }
            let next = change.applied(to: cart)
            if next.isEmpty, !cart.isEmpty {
                emptyCart()
                continue
            }
            guard !next.isEmpty else {
                // Nothing to price: a member or a coupon of a cart that is empty waits for its first line.
                take(next, after: change)
                if !next.hasNothing { keepCart() }
                continue
            }
            waited = 0
            pricing = (send(.quote(next.call())), next, change)
            return
        }
    }

    /// The agent has priced `next`.
    mutating func take(_ next: CounterCart, after change: CartChange) {
        let member = cart.member
        cart = next
        if next.isEmpty { cart.quote = nil }
        switch change {
        // Also where it counted an earlier line up.
        case .scan: selected = cart.scanned ?? max(0, cart.lines.count - 1)
        case .resume: selected = max(0, cart.lines.count - 1)
        default: selected = min(selected, max(0, cart.lines.count - 1))
        }
        // Also of a cart that is taken up: its member's points are in no cart.
        if cart.member != member { readTenders() }
    }

    /// Behind every ``CartEnd``: nothing of the customer before stays.
    mutating func beginCart() {
        cart = CounterCart(key: mintKey())
        tenders = CounterTenders(tenders: tenders.tenders)
        paysNext = false
        (unanswered, wantedBy, listed, confirming) = (nil, nil, nil, nil)
        selected = 0
        approver = nil
        interrupted = nil
        warnings = []
    }

    // MARK: - What the cashier is shown

    mutating func say(_ text: String) { message = Message(text: text, isError: false) }

    /// The seconds of a refused PIN run on the screen, as long as its message is there.
    private mutating func countPINWait() {
        guard let seconds = pinWait else { return }
        guard message?.text == text.pinLocked(seconds) else {
            pinWait = nil
            return
        }
        pinWait = seconds > 1 ? seconds - 1 : nil
        message = pinWait.map { Message(text: text.pinLocked($0), isError: true) }
    }

    mutating func complain(_ text: String) {
        message = Message(text: text, isError: true)
        effects.append(.bell)
    }

    /// Whether an article that is scanned again counts its line up.
    var joinsEqualScans: Bool { status?.till?.joinsEqualScans ?? false }
    var smallestCoin: Int64 { status?.till?.smallestCoin ?? 1 }

    /// The person of a request: whoever is signed in, with the approver who was entered for it.
    var person: AgentPerson { AgentPerson(approver: approver) }
}
