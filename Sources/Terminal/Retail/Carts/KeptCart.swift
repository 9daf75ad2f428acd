package import Base
package import HubProtocol
internal import Pricing

/// A cart that is on disk: one that a front end works on, one whose front end ended, or one that waits while
/// other customers are served.
///
/// It keeps what the customer handed over for it until it is sold or that is handed back.
package struct KeptCart: Hashable, Sendable {
    /// Who works on it.
    package enum State: Hashable, Sendable {
        /// It is on the screen of this front end.
        case open(FrontEnd)
        /// That front end ended, or left it; the next counter offers it.
        case left(FrontEnd)
        /// It was put aside.
        case parked

        /// As in documents and on disk.
        package var word: String {
            switch self {
            case .open: "open"
            case .left: "left"
            case .parked: "parked"
            }
        }

        /// Nil of a parked cart.
        package var frontEnd: FrontEnd? {
            switch self {
            case .open(let frontEnd), .left(let frontEnd): frontEnd
            case .parked: nil
            }
        }
    }

    /// An article in it, with what it was called and came to when the cart was kept.
    package struct Line: Fact {
        /// As entered.
        package private(set) var entry = EnteredLine()
        /// The article's id in the catalogue.
        package private(set) var sku = ""
        /// The article's name.
        package private(set) var name = ""
        /// Minor units, offers taken off.
        package private(set) var total: Int64 = 0

        package init(entry: EnteredLine, sku: String, name: String, total: Int64) {
            (self.entry, self.sku, self.name, self.total) = (entry, sku, name, total)
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.include(&entry)
            try m.text("name", &name)
            try m.text("sku", &sku)
            try m.number("total", &total)
        }
    }

    /// The key of the sale that the cart becomes, so that one cart is sold once at most, by whatever front
    /// end, and however often it is resumed.
    package let id: ULID
    /// At most 200 bytes; nil: no name.
    package let name: String?
    /// Unix milliseconds of its state's begin: parked, or changed last.
    package let since: Int64
    /// Unix milliseconds since when somebody without a screen works on it again; nil: nobody does.
    package var resumedAt: Int64?
    /// In the order of scanning; none where goods come back alone.
    package let lines: [Line]
    /// ISO 4217.
    package let currency: String
    /// Minor units, when the cart was kept.
    package let total: Int64
    /// As typed; nil: no member.
    package let memberId: String?
    /// Codes as typed.
    package let coupons: [String]
    /// Points that its sale spends; nil: none. The amount of a card that it waits for is what they left.
    package let points: Int64?
    /// Who works on it.
    package var state = State.parked
    /// What was taken for it, in that order.
    package var taken: [TakenTender] = []
    /// Goods that come back for it; nil: its sale is no exchange. Person and key are those of the sale.
    package var returns: RefundRequest?
    /// The number of the front end's last change, which a late older one does not undo; 0: none yet.
    package var revision: Int64 = 0
    /// Who was signed in with its last change; nil: nobody.
    package var cashierId: String?
    /// Where it has been; nil: it was never put aside.
    package var journey: CartJourney?

    /// Makes a parked cart that nobody works on, unless `resumedAt` says since when; by default it spends no
    /// points and nothing was taken for it.
    package init(
        id: ULID, name: String?, since: Int64, resumedAt: Int64? = nil, lines: [Line], currency: String,
        total: Int64, memberId: String?, coupons: [String], points: Int64? = nil, taken: [TakenTender] = []
    ) {
        self.id = id
        self.name = name
        self.since = since
        self.resumedAt = resumedAt
        self.lines = lines
        self.currency = currency
        self.total = total
        self.memberId = memberId
        self.coupons = coupons
        self.points = points
        self.taken = taken
    }

    /// Nobody has it on a screen any more. From now on others can know it, and its sale names it.
    package mutating func putAside() {
        state = .parked
        journey = journey ?? CartJourney()
    }

    /// Minor units that the customer handed over and has to get back if nothing is sold.
    package var inHand: Int64 { taken.lazy.filter(\.isInHand).reduce(0) { $0 + $1.amount } }
}

/// What was taken for a cart that is not sold yet.
package struct TakenTender: Fact {
    /// A tender of the store.
    package private(set) var method = ""
    /// What it is, whatever its name.
    package private(set) var kind = TenderKind.cash
    /// Minor units, above 0.
    package private(set) var amount: Int64 = 0
    /// The number of a voucher; nil: none.
    package private(set) var reference: String?

    package init(method: String, kind: TenderKind, amount: Int64, reference: String? = nil) {
        (self.method, self.kind, self.amount, self.reference) = (method, kind, amount, reference)
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount)
        try m.word("kind", &kind, of: "cash, card, wallet or voucher")
        try m.text("method", &method)
        try m.text("reference", &reference, .optional.orNull)
    }

    /// Whether the customer has handed it over.
    package var isInHand: Bool { !kind.isChargedWithSale }
}

