/// The payload of `cash.moved` (docs/concepts/shifts.md): cash that enters or leaves the drawer outside
/// a sale, or the drawer opened without one. Its entity is `cashMove`, the entity's id the move's.
package struct CashMove: Fact {
    /// What happened to the drawer.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Cash was put in.
        case `in`
        /// Cash was taken out, for an expense.
        case out
        /// Cash was taken to the safe.
        case drop
        /// The drawer was opened and nothing moved.
        case noSale

        /// What an amount of this kind is to the drawer: 1 more, -1 less, 0 nothing.
        package var sign: Int64 {
            switch self {
            case .in: 1
            case .out, .drop: -1
            case .noSale: 0
            }
        }

        /// Whether a move has an amount; the others are counted.
        package var hasAmount: Bool { sign != 0 }

        /// All of them, for an error.
        package static let words: StaticString = "in, out, drop or noSale"
    }

    /// The mutation's type.
    package static let type = "cash.moved"
    /// The mutation's entity.
    package static let entity = "cashMove"

    /// A ULID; the same one again moves nothing more.
    package var moveId = ""
    /// The shift that was open; nil: none was.
    package var shiftId: String?
    /// What happened to the drawer.
    package var kind = Kind.noSale
    /// Minor units, 0 or more; 0 for ``Kind/noSale``.
    package var amount: Int64 = 0
    /// ISO 4217.
    package var currency = ""
    /// As typed.
    package var reason: String?
    /// Nil in a store without cashiers.
    package var cashierId: String?
    /// Whose PIN allowed it; nil: none was needed.
    package var approverId: String?
    /// `YYYY-MM-DD` in the store's time zone.
    package var businessDay = ""
    /// A name of the tz database.
    package var timeZone = ""

    package init(
        moveId: String, shiftId: String?, kind: Kind, amount: Int64, currency: String, reason: String?,
        cashierId: String?, approverId: String? = nil, businessDay: String, timeZone: String
    ) {
        self.moveId = moveId
        self.shiftId = shiftId
        self.kind = kind
        self.amount = amount
        self.currency = currency
        self.reason = reason
        self.cashierId = cashierId
        self.approverId = approverId
        self.businessDay = businessDay
        self.timeZone = timeZone
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, in: PayloadRange.count)
        try m.text("approverId", &approverId, .valid)
        try m.text("businessDay", &businessDay)
        try m.text("cashierId", &cashierId, .valid.orNull)
        try m.text("currency", &currency)
        try m.word("kind", &kind, of: Kind.words)
        try m.text("moveId", &moveId, upTo: TextBound.name)
        try m.text("reason", &reason, .valid.orNull)
        try m.text("shiftId", &shiftId, .valid)
        try m.text("timeZone", &timeZone)
    }
}
