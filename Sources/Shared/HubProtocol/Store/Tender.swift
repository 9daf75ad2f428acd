/// A way to pay in one store (docs/reference/configuration.md).
package struct Tender: Hashable, Sendable {
    /// Its name at the till and in payloads: 1 to 32 lower-case letters, digits and hyphens.
    package let method: String
    /// What it is, whatever its name.
    package let kind: TenderKind
    /// Whether it is taken while the hub can be reached.
    package let isOnline: Bool
    /// Whether it is taken while the hub is away. A card or a wallet then also needs the shop's own machine
    /// or limits for tokens (``OfflineCardLimits``).
    package let isOffline: Bool
    /// Whether money goes back to it; else a refund of it is paid in cash.
    package let isRefundable: Bool

    package init(method: String, kind: TenderKind, isOnline: Bool, isOffline: Bool, isRefundable: Bool) {
        self.method = method
        self.kind = kind
        self.isOnline = isOnline
        self.isOffline = isOffline
        self.isRefundable = isRefundable
    }

    /// Taken always.
    package static let cash = Tender(
        method: "cash", kind: .cash, isOnline: true, isOffline: true, isRefundable: true)
    /// As stores without a list take cards.
    package static let card = Tender(
        method: "card", kind: .card, isOnline: true, isOffline: true, isRefundable: true)

    /// Reads an entry of the list; missing members are true.
    package init(json: JSONValue) throws(ShapeError) {
        method = try json.requiredString("method")
        guard (1...32).contains(method.utf8.count), method.utf8.allSatisfy(Self.isNameByte) else {
            throw ShapeError(path: "method", expected: "1 to 32 lower-case letters, digits and hyphens")
        }
        guard let kind = TenderKind(rawValue: try json.requiredString("kind")) else {
            throw ShapeError(path: "kind", expected: "cash, card, wallet or voucher")
        }
        self.kind = kind
        isOnline = try Self.flag("online", in: json)
        isOffline = try Self.flag("offline", in: json)
        isRefundable = try Self.flag("refundable", in: json)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
    }

    private static func flag(_ name: String, in json: JSONValue) throws(ShapeError) -> Bool {
        guard let value = json[name] else { return true }
        guard let flag = value.bool else { throw ShapeError(path: name, expected: "true or false") }
        return flag
    }

    /// The entry of the list.
    package var json: JSONValue {
        [
            "method": .string(method), "kind": .string(kind.rawValue), "online": .bool(isOnline),
            "offline": .bool(isOffline), "refundable": .bool(isRefundable),
        ]
    }
}

/// The ways to pay of one store: `tenders` in `storeConfig`.
package struct TenderList: Hashable, Sendable {
    /// The key in `storeConfig`.
    package static let key = "tenders"
    /// What a value must be, as text.
    package static let expected =
        "a list of at most 20 tenders {\"method\",\"kind\",\"online\",\"offline\",\"refundable\"}, each method "
        + "once and cash among them"

    /// In the order of the list.
    package let tenders: [Tender]

    /// Cash, and cards where the hub has a payment service.
    ///
    /// - Parameter takesCards: whether the hub has one.
    package static func standard(takesCards: Bool) -> TenderList {
        TenderList([.cash] + (takesCards ? [.card] : []))
    }

    private init(_ tenders: [Tender]) {
        self.tenders = tenders
    }

    /// The same list with the tender `card`, behind all others where it had none of that name.
    package var withCard: TenderList {
        self[Tender.card.method] == nil ? TenderList(tenders + [.card]) : self
    }

    /// Reads a list; nil for a value that is none.
    package init?(json: JSONValue) {
        guard let listed = json.array, (1...20).contains(listed.count) else { return nil }
        var tenders: [Tender] = []
        for entry in listed {
            guard let tender = try? Tender(json: entry) else { return nil }
            tenders.append(tender)
        }
        guard Set(tenders.map(\.method)).count == tenders.count,
            tenders.contains(where: { $0.method == Tender.cash.method && $0.kind == .cash })
        else { return nil }
        self.init(tenders)
    }

    /// The value in `storeConfig`.
    package var json: JSONValue { .array(tenders.map(\.json)) }

    /// The tender of this name; nil: the store does not take it.
    package subscript(method: String) -> Tender? { tenders.first { $0.method == method } }
}
