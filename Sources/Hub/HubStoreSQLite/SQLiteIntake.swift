internal import Credentials
internal import DirectSQLite
internal import GRDB
internal import HubCore
internal import HubProtocol
internal import HubStore

/// The intake's queries and writes as SQL, within one transaction.
///
/// Its rows are read by position: every push waits for it, and to find a column by its name costs as much as
/// to read its value. The rest of the store reads by name.
final class SQLiteIntake: IntakeTransaction {
    let db: Database
    let sales: SQLiteSales
    private let products = SoldProducts()
    private let statements: PreparedStatements
    private let timer: PushTimer?
    private let isAwaited: @Sendable () -> Bool
    let proofs = ReceiptProofs()
    let memory: IntakeMemory

    /// - Parameter isAwaited: whether light pushes wait for the writer.
    init(
        db: Database, timer: PushTimer? = nil, memory: IntakeMemory = IntakeMemory(),
        isAwaited: @escaping @Sendable () -> Bool = { false }
    ) {
        self.memory = memory
        self.db = db
        self.timer = timer
        self.isAwaited = isAwaited
        statements = PreparedStatements(db)
        sales = SQLiteSales(db, statements)
    }

    /// Accepts a push, or the first part of one that others wait for; what was gathered on the way is
    /// written at its end.
    ///
    /// - Returns: the response, with what it used of the budget.
    /// - Throws: ``BudgetSpent`` when it takes too long; the transaction may be undone then.
    static func run(
        _ request: IntakeRequest, in db: Database, within budget: PushBudget, _ memory: IntakeMemory,
        isAwaited: @escaping @Sendable () -> Bool = { false }
    ) throws -> (response: IntakeResponse, spent: PushBudget.Spent) {
        let timer = budget.start()
        do {
            return try db.interrupted(when: { timer.isSpent }) {
                let intake = SQLiteIntake(
                    db: db, timer: timer, memory: memory, isAwaited: isAwaited)
                let response = try IntakeProcedure.run(request, in: intake)
                if case .results = response { try intake.products.write(with: intake.statements) }
                return (response, timer.spent)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT && timer.isSpent {
            throw BudgetSpent()
        }
    }

    func spendTime() throws {
        if let timer, timer.isSpent { throw BudgetSpent() }
    }

    var isTurnOver: Bool {
        guard let timer, isAwaited() else { return false }
        return timer.isTurnOver
    }

    func known(_ device: DeviceIdentity) throws -> KnownDevice {
        let rows = try db.all(
            "SELECT same.id, own.number FROM terminals own JOIN terminals same "
                + "ON same.store_id = own.store_id AND same.device = own.device "
                + "WHERE own.id = ? AND own.store_id = ?", [device.terminalId, device.storeId])
        let others = rows.map { $0[0] as String }.filter { $0 != device.terminalId }
        return KnownDevice(number: rows.first?[1], terminalIds: [device.terminalId] + others)
    }

    func lastEpoch(of terminalId: String) throws -> JournalEpoch? {
        try db.first(
            "SELECT epoch, first_sequence, acknowledged_through, highest, low_sequence FROM epochs "
                + "WHERE terminal_id = ? ORDER BY epoch DESC LIMIT 1", [terminalId]
        ).map { row in
            JournalEpoch(
                epoch: row[0], firstSequence: row[1], acknowledgedThrough: row[2], highest: row[3],
                lowSequence: row[4])
        }
    }

    func epochs(of terminalId: String) throws -> [JournalEpoch] {
        try db.all(
            "SELECT epoch, first_sequence, acknowledged_through, highest, low_sequence FROM epochs "
                + "WHERE terminal_id = ? ORDER BY epoch", [terminalId]
        ).map { row in
            JournalEpoch(
                epoch: row[0], firstSequence: row[1], acknowledgedThrough: row[2], highest: row[3],
                lowSequence: row[4])
        }
    }

    func save(_ epoch: JournalEpoch, of terminalId: String) throws {
        try db.run(
            "INSERT INTO epochs (terminal_id, epoch, first_sequence, acknowledged_through, highest, "
                + "low_sequence) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (terminal_id, epoch) "
                + "DO UPDATE SET first_sequence = ?3, acknowledged_through = ?4, highest = ?5, "
                + "low_sequence = ?6",
            [
                terminalId, epoch.epoch, epoch.firstSequence, epoch.acknowledgedThrough, epoch.highest,
                epoch.lowSequence,
            ])
    }

    func witness(of place: JournalPlace) throws -> JournalWitness? {
        let row = try statements["SELECT head, seen_at, state FROM heads WHERE terminal_id = ? AND epoch = ?"]
            .first({ parameters in
                parameters.add(place.terminalId)
                parameters.add(place.epoch)
            }) { row in JournalWitness(head: row.text(0), seenAt: row.integer(1), state: row.text(2)) }
        return row ?? nil
    }

    func save(_ witness: JournalWitness, of place: JournalPlace) throws {
        try statements[
            "INSERT OR REPLACE INTO heads (terminal_id, epoch, head, seen_at, state) VALUES (?, ?, ?, ?, ?)"
        ].run { row in
            row.add(place.terminalId)
            row.add(place.epoch)
            row.add(witness.last.json.canonicalText)
            row.add(witness.lastSeenAt)
            row.add(witness.document.canonicalText)
        }
    }

    /// ``EntryRows/known(_:)``, as a text that is prepared once.
    func known(_ id: String) throws -> [KnownMutation] {
        try statements[
            """
            SELECT m.id, m.terminal_id, t.store_id, m.digest, m.result, m.received_at FROM mutations m
            LEFT JOIN terminals t ON t.id = m.terminal_id WHERE m.id = ?1
            UNION ALL
            SELECT m.id, m.terminal_id, t.store_id, m.digest, m.result, m.received_at FROM mutations m
            LEFT JOIN terminals t ON t.id = m.terminal_id WHERE length(m.id) > 26 AND substr(m.id, 1, 26) = ?1
            """
        ].all({ $0.add(id) }) { row in
            KnownMutation(
                key: row.text(0), terminalId: row.text(1), storeId: row.optionalText(2), digest: row.text(3),
                result: JSONValue.stored(row.text(4)), receivedAt: row.integer(5))
        }
    }

    func keep(_ record: MutationRecord) throws {
        let mutation = record.mutation
        try statements[
            """
            INSERT INTO mutations (id, terminal_id, sequence, type, digest, hash, previous_hash, outcome,
                result, document, supersedes, hlc, received_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ].run { row in
            row.add(record.key)
            row.add(record.device.terminalId)
            row.add(mutation.sequence)
            row.add(mutation.type)
            row.add(mutation.digest)
            row.add(mutation.hash)
            row.add(mutation.previousHash)
            row.add(record.result?.outcome.rawValue ?? "")
            row.add(record.result?.json.canonicalText ?? "")
            row.add(mutation.document)
            row.add(record.supersedes)
            row.add(record.hlc.description)
            row.add(record.receivedAt)
        }
    }

    func holder(of sequence: Int64, in place: JournalPlace) throws -> String? {
        try db.first(
            "SELECT mutation_id FROM journal WHERE terminal_id = ? AND epoch = ? AND sequence = ?",
            [place.terminalId, place.epoch, sequence])?[0]
    }

    func link(at sequence: Int64, in place: JournalPlace) throws -> JournalChain.Link? {
        try db.first(
            "SELECT m.previous_hash, m.hash, m.digest FROM journal j JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = ? AND j.epoch = ? AND j.sequence = ?",
            [place.terminalId, place.epoch, sequence]
        ).map { row in
            let hash: String = row[1]
            return JournalChain.Link(
                epoch: place.epoch, sequence: sequence, previousHash: row[0], hash: hash,
                isHashRight: row[2] == hash)
        }
    }

    func held(_ sequence: Int64, hash: String, by terminalIds: [String]) throws -> HeldEntry? {
        try db.first(
            "SELECT m.id, m.previous_hash FROM json_each(?1) t JOIN epochs e ON e.terminal_id = t.value "
                + "JOIN journal j ON j.terminal_id = e.terminal_id AND j.epoch = e.epoch "
                + "AND j.sequence = ?2 JOIN mutations m ON m.id = j.mutation_id WHERE m.hash = ?3 LIMIT 1",
            [Self.list(terminalIds), sequence, hash]
        ).map { row in HeldEntry(key: row[0], previousHash: row[1]) }
    }

    func enter(_ key: String, at sequence: Int64, in place: JournalPlace) throws {
        try statements["INSERT INTO journal (terminal_id, epoch, sequence, mutation_id) VALUES (?, ?, ?, ?)"]
            .run { row in
                row.add(place.terminalId)
                row.add(place.epoch)
                row.add(sequence)
                row.add(key)
            }
    }

    func endOfRun(from sequence: Int64, in place: JournalPlace) throws -> Int64 {
        let end: Int64? = try db.first(
            "SELECT MIN(j.sequence) FROM journal j WHERE j.terminal_id = ?1 AND j.epoch = ?2 "
                + "AND j.sequence >= ?3 AND NOT EXISTS (SELECT 1 FROM journal n WHERE n.terminal_id = ?1 "
                + "AND n.epoch = ?2 AND n.sequence = j.sequence + 1)",
            [place.terminalId, place.epoch, sequence])?[0]
        return end ?? sequence
    }

    func gaps(above low: Int64, below high: Int64, in place: JournalPlace) throws -> [ClosedRange<Int64>] {
        let rows = try db.all(
            "SELECT previous + 1, sequence - 1 FROM (SELECT sequence, LAG(sequence, 1, ?3) OVER "
                + "(ORDER BY sequence) AS previous FROM (SELECT sequence FROM journal "
                + "WHERE terminal_id = ?1 AND epoch = ?2 AND sequence > ?3 AND sequence <= ?4 "
                + "ORDER BY sequence LIMIT ?5)) WHERE sequence > previous + 1",
            [place.terminalId, place.epoch, low, high, JournalEpoch.entriesSearched])
        return rows.map { row in
            let first: Int64 = row[0]
            return first...row[1]
        }
    }

    func head(of place: JournalPlace) throws -> JournalHead? {
        let row = try db.first(
            "SELECT j.sequence, m.hash FROM journal j JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = ? AND j.epoch = ? ORDER BY j.sequence DESC LIMIT 1",
            [place.terminalId, place.epoch])
        guard let row else { return nil }
        let last: Int64 = row[0]
        let order: String? = try db.first(
            "SELECT o.order_number FROM journal j JOIN orders o ON o.mutation_id = j.mutation_id "
                + "WHERE j.terminal_id = ? AND j.epoch = ? AND j.sequence > ? AND o.number_counts = 1 "
                + "ORDER BY j.sequence DESC LIMIT 1",
            [place.terminalId, place.epoch, last - JournalEpoch.entriesSearched])?[0]
        return JournalHead(sequence: last, hash: row[1], orderNumber: order)
    }

    /// The mutation's own status, or that of the edit that replaces it, and so on. Edits that replace each
    /// other in a circle end with the limit.
    func status(of id: String, of owners: [String]) throws -> DependencyStatus {
        typealias Finding = DependencyStatus.Finding
        let owned = "m.terminal_id IN (SELECT value FROM json_each(?2))"
        let outcome =
            "SELECT CASE WHEN m.outcome = 'applied' AND m.discarded_by IS NULL "
            + "THEN \(Finding.accepted.rawValue) ELSE \(Finding.refused.rawValue) END "
        let rows = try db.all(
            "WITH RECURSIVE line(id, depth) AS (VALUES (?1, 0) UNION ALL "
                + "SELECT (SELECT \(EntryRows.mintedId(of: "m.id")) FROM mutations m "
                + "WHERE m.supersedes = line.id AND \(owned) "
                + "ORDER BY m.outcome <> 'applied' LIMIT 1), depth + 1 "
                + "FROM line WHERE line.id IS NOT NULL AND depth < ?3) "
                + "\(outcome) FROM line JOIN mutations m ON m.id = line.id WHERE \(owned) UNION ALL "
                + "\(outcome) FROM line JOIN mutations m ON \(EntryRows.isShared("m.id", as: "line.id")) "
                + "WHERE \(owned) UNION ALL "
                + "SELECT \(Finding.foreign.rawValue) FROM mutations m WHERE m.id = ?1 AND NOT \(owned) "
                + "UNION ALL SELECT \(Finding.discarded.rawValue) FROM discards WHERE mutation_id = ?1 "
                + "AND terminal_id IN (SELECT value FROM json_each(?2))",
            [id, Self.list(owners), DependencyStatus.maximumEdits])
        return DependencyStatus(of: rows.compactMap { Finding(rawValue: $0[0]) })
    }

    func isEdited(_ id: String, by owners: [String]) throws -> Bool {
        try db.first(
            "SELECT 1 FROM mutations WHERE supersedes = ? "
                + "AND terminal_id IN (SELECT value FROM json_each(?)) LIMIT 1", [id, Self.list(owners)])
            != nil
    }

    private static func list(_ ids: [String]) -> String {
        JSONValue.array(ids.map(JSONValue.string)).canonicalText
    }

    func keepAttachments(_ ids: [String], of terminalId: String) throws {
        for id in ids {
            try db.run(
                "UPDATE attachments SET is_named = 1 WHERE terminal_id = ? AND id = ?", [terminalId, id])
        }
    }

    func clock() throws -> HybridLogicalClock {
        let text: String? = try db.first("SELECT value FROM meta WHERE key = 'clock'", [])?[0]
        return text.flatMap(HybridLogicalClock.init) ?? HybridLogicalClock()
    }

    func save(_ clock: HybridLogicalClock) throws {
        try db.run("UPDATE meta SET value = ? WHERE key = 'clock'", [clock.description])
    }

    func raise(_ alarm: Alarm) throws { try run([alarm.raising]) }
    func note(_ relay: RelayRecord) throws { try run([relay.noting]) }
    func release(_ relay: RelayRecord) throws { try run([relay.releasing]) }
}

extension SQLiteIntake {
    func product(_ sku: String) throws -> ListedProduct? {
        try products.product(sku, with: statements)?.product
    }

    func terms(of sku: String, in storeId: String) throws -> SellingTerms {
        try products.terms(of: sku, in: storeId, with: statements)
    }

    func sell(_ soldMilli: Int64, of sku: String) throws -> Int64? {
        guard let listed = try products.product(sku, with: statements),
            let total = Merging.add(soldMilli, to: listed.soldMilli)
        else { return nil }
        products.sell(sku, upTo: total)
        return total
    }

    func isTaken(orderNumber: String) throws -> Bool {
        try statements["SELECT 1 FROM orders WHERE order_number = ? AND number_counts = 1 LIMIT 1"]
            .first({ $0.add(orderNumber) }) { _ in true } ?? false
    }

    func insert(_ order: CompletedOrder, for record: MutationRecord) throws {
        try statements[
            """
            INSERT INTO orders (mutation_id, order_id, order_number, store_id, terminal_id, total, currency,
                number_counts, minted_id)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ].run { row in
            row.add(record.key)
            row.add(record.orderKey ?? order.orderId)
            row.add(order.orderNumber)
            row.add(record.device.storeId)
            row.add(record.device.terminalId)
            row.add(order.total)
            row.add(order.currency)
            row.add(record.numberCounts ? 1 : 0)
            row.add(record.orderKey == order.orderId ? nil : order.orderId)
        }
    }

    func markVoided(_ orderId: String, by mutationId: String) throws {
        try db.run(
            "UPDATE orders SET voided_by = ? WHERE order_id = ? AND voided_by IS NULL", [mutationId, orderId])
    }

    func insertRefund(
        _ id: String, of orderId: String, number: String?, _ refund: RefundFacts, for record: MutationRecord
    ) throws {
        try db.run(
            "INSERT INTO refunds (mutation_id, refund_id, order_id, order_number, total, currency, "
                + "quantities) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                record.key, id, orderId, number, refund.total, refund.currency,
                refund.quantitiesJSON.canonicalText,
            ])
    }

    private static let entryBehind =
        "UPDATE shifts SET behind = behind + 1, \(KeptShift.disputed) WHERE terminal_id = ?1 "
        + "AND shift_id = ?2 AND \(KeptShift.isBehind(epoch: "?3", sequence: "?4"))"

    func noteEntry(of shiftId: String, at sequence: Int64, in place: JournalPlace) throws {
        try db.run(Self.entryBehind, [place.terminalId, shiftId, place.epoch, sequence])
    }

    func insertDiscard(of mutationId: String, by record: MutationRecord) throws {
        try db.run(
            "UPDATE mutations SET discarded_by = ?1 WHERE id IN \(EntryRows.keys(of: "?2")) "
                + "AND outcome <> 'applied' AND terminal_id IN (SELECT value FROM json_each(?3))",
            [record.key, mutationId, Self.list(try known(record.device).terminalIds)])
        try db.run(
            "INSERT INTO discards (mutation_id, terminal_id, discarded_by) VALUES (?, ?, ?) "
                + "ON CONFLICT DO NOTHING",
            [mutationId, record.device.terminalId, record.key])
    }

    func publish(_ change: FeedChange) throws { try db.publish(PublishedChange(change)) }
}

extension SQLiteIntake: MemberReversalTransaction {
    func note(_ change: MemberChange) throws {
        try db.run(
            "INSERT INTO member_changes (terminal_id, member_id, at, is_new, delta, fields) "
                + "VALUES (?, ?, ?, ?, ?, ?)",
            [
                change.terminalId, change.memberId, change.at, change.isNew ? 1 : 0, change.delta,
                change.fields.canonicalText,
            ])
    }
}

/// What the hub has of the things that a mutation is about.
extension SQLiteIntake {
    func orders(named id: String) throws -> [OrderState] {
        try statements[
            """
            SELECT order_id, terminal_id, mutation_id, voided_by, store_id FROM orders WHERE order_id = ?1
            UNION ALL
            SELECT order_id, terminal_id, mutation_id, voided_by, store_id FROM orders WHERE minted_id = ?1
            """
        ].all({ $0.add(id) }) { row in
            OrderState(
                key: row.text(0), terminalId: row.text(1), mutationId: row.text(2),
                voidedBy: row.optionalText(3), storeId: row.text(4))
        }
    }

