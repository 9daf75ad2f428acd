internal import HubCore
internal import HubProtocol
internal import HubStore

/// Locks of the database, over all processes of the hubs that share a schema.
extension StoreLock {
    private var name: String {
        switch self {
        case .schema: "schema"
        case .feed: "feed"
        case .reports: "reports"
        case .keys: "keys"
        case .operatorLog: "operator-log"
        case .enrolments: "enrolments"
        }
    }

    /// The number of the advisory lock.
    var key: String { "hashtextextended(current_schema() || ':\(name)', 0)" }

    var statement: PostgresStatement { PostgresStatement("SELECT pg_advisory_xact_lock(\(key))") }

    /// Holds the lock over all that `body` does, its transactions and what is between them.
    func held<Value>(
        on connection: PostgresConnection, _ body: () throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        try connection.query("SELECT pg_advisory_lock(\(key))")
        let result = Result { () throws(PostgresError) in try body() }
        if !connection.isBroken { try connection.query("SELECT pg_advisory_unlock(\(key))") }
        return try result.get()
    }
}

/// Locks that have names of their own, to the end of a transaction.
enum PostgresLock {
    /// Keeps a sale and the refund by the number of its receipt apart, which two terminals can bring to two
    /// hubs at once: whichever is second finds the first.
    static func receipt(_ number: String) -> PostgresStatement {
        PostgresStatement(
            "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':receipt:' || $1, 0))",
            [.text(number)])
    }

    /// Keeps the decisions about one terminal's refunds apart, which count what it has open.
    static func refunds(of terminalId: String) -> PostgresStatement {
        PostgresStatement(
            "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':refunds:' || $1, 0))",
            [.text(terminalId)])
    }

    /// Keeps each receipt's sale and refunds apart, as ``receipt(_:)``, lowest number first, so that two
    /// pushes with the same ones do not wait for each other.
    static func receipts(_ numbers: Set<String>) -> PostgresStatement {
        PostgresStatement(
            "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':receipt:' || number, 0)) "
                + "FROM (SELECT number FROM unnest($1::text[]) AS wanted (number) ORDER BY number) AS ordered",
            [.texts(numbers.sorted())])
    }

    /// Locks the journals of what pushes, lowest id first, so that two that want the same ones do not wait
    /// for each other.
    ///
    /// An edit or a discard also locks those under which its device was enrolled in its store before: it and
    /// the entry that it answers can come to two hubs at once, and no other device's entry is its concern.
    static func journals(of pushes: [IntakeRequest]) -> PostgresStatement {
        let own = Set(pushes.map(\.device.terminalId)).sorted()
        let answering = pushes.filter { $0.mutations.contains(where: \.respondsToAnother) }
        guard !answering.isEmpty else { return journals(of: own) }
        return PostgresStatement(
            journals(
                from: "unnest($1::text[]) AS own (id) UNION SELECT same.id FROM terminals own "
                    + "JOIN terminals same ON same.store_id = own.store_id "
                    + "AND same.device = own.device WHERE own.id = ANY($2::text[])"),
            [.texts(own), .texts(Set(answering.map(\.device.terminalId)).sorted())])
    }

    /// Locks the journals of terminals, lowest id first.
    static func journals(of terminalIds: [String]) -> PostgresStatement {
        PostgresStatement(
            journals(from: "unnest($1::text[]) AS own (id)"), [.texts(Set(terminalIds).sorted())])
    }

    private static func journals(from ids: String) -> String {
        "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':terminal:' || id, 0)) "
            + "FROM (SELECT own.id FROM \(ids) ORDER BY id) AS ordered"
    }
}

extension ReceivedMutation {
    /// Whether it refers to another mutation: it replaces it or discards it.
    fileprivate var respondsToAnother: Bool {
        supersedes != nil || type == "mutation.discarded"
    }
}
