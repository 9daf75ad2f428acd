/// The file that carries a till's journal to the hub past the network: what `pos sync export` writes and
/// `pos-hub ingest` takes in.
///
/// One JSON object a line. The first is the heading, then the pieces of attachments, then every entry as it
/// lies in the journal, then an end that counts them, so that a file that was cut is known. The hashes in the
/// entries and the digests of the attachments guard the rest.
public struct JournalExport: Hashable, Sendable {
    /// `format` of the heading.
    public static let format = "holdfast-journal"
    /// `version` of the heading; a reader refuses a higher one. A file without attachments is of version 1,
    /// which older hubs read too.
    public static let version: Int64 = 2

    /// Who wrote the journal, and in which life of it.
    public struct Heading: Hashable, Sendable {
        public let terminalId: String
        public let storeId: String
        public let epoch: Int64
        /// RFC 3339; for display.
        public let exportedAt: String
        /// Whether pieces of attachments follow.
        public let hasAttachments: Bool

        public init(
            terminalId: String, storeId: String, epoch: Int64, exportedAt: String,
            hasAttachments: Bool = false
        ) {
            self.terminalId = terminalId
            self.storeId = storeId
            self.epoch = epoch
            self.exportedAt = exportedAt
            self.hasAttachments = hasAttachments
        }

        /// The first line, without its line break.
        public var json: JSONValue {
            [
                "format": .string(JournalExport.format),
                "version": .integer(hasAttachments ? JournalExport.version : 1),
                "terminalId": .string(terminalId), "storeId": .string(storeId), "epoch": .integer(epoch),
                "exportedAt": .string(exportedAt),
            ]
        }
    }

    /// Why a file is not taken in; nothing of it was.
    public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// From 1.
        public let line: Int
        public let reason: String

        public var description: String { "line \(line): \(reason)" }
    }

    /// Some bytes of an attachment, as one line.
    public struct Piece: Hashable, Sendable {
        public let attachment: AttachmentInfo
        public let firstByte: Int64
        /// RFC 4648, section 4.
        public let base64: String

        public init(attachment: AttachmentInfo, firstByte: Int64, base64: String) {
            self.attachment = attachment
            self.firstByte = firstByte
            self.base64 = base64
        }

        public var json: JSONValue {
            ["attachment": attachment.json, "at": .integer(firstByte), "bytes": .string(base64)]
        }
    }

    public let heading: Heading
    /// In order of their attachments, each from its first byte on.
    public let pieces: [Piece]
    /// In order of their sequences.
    public let entries: [Mutation]

    /// The last line, without its line break.
    public static func end(entries: Int, lastHash: String, pieces: Int = 0) -> JSONValue {
        var members: JSONObject = [
            "end": true, "entries": .integer(Int64(entries)), "lastHash": .string(lastHash),
        ]
        if pieces > 0 { members["pieces"] = .integer(Int64(pieces)) }
        return .object(members)
    }

    /// Reads a whole file and follows its chain.
    ///
    /// - Throws: ``Fault`` for another format or a newer version, an entry that cannot be read, was changed
    ///   or does not follow the one before it, and for a file without its end.
    public init(_ bytes: [UInt8]) throws(Fault) {
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
                entries.append(try Self.entry(json, line: index + 2, after: entries.last))
            }
        }
        self.entries = entries
        self.pieces = pieces
        let count = pieces.count + entries.count + 2
        let end = try Self.document(last, line: count)
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
        guard (1...Self.version).contains(version) else {
            throw Fault(line: 1, reason: "version \(version) of the format is not known; use a newer hub")
        }
        guard let terminalId = json["terminalId"]?.string, let storeId = json["storeId"]?.string,
            let epoch = json["epoch"]?.integer, (1...(1 << 31)).contains(epoch)
        else { throw Fault(line: 1, reason: "terminal, store or epoch are missing") }
        return Heading(
            terminalId: terminalId, storeId: storeId, epoch: epoch,
            exportedAt: json["exportedAt"]?.string ?? "", hasAttachments: version > 1)
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
        _ json: JSONValue, line: Int, after last: Mutation?
    ) throws(Fault) -> Mutation {
        let entry: Mutation
        do throws(ShapeError) {
            entry = try Mutation(json: json)
        } catch {
            throw Fault(line: line, reason: "this is no entry: \(error)")
        }
        guard entry.computedHash == entry.hash else { throw Fault(line: line, reason: "it was changed") }
        guard let last else { return entry }
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
