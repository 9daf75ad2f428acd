import Base

/// What the hub countersigns of a shift (docs/concepts/shifts.md): how many entries of the terminal's
/// journal the shift has, how many of them arrived, where they end, and what they come to.
///
/// A shift over a restored database has one statement for each epoch of the journal.
package struct ShiftStatement: Hashable, Sendable {
    /// The entity of the change feed, which its terminal alone gets; its id is the shift's and the epoch's.
    package static let entity = "statement"

    /// Whose journal it is about.
    package var terminalId: String
    /// The epoch of ``from`` and ``to``.
    package var epoch: Int64
    package var shiftId: String
    /// The first sequence of the shift in this epoch.
    package var from: Int64
    /// The last one.
    package var to: Int64
    /// The hash of the entry at ``to`` as the hub has it, lower-case hexadecimal.
    package var head: String
    /// Entries from ``from`` to ``to`` that have a result at the hub.
    package var received: Int64
    /// ISO 4217.
    package var currency: String
    /// What the hub's copy of the entries comes to.
    package var sums: ShiftSums
    /// Unix milliseconds of the hub's clock.
    package var issuedAt: Int64
    /// Which of the hub's signing keys signed it; empty before it is signed.
    package var keyId: String
    /// Ed25519 over ``signedBytes``, in base64; empty before it is signed.
    package var signature: String

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
        (keyId, signature) = ("", "")
    }

    /// Reads a statement; its signature is looked at by ``signer(among:)``.
    ///
    /// - Throws: ``ShapeError`` also where `sold` or `gap` is not what the other members say.
    package init(json: JSONValue) throws(ShapeError) {
        let positive = 1...JSONValue.exactIntegers.upperBound
        self.init(
            terminalId: try json.requiredString("terminalId"),
            epoch: try json.requiredInteger("epoch", in: positive),
            shiftId: try json.requiredString("shiftId"), from: try json.requiredInteger("from", in: positive),
            to: try json.requiredInteger("to", in: positive), head: try json.requiredString("head"),
            received: try json.requiredInteger("received", in: PayloadRange.count),
            currency: try json.requiredString("currency"),
            sums: try ShiftSums(json: json.requiredObject("sums")),
            issuedAt: try json.requiredMoment("issuedAt"))
        keyId = try json.requiredString("keyId")
        signature = try json.requiredString("signature")
        guard to >= from, try json.requiredInteger("sold") == sold, try json.requiredInteger("gap") == gap
        else { throw ShapeError(path: "sold", expected: "to - from + 1, and gap: sold - received") }
        // What this version does not know would be lost, and the signature covers it.
        guard self.json == json else { throw ShapeError(path: "sums", expected: "no other members") }
    }

    /// The statement as it travels and is kept in files.
    package var json: JSONValue {
        var members = unsigned
        members["signature"] = .string(signature)
        return .object(members)
    }

    private var unsigned: JSONObject {
        [
            "terminalId": .string(terminalId), "epoch": .integer(epoch), "shiftId": .string(shiftId),
            "from": .integer(from), "to": .integer(to), "head": .string(head), "sold": .integer(sold),
            "received": .integer(received), "gap": .integer(gap), "currency": .string(currency),
            "sums": .object(sums.json), "issuedAt": .string(Timestamp.text(milliseconds: issuedAt)),
            "keyId": .string(keyId),
        ]
    }

    /// What is signed: "statement", a line feed, and the canonical form (RFC 8785) without `signature`.
    package var signedBytes: [UInt8] {
        Array("statement\n".utf8) + JSONValue.object(unsigned).canonicalBytes
    }

    /// The key among `keys` that the statement names and that signed it; nil: none did.
    package func signer(among keys: [HubPublicKey]) -> HubPublicKey? {
        keys.first { key in
            key.id == keyId && DeviceSignature.isValid(signature, of: signedBytes, by: key.publicKey)
        }
    }
}
