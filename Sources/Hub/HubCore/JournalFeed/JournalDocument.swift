import Base
package import HubProtocol

/// One document of the journal feed: what a back office books, written once when the hub got to know it and
/// served as it was written (docs/reference/journal-feed.md).
package struct JournalDocument: Hashable, Sendable {
    /// What a document is about; the raw value is its `type`.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case order, void, refund, cash, shift, statement, debt, debtSettled, points, flag
    }

    /// What it is about.
    package let kind: Kind
    /// The store of its terminal; nil: it is about the whole chain.
    package let storeId: String?
    /// The key of the sale, void, refund or movement of cash that it is (``EntryKey``); nil: it is found by
    /// its number alone.
    package let entry: String?
    /// The document as it is served: a JSON object.
    package let text: String
    /// What ``text`` says of a sale, a void or a refund that was made just now; nil of all others.
    package let sale: SaleDocument?

    /// Makes a document of its common members and its own.
    ///
    /// - Parameter content: a JSON object.
    package init(_ common: JournalCommons, _ content: [UInt8]) {
        self.init(common, content, nil, entry: nil)
    }

    package init(_ common: JournalCommons, _ content: some Fact) {
        self.init(common, content.canonical.bytes)
    }

    /// Makes the document of a sale, a void or a refund.
    package init(_ common: JournalCommons, _ sale: SaleDocument, entry: String) {
        self.init(common, sale.canonical.bytes, sale, entry: entry)
    }

    package init(_ common: JournalCommons, _ move: CashDocument, entry: String) {
        self.init(common, move.canonical.bytes, nil, entry: entry)
    }

    /// Makes the document of a discarded entry.
    init(_ common: JournalCommons, _ flag: FlagDocument, entry: String) {
        self.init(common, flag.canonical.bytes, nil, entry: entry)
    }

    private init(_ common: JournalCommons, _ content: [UInt8], _ sale: SaleDocument?, entry: String?) {
        kind = common.kind
        self.entry = entry
        self.sale = sale
        storeId = common.storeId
        var bytes = common.canonical.bytes
        // Its own members stand last, where they are found without a look at the others.
        bytes.removeLast()
        bytes += Array(",\"document\":".utf8) + content + [UInt8(ascii: "}")]
        text = String(decoding: bytes, as: UTF8.self)
    }
}

/// What all documents of the journal feed have in common.
package struct JournalCommons: Fact {
    /// What the document is about.
    package var kind: JournalDocument.Kind = .order
    /// With ``kind`` and ``terminalId`` it names the document: the id of the mutation, or what the hub made
    /// it of.
    package var id = ""
    /// Nil: it is about the whole chain.
    package var storeId: String?
    /// Nil: an operator's.
    package var terminalId: String?
    /// As its terminal minted it.
    package var orderId: String?
    package var orderNumber: String?
    package var shiftId: String?
    /// `YYYY-MM-DD`: the day on which it counts.
    package var businessDay: String?
    /// When it was made by the terminal's own clock, RFC 3339; nil for what the hub made.
    package var madeAt: String?
    /// When it was made by the hub's clock as the terminal followed it, RFC 3339; nil: not known.
    package var madeAtHub: String?
    /// When the hub got it, RFC 3339.
    package var receivedAt = ""
    /// ISO 4217; nil where it is about no money.
    package var currency: String?

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("businessDay", &businessDay, .optional)
        try m.text("currency", &currency, .optional)
        try m.text("id", &id)
        try m.text("madeAt", &madeAt, .optional)
        try m.text("madeAtHub", &madeAtHub, .optional.orNull)
        try m.text("orderId", &orderId, .optional)
        try m.text("orderNumber", &orderNumber, .optional)
        try m.text("receivedAt", &receivedAt)
        try m.text("shiftId", &shiftId, .optional)
        try m.text("storeId", &storeId, .optional)
        try m.text("terminalId", &terminalId, .optional)
        try m.word("type", &kind, of: "a type of the journal feed")
    }
}

extension JournalDocument {
    /// Reads a document as it is stored: what it has in common with all, and its own members. What cannot be
    /// read is missing.
    package static func shown(_ text: String?) -> (common: JournalCommons, content: JSONValue) {
        let json = text.flatMap { try? JSONParser.parse($0.utf8) }
        return (JournalCommons(shown: json), json?["document"] ?? .null)
    }
}

extension JournalCommons {
    /// Of what an accepted mutation did.
    init(_ kind: JournalDocument.Kind, of record: MutationRecord) {
        let said = record.mutation.common
        self.kind = kind
        id = record.mutation.id
        (terminalId, storeId) = (record.device.terminalId, record.device.storeId)
        orderId = said.namedOrder
        orderNumber = said.orderNumber.map(TextBound.key)
        shiftId = said.shiftId.map(TextBound.key)
        businessDay =
            said.businessDay.flatMap(SaleEntry.day) ?? SaleEntry.day(receivedAt: record.receivedAt)
        madeAt = (try? record.mutation.content.get()).map { TextBound.key($0.clientGeneratedAt) }
        madeAtHub = said.hubTime.map(TextBound.key)
        receivedAt = Timestamp.text(milliseconds: record.receivedAt)
        currency = NamedCurrency.of(said.currency)
    }

    /// Of what the hub itself decided or got to know.
    ///
    /// - Parameter now: the hub's clock, in milliseconds since 1970.
    package init(
        _ kind: JournalDocument.Kind, _ id: String, of terminalId: String?, in storeId: String?, at now: Int64
    ) {
        self.kind = kind
        self.id = id
        (self.terminalId, self.storeId) = (terminalId, storeId)
        receivedAt = Timestamp.text(milliseconds: now)
        madeAtHub = receivedAt
    }
}
