internal import HubCore
internal import HubProtocol
internal import HubStore

/// What the pushes of a group read and write of payments together.
enum PostgresPayments {
    /// The rows of keys that terminals name, as `paid` with the row's key and the terminal, behind which a
    /// statement goes on. Parameters: keys, terminals.
    private static let paid =
        "WITH paid AS MATERIALIZED (SELECT \(PaymentRows.key(of: "wanted.name", by: "wanted.terminal")) AS key, "
        + "wanted.name, wanted.terminal FROM unnest($1::text[], $2::text[]) AS wanted (name, terminal))"

    /// What terminals have under keys, with `named_by` and `named`: the terminal and its own key.
    static func named(_ keys: [(key: String, terminalId: String)]) -> PostgresStatement {
        PostgresStatement(
            "\(paid) SELECT paid.terminal AS named_by, paid.name AS named, payments.* FROM paid "
                + "JOIN payments ON payments.key = paid.key",
            [.texts(of: keys, \.key), .texts(of: keys, \.terminalId)])
    }

    /// By ``PaymentRules/capturable``.
    static func capture(_ keys: [(key: String, terminalId: String)]) -> PostgresStatement {
        PostgresStatement(
            "\(paid), taken AS (UPDATE payments SET state = 'captured' FROM paid "
                + "WHERE payments.key = paid.key AND state IN (\(PaymentRows.capturable)) "
                + "RETURNING payments.key, payments.amount, payments.currency) "
                + PaymentRows.insertion
                + "SELECT key, 'capture', key || ':capture', amount, currency FROM taken "
                + "ON CONFLICT (call_key) DO NOTHING",
            [.texts(of: keys, \.key), .texts(of: keys, \.terminalId)])
    }
}
