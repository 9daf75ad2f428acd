/// What a terminal hands to the hub of another one of its store.
package enum HandedIn: Hashable, Sendable {
    /// A piece of its journal, as its maker sealed it.
    case piece([UInt8])
    /// Where its journal ended when it was seen last. So the hub can say what nobody has a piece of.
    case head(WitnessedHead)

    /// Of the request that hands it in, also as the hub reads it.
    package var mediaType: String {
        switch self {
        case .piece: SealedPiece.mediaType
        case .head: "application/json"
        }
    }

    /// Its body.
    package var bytes: [UInt8] {
        switch self {
        case .piece(let bytes): bytes
        case .head(let head): head.canonical.bytes
        }
    }

    /// Reads it as a terminal sent it.
    ///
    /// - Parameter mediaType: without one that names a head it is a piece.
    package init(_ bytes: [UInt8], mediaType: String?) throws(ShapeError) {
        guard mediaType?.hasPrefix("application/json") == true else {
            self = .piece(bytes)
            return
        }
        guard let json = try? JSONParser.parse(bytes) else {
            throw ShapeError(path: "body", expected: "a head of JSON")
        }
        self = .head(try WitnessedHead(json: json))
    }
}

/// The furthest end of another terminal's journal that a terminal has seen, with its maker's signature.
package struct WitnessedHead: Fact {
    /// Whose journal it is.
    package private(set) var terminalId = ""
    private var head: JSONValue?

    package init(_ head: SignedHead, of terminalId: String) {
        (self.head, self.terminalId) = (head.json, terminalId)
    }

    package init() {}

    /// The head, where the device key of the terminal signed it.
    ///
    /// - Parameter publicKey: Ed25519, 32 bytes in base64.
    package func signed(by publicKey: String) -> SignedHead? {
        guard let head = head.flatMap({ try? SignedHead(json: $0) }),
            head.isSigned(by: publicKey, terminalId: terminalId)
        else { return nil }
        return head
    }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.document("head", &head)
        try m.name("terminalId", &terminalId)
    }
}
