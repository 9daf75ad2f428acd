package import HubProtocol

extension PriceRecord: ImportedEntity {
    /// Entity `price`, by store, begin and article.
    package var key: EntityKey { EntityKey(Self.entity, id) }
    /// The price's one store; empty for one of every store.
    package var audience: String { storeId ?? "" }
    /// The record replaces what was known.
    package func value(over known: JSONValue?) -> JSONValue { json }
}

extension ListingRecord: ImportedEntity {
    /// Entity `listing`, by store and article.
    package var key: EntityKey { EntityKey(Self.entity, id) }
    /// The listing's one store; empty for one of every store.
    package var audience: String { storeId ?? "" }
    /// The record replaces what was known.
    package func value(over known: JSONValue?) -> JSONValue { json }
}

extension StockRecord: ImportedEntity {
    /// Entity `stock`, by store and article.
    package var key: EntityKey { EntityKey(Self.entity, id) }
    /// The store that counts it.
    package var audience: String { storeId }
    /// The record replaces what was known: what was sold before is in the new count.
    package func value(over known: JSONValue?) -> JSONValue { json }
}
