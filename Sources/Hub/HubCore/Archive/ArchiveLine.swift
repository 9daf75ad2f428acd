package import HubProtocol

/// One line of an archive file, behind its hash (docs/reference/archive-file.md).
package enum ArchiveLine: Hashable, Sendable {
    /// The first line.
    case header(ArchiveHeader)
    /// An entry of a terminal's journal.
    case entry(ArchivedEntry)
    /// A document of the journal feed as it was served, with its number.
    case document(number: Int64, text: String)
    /// What the documents of a day come to.
    case day(ArchivedDay)
    /// The last line.
    case end(ArchiveCounts)

    /// The line's JSON: an object with one member, its kind.
    package var text: String {
        switch self {
        case .header(let header): "{\"archive\":\(header.canonicalText)}"
        case .entry(let entry): "{\"entry\":\(entry.text)}"
        case .document(let number, let text): Self.head(number) + text + "}}"
        case .day(let day): "{\"day\":\(day.canonicalText)}"
        case .end(let counts): "{\"end\":\(counts.canonicalText)}"
        }
    }

    /// What stands before a document, whose bytes stay as they were served.
    private static func head(_ number: Int64) -> String {
        "{\"document\":{\"number\":\(number),\"document\":"
    }

    /// Reads what ``text`` wrote.
    package init(text: [UInt8]) throws(ShapeError) {
        guard let json = try? JSONParser.parse(text), let object = json.object, object.count == 1,
            let kind = object.keys.first, let value = object[kind]
        else { throw ShapeError(path: "line", expected: "an object with one member") }
        switch kind {
        case "archive": self = .header(try ArchiveHeader(value, .own))
        case "entry": self = .entry(try ArchivedEntry(value))
        case "document":
            let number = try value.requiredInteger("number")
            let head = Array(Self.head(number).utf8)
            guard text.starts(with: head), text.count > head.count + 2 else {
                throw ShapeError(path: kind, expected: "a number and a document")
            }
            self = .document(
                number: number, text: String(decoding: text[head.count..<text.count - 2], as: UTF8.self))
        case "day": self = .day(try ArchivedDay(value, .own))
        case "end": self = .end(try ArchiveCounts(value, .own))
        case _: throw ShapeError(path: kind, expected: "a kind of line")
        }
    }
}

extension Fact {
    fileprivate var canonicalText: String { String(decoding: canonical.bytes, as: UTF8.self) }
}

/// What an archive is of.
package struct ArchiveHeader: Fact {
    /// The version of the format that this program writes and reads.
    package static let version: Int64 = 1

    package var version: Int64 = Self.version
    /// The archive's number at its hub, from 1.
    package var number: Int64 = 0
    /// The hub's life in which it was made, as cursors of the journal feed name it.
    package var journal = ""
    /// The first day that is not in it.
    package var before = ""
    /// The documents of the journal feed: those above the first number and up to the second.
    package var above: Int64 = 0
    package var through: Int64 = 0
    /// Entries that are no sale, void or refund are in it when they came before this moment, RFC 3339.
    package var arrivedBefore = ""
    /// When it was begun, RFC 3339.
    package var madeAt = ""

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("above", &above)
        try m.text("arrivedBefore", &arrivedBefore)
        try m.text("before", &before)
        try m.text("journal", &journal)
        try m.text("madeAt", &madeAt)
        try m.number("number", &number, in: 1...Int64.max)
        try m.number("through", &through)
        try m.number("version", &version, in: Self.version...Self.version)
    }
}

/// An entry of a terminal's journal with what the hub made of it.
package struct ArchivedEntry: Hashable, Sendable {
    /// Where it lies, and what is kept of it in the store.
    package struct Place: Fact {
        /// ``EntryKey``.
        package var key = ""
        package var terminalId = ""
        package var epoch: Int64 = 0
        package var sequence: Int64 = 0
        package var type = ""
        /// `applied`, `rejected` or `conflict`.
        package var outcome = ""
        /// Milliseconds since 1970.
        package var receivedAt: Int64 = 0
        /// Whether the mutation carries the hash that it has.
        package var hashRight: Bool?

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("epoch", &epoch)
            try m.flag("hashRight", &hashRight, .required)
            try m.text("key", &key)
            try m.text("outcome", &outcome)
            try m.number("receivedAt", &receivedAt)
            try m.number("sequence", &sequence)
            try m.text("terminalId", &terminalId)
            try m.text("type", &type)
        }
    }

    package let place: Place
    /// The mutation as the terminal wrote it, canonical.
    package let mutation: String
    package let link: JournalChain.Link

    /// An entry as the store has it.
    package init(_ place: Place, mutation: String) {
        let bytes = Array(mutation.utf8)
        var place = place
        place.hashRight = Mutation.isIntact(bytes)
        self.init(checked: place, mutation, JSONValue.read(bytes))
    }

    private init(checked place: Place, _ mutation: String, _ json: JSONValue) {
        self.place = place
        self.mutation = mutation
        link = JournalChain.Link(
            epoch: place.epoch, sequence: place.sequence, previousHash: json["previousHash"]?.string ?? "",
            hash: json["hash"]?.string ?? "", isHashRight: place.hashRight ?? false)
    }

    fileprivate init(_ json: JSONValue) throws(ShapeError) {
        let place = try Place(json, .own)
        let mutation = json["mutation"] ?? .null
        self.init(checked: place, mutation.canonicalText, mutation)
        guard Mutation.isIntact(mutation.canonicalBytes) == place.hashRight else {
            throw ShapeError(path: "mutation", expected: "the hash that it was written with")
        }
    }

    fileprivate var text: String {
        var bytes = place.canonical.bytes
        bytes.removeLast()
        return String(decoding: bytes, as: UTF8.self) + ",\"mutation\":\(mutation)}"
    }
}

extension JSONValue {
    fileprivate static func read(_ bytes: [UInt8]) -> JSONValue { (try? JSONParser.parse(bytes)) ?? .null }
}

/// What the sales, voids and refunds of one day of one store in one currency come to, in minor units.
package struct ArchivedDay: Fact, Comparable {
    package var day = ""
    package var storeId = ""
    package var currency = ""
    package var orders: Int64 = 0
    /// Whole numbers as text, since hostile amounts have no room in a number of JSON.
    package var gross = "0"
    package var discounts = "0"
    package var refunds = "0"
    package var tax = "0"

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("currency", &currency)
        try m.text("day", &day)
        try m.text("discounts", &discounts)
        try m.text("gross", &gross)
        try m.number("orders", &orders)
        try m.text("refunds", &refunds)
        try m.text("storeId", &storeId)
        try m.text("tax", &tax)
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.day, left.storeId, left.currency) < (right.day, right.storeId, right.currency)
    }
}

/// How many lines of each kind an archive has.
package struct ArchiveCounts: Fact {
    package var entries: Int64 = 0
    package var documents: Int64 = 0
    package var days: Int64 = 0
    /// Places at which the chain of a terminal's journal was broken at the hub.
    package var breaks: Int64 = 0

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("breaks", &breaks)
        try m.number("days", &days)
        try m.number("documents", &documents)
        try m.number("entries", &entries)
    }
}
