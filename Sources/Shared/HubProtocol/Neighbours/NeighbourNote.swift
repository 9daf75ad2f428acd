import Base

/// An entry of the list that a till writes for the other tills of its store: numbered without gaps from 1 in
/// each epoch, chained by hashes, signed by the device key and passed on unchanged by others.
///
/// `{"body","epoch","kind","madeAt","number","previousHash","signature","terminalId"}` in canonical form
/// (RFC 8785). Kinds and members that this version does not know are kept and passed on.
package struct NeighbourNote: Hashable, Sendable {
    /// Who wrote it: a ULID.
    package let terminalId: String
    /// The journal epoch of its maker, from 1.
    package let epoch: Int64
    /// Within the epoch, from 1 without gaps.
    package let number: Int64
    /// The ``hash`` of the note before; ``genesisHash`` before the first.
    package let previousHash: String
    /// A ``NoteKind``, or the kind of a later version.
    package let kind: String
    /// An object; its members depend on ``kind``.
    package let body: JSONValue
    /// The maker's wall clock in milliseconds since 1970; for display, and for the age of refunds.
    package let madeAt: Int64
    /// SHA-256 of what is signed, in hex: two signatures of one text are one note.
    package let hash: String
    /// The whole object with its signature.
    package let json: JSONValue

    /// The previous hash of the first note of an epoch.
    package static let genesisHash = String(repeating: "0", count: 64)

    /// Reads a note as a neighbour sent it; ``isSigned(by:)`` checks the signature.
    ///
    /// - Throws: for a missing member, one out of its range, and more than ``NeighbourLimits/noteBytes``.
    package init(json: JSONValue) throws(ShapeError) {
        guard json.object != nil, json.hasOnlyCanonicalNumbers,
            json.canonicalBytes.count <= NeighbourLimits.noteBytes
        else {
            throw ShapeError(
                path: "note", expected: "an object of at most \(NeighbourLimits.noteBytes) bytes")
        }
        terminalId = try Self.name("terminalId", in: json)
        epoch = try json.requiredInteger("epoch", in: 1...(1 << 31))
        number = try json.requiredInteger("number", in: 1...JSONValue.exactIntegers.upperBound)
        previousHash = try json.requiredString("previousHash")
        guard Digest.isSHA256Hex(previousHash) else {
            throw ShapeError(path: "previousHash", expected: "64 lower-case hexadecimal characters")
        }
        kind = try Self.name("kind", in: json)
        body = try json.requiredObject("body")
        guard let moment = try json.optionalMoment("madeAt") else {
            throw ShapeError(path: "madeAt", expected: "a moment of RFC 3339")
        }
        madeAt = moment
        _ = try json.requiredString("signature")
        self.json = json
        hash = Digest.sha256Hex(Self.signedBytes(terminalId: terminalId, json))
    }

    /// Writes and signs a note.
    ///
    /// - Parameter sign: gives the Ed25519 signature of the bytes in base64; nil where the key is gone.
    /// - Returns: nil without a signature, and for a body that makes the note too large.
    package init?(_ draft: NoteDraft, terminalId: String, sign: ([UInt8]) -> String?) {
        var members: JSONObject = [
            "body": draft.body, "epoch": .integer(draft.epoch), "kind": .string(draft.kind),
            "madeAt": .string(Timestamp.text(milliseconds: draft.madeAt)), "number": .integer(draft.number),
            "previousHash": .string(draft.previousHash), "terminalId": .string(terminalId),
        ]
        let bytes = Self.signedBytes(terminalId: terminalId, .object(members))
        guard let signature = sign(bytes) else { return nil }
        members["signature"] = .string(signature)
        try? self.init(json: .object(members))
    }

    /// Whether its maker's device key signed it.
    ///
    /// - Parameter publicKey: Ed25519, 32 bytes in base64.
    package func isSigned(by publicKey: String) -> Bool {
        guard let signature = json["signature"]?.string else { return false }
        return DeviceSignature.isValid(
            signature, of: Self.signedBytes(terminalId: terminalId, json), by: publicKey)
    }

    private static func name(_ key: String, in json: JSONValue) throws(ShapeError) -> String {
        let name = try json.requiredString(key)
        guard !name.isEmpty, name.utf8.count <= TextBound.name, name == name.printable else {
            throw ShapeError(path: key, expected: "1 to \(TextBound.name) printable bytes")
        }
        return name
    }

    private static func signedBytes(terminalId: String, _ json: JSONValue) -> [UInt8] {
        var members = json.object ?? [:]
        members["signature"] = nil
        return DeviceSignature.bytes("neighbour-note", terminalId: terminalId, .object(members))
    }
}

/// A note before it is signed.
package struct NoteDraft: Hashable, Sendable {
    package let epoch: Int64
    package let number: Int64
    package let previousHash: String
    package let kind: String
    package let body: JSONValue
    /// Milliseconds since 1970.
    package let madeAt: Int64

    /// Makes a draft without a check.
    package init(
        epoch: Int64, number: Int64, previousHash: String, kind: String, body: JSONValue, madeAt: Int64
    ) {
        self.epoch = epoch
        self.number = number
        self.previousHash = previousHash
        self.kind = kind
        self.body = body
        self.madeAt = madeAt
    }
}

/// How far a till has the list of one maker in one epoch: what it names to its neighbours.
package struct NoteHead: Fact {
    package var terminalId = ""
    package var epoch: Int64 = 0
    /// The last note; the first is 1.
    package var number: Int64 = 0
    /// The hash of that note.
    package var hash = ""
    /// The number under which the maker signed two notes; nil: none is known.
    package var forkedAt: Int64?

    package init(terminalId: String, epoch: Int64, number: Int64, hash: String, forkedAt: Int64? = nil) {
        self.terminalId = terminalId
        self.epoch = epoch
        self.number = number
        self.hash = hash
        self.forkedAt = forkedAt
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("epoch", &epoch, in: 1...(1 << 31))
        try m.number("forkedAt", &forkedAt, .valid, in: 1...JSONValue.exactIntegers.upperBound)
        try m.text("hash", &hash)
        try m.check(Digest.isSHA256Hex(hash), "hash", "64 lower-case hexadecimal characters")
        try m.number("number", &number, in: 1...JSONValue.exactIntegers.upperBound)
        try m.name("terminalId", &terminalId)
    }
}

/// Requests notes of one list from a neighbour.
package struct NotePageRequest: Fact {
    /// The maker's.
    package private(set) var terminalId = ""
    package private(set) var epoch: Int64 = 0
    /// The number before the first note that is requested; 0: from the beginning.
    package private(set) var after: Int64 = 0

    /// Where a till gives notes.
    package static let path = "/neighbour/v1/notes"

    package init(terminalId: String, epoch: Int64, after: Int64) {
        (self.terminalId, self.epoch, self.after) = (terminalId, epoch, after)
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("after", &after, in: 0...JSONValue.exactIntegers.upperBound)
        try m.number("epoch", &epoch, in: 1...(1 << 31))
        try m.name("terminalId", &terminalId)
    }
}

/// The response: notes of the list from there on, as their maker wrote them; those that fit a document.
package struct NotePage: Fact {
    package private(set) var notes: [JSONValue] = []

    package init(notes: [JSONValue]) { self.notes = notes }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        var list: JSONValue? = .array(notes)
        try m.document("notes", &list)
        notes = Array((list?.array ?? []).prefix(NeighbourLimits.notesOfPage))
    }
}
