/// A new mutation as its terminal writes it down: the canonical document with its hash, made in one pass.
///
/// The same document as ``Mutation`` would give, without building its tree.
public struct SealedMutation: Hashable, Sendable {
    public let id: String
    public let sequence: Int64
    /// SHA-256 in lower-case hex over the canonical document without its member `hash`.
    public let hash: String
    /// The whole document in canonical form; what travels.
    public let bytes: [UInt8]

    /// - Parameters:
    ///   - payload: a JSON object in canonical form.
    ///   - clientGeneratedAt: RFC 3339 UTC with milliseconds.
    public init(
        id: String, sequence: Int64, type: String, entity: String, entityId: String,
        clientGeneratedAt: String, previousHash: String, dependsOn: [String], payload: [UInt8]
    ) {
        var upToHash = CanonicalObject()
        upToHash.add("attachments", [String]())
        upToHash.add("clientGeneratedAt", clientGeneratedAt)
        upToHash.add("dependsOn", dependsOn)
        upToHash.add("entity", entity)
        upToHash.add("entityId", entityId)
        var sealed = upToHash

        var unsealed = upToHash
        Self.addRest(
            to: &unsealed, id: id, sequence: sequence, type: type, previousHash: previousHash,
            payload: payload)
        let hash = Digest.sha256Hex(unsealed.bytes)

        sealed.add("hash", hash)
        Self.addRest(
            to: &sealed, id: id, sequence: sequence, type: type, previousHash: previousHash,
            payload: payload)
        self.id = id
        self.sequence = sequence
        self.hash = hash
        bytes = sealed.bytes
    }

    private static func addRest(
        to object: inout CanonicalObject, id: String, sequence: Int64, type: String, previousHash: String,
        payload: [UInt8]
    ) {
        object.add("id", id)
        object.addRaw("payload", payload)
        object.add("previousHash", previousHash)
        object.add("schema", Schema.current)
        object.add("sequence", sequence)
        object.add("type", type)
    }
}