    func receiptSigner(_ terminalId: String) throws -> ReceiptSigner? { try signer(terminalId) }

    func refundable(_ key: RefundableOrder.Key) throws -> RefundableOrder {
        try refundable(key, isLocked: false)
    }

    func refunds(of orderId: String, number: String?) throws -> [RefundFacts] {
        try db.all(
            "SELECT total, quantities FROM refunds WHERE order_id = ?1 OR order_number = ?2",
            [orderId, number]
        ).map { RefundFacts(total: $0[0], quantitiesJSON: JSONValue.stored($0[1])) }
    }

    func hasResponse(_ id: String) throws -> Bool {
        try statements[
            """
            SELECT 1 FROM mutations WHERE supersedes = ?1
            UNION ALL SELECT 1 FROM discards WHERE mutation_id = ?1 LIMIT 1
            """
        ].first({ $0.add(id) }) { _ in true } ?? false
    }

    func attachmentsMissing(among ids: [String], of terminalId: String) throws -> [String] {
        try ids.filter { id in
            try db.first(
                "SELECT 1 FROM attachments WHERE terminal_id = ? AND id = ? AND whole_at IS NOT NULL",
                [terminalId, id]) == nil
        }
    }

    func memberIds(lookup digits: String) throws -> [(id: String, since: String)] {
        try db.all(
            "SELECT entity_id, ifnull(lookup_since, '') FROM changes WHERE lookup = ? "
                + "AND entity = 'member' ORDER BY 2, 1 LIMIT \(Self.phoneHolders)", [digits]
        ).map { (id: $0[0], since: $0[1]) }
    }

