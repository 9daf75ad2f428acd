internal import HubStore

/// Transactions of several hubs take numbers of the journal feed at once and end in another order.
///
/// Each announces the last number before its own by an advisory lock, which ends behind the moment from
/// which its rows are seen. Whoever reads takes the last number first, then looks at the announcements, and
/// then reads the rows: a transaction that is not among them took its numbers behind the last one, or has
/// ended. Nobody waits for anybody; a transaction that hangs holds up readers of the journal alone.
extension JournalNumbering {
    static let postgres = JournalNumbering(
        announcement: StoreQuery(
            "SELECT pg_advisory_xact_lock_shared(\(kind), (\(last) % \(wrap))::int) FROM \(numbers)"),
        last: StoreQuery("SELECT \(last) FROM \(numbers)"),
        settled: StoreQuery(
            "SELECT LEAST($1, MIN($1 - behind)) FROM (SELECT "
                + "(CAST($1 AS BIGINT) % \(wrap) - objid::bigint + \(wrap)) % \(wrap) AS behind FROM pg_locks "
                + "WHERE locktype = 'advisory' AND objsubid = 2 AND classid = (\(kind))::oid "
                + "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS open "
                // What was announced since is behind the last number.
                + "WHERE behind < \(wrap / 2)"))

    /// The sequence of the column.
    private static let numbers = "documents_number_seq"
    /// A sequence that gave no number shows the first one.
    private static let last = "last_value - CASE WHEN is_called THEN 0 ELSE 1 END"
    private static let kind = "hashtext(current_schema() || ':documents')"
    /// A lock has 32 bits for a number, of which the sign is not used.
    private static let wrap: Int64 = 1 << 31
}
