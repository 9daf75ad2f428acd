import HubCore
import HubProtocol
internal import HubStore

extension PostgresIntake {
    /// Begins the transaction, locks the journals and reads what `pushes` will need, in one turn of the
    /// line.
    func begin(_ pushes: [IntakeRequest]) throws(PostgresError) {
        try read(pushes, behind: [.begin, Self.byKey])
    }

    /// Every query of an intake names keys, and is fastest by looking each up. A plan that was made
    /// while a table was young and empty would read it whole for as long as the connection lives; and a plan
    /// that is made anew for each batch costs more than it finds.
    private static let byKey = PostgresStatement(
        "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), "
            + "set_config('enable_mergejoin', 'off', true), "
            + "set_config('plan_cache_mode', 'force_generic_plan', true), "
            + "set_config('statement_timeout', '\(statementMilliseconds)', true)")

    /// What one statement of an intake may take: a second more than it may wait for a lock, since who waits
    /// is not slow. Each is a look-up of keys that takes milliseconds; twice as much lets a push that is made
    /// to be slow stop others for as long.
    private static let statementMilliseconds = PostgresConnection.lockMilliseconds + 1_000
    static let statementLimit: Duration = .milliseconds(statementMilliseconds)

    /// Locks and reads within a transaction that has begun.
    func read(_ pushes: [IntakeRequest], behind opening: [PostgresStatement] = []) throws(PostgresError) {
        let wanted = WantedRows(pushes)
        let responses = try connection.query(
            opening + [
                PostgresLock.journals(of: pushes), PostgresLock.receipts(wanted.receipts),
                PostgresJournal.epochs(of: wanted.terminalIds + wanted.takers), wanted.mutations,
                wanted.entries,
                wanted.orders, WantedRows.products(Array(wanted.skus), locked: locksStock),
                WantedRows.orderStates(of: Array(wanted.orderIds)), wanted.responded,
                PostgresJournal.lastWitnesses(of: wanted.terminalIds), wanted.devices, wanted.usage,
                WantedRows.terms(wanted.lookups.sorted()), wanted.payments,
            ])
        guard responses.count == opening.count + 14 else { throw .unexpected(column: "0") }
        let rows = Array(responses.dropFirst(opening.count + 2))
        draft.epochs = try PostgresJournal.epochs(in: rows[0])
        try note(mutations: rows[1])
        try note(entries: rows[2], of: wanted)
        draft.seen.orderNumbers = wanted.orderNumbers
        for row in rows[3].rows { draft.orderNumbers.insert(try row.text(0)) }
        draft.seen.skus = wanted.skus
        try note(products: rows[4])
        draft.seen.orderIds = wanted.orderIds
        draft.orders = try WantedRows.orderStates(in: rows[5])
        for row in rows[6].rows { draft.responded.insert(try row.text(0)) }
        draft.witnesses = try PostgresJournal.witnesses(in: rows[7])
        try note(devices: rows[8])
        draft.seen.lookups = wanted.lookups
        try note(terms: rows[10])
        for row in rows[11].rows {
            let name = IntakeDraft.PaymentName(
                key: try row.text("named"), terminalId: try row.text("named_by"))
            draft.payments[name] = try PostgresError.translating { try PaymentRows.payment(row.stored) }
        }
        for row in rows[9].rows {
            draft.usage[IntakeDraft.Day(terminalId: try row.text(0), day: try row.integer(1))] =
                try PostgresUsage.usage(in: row, from: 2)
        }
    }

    private func note(devices: PostgresRows) throws(PostgresError) {
        for row in devices.rows {
            let (id, other) = (try row.text(0), try row.text(2))
            let known = draft.devices[id]?.terminalIds ?? [id]
            draft.devices[id] = KnownDevice(
                number: try row.integer(1), terminalIds: other == id ? known : known + [other])
        }
    }

    private func note(mutations: PostgresRows) throws(PostgresError) {
        for row in mutations.rows {
            let key = try row.text(0)
            draft.known[EntryKey.mintedId(of: key), default: []].append(
                KnownMutation(
                    key: key, terminalId: try row.text(1), storeId: row.optionalText(2),
                    digest: try row.text(3), result: JSONValue.stored(row.optionalText(4)),
                    receivedAt: try row.integer(5)))
        }
    }

