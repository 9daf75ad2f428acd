package import Base
package import HubProtocol

/// Where a cart that was put aside has been. A cart that never was has none, and no other till knows it.
package struct CartJourney: Fact {
    /// The number of the ownership by which it came here; 0: it began here.
    package var turn: Int64 = 0
    /// The till that had it first; nil: this one.
    package var origin: String?
    /// The signed notes of the tills that had it before, the first one's first.
    package var grants: [JSONValue] = []
    /// The first cart that it is a copy of; nil: it is none.
    package var copiedFrom: String?
    /// The till that has it, or sold it, by notes that an earlier copy of this disk wrote, which had no
    /// customer at it yet; nil: no note says so.
    package var elsewhere: String?
    /// A person knows that another till has it as well, and goes on.
    package var isDoubleKnown = false

    /// Put aside for the first time, here.
    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.name("copiedFrom", &copiedFrom)
        try m.mark("doubleKnown", &isDoubleKnown)
        try m.name("elsewhere", &elsewhere)
        var list: JSONValue? = .array(grants)
        try m.document("grants", &list)
        grants = list?.array ?? []
        try m.name("origin", &origin)
        try m.number("turn", &turn, in: 0...JSONValue.exactIntegers.upperBound)
    }
}

/// What a sale's record says of its cart.
package struct SoldCart: Hashable, Sendable {
    package let id: String
    /// The first cart that it is a copy of; nil: it is none.
    package let copiedFrom: String?

    package init(id: String, copiedFrom: String?) { (self.id, self.copiedFrom) = (id, copiedFrom) }
}

/// What a sale looks at of a cart that stands here.
package struct CartPlace: Hashable, Sendable {
    /// The front end that has it on its screen; nil: none has.
    package let screen: FrontEnd?
    /// Nil: it was never put aside.
    package let journey: CartJourney?

    package init(screen: FrontEnd?, journey: CartJourney?) { (self.screen, self.journey) = (screen, journey) }
}

/// A parked cart of another till of the store, as its note says.
package struct CartElsewhere: Hashable, Sendable {
    package let id: String
    /// Nil: no name.
    package let name: String?
    /// The number of its lines.
    package let count: Int64
    /// Minor units of the store's currency.
    package let total: Int64
    /// The till that has it.
    package let owner: String
    /// That till's number; nil: it is not known.
    package let ownerNumber: Int64?
    package let isReachable: Bool

    package init(
        id: String, name: String?, count: Int64, total: Int64, owner: String, ownerNumber: Int64?,
        isReachable: Bool
    ) {
        (self.id, self.name, self.count, self.total) = (id, name, count, total)
        (self.owner, self.ownerNumber, self.isReachable) = (owner, ownerNumber, isReachable)
    }
}

/// The carts of the store's other tills.
package protocol CartSharing: Sendable {
    /// This terminal's id.
    var terminalId: String { get }

    /// Whether the hub has said lately which tills there are.
    var areConfirmed: Bool { get async }

    /// Parked ones, by what their tills wrote; empty where this terminal sees no other tills.
    var parked: [CartElsewhere] { get }

    /// Whether a note of any till names a cart: others know it.
    func isNoted(_ cart: String) -> Bool

    /// Makes a cart this till's, durably, or says why not; nil: it is this till's.
    func take(_ cart: String) async -> CartObstacle?

    /// What is in a cart of another till, as far as that has said; of a copy the id is new.
    func content(of cart: String, as id: ULID, at now: Int64) async -> KeptCart?

    /// Lets the other tills know of a copy.
    func noteCopy(_ cart: KeptCart)

    /// The till that has or sold the same cart as a copy, or sold what this one is a copy of; nil: none is
    /// known.
    ///
    /// - Parameter first: the first cart that it is a copy of; nil: it is none.
    func doubles(of cart: String, copiedFrom first: String?) -> String?
}

/// Why a cart is another till's, or cannot be had from it.
package enum CartObstacle: Hashable, Sendable {
    /// No till has such a cart.
    case unknown
    /// Another till has it by a grant.
    case granted(to: String)
    /// It is sold.
    case sold
    /// It is on a screen there.
    case inUse
    /// Something was taken for it there, or a card may be charged for it.
    case hasMoney
    /// Its till must not give it away.
    case notGiven
    /// This till has not sold what it took before.
    case tooMany
    /// Its till does not respond.
    case silent(String)
    /// This till has not checked its notes yet, or its disk is an old one.
    case notReady
    /// Another till has a copy of it, or sold one.
    case doubled(at: String)
    /// Its till is silent, and what is in it is not known here.
    case contentUnknown
    /// This till's disk did not take it.
    case notKept

    /// For example `cart_granted`.
    package var code: String {
        switch self {
        case .unknown: "unknown_cart"
        case .granted: "cart_granted"
        case .sold: "cart_sold"
        case .inUse: "cart_in_use"
        case .hasMoney: "has_money"
        case .notGiven: "cart_not_given"
        case .tooMany: "too_many_claims"
        case .silent: "owner_silent"
        case .notReady: "neighbours_not_ready"
        case .doubled: "cart_copied"
        case .contentUnknown: "cart_content_unknown"
        case .notKept: "not_recorded"
        }
    }

    var exit: RefusalExit {
        switch self {
        case .unknown, .granted, .sold, .inUse, .hasMoney, .notGiven, .tooMany, .doubled, .contentUnknown:
            .rule
        case .silent, .notReady: .tryAgain
        case .notKept: .notRecorded
        }
    }

    /// The till that it is about.
    var terminalId: String? {
        switch self {
        case .granted(let id), .silent(let id), .doubled(let id): id
        case .unknown, .sold, .inUse, .hasMoney, .notGiven, .tooMany, .notReady, .contentUnknown, .notKept:
            nil
        }
    }
}
