package import HubProtocol

/// A mutation as it came in, with what the hub computes of it before it looks anything up.
///
/// A class, although it never changes: it is handed on at every step of the intake, and a copy of its two
/// dozen texts would cost more than the steps do.
package final class ReceivedMutation: Sendable {
    /// The idempotency key, a ULID.
    package let id: String
    /// From 1; one more for each entry of the epoch, without gaps.
    package let sequence: Int64
    /// The hash that the mutation carries; empty when it has none.
    package let hash: String
    /// Lower-case hex, 64 zeros for the terminal's first mutation; empty when the mutation has none.
    package let previousHash: String
    /// Whether ``hash`` is the one that the hub computes.
    package let isHashRight: Bool
    /// SHA-256 of the content: a different one under the same key means that the content differs.
    package let digest: String
    /// The canonical document, which is what the hub keeps.
    package let document: String
    /// The mutation, or why it is none although its id and sequence can be read.
    package let content: Result<Mutation, ShapeError>
    /// What the rules make of ``content``. Made here and not in the store's transaction, which others wait
    /// for.
    package let assessment: IntakeRules.Assessment
    /// What the payload has of the members that entries of several types have.
    let common: EntryMembers
    /// The payload; nil where it cannot be read.
    let fact: ReceivedFact?
    /// The amounts of a sale or a refund, and what they add to the figures if it is accepted.
    let saleDocument: SaleDocument?
    /// Nil for a void, which needs its sale.
    let sale: SaleEntry?

    /// Reads one element of a push.
    ///
    /// - Parameter canonical: the element in canonical form, where it came so; nil: it is written anew.
    /// - Throws: ``ShapeError`` when not even id and sequence can be read: such a document cannot have a
    ///   result, since a result names both.
    package init(json: JSONValue, canonical: [UInt8]? = nil) throws(ShapeError) {
        id = try json.requiredString("id")
        guard Self.isUlid(id) else { throw ShapeError(path: "id", expected: "a ULID") }
        sequence = try json.requiredInteger("sequence", in: 1...(1 << 53 - 1))
        hash = json["hash"]?.string ?? ""
        previousHash = json["previousHash"]?.string ?? ""
        let bytes = canonical ?? json.canonicalBytes
        document = String(decoding: bytes, as: UTF8.self)
        do throws(ShapeError) {
            let mutation = try Mutation(json: json, isCanonical: canonical != nil)
            let computed = Mutation.hash(ofCanonical: bytes)
            content = .success(mutation)
            common = EntryMembers(shown: mutation.payload)
            (fact, assessment) = IntakeRules.reading(mutation)
            let accounts = fact?.document
            saleDocument = accounts
            sale = fact.flatMap { fact in SaleEntry(fact, accounts) }
            isHashRight = computed == mutation.hash
            // A right hash already covers the whole document.
            digest = isHashRight ? computed : Self.digest(of: document)
        } catch {
            content = .failure(error)
            assessment = Self.assessment(of: error)
            (common, fact, saleDocument, sale) = (EntryMembers(), nil, nil, nil)
            isHashRight = false
            digest = Self.digest(of: document)
        }
    }

    /// As the document has it; empty when it cannot be read.
    package var type: String {
        if case .success(let mutation) = content { mutation.type } else { "" }
    }

    /// The id of the refused mutation that this one replaces.
    package var supersedes: String? {
        if case .success(let mutation) = content { mutation.supersedes } else { nil }
    }

    /// The same mutation with an objection in the place of its content.
    package func unreadable(_ error: ShapeError) -> ReceivedMutation {
        ReceivedMutation(self, without: error)
    }

    private static func assessment(of error: ShapeError) -> IntakeRules.Assessment {
        .rejected("In the mutation, \(error).")
    }

    private init(_ other: ReceivedMutation, without error: ShapeError) {
        id = other.id
        sequence = other.sequence
        hash = other.hash
        previousHash = other.previousHash
        isHashRight = other.isHashRight
        digest = other.digest
        document = other.document
        content = .failure(error)
        assessment = Self.assessment(of: error)
        (common, fact, saleDocument, sale) = (EntryMembers(), nil, nil, nil)
    }

    private static func digest(of document: String) -> String {
        "document:" + Digest.sha256Hex(Array(document.utf8))
    }

    private static func isUlid(_ text: String) -> Bool {
        text.utf8.count == 26 && text.utf8.allSatisfy(isCrockford)
            && text.utf8.first.map { $0 <= UInt8(ascii: "7") } == true
    }

    /// A digit, or a capital letter but I, L, O and U.
    private static func isCrockford(_ byte: UInt8) -> Bool {
        let isLetter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) && !"ILOU".utf8.contains(byte)
        return isLetter || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