    /// One is left aside, and two of the others already make a number nobody's.
    private static let phoneHolders = 3

    func use(_ voucher: VoucherUse, for orderKey: String) throws -> Bool {
        let number = CouponCode.normalForm(of: voucher.number)
        try db.run(VoucherUse.insertion, [voucher.method, number, orderKey, voucher.amount])
        return try db.first(VoucherUse.others, [voucher.method, number, orderKey]) != nil
    }

    func sell(_ cart: CartSale, for orderKey: String, in storeId: String) throws -> Bool {
        try db.run(CartSale.insertion, [cart.cart, orderKey])
        return try db.first(CartSale.others, [cart.cart, orderKey, storeId]) != nil
    }

    func count(_ card: MachineCard, of terminalId: String) throws {
        try db.run(MachineCard.insertion, [terminalId, card.key, card.amount])
    }

    func closeMachineDay(of terminalId: String) throws { try db.run(MachineCard.closing, [terminalId]) }

    func giveBack(_ voucher: VoucherUse, of orderKey: String) throws {
        try db.run(
            VoucherUse.returning,
            [voucher.amount, voucher.method, CouponCode.normalForm(of: voucher.number), orderKey])
    }

    func couponId(typed code: String) throws -> String? { try coupon(typed: code)?[0] }