    private func note(entries: PostgresRows, of wanted: WantedRows) throws(PostgresError) {
        for (terminalId, run) in wanted.sequences {
            guard let epoch = draft.epochs[terminalId]?.last?.epoch else { continue }
            draft.seen.intervals[JournalPlace(terminalId: terminalId, epoch: epoch), default: []].append(run)
        }
        for row in entries.rows {
            let place = JournalPlace(terminalId: try row.text(0), epoch: try row.integer(1))
            let sequence = try row.integer(2)
            let hash = try row.text(5)
            let link = JournalChain.Link(
                epoch: place.epoch, sequence: sequence, previousHash: try row.text(4), hash: hash,
                isHashRight: try row.text(6) == hash)
            draft.slots[IntakeDraft.Slot(place: place, sequence: sequence)] = IntakeDraft.Entry(
                id: try row.text(3), link: link)
        }
    }

    private func note(products: PostgresRows) throws(PostgresError) {
        for row in products.rows {
            draft.products[try row.text(0)] = IntakeDraft.Listed(
                product: ListedProduct(
                    price: try row.integer(1), currency: try row.text(2), stockMilli: row.optionalInteger(3),
                    hasOpenPrice: try row.integer(5) == 1),
                soldMilli: try row.integer(4))
        }
    }

    private func note(terms: PostgresRows) throws(PostgresError) {
        for row in terms.rows {
            draft.terms[try row.text(0), default: []].append(
                IntakeDraft.Term(entity: try row.text(1), value: JSONValue.stored(row.optionalText(2))))
        }
    }

    /// What a store sells an article by.
    func terms(of sku: String, in storeId: String) throws -> SellingTerms {
        let lookups = SellingTerms.lookups(of: sku, in: storeId)
        let missing = lookups.filter { draft.seen.lookups.insert($0).inserted }
        if !missing.isEmpty { try note(terms: queryAfterUnwritten([WantedRows.terms(missing)])) }
        var terms = SellingTerms()
        for term in lookups.flatMap({ draft.terms[$0] ?? [] }) { terms.add(term.entity, term.value) }
        return terms
    }

    /// A product; nil for a sku that is not in the catalogue.
    func listed(_ sku: String) throws(PostgresError) -> IntakeDraft.Listed? {
        if let listed = draft.products[sku] { return listed }
        guard draft.seen.skus.insert(sku).inserted else { return nil }
        try note(products: queryAfterUnwritten([WantedRows.products([sku], locked: locksStock)]))
        return draft.products[sku]
    }

    func approvalFacts(in storeId: String) throws -> ApprovalFacts {
        let row = try query(
            "SELECT value, hlc FROM changes WHERE entity = 'storeConfig' AND entity_id = $1 "
                + "AND store_id = $1", [.text(storeId)]
        ).first
        let settings = row?.optionalText(0)
        // Values are canonical JSON, where a quotation mark within a text follows a backslash.
        let rows = try query(
            "SELECT entity_id, CASE WHEN value LIKE '%\"role\":\"manager\"%' THEN 1 ELSE 0 END FROM changes "
                + "WHERE entity = 'cashier' AND store_id IN ('', $1) AND value IS NOT NULL "
                + "AND deleted_at IS NULL", [.text(storeId)]
        ).rows
        return ApprovalFacts(
            settings: settings.map { StoreSettings(json: JSONValue.stored($0)) } ?? StoreSettings(),
            managers: Set(try rows.filter { try $0.integer(1) == 1 }.map { try $0.text(0) }),
            hasCashiers: !rows.isEmpty, settingsSince: row?.optionalText(1))
    }

    func isTaken(orderNumber: String) throws(PostgresError) -> Bool {
        if draft.orderNumbers.contains(orderNumber) { return true }
        if draft.seen.orderNumbers.contains(orderNumber) { return false }
        return try queryAfterUnwritten([WantedRows.orders([orderNumber])]).first != nil
    }
}

