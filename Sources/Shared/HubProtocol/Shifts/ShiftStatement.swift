/// What the hub countersigns of a shift (docs/concepts/shifts.md): how many entries of the terminal's
/// journal the shift has, how many of them arrived, where they end, and what they come to.
///
/// A shift over a restored database has one statement for each epoch of the journal.
package struct ShiftStatement: Fact {
    /// The entity of the change feed, which its terminal alone gets; its id is the shift's and the epoch's.
    package static let entity = "statement"

    /// Whose journal it is about.
    package var terminalId = ""
    /// The epoch of ``from`` and ``to``.
    package var epoch: Int64 = 0
    package var shiftId = ""
    /// The first sequence of the shift in this epoch.
    package var from: Int64 = 0
    /// The last one.
    package var to: Int64 = 0
    /// The hash of the entry at ``to`` as the hub has it, lower-case hexadecimal.
    package var head = ""
    /// Entries from ``from`` to ``to`` that have a result at the hub.
    package var received: Int64 = 0
    /// ISO 4217.
    package var currency = ""
    /// What the hub's copy of the entries comes to.
    package var sums = ShiftSums()
    /// Unix milliseconds of the hub's clock.
    package var issuedAt: Int64 = 0
    /// Which of the hub's signing keys signed it; empty before it is signed.
    package var keyId = ""
    /// Ed25519 over ``signedBytes``, in base64; empty before it is signed.
    package var signature = ""

    /// Entries of the shift in this epoch.
    package var sold: Int64 { to - from + 1 }
    /// Entries that the hub does not have.
    package var gap: Int64 { sold - received }

    package init(
        terminalId: String, epoch: Int64, shiftId: String, from: Int64, to: Int64, head: String,
        received: Int64, currency: String, sums: ShiftSums, issuedAt: Int64
    ) {
        self.terminalId = terminalId
        self.epoch = epoch
        self.shiftId = shiftId
        self.from = from
        self.to = to
        self.head = head
        self.received = received
        self.currency = currency
        self.sums = sums
        self.issuedAt = issuedAt
    }

    package init() {}

    /// Reads a statement; its signature is looked at by ``signer(among:)``.
    ///
    /// - Throws: ``ShapeError`` also where `sold` or `gap` is not what the other members say.
    package init(json: JSONValue) throws(ShapeError) {
        try self.init(json, .received)
        // What this version does not know would be lost, and the signature covers it.
        guard self.json == json else { throw ShapeError(path: "sums", expected: "no other members") }
    }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        let positive = 1...JSONValue.exactIntegers.upperBound
        var (gap, sold) = (gap, sold)
        try m.text("currency", &currency)
        try m.number("epoch", &epoch, in: positive)
        try m.number("from", &from, in: positive)
        try m.number("gap", &gap)
        try m.text("head", &head)
        try m.moment("issuedAt", &issuedAt)
        try m.text("keyId", &keyId)
        try m.number("received", &received, in: PayloadRange.count)
        try m.text("shiftId", &shiftId)
        try m.text("signature", &signature)
        try m.number("sold", &sold)
        try m.part("sums", &sums)
        try m.text("terminalId", &terminalId)
        try m.number("to", &to, in: positive)
        try m.check(
            to >= from && sold == self.sold && gap == self.gap, "sold",
            "to - from + 1, and gap: sold - received")
    }

    /// What is signed: "statement", a line feed, and the canonical form (RFC 8785) without `signature`.
    package var signedBytes: [UInt8] {
        var members = json.object ?? [:]
        members["signature"] = nil
        return Array("statement\n".utf8) + JSONValue.object(members).canonicalBytes
    }

    /// The key among `keys` that the statement names and that signed it; nil: none did.
    package func signer(among keys: [HubPublicKey]) -> HubPublicKey? {
        keys.first { key in
            key.id == keyId && DeviceSignature.isValid(signature, of: signedBytes, by: key.publicKey)
        }
    }
}
