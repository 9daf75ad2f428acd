import HubCore
import HubProtocol
internal import HubStore

/// The rows of an intake that the database does not have yet.
struct UnwrittenIntake {
    struct Order {
        let key: String
        let mutationId: String
        let device: DeviceIdentity
        let facts: CompletedOrder
        let numberCounts: Bool
    }

    var mutations: [MutationRecord] = []
    var entries: [(slot: IntakeDraft.Slot, id: String)] = []
    var orders: [Order] = []
    var sales: [PostgresSales.Row] = []
    var flags: [(flag: IntakeFlag, record: MutationRecord)] = []
    var documents: [JournalDocument] = []
    /// Whether the first documents of the transaction are among them.
    var announcesDocuments = false
    var refusals: [(result: MutationResult, record: MutationRecord)] = []
    var epochs: [JournalPlace: JournalEpoch] = [:]
    var witnesses: [JournalPlace: JournalWitness] = [:]
    var captures: [(key: String, terminalId: String)] = []
    var shiftEntries: [(shiftId: String, slot: IntakeDraft.Slot)] = []
    var alarms: [Alarm] = []
    var memberChanges: [MemberChange] = []
    var visits: [MemberVisit] = []
    var couponUses: [CouponUse] = []
    /// In the order in which they came.
    var relays: [StoreQuery] = []
    var usage: [IntakeDraft.Day: TerminalUsage] = [:]
    var earned: [(device: DeviceIdentity, points: EarnedPoints)] = []
    var namedAttachments: [(terminalId: String, id: String)] = []
}

/// Each table's rows as one statement, however many there are.
extension UnwrittenIntake {
    var statements: [PostgresStatement] {
        [
            mutationRows, entryRows, orderRows, PostgresSales.insertion(of: sales), flagRows,
            refusalRows, epochRows, headRows, entriesBehind,
            captures.isEmpty ? nil : PostgresPayments.capture(captures), PostgresAlarms.raising(alarms),
            PostgresUsage.adding(usage), earnedRows, attachmentRows,
            PostgresMemberChanges.insertion(of: memberChanges), visitRows, couponUseRows,
        ].compactMap(\.self) + documentRows + relays.map { PostgresStatement($0) }
    }

    /// In the order in which they were added, which is the order of their numbers.
    private var documentRows: [PostgresStatement] {
        guard !documents.isEmpty else { return [] }
        return [
            announcesDocuments ? JournalNumbering.postgres.announcement.map { PostgresStatement($0) } : nil,
            PostgresStatement(
                "INSERT INTO documents (kind, store_id, entry, document) "
                    + "SELECT kind, store_id, entry, document FROM "
                    + "unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY "
                    + "AS new (kind, store_id, entry, document, place) ORDER BY place" + JournalRows.once,
                [
                    .texts(of: documents) { $0.kind.rawValue }, .texts(of: documents, \.storeId),
                    .texts(of: documents, \.entry), .texts(of: documents, \.text),
                ]),
        ].compactMap(\.self)
    }

    private var mutationRows: PostgresStatement? {
        guard !mutations.isEmpty else { return nil }
        func texts(_ text: (MutationRecord) -> String?) -> PostgresValue { .texts(of: mutations, text) }
        return PostgresStatement(
            "INSERT INTO mutations (id, terminal_id, sequence, type, digest, hash, previous_hash, outcome, "
                + "result, document, supersedes, hlc, received_at) SELECT * FROM unnest($1::text[], $2::text[], "
                + "$3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], "
                + "$10::text[], $11::text[], $12::text[], $13::bigint[])",
            [
                texts { $0.key }, texts { $0.device.terminalId },
                .integers(of: mutations) { $0.mutation.sequence },
                texts { $0.mutation.type }, texts { $0.mutation.digest }, texts { $0.mutation.hash },
                texts { $0.mutation.previousHash }, texts { $0.result?.outcome.rawValue ?? "" },
                texts { $0.result?.json.canonicalText ?? "" }, texts { $0.mutation.document },
                texts { $0.supersedes }, texts { $0.hlc.description },
                .integers(of: mutations) { $0.receivedAt },
            ])
    }

