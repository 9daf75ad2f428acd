internal import HubCore
internal import HubProtocol
internal import HubStore

/// Locks of the database, over all processes of the hubs that share a schema.
extension StoreLock {
    private var name: (kind: String, subject: String?) {
        switch self {
        case .schema: ("schema", nil)
        case .feed: ("feed", nil)
        case .sums: ("sums", nil)
        case .reports: ("reports", nil)
        case .keys: ("keys", nil)
        case .operatorLog: ("operator-log", nil)
        case .enrolments: ("enrolments", nil)
        case .journal(let terminalId): ("terminal", terminalId)
        case .receipt(let number): ("receipt", number)
        case .refunds(let terminalId): ("refunds", terminalId)
        }
    }

    /// The number of the advisory lock, and what its SQL needs.
    private var key: (sql: String, values: [StoreValue]) {
        let (kind, subject) = name
        guard let subject else { return ("hashtextextended(current_schema() || ':\(kind)', 0)", []) }
        return ("hashtextextended(current_schema() || ':\(kind):' || $1, 0)", [.text(subject)])
    }

    var query: StoreQuery { StoreQuery("SELECT pg_advisory_xact_lock(\(key.sql))", key.values) }

    var statement: PostgresStatement { PostgresStatement(query) }

    /// Holds the lock over all that `body` does, its transactions and what is between them.
    func held<Value>(
        on connection: PostgresConnection, _ body: () throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        let values = key.values.map { PostgresValue($0) }
        try connection.query("SELECT pg_advisory_lock(\(key.sql))", values)
        let result = Result { () throws(PostgresError) in try body() }
        if !connection.isBroken { try connection.query("SELECT pg_advisory_unlock(\(key.sql))", values) }
        return try result.get()
    }
}

/// Locks that have names of their own, to the end of a transaction.
enum PostgresLock {
    /// Keeps each receipt's sale and refunds apart, as ``StoreLock/receipt(_:)``, lowest number first, so
    /// that two pushes with the same ones do not wait for each other.
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

    private static func journals(of terminalIds: [String]) -> PostgresStatement {
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
