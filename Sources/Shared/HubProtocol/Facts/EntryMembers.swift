/// The members that payloads of several types have in common, for whoever looks at entries of any type. None
/// is required, and one that cannot be read is missing.
package struct EntryMembers: Fact {
    /// Minor units, of what has no total.
    package var amount: Int64?
    /// Who allowed it.
    package var approverId: String?
    /// The hub's version that a change of a note is based on.
    package var baseVersion: Int64?
    /// `YYYY-MM-DD`.
    package var businessDay: String?
    package var cashierId: String?
    package var currency: String?
    /// The mutation that a `mutation.discarded` is of.
    package var discards: String?
    /// Who allowed an edit of a refused entry.
    package var editApproverId: String?
    /// Who edited a refused entry.
    package var editedBy: String?
    /// The hub's time as the terminal followed it, RFC 3339.
    package var hubTime: String?
    /// What happened to the drawer, of a `cash.moved`.
    package var kind: String?
    package var orderId: String?
    package var orderNumber: String?
    package var reason: String?
    package var shiftId: String?
    /// Minor units.
    package var total: Int64?

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, .optional)
        try m.text("approverId", &approverId, .optional)
        try m.number("baseVersion", &baseVersion, .optional)
        try m.text("businessDay", &businessDay, .optional)
        try m.text("cashierId", &cashierId, .optional)
        try m.text("currency", &currency, .optional)
        try m.text("discards", &discards, .optional)
        try m.text("editApproverId", &editApproverId, .optional)
        try m.text("editedBy", &editedBy, .optional)
        try m.text("hubTime", &hubTime, .optional)
        try m.text("kind", &kind, .optional)
        try m.text("orderId", &orderId, .optional)
        try m.text("orderNumber", &orderNumber, .optional)
        try m.text("reason", &reason, .optional)
        try m.text("shiftId", &shiftId, .optional)
        try m.number("total", &total, .optional)
    }
}

/// What sales, refunds and voids say of the money that they moved, for whoever looks at all of them.
package struct EntryPayments: Fact {
    package var currency: String?
    package var orderId: String?
    package var orderNumber: String?
    package var payments: [RecordedPayment]?

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("currency", &currency, .optional)
        try m.text("orderId", &orderId, .optional)
        try m.text("orderNumber", &orderNumber, .optional)
        try m.list("payments", &payments, .optional)
    }
}
