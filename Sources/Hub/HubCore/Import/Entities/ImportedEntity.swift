package import HubProtocol

/// An entity of the change feed. Its id is one of the whole chain, also where one store alone gets it.
package struct EntityKey: Hashable, Sendable {
    /// `member`, `cashier`, `promotion`, `coupon`, `price`, `listing` or `terminalKey`.
    package let entity: String
    /// The id of the record, or the coupon's code.
    package let id: String

    /// The key of an entity; neither part is checked here.
    package init(_ entity: String, _ id: String) {
        self.entity = entity
        self.id = id
    }

    /// Entities that may belong to one store, which their value names then.
    private static let ofStores: Set = [
        "cashier", "promotion", TerminalKey.entity, PriceRecord.entity, ListingRecord.entity,
        StockRecord.entity,
    ]

    /// Whose terminals get the entity with this value, by ``FeedAudience``.
    func audience(of value: JSONValue) -> String {
        if entity == ShiftStatement.entity, let terminalId = value["terminalId"]?.string {
            return FeedAudience.terminal(terminalId)
        }
        return Self.ofStores.contains(entity) ? value["storeId"]?.string ?? "" : ""
    }
}

/// Whose terminals get a row of the change feed, as the stores keep it beside the row: empty for all, a
/// store's id for those of one store, or one terminal.
package enum FeedAudience {
    /// One terminal alone. No store's id has a colon.
    package static func terminal(_ id: String) -> String { "terminal:" + id }

    /// All audiences that a terminal belongs to.
    package static func all(of terminalId: String, in storeId: String) -> [String] {
        ["", storeId, terminal(terminalId)]
    }
}

/// One record of an import, and what it makes of the entity that the hub has.
package protocol ImportedEntity: Sendable {
    /// The record's own entity.
    var key: EntityKey { get }

    /// Whose terminals get the entity, by ``FeedAudience``.
    var audience: String { get }

    /// Another entity that the hub has to know first; nil: none.
    var basis: EntityKey? { get }

    /// The entity's value with this record over it; nil when nothing of it is known yet.
    ///
    /// - Throws: ``ImportObjection`` when that cannot be.
    func value(over known: JSONValue?) throws(ImportObjection) -> JSONValue

    /// What the record makes of its ``basis``.
    func basisValue(over known: JSONValue) -> JSONValue
}

extension ImportedEntity {
    /// By default every store.
    package var audience: String { "" }
    /// By default nothing: the record stands for itself.
    package var basis: EntityKey? { nil }
    /// By default the basis stays as it is.
    package func basisValue(over known: JSONValue) -> JSONValue { known }
}

/// Why a record cannot be imported.
package struct ImportObjection: Error, Hashable, Sendable {
    /// The reason, for a person.
    package let message: String
    /// The record's place in the list, from 0; nil for one that is withdrawn, or where no single record is at
    /// fault.
    package let place: Int?

    /// Makes an objection with one sentence for a person; by default it is about no single record.
    package init(_ message: String, place: Int? = nil) {
        self.message = message
        self.place = place
    }

    /// Objections that one import reports. A person fixes about a screen of them before the next try;
    /// with twice as many the first ones scroll away, with half as many a file takes more tries.
    package static let most = 20
}

/// Not imported, but kept in the feed in the same way: the hub compares it with the terminals that are
/// enrolled.
extension TerminalKey: ImportedEntity {
    package var key: EntityKey { EntityKey(Self.entity, terminalId) }
    /// The terminal's own store: no other can check its receipts without the hub.
    package var audience: String { storeId }
    /// Of the same key, where it listens stays known until it says something else.
    package func value(over known: JSONValue?) -> JSONValue {
        guard neighbours == nil, let known = known.flatMap({ try? TerminalKey(json: $0) }),
            known.publicKey == publicKey
        else { return json }
        var whole = self
        whole.neighbours = known.neighbours
        return whole.json
    }
}
