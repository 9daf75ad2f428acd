import HubCore
import HubProtocol

/// Each table's rows as one statement, however many there are.
extension UnwrittenIntake {
    var statements: [PostgresStatement] {
        [
            mutationRows, entryRows, orderRows, epochRows,
            captures.isEmpty ? nil : PostgresPayments.capture(captures), Self.alarmRows(alarms),
        ].compactMap(\.self)
    }

    private var mutationRows: PostgresStatement? {
        guard !mutations.isEmpty else { return nil }
        func texts(_ value: (MutationRecord) -> String?) -> PostgresValue { .texts(mutations.map(value)) }
        func content(_ record: MutationRecord) -> Mutation? { try? record.mutation.content.get() }
        return PostgresStatement(
            "INSERT INTO mutations (id, terminal_id, sequence, type, digest, hash, previous_hash, outcome, "
                + "result, document, supersedes, hlc, received_at) SELECT * FROM unnest($1::text[], $2::text[], "
                + "$3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], "
                + "$10::text[], $11::text[], $12::text[], $13::bigint[])",
            [
                texts(\.mutation.id), texts(\.device.terminalId),
                .integers(mutations.map(\.mutation.sequence)),
                texts { content($0)?.type ?? "" }, texts(\.mutation.digest), texts(\.mutation.hash),
                texts(\.mutation.previousHash), texts { $0.result?.outcome.rawValue ?? "" },
                texts { $0.result?.json.canonicalText ?? "" }, texts(\.mutation.document),
                texts { content($0)?.supersedes }, texts(\.hlc.description),
                .integers(mutations.map(\.receivedAt)),
            ])
    }

    private var entryRows: PostgresStatement? {
        guard !entries.isEmpty else { return nil }
        return PostgresStatement(
            "INSERT INTO journal SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[])",
            [
                .texts(entries.map(\.slot.place.terminalId)), .integers(entries.map(\.slot.place.epoch)),
                .integers(entries.map(\.slot.sequence)), .texts(entries.map(\.id)),
            ])
    }

    private var orderRows: PostgresStatement? {
        guard !orders.isEmpty else { return nil }
        // In one order, so that two hubs that race for several of the same ones do not wait for each other.
        let orders = orders.sorted { $0.facts.orderId < $1.facts.orderId }
        return PostgresStatement(
            "INSERT INTO orders (mutation_id, order_id, order_number, store_id, terminal_id, total, currency) "
                + "SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], "
                + "$6::bigint[], $7::text[])",
            [
                .texts(orders.map(\.mutationId)), .texts(orders.map(\.facts.orderId)),
                .texts(orders.map(\.facts.orderNumber)), .texts(orders.map(\.device.storeId)),
                .texts(orders.map(\.device.terminalId)), .integers(orders.map(\.facts.total)),
                .texts(orders.map(\.facts.currency)),
            ])
    }

    private var epochRows: PostgresStatement? {
        guard !epochs.isEmpty else { return nil }
        let rows = epochs.sorted { $0.key < $1.key }
        return PostgresStatement(
            "INSERT INTO epochs (terminal_id, epoch, first_sequence, acknowledged_through, highest, "
                + "low_sequence) SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], "
                + "$5::bigint[], $6::bigint[]) ON CONFLICT (terminal_id, epoch) DO UPDATE SET "
                + "acknowledged_through = excluded.acknowledged_through, highest = excluded.highest, "
                + "low_sequence = excluded.low_sequence",
            [
                .texts(rows.map(\.key)), .integers(rows.map(\.value.epoch)),
                .integers(rows.map(\.value.firstSequence)), .integers(rows.map(\.value.acknowledgedThrough)),
                .integers(rows.map(\.value.highest)), .integers(rows.map(\.value.lowSequence)),
            ])
    }

    static func alarmRows(_ alarms: [Alarm]) -> PostgresStatement? {
        guard !alarms.isEmpty else { return nil }
        return PostgresStatement(
            "INSERT INTO alarms (kind, terminal_id, mutation_id, raised_at) "
                + "SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])",
            [
                .texts(alarms.map(\.kind)), .texts(alarms.map(\.terminalId)),
                .texts(alarms.map(\.mutationId)), .integers(alarms.map(\.at)),
            ])
    }
}
