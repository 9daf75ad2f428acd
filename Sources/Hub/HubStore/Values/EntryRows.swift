internal import HubCore

/// The table `mutations`, whose `id` is the key of an entry (``EntryKey``), as both stores read it. All
/// parameters are SQL expressions.
package enum EntryRows {
    /// The id that a terminal minted, of an entry's key.
    package static func mintedId(of key: String) -> String { "substr(\(key), 1, \(EntryKey.idLength))" }

    /// Whether the id of the entry `key` was another device's first; an index has these alone.
    package static func isShared(_ key: String) -> String { "length(\(key)) > \(EntryKey.idLength)" }

    package static func isShared(_ key: String, as id: String) -> String {
        "\(isShared(key)) AND \(mintedId(of: key)) = \(id)"
    }

    /// The keys that entries of an id can have, as a set.
    package static func keys(of id: String) -> String {
        "(SELECT \(id) UNION ALL SELECT shared.id FROM mutations shared WHERE \(isShared("shared.id", as: id)))"
    }

    /// What is known of the entries that terminals minted under ids.
    ///
    /// - Parameter isWanted: the condition on an id.
    package static func known(_ isWanted: (String) -> String) -> String {
        let columns =
            "SELECT m.id, m.terminal_id, t.store_id, m.digest, m.result, m.received_at FROM mutations m "
            + "LEFT JOIN terminals t ON t.id = m.terminal_id WHERE "
        return columns + isWanted("m.id") + " UNION ALL " + columns + isShared("m.id") + " AND "
            + isWanted(mintedId(of: "m.id"))
    }

    /// Whether two terminals are one device: the same one, or enrolled with one key in one store, or
    /// linked by an operator. Its `device` is the key that it had first.
    package static func isOneDevice(_ terminal: String, _ other: String) -> String {
        "(\(terminal) = \(other) OR EXISTS (SELECT 1 FROM terminals one JOIN terminals same "
            + "ON same.store_id = one.store_id AND same.device = one.device "
            + "WHERE one.id = \(terminal) AND same.id = \(other)))"
    }

    /// Whether the device of an entry edited it.
    package static func isEdited(_ key: String, of terminal: String) -> String {
        "EXISTS (SELECT 1 FROM mutations e WHERE e.supersedes = \(mintedId(of: key)) "
            + "AND \(isOneDevice("e.terminal_id", terminal)))"
    }

    /// Whether the device of an entry, or an operator for it, discarded it.
    package static func isDiscarded(_ key: String, of terminal: String) -> String {
        "EXISTS (SELECT 1 FROM discards d WHERE d.mutation_id = \(mintedId(of: key)) "
            + "AND \(isOneDevice("d.terminal_id", terminal)))"
    }

    /// Whether the row `order` of the table `orders` is the order that a terminal minted as `id`.
    package static func isOrder(_ order: String, mintedAs id: String) -> String {
        "(\(order).order_id = \(id) OR \(order).minted_id = \(id))"
    }
}
