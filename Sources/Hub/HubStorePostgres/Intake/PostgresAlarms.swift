internal import HubCore
internal import HubStore

/// Alarms as rows of the database.
enum PostgresAlarms {
    /// Raises them in one statement, the same ones of a day counted together; nil for none.
    static func raising(_ alarms: [Alarm]) -> PostgresStatement? {
        guard !alarms.isEmpty else { return nil }
        // In one order, so that two hubs that raise several of the same ones do not wait for each other; and
        // each once, since one statement changes a row once.
        let groups = Dictionary(grouping: alarms) {
            Key(kind: $0.kind, terminalId: $0.terminalId, day: $0.day)
        }
        .sorted { $0.key < $1.key }
        func texts(_ text: (Alarm) -> String?) -> PostgresValue {
            .texts(groups.map { $0.value.first.flatMap(text) })
        }
        func integers(_ number: ([Alarm]) -> Int64?) -> PostgresValue {
            .integers(groups.map { number($0.value) })
        }
        return PostgresStatement(
            "INSERT INTO alarms (kind, terminal_id, day, mutation_id, detail, raised_at, last_at, count) "
                + "SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], "
                + "$6::bigint[], $7::bigint[], $8::bigint[]) ON CONFLICT (kind, terminal_id, day) "
                + "DO UPDATE SET last_at = GREATEST(alarms.last_at, excluded.last_at), "
                + "count = alarms.count + excluded.count",
            [
                texts(\.kind), texts(\.terminalId), integers(\.first?.day), texts(\.mutationId),
                texts(\.detail), integers { $0.map(\.at).min() }, integers { $0.map(\.at).max() },
                integers { Int64($0.count) },
            ])
    }

    private struct Key: Hashable, Comparable {
        let kind: String
        let terminalId: String
        let day: Int64

        static func < (left: Key, right: Key) -> Bool {
            (left.kind, left.terminalId, left.day) < (right.kind, right.terminalId, right.day)
        }
    }
}