/// A screen or program that works on carts: `<ULID of its start>;<name>`, as its requests name it.
package struct FrontEnd: Hashable, Sendable {
    /// In bytes: a name is shown in one line.
    package static let maximumBytes = 100

    /// As in the header `Pos-Front-End`.
    package let text: String
    /// Whether it runs inside the agent's process, and ends with it.
    package let isOfAgent: Bool
    /// Where it ran when it sent its cart; nil: unknown. It is no part of who it is.
    package var process: FrontEndProcess?

    /// Nil for a text that does not begin with a ULID and a semicolon, has more than 100 bytes or contains
    /// anything that is not printable.
    package init?(_ text: String, isOfAgent: Bool = false) {
        let parts = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ULID(String(parts[0])) != nil, text.utf8.count <= Self.maximumBytes,
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return nil }
        (self.text, self.isOfAgent) = (text, isOfAgent)
    }

    /// By ``text`` and ``isOfAgent``.
    package static func == (left: Self, right: Self) -> Bool {
        left.text == right.text && left.isOfAgent == right.isOfAgent
    }

    /// As `==`.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(isOfAgent)
    }

    /// What people call it; of one without a name its id.
    package var name: String {
        let parts = text.split(separator: ";", maxSplits: 1)
        return String(parts.last ?? "")
    }
}

/// What becomes of a cart; each is one transaction of the store.
extension KeptCart {
    /// A front end puts `next` in place of `before`, which is nil where there is no such cart.
    static func replaced(
        _ before: KeptCart?, by next: KeptCart, of frontEnd: FrontEnd
    ) throws(CartRefusal) -> KeptCart {
        if let before {
            // After it was left it may be on another screen next: only its own front end comes back to it.
            guard before.state.frontEnd?.text == frontEnd.text, next.revision >= before.revision else {
                throw .inUse(before.state.frontEnd)
            }
        }
        var next = next
        next.state = .open(frontEnd)
        next.journey = before?.journey
        return next
    }

    /// The other front end that has it on its screen; nil: whoever is `frontEnd` can take it.
    func holder(beside frontEnd: FrontEnd?) -> FrontEnd? {
        if case .open(let other) = state, other.text != frontEnd?.text { other } else { nil }
    }

    /// Somebody takes it up: a front end has it on its screen then, a command that ends at once has not.
    ///
    /// - Parameter isApproved: it may be taken off another screen.
    func resumed(
        by frontEnd: FrontEnd?, isApproved: Bool, at now: Int64
    ) throws(CartRefusal) -> KeptCart {
        if !isApproved, let other = holder(beside: frontEnd) { throw .inUse(other) }
        var next = self
        next.revision = 0
        if let frontEnd { next.state = .open(frontEnd) } else { next.putAside() }
        next.resumedAt = now
        return next
    }

    /// It is removed for good. What the customer handed over has to be back first.
    func checkDrop(isHandedBack: Bool, by frontEnd: FrontEnd?) throws(CartRefusal) {
        if let other = holder(beside: frontEnd) { throw .inUse(other) }
        guard inHand == 0 || isHandedBack else {
            throw .hasMoney(AmountText.money(inHand, currency), cart: id.description)
        }
    }
}

/// Where carts are kept: on disk, so that a kill loses none. A cart whose sale is recorded is in no response.
package protocol CartStore: Sendable {
    /// Every cart that was neither sold nor dropped, the oldest first.
    func carts() async throws(StorageError) -> [KeptCart]

    /// Replaces the cart of `id` by what `body` makes of it, in one transaction; durable when it returns.
    ///
    /// - Parameters:
    ///   - screen: the front end that has the cart from now on; another cart that it had is left.
    ///   - isDeletion: the cart is deleted instead.
    ///   - body: gets nil where there is no such cart.
    /// - Returns: the refusal of `body`, `already_sold` of a sold one, or `cart_granted` of one that another
    ///   till has.
    func change(
        _ id: ULID, on screen: FrontEnd?, isDeletion: Bool,
        _ body: @escaping @Sendable (KeptCart?) -> Result<KeptCart, CartRefusal>
    ) async throws(StorageError) -> Result<KeptCart, CartRefusal>

    /// The carts that `frontEnd` has open are left; durable when it returns.
    ///
    /// - Parameter frontEnd: nil: those that run inside the agent's process.
    /// - Returns: how many were left.
    func leave(_ frontEnd: FrontEnd?) async throws(StorageError) -> Int

    /// The till that has a cart by a grant of this one, or of one that this one had it from; nil: none has.
    func taker(of id: ULID) async throws(StorageError) -> String?

    /// What a sale looks at of a cart; nil: none of this id stands here.
    func place(of id: ULID) async throws(StorageError) -> CartPlace?

    /// The cart on the screen of `frontEnd`; nil: there is none.
    ///
    /// - Parameter frontEnd: nil: of all screens the cart that changed last.
    func openCart(of frontEnd: FrontEnd?) async throws(StorageError) -> KeptCart?

    /// The number and the time, in Unix milliseconds, of the sale that a cart became; nil: none.
    func sale(of id: ULID) async throws(StorageError) -> (orderNumber: String, soldAt: Int64)?
}