    func approvalFacts(in storeId: String) throws -> ApprovalFacts {
        let row = try db.first(
            "SELECT value, hlc FROM changes WHERE entity = 'storeConfig' AND entity_id = ?1 "
                + "AND store_id = ?1", [storeId])
        let settings: String? = row?[0]
        // Values are canonical JSON, where a quotation mark within a text follows a backslash.
        let rows = try db.all(
            """
            SELECT entity_id, value LIKE '%"role":"manager"%' FROM changes
            WHERE entity = 'cashier' AND store_id IN ('', ?) AND value IS NOT NULL AND deleted_at IS NULL
            """, [storeId])
        return ApprovalFacts(
            settings: settings.map { StoreSettings(json: JSONValue.stored($0)) } ?? StoreSettings(),
            managers: Set(rows.filter { $0[1] }.map { $0[0] }), hasCashiers: !rows.isEmpty,
            settingsSince: row?[1])
    }

    func entity(_ entity: String, _ id: String, in storeId: String) throws -> EntityState? {
        try db.first(
            "SELECT version, deleted_at, value FROM changes "
                + "WHERE entity = ? AND entity_id = ? AND store_id = ?", [entity, id, storeId]
        ).map { row in
            let value: String? = row[2]
            return EntityState(
                version: row[0], isDeleted: (row[1] as Int64?) != nil,
                value: value.map(JSONValue.stored))
        }
    }
}

/// The products that a push sells, each read once and written once however many lines name it.
private final class SoldProducts {
    struct Listed {
        let product: ListedProduct
        var soldMilli: Int64
    }