    /// Of shifts that are closed already; most entries are of an open one and change nothing.
    private var entriesBehind: PostgresStatement? {
        guard !shiftEntries.isEmpty else { return nil }
        return PostgresStatement(
            "UPDATE shifts SET behind = shifts.behind + late.count, \(KeptShift.disputed) FROM "
                + "(SELECT shifts.terminal_id, shifts.shift_id, count(*) AS count "
                + "FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) "
                + "AS entry (terminal_id, shift_id, epoch, sequence) JOIN shifts "
                + "ON shifts.terminal_id = entry.terminal_id AND shifts.shift_id = entry.shift_id "
                + "WHERE \(KeptShift.isBehind(epoch: "entry.epoch", sequence: "entry.sequence")) "
                + "GROUP BY shifts.terminal_id, shifts.shift_id) AS late "
                + "WHERE shifts.terminal_id = late.terminal_id AND shifts.shift_id = late.shift_id",
            [
                .texts(of: shiftEntries) { $0.slot.place.terminalId }, .texts(of: shiftEntries, \.shiftId),
                .integers(of: shiftEntries) { $0.slot.place.epoch },
                .integers(of: shiftEntries) { $0.slot.sequence },
            ])
    }

    private var entryRows: PostgresStatement? {
        guard !entries.isEmpty else { return nil }
        return PostgresStatement(
            "INSERT INTO journal (terminal_id, epoch, sequence, mutation_id) SELECT * FROM "
                + "unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[])",
            [
                .texts(of: entries) { $0.slot.place.terminalId },
                .integers(of: entries) { $0.slot.place.epoch },
                .integers(of: entries) { $0.slot.sequence }, .texts(of: entries) { $0.id },
            ])
    }

    private var orderRows: PostgresStatement? {
        guard !orders.isEmpty else { return nil }
        // In one order, so that two hubs that race for several of the same ones do not wait for each other.
        let orders = orders.sorted { $0.facts.orderId < $1.facts.orderId }
        return PostgresStatement(
            "INSERT INTO orders (mutation_id, order_id, order_number, store_id, terminal_id, total, currency, "
                + "number_counts, minted_id) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], "
                + "$4::text[], $5::text[], $6::bigint[], $7::text[], $8::bigint[], $9::text[])",
            [
                .texts(of: orders) { $0.mutationId }, .texts(of: orders) { $0.key },
                .texts(of: orders) { $0.facts.orderNumber }, .texts(of: orders) { $0.device.storeId },
                .texts(of: orders) { $0.device.terminalId }, .integers(of: orders) { $0.facts.total },
                .texts(of: orders) { $0.facts.currency }, .integers(of: orders) { $0.numberCounts ? 1 : 0 },
                .texts(of: orders) { $0.key == $0.facts.orderId ? nil : $0.facts.orderId },
            ])
    }

    private var flagRows: PostgresStatement? {
        guard !flags.isEmpty else { return nil }
        return PostgresStatement(
            "INSERT INTO flags (mutation_id, flag, terminal_id, received_at) SELECT * FROM "
                + "unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) ON CONFLICT DO NOTHING",
            [
                .texts(of: flags) { $0.record.key }, .texts(of: flags) { $0.flag.rawValue },
                .texts(of: flags) { $0.record.device.terminalId },
                .integers(of: flags) { $0.record.receivedAt },
            ])
    }

    private var refusalRows: PostgresStatement? {
        guard !refusals.isEmpty else { return nil }
        return PostgresStatement(
            "INSERT INTO refusals (mutation_id, terminal_id, received_at, result) SELECT * FROM "
                + "unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) ON CONFLICT DO NOTHING",
            [
                .texts(of: refusals) { $0.record.key },
                .texts(of: refusals) { $0.record.device.terminalId },
                .integers(of: refusals) { $0.record.receivedAt },
                .texts(of: refusals) { $0.result.json.canonicalText },
            ])
    }

    /// A row must not come twice in one statement.
    private var earnedRows: PostgresStatement? {
        guard !earned.isEmpty else { return nil }
        return PostgresStatement(
            EarnedPoints.insertion(
                of: "SELECT store_id, received_day, day, terminal_id, "
                    + "LEAST(SUM(points), \(EarnedPoints.most)), LEAST(SUM(sales), \(EarnedPoints.most)), "
                    + "LEAST(SUM(total), \(EarnedPoints.most)) FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], "
                    + "$6::bigint[], $7::bigint[]) AS new (\(EarnedPoints.columns)) "
                    + "GROUP BY store_id, received_day, day, terminal_id "
                    + "ORDER BY store_id, received_day, day, terminal_id"),
            [
                .texts(of: earned) { $0.device.storeId }, .integers(of: earned) { $0.points.receivedDay },
                .integers(of: earned) { $0.points.day }, .texts(of: earned) { $0.device.terminalId },
                .integers(of: earned) { $0.points.points }, .integers(of: earned) { $0.points.sales },
                .integers(of: earned) { $0.points.total },
            ])
    }