/// What some pushes will need.
struct WantedRows {
    let terminalIds: [String]
    /// Tills that others gave a part of a lease.
    private(set) var takers: Set<String> = []
    let ids: [String]
    private let pushes: [IntakeRequest]
    /// Each mutation's place and the one before the first.
    let sequences: [(terminalId: String, run: ClosedRange<Int64>)]
    private(set) var skus: Set<String> = []
    private(set) var orderNumbers: Set<String> = []
    private(set) var orderIds: Set<String> = []
    /// The numbers whose sale and refunds have to be kept apart.
    private(set) var receipts: Set<String> = []
    private var namedPayments: Set<IntakeDraft.PaymentName> = []
    /// Of the terms of what the pushes sell.
    private(set) var lookups: Set<String> = []

    init(_ pushes: [IntakeRequest]) {
        self.pushes = pushes
        terminalIds = Set(pushes.map(\.device.terminalId)).sorted()
        ids = pushes.flatMap { $0.mutations.map(\.id) }
        sequences = pushes.flatMap { push in
            let sequences = push.mutations.map(\.sequence)
            let all = (sequences.min().map { [$0 - 1] } ?? []) + sequences
            return Self.runs(of: all).map { (push.device.terminalId, $0) }
        }
        orderIds.reserveCapacity(ids.count)
        orderNumbers.reserveCapacity(ids.count)
        for push in pushes {
            for mutation in push.mutations {
                guard case .accepted(_, let effects) = mutation.assessment else { continue }
                receipts.formUnion(Self.receipts(of: effects))
                for effect in effects { want(effect, of: push.device) }
            }
        }
    }

    /// Of a refund by the code of a receipt, and of a sale that moves points: what came back of it before may
    /// be at another hub.
    private static func receipts(of effects: [IntakeEffect]) -> [String] {
        var (numbers, hasPoints): ([String], Bool) = ([], false)
        for effect in effects {
            if case .recordRefund(_, .receipt(let code), _) = effect { return [code.orderNumber] }
            if case .recordOrder(let order) = effect { numbers.append(order.orderNumber) }
            if case .adjustPoints = effect { hasPoints = true }
        }
        return hasPoints ? numbers : []
    }

    private mutating func want(_ effect: IntakeEffect, of device: DeviceIdentity) {
        switch effect {
        case .recordOrder(let order):
            orderIds.insert(order.orderId)
            orderNumbers.insert(order.orderNumber)
        case .voidOrder(let orderId): orderIds.insert(orderId)
        case .countStock(let sku, _):
            skus.insert(sku)
            lookups.formUnion(SellingTerms.lookups(of: sku, in: device.storeId))
        case .keepPayment(let payment):
            namedPayments.insert(
                IntakeDraft.PaymentName(key: payment.key, terminalId: device.terminalId))
        case .recordRefund(_, .order(let orderId), _): orderIds.insert(orderId)
        case .moveLease(let moved, _): if let taker = moved.to { takers.insert(taker) }
        case .recordRefund, .voidPayment, .capturePayment, .refundPayment, .storePayment, .useVoucher,
            .sellCart, .returnVoucher, .publishNote, .countMachineCard, .closeMachineDay,
            .removeNote, .writeMember,
            .adjustPoints, .useLeases, .countCoupon, .discard, .openShift,
            .closeShift:
            break
        }
    }

    var mutations: PostgresStatement {
        PostgresStatement(EntryRows.known { "\($0) = ANY($1::text[])" }, [.texts(ids)])
    }

    var entries: PostgresStatement {
        PostgresStatement(
            "SELECT j.terminal_id, j.epoch, j.sequence, j.mutation_id, m.previous_hash, m.hash, m.digest "
                + "FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS wanted (terminal_id, low, high) "
                + "JOIN journal j ON j.terminal_id = wanted.terminal_id "
                + "AND j.sequence BETWEEN wanted.low AND wanted.high "
                + "AND j.epoch = (SELECT MAX(e.epoch) FROM epochs e WHERE e.terminal_id = wanted.terminal_id) "
                + "JOIN mutations m ON m.id = j.mutation_id",
            [
                .texts(of: sequences, \.terminalId), .integers(of: sequences, \.run.lowerBound),
                .integers(of: sequences, \.run.upperBound),
            ])
    }

