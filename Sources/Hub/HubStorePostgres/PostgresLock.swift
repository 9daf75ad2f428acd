import HubCore
import HubProtocol

/// Locks that hold to the end of a transaction, over all processes of the hubs that share a schema.
enum PostgresLock {
    /// Migrating.
    case schema
    /// Giving positions of the change feed: they become visible in their own order, so no reader's cursor
    /// passes one that is still being written.
    case feed
    /// Exchanging what terminals reported.
    case reports
    /// Changing the hub's keys.
    case keys
    /// Appending to the operators' log.
    case operatorLog
    /// Enrolling a terminal, whose key is compared with those of the other stores.
    case enrolments

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

    private var key: String { "hashtextextended(current_schema() || ':\(name)', 0)" }

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

    /// Keeps an entry and the edit or discard of it apart, also when they come from two terminals to two
    /// hubs: an edit or a discard has its transaction alone, all others run concurrently.
    static func successions(of pushes: [IntakeRequest]) -> PostgresStatement {
        let isAlone = pushes.contains { $0.mutations.contains(where: \.respondsToAnother) }
        let lock = isAlone ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared"
        return PostgresStatement(
            "SELECT \(lock)(hashtextextended(current_schema() || ':successions', 0))")
    }

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

    /// Locks the journals of terminals, lowest id first, so that two that want the same ones do not wait for
    /// each other.
    static func journals(of terminalIds: [String]) -> PostgresStatement {
        PostgresStatement(
            "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':terminal:' || id, 0)) "
                + "FROM (SELECT id FROM unnest($1::text[]) AS wanted (id) ORDER BY id) AS ordered",
            [.texts(Set(terminalIds).sorted())])
    }
}

extension ReceivedMutation {
    /// Whether it refers to another mutation: it replaces it or discards it.
    fileprivate var respondsToAnother: Bool {
        supersedes != nil || type == "mutation.discarded"
    }
}
