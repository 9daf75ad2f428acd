public import HubProtocol

/// A mutation as it came in, with what the hub computes of it before it looks anything up.
public struct ReceivedMutation: Hashable, Sendable {
    /// The idempotency key, a ULID.
    public let id: String
    public let sequence: Int64
    /// The hash that the mutation carries; empty when it has none.
    public let hash: String
    public let previousHash: String
    /// Whether ``hash`` is the one that the hub computes.
    public let isHashRight: Bool
    /// What tells this content from any other under the same key.
    public let digest: String
    /// The canonical document, which is what the hub keeps.
    public let document: String
    /// The mutation, or why it is none although its id and sequence can be read.
    public let content: Result<Mutation, ShapeError>

    /// Reads one element of a push.
    ///
    /// - Parameter canonical: the element in canonical form, where it came so; nil: it is written anew.
    /// - Throws: ``ShapeError`` when not even id and sequence can be read: such a document cannot have a
    ///   verdict, since nobody could tell whose.
    public init(json: JSONValue, canonical: [UInt8]? = nil) throws(ShapeError) {
        id = try json.requiredString("id")
        guard Self.isUlid(id) else { throw ShapeError(path: "id", expected: "a ULID") }
        sequence = try json.requiredInteger("sequence", in: 1...(1 << 53 - 1))
        hash = json["hash"]?.string ?? ""
        previousHash = json["previousHash"]?.string ?? ""
        let bytes = canonical ?? json.canonicalBytes
        document = String(decoding: bytes, as: UTF8.self)
        do throws(ShapeError) {
            let mutation = try Mutation(json: json)
            let computed = Mutation.hash(ofCanonical: bytes)
            content = .success(mutation)
            isHashRight = computed == mutation.hash
            // A right hash already covers the whole document.
            digest = isHashRight ? computed : Self.digest(of: document)
        } catch {
            content = .failure(error)
            isHashRight = false
            digest = Self.digest(of: document)
        }
    }

    /// The same mutation with an objection in the place of its content.
    public func unreadable(_ error: ShapeError) -> ReceivedMutation {
        ReceivedMutation(self, content: .failure(error))
    }

    private init(_ other: ReceivedMutation, content: Result<Mutation, ShapeError>) {
        id = other.id
        sequence = other.sequence
        hash = other.hash
        previousHash = other.previousHash
        isHashRight = other.isHashRight
        digest = other.digest
        document = other.document
        self.content = content
    }

    private static func digest(of document: String) -> String {
        "document:" + Digest.sha256Hex(Array(document.utf8))
    }

    private static func isUlid(_ text: String) -> Bool {
        let alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8
        return text.utf8.count == 26 && text.utf8.allSatisfy(alphabet.contains)
            && text.utf8.first.map { $0 <= UInt8(ascii: "7") } == true
    }
}
