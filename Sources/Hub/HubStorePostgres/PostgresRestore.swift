package import HubStore

/// What a database needs behind a restore by PostgreSQL's own programs.
package enum PostgresRestore {
    /// New identities of the change feed and of the QoS store, the mark of a restored store, and the end of
    /// codes that may have been used since the backup. Without a double quote or a dollar sign: they are
    /// shown as one argument of a shell.
    package static let statements =
        JournalRows.newLife(named: "substr(replace(gen_random_uuid()::text, '-', ''), 1, 16)") + [
            "UPDATE meta SET value = substr(replace(gen_random_uuid()::text, '-', ''), 1, 16) WHERE key = 'feed'",
            "UPDATE qos_meta SET value = replace(gen_random_uuid()::text, '-', '') WHERE key = 'issuer'",
            "INSERT INTO meta (key, value) VALUES ('restored_at', "
                + "(extract(epoch FROM now()) * 1000)::bigint::text) "
                + "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            "UPDATE enrolment_codes SET revoked_at = (extract(epoch FROM now()) * 1000)::bigint "
                + "WHERE terminal_id IS NULL AND revoked_at IS NULL",
            "UPDATE operators SET login_code_digest = NULL",
        ]
}

/// What a database shows to somebody who changes nothing in it.
package enum PostgresStoreSummary {
    /// The newest schema that this program knows.
    package static var knownSchema: Int { PostgresSchema.ledger.steps.count }

    /// The schema of the hub's tables at `url`; nil where there are none yet.
    package static func schema(of url: String) throws(LedgerError) -> Int? {
        do throws(PostgresError) {
            let connection = try PostgresConnection(url: url)
            let isThere = try connection.query("SELECT to_regclass('hub_schema') IS NOT NULL").first?.text(0)
            guard isThere == "t" else { return nil }
            let row = try connection.query("SELECT version FROM hub_schema WHERE name = 'ledger'").first
            return Int(row?.optionalInteger(0) ?? 0)
        } catch {
            throw error.ledgerError
        }
    }

    /// When the tokens end of operators without a password, the first to end first.
    package static func tokens(of url: String) throws(LedgerError) -> [(name: String, end: Int64)] {
        do throws(PostgresError) {
            var tokens: [(name: String, end: Int64)] = []
            for row in try PostgresConnection(url: url).query(EndingTokens.selection).rows {
                tokens.append((try row.text(0), row.optionalInteger(1) ?? 0))
            }
            return tokens
        } catch {
            throw error.ledgerError
        }
    }
}
