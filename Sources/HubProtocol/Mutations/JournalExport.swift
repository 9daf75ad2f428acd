/// The file that carries a till's journal to the hub past the network: what `pos sync export` writes and
/// `pos-hub ingest` takes in.
///
/// One JSON object a line. The first is the heading, then every entry as it lies in the journal, then an end
/// that counts them, so that a file that was cut is known. The hashes in the entries guard the rest.
public struct JournalExport: Hashable, Sendable {
    /// `format` of the heading.
    public static let format = "holdfast-journal"
    /// `version` of the heading; a reader refuses a higher one.
    public static let version: Int64 = 1

    /// Who wrote the journal, and in which life of it.
    public struct Heading: Hashable, Sendable {
        public let terminalId: String
        public let storeId: String
        public let epoch: Int64
        /// RFC 3339; for display.
        public let exportedAt: String

        public init(terminalId: String, storeId: String, epoch: Int64, exportedAt: String) {
            self.terminalId = terminalId
            self.storeId = storeId
            self.epoch = epoch
            self.exportedAt = exportedAt
        }

        /// The first line, without its line break.
        public var json: JSONValue {
            [
                "format": .string(JournalExport.format), "version": .integer(JournalExport.version),
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

    public let heading: Heading
    /// In order of their sequences.
    public let entries: [Mutation]

    /// The last line, without its line break.
    public static func end(entries: Int, lastHash: String) -> JSONValue {
        ["end": true, "entries": .integer(Int64(entries)), "lastHash": .string(lastHash)]
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
        for (index, line) in lines.enumerated() {
            entries.append(try Self.entry(line, line: index + 2, after: entries.last))
        }
        self.entries = entries
        let count = entries.count + 2
        let end = try Self.document(last, line: count)
        guard end["end"]?.bool == true else { throw Fault(line: count, reason: "the file was cut off here") }
        guard end["entries"]?.integer == Int64(entries.count),
            end["lastHash"]?.string == entries.last?.hash ?? Mutation.genesisHash
        else { throw Fault(line: count, reason: "the end does not fit the entries before it") }
    }

    private static func heading(_ json: JSONValue) throws(Fault) -> Heading {
        guard json["format"]?.string == format, let version = json["version"]?.integer else {
            throw Fault(line: 1, reason: "this is no journal of a till")
        }
        guard version == Self.version else {
            throw Fault(line: 1, reason: "version \(version) of the format is not known; use a newer hub")
        }
        guard let terminalId = json["terminalId"]?.string, let storeId = json["storeId"]?.string,
            let epoch = json["epoch"]?.integer, (1...(1 << 31)).contains(epoch)
        else { throw Fault(line: 1, reason: "terminal, store or epoch are missing") }
        return Heading(
            terminalId: terminalId, storeId: storeId, epoch: epoch,
            exportedAt: json["exportedAt"]?.string ?? "")
    }

    private static func entry(
        _ bytes: some Sequence<UInt8>, line: Int, after last: Mutation?
    ) throws(Fault) -> Mutation {
        let json = try document(bytes, line: line)
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