    /// Products that were looked at; nil for a sku that is not in the catalogue.
    private var known: [String: Listed?] = [:]
    private var changed: Set<String> = []
    private var terms: [String: SellingTerms] = [:]
    /// Nil until somebody looked.
    private var anyTerms: Bool?

    func product(_ sku: String, with statements: PreparedStatements) throws -> Listed? {
        if let listed = known[sku] { return listed }
        let listed = try statements[
            // Records are canonical JSON, where a quotation mark within a text follows a backslash.
            """
            SELECT price, currency, stock_milli, sold_milli, instr(record, '"openPrice":true') > 0
            FROM products WHERE sku = ?
            """
        ].first({ $0.add(sku) }) { row in
            Listed(
                product: ListedProduct(
                    price: row.integer(0), currency: row.text(1), stockMilli: row.optionalInteger(2),
                    hasOpenPrice: row.integer(4) == 1),
                soldMilli: row.integer(3))
        }
        known[sku] = .some(listed)
        return listed
    }

    /// What each article is sold by; the push's terminal has one store.
    func terms(
        of sku: String, in storeId: String, with statements: PreparedStatements
    ) throws -> SellingTerms {
        if try !hasTerms(with: statements) { return SellingTerms() }
        if let found = terms[sku] { return found }
        var found = SellingTerms()
        let lookups = SellingTerms.lookups(of: sku, in: storeId)
        let rows = try statements[
            "SELECT entity, value FROM changes WHERE lookup IN (?, ?) AND value IS NOT NULL"
        ].all({ row in for lookup in lookups { row.add(lookup) } }) { ($0.text(0), $0.text(1)) }
        for (entity, value) in rows { found.add(entity, JSONValue.stored(value)) }
        terms[sku] = found
        return found
    }

    /// Most chains have neither prices of stores nor stocks of stores: their pushes look once.
    private func hasTerms(with statements: PreparedStatements) throws -> Bool {
        if let anyTerms { return anyTerms }
        let found =
            try statements[
                "SELECT 1 FROM changes WHERE entity IN ('price', 'stock') AND value IS NOT NULL LIMIT 1"
            ].first({ _ in }) { _ in true } ?? false
        anyTerms = found
        return found
    }

    func sell(_ sku: String, upTo soldMilli: Int64) {
        known[sku]??.soldMilli = soldMilli
        changed.insert(sku)
    }

    /// Writes what was sold; the end of the push's transaction.
    func write(with statements: PreparedStatements) throws {
        let update = try statements["UPDATE products SET sold_milli = ? WHERE sku = ?"]
        for sku in changed {
            guard let listed = known[sku] ?? nil else { continue }
            try update.run { row in
                row.add(listed.soldMilli)
                row.add(sku)
            }
        }
        changed = []
    }
}
