internal import HubProtocol
package import HubStore

/// What a client of PostgreSQL can look at: the server guards its pages itself.
extension PostgresLedger {
    /// Reads every row, then checksums and indexes where the server allows it; a broken connection throws.
    package func check() async throws(LedgerError) -> StoreCheck {
        try await database.perform(isLong: true) { connection throws(PostgresError) in
            let tables = try connection.query(
                "SELECT c.oid::regclass::text FROM pg_class c WHERE c.relkind = 'r' "
                    + "AND c.relnamespace = current_schema()::regnamespace ORDER BY 1"
            ).rows.map { row throws(PostgresError) in try row.text(0) }
            var findings: [String] = []
            for table in tables {
                do throws(PostgresError) {
                    // Every value is unpacked, those outside the row too: a damaged one ends the query.
                    try connection.query("SELECT COALESCE(sum(length(t::text)), 0)::bigint FROM \(table) t")
                } catch {
                    guard !connection.isBroken else { throw error }
                    findings.append("\(table): \(error)")
                }
            }
            let sums = try Self.checksums(on: connection)
            findings += sums.findings
            let indexes = try Self.indexes(on: connection)
            findings += indexes.findings
            return StoreCheck(
                findings: Array(findings.prefix(StoreCheck.listed)),
                looked: ["every row of \(tables.count) tables", sums.looked, indexes.looked])
        }
    }

    private static func checksums(
        on connection: PostgresConnection
    ) throws(PostgresError) -> (findings: [String], looked: String) {
        let row = try connection.query(
            "SELECT current_setting('data_checksums') AS checksums, "
                + "COALESCE(checksum_failures, 0)::bigint AS failures "
                + "FROM pg_stat_database WHERE datname = current_database()"
        ).first
        guard try row?.optionalText("checksums") == "on" else {
            return ([], "no checksums: the server was made without them (initdb --data-checksums)")
        }
        let failures = try row?.integer("failures") ?? 0
        let finding = "the server counted \(failures) pages with a wrong checksum"
        return (failures > 0 ? [finding] : [], "the server's count of wrong checksums")
    }

    /// By the extension `amcheck`, where it is installed and this user may run it: its functions are a
    /// superuser's until they are granted.
    private static func indexes(
        on connection: PostgresConnection
    ) throws(PostgresError) -> (findings: [String], looked: String) {
        let schema = try connection.query(
            "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
                + "JOIN pg_proc p ON p.pronamespace = n.oid WHERE e.extname = 'amcheck' "
                + "AND p.proname = 'bt_index_check' AND p.pronargs = 1 "
                + "AND has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE')"
        ).first?.text(0)
        guard let schema else {
            return ([], "no indexes: the extension amcheck is not installed, or not granted to the hub")
        }
        let indexes = try connection.query(
            "SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
                + "JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'btree' AND i.indisvalid "
                + "AND c.relnamespace = current_schema()::regnamespace ORDER BY 1"
        ).rows.map { row throws(PostgresError) in try row.text(0) }
        var findings: [String] = []
        for index in indexes {
            do throws(PostgresError) {
                try connection.query("SELECT \(schema).bt_index_check($1::text::regclass)", [.text(index)])
            } catch {
                guard !connection.isBroken else { throw error }
                findings.append("\(index): \(error)")
            }
        }
        return (findings, "\(indexes.count) indexes by amcheck")
    }
}