    /// The numbers as few unbroken runs: those of a batch are one, and one look into the journal then.
    private static func runs(of numbers: [Int64]) -> [ClosedRange<Int64>] {
        Set(numbers).sorted().reduce(into: []) { runs, number in
            if let last = runs.last, last.upperBound == number - 1 {
                runs[runs.count - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
    }

    /// Those of the mutations that were edited or discarded.
    var responded: PostgresStatement {
        PostgresStatement(
            "SELECT supersedes FROM mutations WHERE supersedes = ANY($1::text[]) "
                + "UNION ALL SELECT mutation_id FROM discards WHERE mutation_id = ANY($1::text[])",
            [.texts(ids)])
    }

    /// Each terminal that pushes with those under which its device was enrolled in the same store.
    var devices: PostgresStatement {
        PostgresStatement(
            "SELECT own.id, own.number, same.id FROM unnest($1::text[], $2::text[]) AS wanted (id, store_id) "
                + "JOIN terminals own ON own.id = wanted.id AND own.store_id = wanted.store_id "
                + "JOIN terminals same ON same.store_id = own.store_id AND same.device = own.device",
            [.texts(of: devicesOnce) { $0.terminalId }, .texts(of: devicesOnce) { $0.storeId }])
    }

    private var devicesOnce: [DeviceIdentity] {
        Set(pushes.map(\.device)).sorted { $0.terminalId < $1.terminalId }
    }

    /// What the terminals left here on the days of the pushes.
    var usage: PostgresStatement {
        let days = Set(
            pushes.map {
                IntakeDraft.Day(terminalId: $0.device.terminalId, day: TerminalUsage.day(at: $0.receivedAt))
            }
        ).sorted { $0.terminalId < $1.terminalId }
        return PostgresStatement(
            "SELECT u.terminal_id, u.day, \(PostgresUsage.selection) "
                + "FROM unnest($1::text[], $2::bigint[]) AS wanted (terminal_id, day) "
                + "JOIN terminal_usage u ON u.terminal_id = wanted.terminal_id AND u.day = wanted.day",
            [.texts(of: days) { $0.terminalId }, .integers(of: days) { $0.day }])
    }

    var payments: PostgresStatement {
        PostgresPayments.named(namedPayments.map { ($0.key, $0.terminalId) })
    }

    var orders: PostgresStatement { Self.orders(Array(orderNumbers)) }

    static func orders(_ numbers: [String]) -> PostgresStatement {
        PostgresStatement(
            "SELECT order_number FROM orders WHERE order_number = ANY($1::text[]) AND number_counts = 1",
            [.texts(numbers)])
    }

    static func orderStates(of ids: [String]) -> PostgresStatement {
        let columns = "SELECT order_id, terminal_id, mutation_id, voided_by, store_id, minted_id FROM orders "
        return PostgresStatement(
            columns + "WHERE order_id = ANY($1::text[]) UNION ALL " + columns
                + "WHERE minted_id = ANY($1::text[])", [.texts(ids)])
    }

    /// By the ids that terminals minted.
    static func orderStates(in rows: PostgresRows) throws(PostgresError) -> [String: [OrderState]] {
        var states: [String: [OrderState]] = [:]
        for row in rows.rows {
            let key = try row.text(0)
            states[row.optionalText(5) ?? key, default: []].append(
                OrderState(
                    key: key, terminalId: try row.text(1), mutationId: try row.text(2),
                    voidedBy: row.optionalText(3), storeId: try row.text(4)))
        }
        return states
    }

    /// Prices and stocks by what they are looked up by.
    static func terms(_ lookups: [String]) -> PostgresStatement {
        PostgresStatement(
            "SELECT lookup, entity, value FROM changes WHERE lookup = ANY($1::text[]) "
                + "AND entity IN ('price', 'stock') AND value IS NOT NULL", [.texts(lookups)])
    }

    /// - Parameter locked: whether nobody else may sell them before this transaction ends. Their rows are
    ///   locked in one order, so that two that want the same ones do not wait for each other.
    static func products(_ skus: [String], locked: Bool) -> PostgresStatement {
        PostgresStatement(
            "SELECT sku, price, currency, stock_milli, sold_milli, "
                // Records are canonical JSON, where a quotation mark within a text follows a backslash.
                + "CASE WHEN strpos(record, '\"openPrice\":true') > 0 THEN 1 ELSE 0 END FROM products WHERE sku = ANY($1::text[]) "
                + (locked ? "ORDER BY sku FOR NO KEY UPDATE" : ""), [.texts(skus)])
    }
}
