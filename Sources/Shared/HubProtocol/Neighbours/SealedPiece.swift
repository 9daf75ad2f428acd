import Base

/// The first line of a piece: which entries of whose journal are sealed in it, and to which key.
package struct PieceHeader: Fact {
    package var terminalId = ""
    package var epoch: Int64 = 0
    /// The sequence at which the epoch began.
    package var epochStart: Int64 = 0
    /// The sequences of its first and last entry; it has all between.
    package var first: Int64 = 0
    package var last: Int64 = 0
    /// The ends of its entries in the journal's chain: after an older disk the same numbers stand for other
    /// entries, and these do not. Tills require it of each other; the hub takes a piece without it.
    package var link: EntryLink?
    /// The hub's sealing key.
    package var keyId = ""
    /// Milliseconds since 1970 by its maker's clock.
    package var madeAt: Int64 = 0

    package init(
        terminalId: String, epoch: Int64, epochStart: Int64, first: Int64, last: Int64, link: EntryLink?,
        keyId: String, madeAt: Int64
    ) {
        self.terminalId = terminalId
        self.epoch = epoch
        self.epochStart = epochStart
        self.first = first
        self.last = last
        self.link = link
        self.keyId = keyId
        self.madeAt = madeAt
    }

    package init() {}

    /// What the sealing binds the entries to, HPKE's `info`: with another header they do not open.
    package var sealInfo: [UInt8] { Array("holdfast-piece\n".utf8) + canonical.bytes }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("epoch", &epoch, in: 1...(1 << 31))
        try m.number("epochStart", &epochStart, in: 1...JSONValue.exactIntegers.upperBound)
        try m.number("first", &first, in: 1...JSONValue.exactIntegers.upperBound)
        try m.check(first >= epochStart, "first", "not before `epochStart`")
        var (hash, previousHash) = (link?.hash, link?.previousHash)
        try m.text("hash", &hash, .valid)
        try m.name("keyId", &keyId)
        try m.number("last", &last, in: 1...JSONValue.exactIntegers.upperBound)
        // The body of a push has no more; a keeper adds up what its pieces have.
        try m.check(
            last >= first && last - first < Int64(MutationBatch.maximumCount), "last",
            "not before `first`, with at most \(MutationBatch.maximumCount) entries")
        try m.moment("madeAt", &madeAt)
        try m.text("previousHash", &previousHash, .valid)
        link = hash.map { EntryLink(hash: $0, previousHash: previousHash ?? "") }
        try m.check(
            link?.isWellFormed ?? (previousHash == nil), "hash", "\(EntryLink.form), with `previousHash`")
        try m.name("terminalId", &terminalId)
    }
}

/// Where entries that follow each other stand in their journal's chain.
package struct EntryLink: Fact {
    /// Of the last entry.
    package var hash = ""
    /// Of the entry before the first one.
    package var previousHash = ""

    package init(hash: String, previousHash: String) {
        (self.hash, self.previousHash) = (hash, previousHash)
    }

    package init() {}

    /// Reads it of one entry as it stands in a journal.
    package init?(ofEntry body: [UInt8]) {
        guard let json = try? JSONParser.parse(body), let link = try? EntryLink(json: json) else {
            return nil
        }
        self = link
    }

    fileprivate var isWellFormed: Bool { Digest.isSHA256Hex(hash) && Digest.isSHA256Hex(previousHash) }

    fileprivate static let form = "64 lower-case hexadecimal characters"

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("hash", &hash)
        try m.text("previousHash", &previousHash)
        try m.check(isWellFormed, "hash", Self.form)
    }
}

/// A keeper's response to a piece.
package struct PieceReceipt: Fact {
    /// `kept`: it is on the keeper's disk; `full`: there is no room for this till; anything else: it is not
    /// kept.
    package private(set) var answer = ""

    package init(answer: String) { self.answer = answer }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("answer", &answer)
    }
}

/// A packet of journal entries for a neighbour that cannot read it: the header's line, the entries encrypted
/// to the hub, and the maker's signature.
///
/// `application/vnd.holdfast.piece`: `header JSON, LF, HPKE ciphertext, 64 bytes Ed25519`. The signature is
/// over `piece`, a line feed and all before it.
package struct SealedPiece: Hashable, Sendable {
    package static let mediaType = "application/vnd.holdfast.piece"
    /// Where a keeper takes pieces.
    package static let path = "/neighbour/v1/pieces"
    private static let signatureBytes = 64
    /// The longest header: its texts and numbers at their bounds take some 700 bytes.
    package static let headerBytes = 1_024

    package let header: PieceHeader
    /// HPKE: the encapsulated key and the entries.
    package let ciphertext: [UInt8]
    /// All of it, as it is kept and handed in.
    package let bytes: [UInt8]

    /// Signs a piece.
    ///
    /// - Parameter sign: gives the Ed25519 signature of the bytes in base64; nil where the key is gone.
    /// - Returns: nil without a signature, and above ``NeighbourLimits/pieceBytes``.
    package init?(_ header: PieceHeader, ciphertext: [UInt8], sign: ([UInt8]) -> String?) {
        let content = header.canonical.bytes + [0x0A] + ciphertext
        guard content.count + Self.signatureBytes <= NeighbourLimits.pieceBytes,
            let signature = sign(Self.signedBytes(content)).flatMap(Base64.bytes),
            signature.count == Self.signatureBytes
        else { return nil }
        self.header = header
        self.ciphertext = ciphertext
        bytes = content + signature
    }

    /// Reads a piece as a neighbour sent it; ``isSigned(by:)`` checks the signature.
    package init(_ bytes: [UInt8]) throws(ShapeError) {
        guard bytes.count <= NeighbourLimits.pieceBytes, let end = Self.headerEnd(in: bytes),
            bytes.count > end + 1 + Self.signatureBytes
        else {
            throw ShapeError(
                path: "piece",
                expected: "a header, ciphertext and signature of at most \(NeighbourLimits.pieceBytes) bytes")
        }
        header = try Self.header(in: bytes)
        ciphertext = Array(bytes[(end + 1)..<(bytes.count - Self.signatureBytes)])
        self.bytes = bytes
    }

    /// Reads the header alone.
    ///
    /// - Parameter bytes: the first ``headerBytes`` of a piece, or more.
    package static func header(in bytes: [UInt8]) throws(ShapeError) -> PieceHeader {
        guard let end = headerEnd(in: bytes), let json = try? JSONParser.parse(Array(bytes[..<end])) else {
            throw ShapeError(path: "piece", expected: "a header of JSON")
        }
        return try PieceHeader(json: json)
    }

    private static func headerEnd(in bytes: [UInt8]) -> Int? {
        bytes.prefix(headerBytes).firstIndex(of: 0x0A)
    }

    /// Whether its maker's device key signed it.
    ///
    /// - Parameter publicKey: Ed25519, 32 bytes in base64.
    package func isSigned(by publicKey: String) -> Bool {
        DeviceSignature.isValid(
            Base64.text(Array(bytes.suffix(Self.signatureBytes))),
            of: Self.signedBytes(Array(bytes.dropLast(Self.signatureBytes))), by: publicKey)
    }

    private static func signedBytes(_ content: [UInt8]) -> [UInt8] { Array("piece\n".utf8) + content }
}
