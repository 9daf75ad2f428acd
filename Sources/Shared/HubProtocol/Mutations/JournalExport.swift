/// The file that carries a till's journal to the hub past the network: what `pos sync export` writes and
/// `pos-hub ingest` accepts.
///
/// One JSON object a line. The first is the heading, then the pieces of attachments, then every entry as it
/// lies in the journal, then an end that counts them, so that a file that was cut is known. The hashes in the
/// entries and the digests of the attachments guard the rest against accidents; against forgers the end is
/// signed by the device key. A file of what could be read of a damaged journal may have gaps (version 4).
/// From version 3 on, each line behind the heading is encrypted unless the heading
/// has no `sealed` (``ExportEnvelope``), and stands in base64 then.
package struct JournalExport: Hashable, Sendable {
    /// `format` of the heading.
    package static let format = "holdfast-journal"
    /// `version` of the heading; a reader refuses a higher one. Versions 1 and 2, with attachments, have no
    /// signature and are not encrypted.
    package static let version: Int64 = 3
    /// `version` of a file that holds what could be read of a damaged journal: entries may be missing in it.
    /// Its own number, so that a hub of before refuses it as newer instead of as forged.
    package static let salvagedVersion: Int64 = 4

    /// The terminal that wrote the journal, and the epoch.
    package struct Heading: Hashable, Sendable {
        /// A ULID, from the enrolment.
        package let terminalId: String
        /// The store that the terminal was enrolled in.
        package let storeId: String
        /// From 1; all entries of the file belong to it.
        package let epoch: Int64
        /// RFC 3339; for display.
        package let exportedAt: String
        /// From 1 to ``JournalExport/salvagedVersion``; decides about signature, encryption and gaps.
        package let version: Int64
        /// Within its store; nil before version 3.
        package let terminalNumber: Int64?
        /// The device's Ed25519 public key in base64, for a hub that does not know the terminal; nil without
        /// one.
        package let publicKey: String?
        /// Why a person had it written without encryption; nil for an encrypted one.
        package let plainReason: String?

        /// Makes a heading; `version` is ``JournalExport/version`` by default. Without a `plainReason` the
        /// file is meant to be encrypted.
        package init(
            terminalId: String, storeId: String, epoch: Int64, exportedAt: String,
            version: Int64 = JournalExport.version, terminalNumber: Int64? = nil, publicKey: String? = nil,
            plainReason: String? = nil
        ) {
            self.terminalId = terminalId
            self.storeId = storeId
            self.epoch = epoch
            self.exportedAt = exportedAt
            self.version = version
            self.terminalNumber = terminalNumber
            self.publicKey = publicKey
            self.plainReason = plainReason
        }

        /// The first line, without its line break and without an envelope.
        package var json: JSONValue {
            var members: JSONObject = [
                "format": .string(JournalExport.format), "version": .integer(version),
                "terminalId": .string(terminalId), "storeId": .string(storeId), "epoch": .integer(epoch),
                "exportedAt": .string(exportedAt),
            ]
            if let terminalNumber { members["terminalNumber"] = .integer(terminalNumber) }
            if let publicKey { members["publicKey"] = .string(publicKey) }
            if let plainReason { members["plainReason"] = .string(plainReason) }
            return .object(members)
        }
    }

    /// Why a file is not accepted; nothing of it was.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// From 1.
        package let line: Int
        /// What is wrong with the line, for a person.
        package let reason: String

        /// `line 3: it was changed`, for example.
        package var description: String { "line \(line): \(reason)" }
    }

    /// Some bytes of an attachment, as one line.
    package struct Piece: Hashable, Sendable {
        /// The attachment as its terminal announces it; each of its pieces repeats it.
        package let attachment: AttachmentInfo
        /// The offset of the first byte in the attachment, from 0.
        package let firstByte: Int64
        /// RFC 4648, section 4.
        package let base64: String

        /// Makes a piece without a check; reading a file checks `firstByte` against the largest attachment.
        package init(attachment: AttachmentInfo, firstByte: Int64, base64: String) {
            self.attachment = attachment
            self.firstByte = firstByte
            self.base64 = base64
        }

        /// One line of the file, without its line break: `{"attachment","at","bytes"}`.
        package var json: JSONValue {
            ["attachment": attachment.json, "at": .integer(firstByte), "bytes": .string(base64)]
        }
    }

    /// The first line as it was read.
    package let heading: Heading
    /// In order of their attachments, each from its first byte on.
    package let pieces: [Piece]
    /// In order of their sequences.
    package let entries: [Mutation]
    private let end: JSONValue
    /// SHA-256 of all before the end, in hex.
    private let digest: String

    /// The last line, without its line break.
    ///
    /// - Parameters:
    ///   - digest: SHA-256 in hex of the lines before it in clear, their line breaks included.
    ///   - sign: gives the device key's Ed25519 signature of the bytes in base64; nil without a key.
    package static func end(
        of heading: Heading, entries: Int, lastHash: String, pieces: Int, digest: String,
        sign: ([UInt8]) -> String?
    ) -> JSONValue {
        var members: JSONObject = [
            "end": true, "entries": .integer(Int64(entries)), "lastHash": .string(lastHash),
            "pieces": .integer(Int64(pieces)), "epoch": .integer(heading.epoch), "digest": .string(digest),
        ]
        let bytes = DeviceSignature.bytes("export", terminalId: heading.terminalId, .object(members))
        if let signature = sign(bytes) { members["signature"] = .string(signature) }
        return .object(members)
    }

    /// Whether the end carries a signature; ``isSigned(by:)`` checks whose.
    package var hasSignature: Bool { end["signature"] != nil }

    /// Whether the device key signed the end, and the end is that of these lines.
    ///
    /// - Parameter publicKey: Ed25519, 32 bytes in base64.
    package func isSigned(by publicKey: String) -> Bool {
        guard var members = end.object, let signature = members["signature"]?.string,
            end["digest"]?.string == digest, end["epoch"]?.integer == heading.epoch
        else { return false }
        members["signature"] = nil
        return DeviceSignature.isValid(
            signature,
            of: DeviceSignature.bytes("export", terminalId: heading.terminalId, .object(members)),
            by: publicKey)
    }

    /// A heading without its envelope.
    static func clear(_ heading: JSONValue) -> JSONValue {
        var members = heading.object ?? [:]
        members["sealed"] = nil
        return .object(members)
    }

    /// The heading and envelope of a file; no envelope for one that is not encrypted.
    package static func opening(
        of bytes: [UInt8]
    ) throws(Fault) -> (heading: Heading, json: JSONValue, envelope: ExportEnvelope?) {
        let json = try document(bytes.prefix { $0 != 0x0A }, line: 1)
        let heading = try heading(json)
        guard let sealed = json["sealed"], heading.version >= 3 else { return (heading, json, nil) }
        do throws(ShapeError) {
            return (heading, json, try ExportEnvelope(json: sealed))
        } catch {
            throw Fault(line: 1, reason: "its envelope cannot be read: \(error)")
        }
    }

    /// Reads an encrypted file.
    ///
    /// - Parameters:
    ///   - key: the file's key, out of its envelope.
    ///   - bytesOfBase64: nil for a text that is no base64.
    package init(
        _ bytes: [UInt8], key: [UInt8], bytesOfBase64: (ArraySlice<UInt8>) -> [UInt8]?
    ) throws(Fault) {
        let (_, json, _) = try Self.opening(of: bytes)
        var clear = Self.clear(json).canonicalBytes + [0x0A]
        var cipher = ExportCipher(key: key)
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: true)
        for (index, line) in lines.enumerated().dropFirst() {
            guard let sealed = bytesOfBase64(line), let opened = cipher.opened(sealed) else {
                throw Fault(line: index + 1, reason: "it was changed, or is not the next line of this file")
            }
            clear += opened + [0x0A]
        }
        try self.init(clear)
    }

    /// Reads a whole file and follows its chain.
    ///
    /// - Throws: ``Fault`` for another format or a newer version, an entry that cannot be read, was changed
    ///   or does not follow the one before it, and for a file without its end.
    package init(_ bytes: [UInt8]) throws(Fault) {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: true)[...]
        heading = try Self.heading(try Self.document(lines.popFirst() ?? [], line: 1))
        guard let last = lines.popLast() else { throw Fault(line: 1, reason: "the file ends here") }
        var entries: [Mutation] = []
        var pieces: [Piece] = []
        for (index, line) in lines.enumerated() {
            let json = try Self.document(line, line: index + 2)
            if let attachment = json["attachment"], entries.isEmpty {
                pieces.append(try Self.piece(attachment, of: json, line: index + 2))
            } else {
                entries.append(
                    try Self.entry(
                        json, line: index + 2, after: entries.last,
                        mayHaveGaps: heading.version == Self.salvagedVersion))
            }
        }
        self.entries = entries
        self.pieces = pieces
        let count = pieces.count + entries.count + 2
        let end = try Self.document(last, line: count)
        self.end = end
        // Of the bytes, so that what is signed is what was read.
        digest = Digest.sha256Hex(Array(bytes[..<last.startIndex]))
        guard end["end"]?.bool == true else { throw Fault(line: count, reason: "the file was cut off here") }
        guard end["entries"]?.integer == Int64(entries.count),
            end["lastHash"]?.string == entries.last?.hash ?? Mutation.genesisHash,
            end["pieces"]?.integer ?? 0 == Int64(pieces.count)
        else { throw Fault(line: count, reason: "the end does not fit the entries before it") }
    }

    private static func heading(_ json: JSONValue) throws(Fault) -> Heading {
        guard json["format"]?.string == format, let version = json["version"]?.integer else {
            throw Fault(line: 1, reason: "this is no journal of a till")
        }
        guard (1...Self.salvagedVersion).contains(version) else {
            throw Fault(line: 1, reason: "version \(version) of the format is not known; use a newer hub")
        }
        guard let terminalId = json["terminalId"]?.string, let storeId = json["storeId"]?.string,
            let epoch = json["epoch"]?.integer, (1...(1 << 31)).contains(epoch)
        else { throw Fault(line: 1, reason: "terminal, store or epoch are missing") }
        return Heading(
            terminalId: terminalId, storeId: storeId, epoch: epoch,
            exportedAt: json["exportedAt"]?.string ?? "", version: version,
            terminalNumber: json["terminalNumber"]?.integer, publicKey: json["publicKey"]?.string,
            plainReason: json["plainReason"]?.string)
    }

    private static func piece(_ attachment: JSONValue, of json: JSONValue, line: Int) throws(Fault) -> Piece {
        do throws(ShapeError) {
            return Piece(
                attachment: try AttachmentInfo(json: attachment),
                firstByte: try json.requiredInteger("at", in: 0...AttachmentInfo.maximumSize),
                base64: try json.requiredString("bytes"))
        } catch {
            throw Fault(line: line, reason: "this is no piece of an attachment: \(error)")
        }
    }

    private static func entry(
        _ json: JSONValue, line: Int, after last: Mutation?, mayHaveGaps: Bool
    ) throws(Fault) -> Mutation {
        let entry: Mutation
        do throws(ShapeError) {
            entry = try Mutation(json: json)
        } catch {
            throw Fault(line: line, reason: "this is no entry: \(error)")
        }
        guard entry.computedHash == entry.hash else { throw Fault(line: line, reason: "it was changed") }
        guard let last else { return entry }
        if mayHaveGaps, entry.sequence > last.sequence + 1 { return entry }
        guard entry.sequence == last.sequence + 1, entry.previousHash == last.hash else {
            throw Fault(line: line, reason: "it does not follow the entry before it")
        }
        return entry
    }

    private static func document(_ bytes: some Sequence<UInt8>, line: Int) throws(Fault) -> JSONValue {
        do throws(JSONError) {
            return try JSONParser.parse(Array(bytes))
        } catch {
            throw Fault(line: line, reason: "this is no JSON: \(error)")
        }
    }
}
