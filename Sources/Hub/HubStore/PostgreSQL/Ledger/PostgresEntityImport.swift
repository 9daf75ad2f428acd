internal import HubCore
internal import HubProtocol

/// The questions and orders of an import of entities as SQL, each one statement however many it names.
struct PostgresEntityImport {
    private let connection: PostgresConnection

    /// Entities of one statement.
    private static let portion = 2_000

    /// - Parameter connection: one whose transaction has begun.
    init(on connection: PostgresConnection) throws(PostgresError) {
        self.connection = connection
        // A plan is made for the lists of this import, not for those of an earlier one.
        try connection.query("SET LOCAL plan_cache_mode = force_custom_plan")
    }

    func plan(_ list: [some ImportedEntity], _ gone: [EntityKey]) throws(PostgresError) -> EntityPlan {
        EntityPlan(
            list, withdrawing: gone,
            beside: try values(of: EntityPlan.keys(of: list, withdrawing: gone)))
    }

    private func values(of keys: [EntityKey]) throws(PostgresError) -> [EntityKey: JSONValue] {
        var values: [EntityKey: JSONValue] = [:]
        for portion in keys.portions(of: Self.portion) {
            values.merge(try Self.values(of: Array(portion), on: connection)) { $1 }
        }
        return values
    }

    /// Those that are there, whichever store they are for; a deleted one has no value.
    static func values(
        of keys: [EntityKey], on connection: PostgresConnection
    ) throws(PostgresError) -> [EntityKey: JSONValue] {
        guard !keys.isEmpty else { return [:] }
        var values: [EntityKey: JSONValue] = [:]
        let rows = try connection.query(
            "SELECT entity, entity_id, value FROM changes "
                + "JOIN unnest($1::text[], $2::text[]) AS wanted (entity, entity_id) USING (entity, entity_id) "
                + "WHERE value IS NOT NULL",
            [.texts(of: keys, \.entity), .texts(of: keys, \.id)]
        ).rows
        for row in rows {
            values[EntityKey(try row.text(0), try row.text(1))] = PostgresLedger.document(row.optionalText(2))
        }
        return values
    }

    /// Puts changes at the feed's end, each at a tick of its own.
    func write(
        _ changes: [EntityPlan.Change], at now: Int64, from start: HybridLogicalClock
    ) throws(PostgresError) {
        var clock = start
        for portion in changes.portions(of: Self.portion) {
            let published = portion.map { change in
                clock.tick(now: now)
                return PublishedChange(change, at: now, hlc: clock)
            }
            try connection.query([PublishedChange.statement(for: published)])
        }
    }
}
