/// A new mutation as its terminal writes it down: the canonical document with its hash, made in one pass.
///
/// The same document as ``Mutation`` would give, without building its tree.
package struct SealedMutation: Hashable, Sendable {
    /// A ULID: the idempotency key.
    package let id: String
    /// From 1, one more than that of the entry before in this epoch.
    package let sequence: Int64
    /// SHA-256 in lower-case hex over the canonical document without its member `hash`.
    package let hash: String
    /// The whole document in canonical form; what travels.
    package let bytes: [UInt8]

    /// - Parameters:
    ///   - payload: a JSON object in canonical form.
    ///   - clientGeneratedAt: RFC 3339 UTC with milliseconds.
    ///   - attachments: the ids of what has to be whole at the hub first.
    ///   - supersedes: the id of the refused mutation that this one replaces.
    package init(
        id: String, sequence: Int64, type: String, entity: String, entityId: String,
        clientGeneratedAt: String, previousHash: String, dependsOn: [String], attachments: [String] = [],
        supersedes: String? = nil, payload: [UInt8]
    ) {
        var document = CanonicalObject(capacity: 512 + payload.count)
        document.add("attachments", attachments)
        document.add("clientGeneratedAt", clientGeneratedAt)
        document.add("dependsOn", dependsOn)
        document.add("entity", entity)
        document.add("entityId", entityId)
        let beforeHash = document.count
        document.add("id", id)
        document.addRaw("payload", payload)
        document.add("previousHash", previousHash)
        document.add("schema", Schema.written)
        document.add("sequence", sequence)
        if let supersedes { document.add("supersedes", supersedes) }
        document.add("type", type)
        var bytes = document.bytes
        let hash = Digest.sha256Hex(bytes)
        // In order, `hash` comes right before `id`.
        bytes.insert(contentsOf: ",\"hash\":\"\(hash)\"".utf8, at: beforeHash)
        self.id = id
        self.sequence = sequence
        self.hash = hash
        self.bytes = bytes
    }
}
