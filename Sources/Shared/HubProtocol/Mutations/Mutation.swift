internal import Crypto

/// One entry of a terminal's journal as it travels to the hub (http.md section 3).
///
/// Immutable: an edit is a new mutation that supersedes this one. The document is kept as received, unknown
/// members included, since the digest covers them.
package struct Mutation: Hashable, Sendable {
    /// A ULID: the idempotency key, minted and stored before the first byte is sent.
    package let id: String
    /// Counts up by one per terminal and epoch, from 1, without gaps.
    package let sequence: Int64
    /// One of the types of http.md section 3, for example `order.completed`.
    package let type: String
    /// The kind of what it changes, for example `order` or `note`.
    package let entity: String
    /// A ULID where the terminal mints it; the hub accepts 1 to 128 bytes. An edit of a mutation keeps it.
    package let entityId: String
    /// The schema in which it was written, from 1; later versions send it unchanged.
    package let schema: Int64
    /// RFC 3339 UTC with milliseconds; for display only.
    package let clientGeneratedAt: String
    /// ``hash`` of the mutation with the sequence before; 64 zeros for the first.
    package let previousHash: String
    /// SHA-256 in lower-case hex over the canonical document without this member.
    package let hash: String
    /// Ids of earlier mutations that must have a result first.
    package let dependsOn: [String]
    /// Ids of attachments that must be complete at the hub first, at most
    /// ``AttachmentInfo/maximumPerMutation``.
    package let attachments: [String]
    /// The id of the rejected mutation that this one replaces.
    package let supersedes: String?
    /// An object; its members depend on ``type`` (docs/reference/http.md, section 3).
    package let payload: JSONValue
    /// The whole document.
    package let json: JSONValue

    /// `previousHash` of a terminal's first mutation.
    package static let genesisHash = String(repeating: "0", count: 64)

    /// Makes a new mutation and seals it with its hash.
    ///
    /// - Precondition: every number in `payload` is an integer below 2⁵³ in size.
    package init(
        id: String, sequence: Int64, type: String, entity: String, entityId: String, schema: Int64 = 1,
        clientGeneratedAt: String, previousHash: String, dependsOn: [String] = [], attachments: [String] = [],
        supersedes: String? = nil, payload: JSONValue
    ) {
        precondition(payload.hasOnlyCanonicalNumbers, "a mutation's numbers are integers below 2^53")
        var members: JSONObject = [
            "id": .string(id), "sequence": .integer(sequence), "type": .string(type),
            "entity": .string(entity), "entityId": .string(entityId), "schema": .integer(schema),
            "clientGeneratedAt": .string(clientGeneratedAt), "previousHash": .string(previousHash),
            "dependsOn": .array(dependsOn.map(JSONValue.string)),
            "attachments": .array(attachments.map(JSONValue.string)), "payload": payload,
        ]
        if let supersedes { members["supersedes"] = .string(supersedes) }
        let hash = Self.hash(ofCanonical: JSONValue.object(members).canonicalBytes)
        members["hash"] = .string(hash)
        self.id = id
        self.sequence = sequence
        self.type = type
        self.entity = entity
        self.entityId = entityId
        self.schema = schema
        self.clientGeneratedAt = clientGeneratedAt
        self.previousHash = previousHash
        self.hash = hash
        self.dependsOn = dependsOn
        self.attachments = attachments
        self.supersedes = supersedes
        self.payload = payload
        self.json = .object(members)
    }

    /// Reads a mutation as a peer sent it. A wrong hash is not refused here: the hub accepts it and flags
    /// it.
    ///
    /// - Parameter isCanonical: whether it is known that the document came in canonical form.
    package init(json: JSONValue, isCanonical: Bool = false) throws(ShapeError) {
        guard json.object != nil else { throw ShapeError(path: "mutation", expected: "an object") }
        guard isCanonical || json.hasOnlyCanonicalNumbers else {
            throw ShapeError(path: "mutation", expected: "free of numbers that are not integers below 2^53")
        }
        id = try json.requiredString("id")
        sequence = try json.requiredInteger("sequence", in: 1...(1 << 53 - 1))
        type = try json.requiredString("type")
        entity = try json.requiredString("entity")
        entityId = try json.requiredString("entityId")
        schema = try json.requiredInteger("schema", in: 1...(1 << 31))
        clientGeneratedAt = try json.requiredString("clientGeneratedAt")
        previousHash = try json.requiredString("previousHash")
        hash = try json.requiredString("hash")
        dependsOn = try json.strings("dependsOn")
        attachments = try json.strings("attachments")
        supersedes = json["supersedes"]?.string
        payload = try json.requiredObject("payload")
        self.json = json
    }

    /// The hash that the document should carry, computed anew.
    package var computedHash: String { Self.hash(ofCanonical: json.canonicalBytes) }

    /// Whether a mutation's bytes are those that were written: the hash in them is that of the rest.
    ///
    /// - Parameter bytes: what should be a mutation in canonical form, whatever it has become.
    package static func isIntact(_ bytes: [UInt8]) -> Bool {
        guard let (before, after) = CanonicalDocument.split(bytes, around: "hash"), before < after else {
            return false
        }
        let quoted = "\"hash\":\"\(hash(ofCanonical: bytes))\""
        return String(decoding: bytes[before..<after], as: UTF8.self).contains(quoted)
    }

    /// The hash that a mutation should carry.
    ///
    /// - Parameter bytes: the mutation in canonical form, whatever hash it carries.
    package static func hash(ofCanonical bytes: [UInt8]) -> String {
        Digest.sha256Hex(bytes, without: "hash")
    }
}
