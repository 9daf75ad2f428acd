/// One element of `payments` in a sale, a void or a refund (http.md section 3).
package struct RecordedPayment: Fact {
    /// Minor units; of cash in a sale with the change.
    package var amount: Int64?
    /// For the receipt; empty when the service gave none.
    package var approvalCode: String?
    /// The key of the authorisation that pays it.
    package var authorizationKey: String?
    /// As the store names the tender.
    package var method: String?
    /// Whether a simulator approved it, so that no money moved.
    package var simulated: Bool?
    /// What can be read of kind, state, machine, token, moment and reference.
    package var shownDetails = PaymentDetails()
    /// Whether one of them is there and cannot be read.
    package var isUnread = false

    package init() {}

    /// Nil where one of them cannot be read: then none counts.
    package var details: PaymentDetails? { isUnread ? nil : shownDetails }

    /// What paid: as it says, else by its name, as entries of before do; nil: of no known kind.
    package var kind: TenderKind? { shownDetails.kind ?? method.flatMap(TenderKind.init(rawValue:)) }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, .expected)
        try m.text("approvalCode", &approvalCode, .optional)
        try m.text("authorizationKey", &authorizationKey, .optional)
        try m.word("kind", &shownDetails.kind, .noted, of: "cash, card, wallet or voucher")
        try m.part("machine", &shownDetails.machine, .noted)
        try m.text("method", &method, .expected)
        try m.text("reference", &shownDetails.reference, .noted)
        try m.part("sealed", &shownDetails.sealed, .noted)
        try m.flag("simulated", &simulated, .optional)
        try m.word("state", &shownDetails.state, .noted, of: "a state of a payment")
        try m.moment("storedAt", &shownDetails.storedAt, .noted)
        try m.note(&isUnread)
    }
}

extension PaymentDetails.Machine: Fact {
    package init() { self.init(reference: "", approvalCode: "") }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("approvalCode", &approvalCode, .valid)
        try m.part("card", &card, .optional)
        try m.text("key", &key, .valid)
        try m.text("kind", &kind, .optional)
        try m.text("machineId", &machineId, .optional)
        try m.flag("offline", &offline, .optional)
        try m.text("reference", &reference)
    }
}

extension PaymentDetails.Card: Fact {
    package init() { self.init(brand: nil, last4: nil) }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("brand", &brand, .optional)
        try m.text("last4", &last4, .optional)
    }
}

extension PaymentDetails.SealedToken: Fact {
    package init() { self.init(keyId: "", token: "") }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("keyId", &keyId)
        try m.text("token", &token)
    }
}