    /// A row must not come twice in one statement; in one order, so that two hubs do not wait for each other.
    private var visitRows: PostgresStatement? {
        guard !visits.isEmpty else { return nil }
        return PostgresStatement(
            MemberVisit.insertion(
                of: "SELECT DISTINCT ON (member_id, store_id) \(MemberVisit.columns) FROM "
                    + "unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) "
                    + "AS new (\(MemberVisit.columns)) "
                    + "WHERE \(MemberVisit.others(than: "new.store_id", at: "new.seen_at")) "
                    + "ORDER BY member_id, store_id, seen_at DESC"),
            [
                .texts(of: visits, \.memberId), .texts(of: visits, \.storeId),
                .integers(of: visits, \.seenAt), .texts(of: visits, \.terminalId),
            ])
    }

    private var couponUseRows: PostgresStatement? {
        guard !couponUses.isEmpty else { return nil }
        return PostgresStatement(
            CouponUse.insertion(
                of: "SELECT coupon_id, store_id, day, count(*), MAX(used_at) FROM "
                    + "unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) "
                    + "AS new (coupon_id, store_id, day, used_at) GROUP BY coupon_id, store_id, day "
                    + "ORDER BY coupon_id, store_id, day"),
            [
                .texts(of: couponUses, \.couponId), .texts(of: couponUses, \.storeId),
                .integers(of: couponUses, \.day), .integers(of: couponUses, \.usedAt),
            ])
    }

    private var attachmentRows: PostgresStatement? {
        guard !namedAttachments.isEmpty else { return nil }
        return PostgresStatement(
            "UPDATE attachments a SET is_named = 1 FROM unnest($1::text[], $2::text[]) AS named "
                + "(terminal_id, id) WHERE a.terminal_id = named.terminal_id AND a.id = named.id",
            [
                .texts(of: namedAttachments) { $0.terminalId }, .texts(of: namedAttachments) { $0.id },
            ])
    }

    private var epochRows: PostgresStatement? {
        guard !epochs.isEmpty else { return nil }
        let rows = epochs.sorted { ($0.key.terminalId, $0.key.epoch) < ($1.key.terminalId, $1.key.epoch) }
        return PostgresStatement(
            "INSERT INTO epochs (terminal_id, epoch, first_sequence, acknowledged_through, highest, "
                + "low_sequence) SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], "
                + "$5::bigint[], $6::bigint[]) ON CONFLICT (terminal_id, epoch) DO UPDATE SET "
                + "first_sequence = excluded.first_sequence, acknowledged_through = excluded.acknowledged_through, highest = excluded.highest, "
                + "low_sequence = excluded.low_sequence",
            [
                .texts(of: rows) { $0.key.terminalId }, .integers(of: rows) { $0.value.epoch },
                .integers(of: rows) { $0.value.firstSequence },
                .integers(of: rows) { $0.value.acknowledgedThrough },
                .integers(of: rows) { $0.value.highest }, .integers(of: rows) { $0.value.lowSequence },
            ])
    }

    private var headRows: PostgresStatement? {
        guard !witnesses.isEmpty else { return nil }
        let rows = Array(witnesses)
        return PostgresStatement(
            "INSERT INTO heads (terminal_id, epoch, head, seen_at, state) SELECT * FROM "
                + "unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], "
                + "$5::text[]) ON CONFLICT (terminal_id, epoch) DO UPDATE SET head = excluded.head, "
                + "seen_at = excluded.seen_at, state = excluded.state",
            [
                .texts(of: rows) { $0.key.terminalId }, .integers(of: rows) { $0.key.epoch },
                .texts(of: rows) { $0.value.last.json.canonicalText },
                .integers(of: rows) { $0.value.lastSeenAt },
                .texts(of: rows) { $0.value.document.canonicalText },
            ])
    }
}

/// What members were before terminals changed them, as rows of the database.
enum PostgresMemberChanges {
    static func insertion(of changes: [MemberChange]) -> PostgresStatement? {
        guard !changes.isEmpty else { return nil }
        return PostgresStatement(
            "INSERT INTO member_changes (terminal_id, member_id, at, is_new, delta, fields) SELECT * FROM "
                + "unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[])",
            [
                .texts(of: changes) { $0.terminalId }, .texts(of: changes) { $0.memberId },
                .integers(of: changes) { $0.at }, .integers(of: changes) { $0.isNew ? 1 : 0 },
                .integers(of: changes) { $0.delta }, .texts(of: changes) { $0.fields.canonicalText },
            ])
    }
}

extension PostgresIntake: MemberReversalTransaction {
    func note(_ change: MemberChange) { draft.unwritten.memberChanges.append(change) }

    func note(_ visit: MemberVisit) { draft.unwritten.visits.append(visit) }

    func note(_ use: CouponUse) { draft.unwritten.couponUses.append(use) }
}
