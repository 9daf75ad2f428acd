internal import Credentials
internal import HubCore
internal import HubProtocol
internal import HubStore

/// The intake of some pushes within one transaction.
///
/// One round trip reads what the pushes will need, another writes their results, however many
/// mutations they hold. What could not be foreseen is queried by itself, after everything that was not
/// written yet.
final class PostgresIntake: IntakeTransaction {
    let connection: PostgresConnection
    var draft = IntakeDraft()
    /// Whether the products that are sold stay locked from the first look to the end.
    let locksStock: Bool
    /// Of the push that is being looked at.
    var timer: PushTimer?
    let proofs = ReceiptProofs()
    let memory: IntakeMemory
    /// Light pushes have a connection of their own.
    var isTurnOver: Bool { false }

    init(
        on connection: PostgresConnection, from clock: HybridLogicalClock, locksStock: Bool = false,
        memory: IntakeMemory = IntakeMemory()
    ) {
        self.connection = connection
        self.memory = memory
        self.locksStock = locksStock
        draft.clock = clock
    }

    /// Writes what is left.
    ///
    /// - Returns: false when others sold meanwhile what this intake judged the stock by, so that a flag may
    ///   be wrong; the transaction is to be undone then. Never so with the stock locked.
    func write() throws(PostgresError) -> Bool {
        let counting = StockSale.statement(of: draft.sold)
        let responses = try connection.query(draft.unwritten.statements + [counting].compactMap(\.self))
        draft.unwritten = UnwrittenIntake()
        guard counting != nil else { return true }
        let counts = try StockCount.counts(in: responses.last)
        return draft.sold.allSatisfy { sku, sale in
            guard let judged = draft.products[sku], let counted = counts[sku] else { return false }
            return sale.isJudgedAlike(by: judged.stock, and: counted)
        }
    }

    /// Queries something that the draft does not have.
    func query(_ sql: String, _ values: [PostgresValue]) throws(PostgresError) -> PostgresRows {
        try queryAfterUnwritten([PostgresStatement(sql, values)])
    }

    @discardableResult
    func queryAfterUnwritten(_ statements: [PostgresStatement]) throws(PostgresError) -> PostgresRows {
        try spendTime()
        let all = draft.unwritten.statements + statements
        let responses: [PostgresRows]
        if let timer {
            responses = try timer.roundTrip { () throws(PostgresError) in try connection.query(all) }
        } else {
            responses = try connection.query(all)
        }
        draft.unwritten = UnwrittenIntake()
        guard let last = responses.last else { throw .unexpected(column: "0") }
        return last
    }

    func spendTime() throws(PostgresError) {
        if let timer, timer.isSpent { throw .overBudget }
    }

    func known(_ device: DeviceIdentity) -> KnownDevice {
        draft.devices[device.terminalId] ?? KnownDevice(number: nil, terminalIds: [device.terminalId])
    }

    func usage(of terminalId: String, on day: Int64) -> TerminalUsage {
        draft.usage[IntakeDraft.Day(terminalId: terminalId, day: day)] ?? TerminalUsage()
    }

    func add(_ usage: TerminalUsage, of terminalId: String, on day: Int64) {
        guard usage != TerminalUsage() else { return }
        let day = IntakeDraft.Day(terminalId: terminalId, day: day)
        draft.usage[day] = (draft.usage[day] ?? TerminalUsage()) + usage
        draft.unwritten.usage[day] = (draft.unwritten.usage[day] ?? TerminalUsage()) + usage
    }

    func add(_ earned: [EarnedPoints], of device: DeviceIdentity) {
        draft.unwritten.earned += earned.map { (device, $0) }
    }

    func keepAttachments(_ ids: [String], of terminalId: String) {
        draft.unwritten.namedAttachments += ids.map { (terminalId, $0) }
    }

    func lastEpoch(of terminalId: String) -> JournalEpoch? { draft.epochs[terminalId]?.last }

    func epochs(of terminalId: String) -> [JournalEpoch] { draft.epochs[terminalId] ?? [] }

    func save(_ epoch: JournalEpoch, of terminalId: String) {
        var epochs = draft.epochs[terminalId] ?? []
        guard !epochs.contains(epoch) else { return }
        epochs.removeAll { $0.epoch == epoch.epoch }
        epochs.insert(epoch, at: epochs.firstIndex { $0.epoch > epoch.epoch } ?? epochs.endIndex)
        draft.epochs[terminalId] = epochs
        draft.unwritten.epochs[JournalPlace(terminalId: terminalId, epoch: epoch.epoch)] = epoch
    }

    /// An earlier epoch's is read by itself: only a superseded copy of a terminal speaks of one.
    func witness(of place: JournalPlace) throws -> JournalWitness? {
        if let witness = draft.witnesses[place] { return witness }
        if place.epoch >= lastEpoch(of: place.terminalId)?.epoch ?? 1 { return nil }
        return try PostgresJournal.witnesses(
            in: query(
                PostgresJournal.witnessColumns + "WHERE terminal_id = $1 AND epoch = $2",
                [.text(place.terminalId), .integer(place.epoch)]))[place]
    }

    func save(_ witness: JournalWitness, of place: JournalPlace) {
        draft.witnesses[place] = witness
        draft.unwritten.witnesses[place] = witness
    }

    func known(_ id: String) -> [KnownMutation] { draft.known[id] ?? [] }

    func keep(_ record: MutationRecord) {
        draft.unwritten.mutations.append(record)
        if let replaced = record.supersedes { draft.responded.insert(replaced) }
        draft.known[record.mutation.id, default: []].append(
            KnownMutation(
                key: record.key, terminalId: record.device.terminalId, storeId: record.device.storeId,
                digest: record.mutation.digest, result: record.result?.json ?? .null,
                receivedAt: record.receivedAt))
    }

    func holder(of sequence: Int64, in place: JournalPlace) throws -> String? {
        let slot = IntakeDraft.Slot(place: place, sequence: sequence)
        if let entry = draft.slots[slot] { return entry.id }
        if draft.seen.contains(slot) { return nil }
        return try query(
            "SELECT mutation_id FROM journal WHERE terminal_id = $1 AND epoch = $2 AND sequence = $3",
            [.text(place.terminalId), .integer(place.epoch), .integer(sequence)]
        ).first?.optionalText(0)
    }

    func link(at sequence: Int64, in place: JournalPlace) throws -> JournalChain.Link? {
        let slot = IntakeDraft.Slot(place: place, sequence: sequence)
        let entry = draft.slots[slot]
        if let link = entry?.link { return link }
        if entry == nil, draft.seen.contains(slot) { return nil }
        let row = try query(
            "SELECT m.previous_hash, m.hash, m.digest FROM journal j JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = $1 AND j.epoch = $2 AND j.sequence = $3",
            [.text(place.terminalId), .integer(place.epoch), .integer(sequence)]
        ).first
        return try row.map { row in
            JournalChain.Link(
                epoch: place.epoch, sequence: sequence, previousHash: try row.text(0), hash: try row.text(1),
                isHashRight: try row.text(2) == row.text(1))
        }
    }

    func held(_ sequence: Int64, hash: String, by terminalIds: [String]) throws -> HeldEntry? {
        try queryAfterUnwritten([PostgresJournal.entry(at: sequence, hash: hash, of: terminalIds)]).first
            .map { row in HeldEntry(key: try row.text(0), previousHash: try row.text(1)) }
    }

    func enter(_ key: String, at sequence: Int64, in place: JournalPlace) {
        let slot = IntakeDraft.Slot(place: place, sequence: sequence)
        let link = draft.unwritten.mutations.last.flatMap { record in
            record.key != key
                ? nil
                : JournalChain.Link(
                    epoch: place.epoch, sequence: sequence, previousHash: record.mutation.previousHash,
                    hash: record.mutation.hash, isHashRight: record.mutation.isHashRight)
        }
        draft.slots[slot] = IntakeDraft.Entry(id: key, link: link)
        draft.unwritten.entries.append((slot, key))
    }

    func endOfRun(from sequence: Int64, in place: JournalPlace) throws -> Int64 {
        try query(
            "SELECT MIN(j.sequence) FROM journal j WHERE j.terminal_id = $1 AND j.epoch = $2 "
                + "AND j.sequence >= $3 AND NOT EXISTS (SELECT 1 FROM journal n WHERE n.terminal_id = $1 "
                + "AND n.epoch = $2 AND n.sequence = j.sequence + 1)",
            [.text(place.terminalId), .integer(place.epoch), .integer(sequence)]
        ).first?.optionalInteger(0) ?? sequence
    }

    func gaps(above low: Int64, below high: Int64, in place: JournalPlace) throws -> [ClosedRange<Int64>] {
        try PostgresJournal.gaps(
            in: queryAfterUnwritten([PostgresJournal.gaps(above: low, below: high, in: place)]))
    }

    func head(of place: JournalPlace) throws -> JournalHead? {
        let values: [PostgresValue] = [.text(place.terminalId), .integer(place.epoch)]
        let row = try query(
            "SELECT j.sequence, m.hash FROM journal j JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = $1 AND j.epoch = $2 ORDER BY j.sequence DESC LIMIT 1", values
        ).first
        guard let row else { return nil }
        let order = try query(
            "SELECT o.order_number FROM journal j JOIN orders o ON o.mutation_id = j.mutation_id "
                + "WHERE j.terminal_id = $1 AND j.epoch = $2 AND j.sequence > $3 AND o.number_counts = 1 "
                + "ORDER BY j.sequence DESC LIMIT 1",
            values + [.integer(try row.integer(0) - JournalEpoch.entriesSearched)]
        ).first?.optionalText(0)
        return JournalHead(sequence: try row.integer(0), hash: try row.text(1), orderNumber: order)
    }

    /// The mutation's own status, or that of the edit that replaces it, and so on. Edits that replace each
    /// other in a circle end with the limit.
    func status(of id: String, of owners: [String]) throws -> DependencyStatus {
        typealias Finding = DependencyStatus.Finding
        let owned = "m.terminal_id = ANY($2::text[])"
        let outcome =
            "SELECT (CASE WHEN m.outcome = 'applied' AND m.discarded_by IS NULL "
            + "THEN \(Finding.accepted.rawValue) ELSE \(Finding.refused.rawValue) END)::bigint "
        let rows = try query(
            "WITH RECURSIVE line (id, depth) AS (SELECT $1::text, 0 UNION ALL "
                + "SELECT (SELECT \(EntryRows.mintedId(of: "m.id")) FROM mutations m "
                + "WHERE m.supersedes = line.id AND \(owned) "
                + "ORDER BY m.outcome <> 'applied' LIMIT 1), depth + 1 "
                + "FROM line WHERE line.id IS NOT NULL AND depth < \(DependencyStatus.maximumEdits)) "
                + "\(outcome) FROM line JOIN mutations m ON m.id = line.id WHERE \(owned) UNION ALL "
                + "\(outcome) FROM line JOIN mutations m ON \(EntryRows.isShared("m.id", as: "line.id")) "
                + "WHERE \(owned) UNION ALL SELECT \(Finding.foreign.rawValue)::bigint FROM mutations m "
                + "WHERE m.id = $1 AND NOT \(owned) "
                + "UNION ALL SELECT \(Finding.discarded.rawValue)::bigint FROM discards WHERE mutation_id = $1 "
                + "AND terminal_id = ANY($2::text[])", [.text(id), .texts(owners)]
        ).rows
        return DependencyStatus(
            of: rows.compactMap { $0.optionalInteger(0).flatMap(Finding.init(rawValue:)) })
    }

    func isEdited(_ id: String, by owners: [String]) throws -> Bool {
        try query(
            "SELECT 1 FROM mutations WHERE supersedes = $1 AND terminal_id = ANY($2::text[]) LIMIT 1",
            [.text(id), .texts(owners)]
        ).first != nil
    }

    func hasResponse(_ id: String) -> Bool { draft.responded.contains(id) }

    func orders(named id: String) throws -> [OrderState] {
        if let orders = draft.orders[id] { return orders }
        if draft.seen.orderIds.contains(id) { return [] }
        return try WantedRows.orderStates(in: queryAfterUnwritten([WantedRows.orderStates(of: [id])]))[id]
            ?? []
    }

    /// With the order's row locked, so that another hub's refund or void of it waits.
    func refundable(_ key: RefundableOrder.Key) throws -> RefundableOrder {
        if case .number(let number) = key { try lock(.receipt(number)) }
        return try refundable(key, isLocked: true)
    }

    func refunds(of orderId: String, number: String?) throws -> [RefundFacts] {
        let refunds = PostgresStatement(
            "SELECT total, quantities FROM refunds WHERE order_id = $1 OR order_number = $2",
            [.text(orderId), .text(number)])
        let lock = number.map { StoreLock.receipt($0).statement }
        return try queryAfterUnwritten([lock, refunds].compactMap(\.self)).rows.map { row in
            RefundFacts(
                total: try row.integer(0), quantitiesJSON: JSONValue.stored(row.optionalText(1)))
        }
    }

    func receiptSigner(_ terminalId: String) throws -> ReceiptSigner? {
        try signer(terminalId)
    }

    /// Behind the feed's lock, so that nobody changes the entity before this transaction ends.
    func entity(_ entity: String, _ id: String, in storeId: String) throws -> EntityState? {
        let rows = try queryAfterUnwritten([
            StoreLock.feed.statement,
            PostgresStatement(
                "SELECT version, deleted_at, value FROM changes "
                    + "WHERE entity = $1 AND entity_id = $2 AND store_id = $3",
                [.text(entity), .text(id), .text(storeId)]),
        ])
        return try rows.first.map { row in
            EntityState(
                version: try row.integer(0), isDeleted: row.optionalInteger(1) != nil,
                value: row.optionalText(2).map(JSONValue.stored))
        }
    }

    /// Behind the feed's lock, so that no other push gives the number to somebody meanwhile.
    func memberIds(lookup digits: String) throws -> [(id: String, since: String)] {
        try queryAfterUnwritten([
            StoreLock.feed.statement,
            PostgresStatement(
                "SELECT entity_id, COALESCE(lookup_since, '') FROM changes WHERE lookup = $1 "
                    + "AND entity = 'member' ORDER BY COALESCE(lookup_since, '') COLLATE \"C\", "
                    + "entity_id COLLATE \"C\" LIMIT \(Self.phoneHolders)", [.text(digits)]),
        ]).rows.map { (id: try $0.text(0), since: try $0.text(1)) }
    }

    /// One is left aside, and two of the others already make a number nobody's.
    private static let phoneHolders: Int64 = 3

    /// The feed's lock keeps two sales with one number apart, which two terminals can bring at once.
    func use(_ voucher: VoucherUse, for orderKey: String) throws -> Bool {
        let number = PostgresValue.text(CouponCode.normalForm(of: voucher.number))
        return try queryAfterUnwritten([
            StoreLock.feed.statement,
            PostgresStatement(
                VoucherUse.insertion,
                [.text(voucher.method), number, .text(orderKey), .integer(voucher.amount)]),
            PostgresStatement(VoucherUse.others, [.text(voucher.method), number, .text(orderKey)]),
        ]).first != nil
    }

    /// The feed's lock keeps two sales of one cart apart, which two terminals can bring at once.
    func sell(_ cart: CartSale, for orderKey: String, in storeId: String) throws -> Bool {
        try queryAfterUnwritten([
            StoreLock.feed.statement,
            PostgresStatement(CartSale.insertion, [.text(cart.cart), .text(orderKey)]),
            PostgresStatement(CartSale.others, [.text(cart.cart), .text(orderKey), .text(storeId)]),
        ]).first != nil
    }

    func count(_ card: MachineCard, of terminalId: String) throws {
        _ = try query(MachineCard.insertion, [.text(terminalId), .text(card.key), .integer(card.amount)])
    }

    func closeMachineDay(of terminalId: String) throws {
        _ = try query(MachineCard.closing, [.text(terminalId)])
    }

    func giveBack(_ voucher: VoucherUse, of orderKey: String) throws {
        try queryAfterUnwritten([
            PostgresStatement(
                VoucherUse.returning,
                [
                    .integer(voucher.amount), .text(voucher.method),
                    .text(CouponCode.normalForm(of: voucher.number)), .text(orderKey),
                ])
        ])
    }

    func couponId(typed code: String) throws -> String? {
        try run([StoreLock.feed.query, dialect.coupon(typed: code)]).first?[0]
    }

    func clock() -> HybridLogicalClock { draft.clock }

    func save(_ clock: HybridLogicalClock) { draft.clock = clock }

    func raise(_ alarm: Alarm) { draft.unwritten.alarms.append(alarm) }
    func note(_ relay: RelayRecord) { draft.unwritten.relays.append(relay.noting) }
    func release(_ relay: RelayRecord) { draft.unwritten.relays.append(relay.releasing) }
}

extension PostgresIntake {
    func product(_ sku: String) throws -> ListedProduct? { try listed(sku)?.product }

    func sell(_ soldMilli: Int64, of sku: String) throws -> Int64? {
        guard let listed = try self.listed(sku),
            let sale = draft.sold[sku, default: StockSale()].adding(soldMilli),
            let total = Merging.add(sale.netMilli, to: listed.soldMilli)
        else { return nil }
        draft.sold[sku] = sale
        return total
    }

    func insert(_ order: CompletedOrder, for record: MutationRecord) {
        if record.numberCounts { draft.orderNumbers.insert(order.orderNumber) }
        let key = record.orderKey ?? order.orderId
        draft.orders[order.orderId, default: []].append(
            OrderState(
                key: key, terminalId: record.device.terminalId, mutationId: record.key, voidedBy: nil,
                storeId: record.device.storeId))
        draft.unwritten.orders.append(
            UnwrittenIntake.Order(
                key: key, mutationId: record.key, device: record.device, facts: order,
                numberCounts: record.numberCounts))
    }

    func markVoided(_ orderId: String, by mutationId: String) throws {
        _ = try query(
            "UPDATE orders SET voided_by = $1 WHERE order_id = $2 AND voided_by IS NULL",
            [.text(mutationId), .text(orderId)])
        for (id, orders) in draft.orders {
            guard let place = orders.firstIndex(where: { $0.key == orderId && $0.voidedBy == nil }) else {
                continue
            }
            let order = orders[place]
            draft.orders[id]?[place] = OrderState(
                key: order.key, terminalId: order.terminalId, mutationId: order.mutationId,
                voidedBy: mutationId, storeId: order.storeId)
        }
    }

    func insertRefund(
        _ id: String, of orderId: String, number: String?, _ refund: RefundFacts, for record: MutationRecord
    ) throws {
        _ = try query(
            "INSERT INTO refunds (mutation_id, refund_id, order_id, order_number, total, currency, "
                + "quantities) VALUES ($1, $2, $3, $4, $5, $6, $7)",
            [
                .text(record.key), .text(id), .text(orderId), .text(number), .integer(refund.total),
                .text(refund.currency),
                .text(refund.quantitiesJSON.canonicalText),
            ])
    }

    func insert(_ shift: KeptShift) throws -> Bool { try hasRow(KeptShift.insertion, shift.row) }

    func overlapsAnother(_ shift: KeptShift) throws -> Bool {
        try hasRow(KeptShift.overlap, shift.overlapValues)
    }

    func noteEntry(of shiftId: String, at sequence: Int64, in place: JournalPlace) {
        draft.unwritten.shiftEntries.append((shiftId, IntakeDraft.Slot(place: place, sequence: sequence)))
    }

    func reconsider(shift shiftId: String, of terminalId: String) throws {
        _ = try hasRow(KeptShift.reconsideration, [.text(terminalId), .text(shiftId)])
    }

    func payload(of id: String, by terminalId: String) throws -> JSONValue? {
        let row = try query(
            "SELECT document FROM mutations WHERE id IN \(EntryRows.keys(of: "$1::text")) AND terminal_id = $2",
            [.text(id), .text(terminalId)]
        ).first
        return row.flatMap { JSONValue.stored($0.optionalText(0))["payload"] }
    }

    private func hasRow(_ sql: String, _ columns: [KeptShift.Column]) throws -> Bool {
        try query(
            sql,
            columns.map { column in
                switch column {
                case .text(let text): .text(text)
                case .integer(let number): .integer(number)
                }
            }
        ).first != nil
    }

    /// Without a turn of the line for a payment that was there when the pushes were read.
    func keepPayment(
        _ payment: PaymentAuthorization, of terminalId: String, at now: Int64
    ) throws -> Bool {
        let name = IntakeDraft.PaymentName(key: payment.key, terminalId: terminalId)
        guard draft.payments[name] == nil else { return false }
        return try insert(PaymentRows.keepNew(payment, of: terminalId, at: now), under: name)
    }

    /// - Returns: whether the row is new; it is not where the device has one of this name.
    private func insert(_ new: StoreQuery, under name: IntakeDraft.PaymentName) throws -> Bool {
        if try !run([new]).isEmpty { return true }
        // Without a row another device took the key between the look and the row.
        guard try payment(key: name.key, namedBy: name.terminalId) != nil else {
            throw TransactionCollision()
        }
        return false
    }

    func payment(key: String, namedBy terminalId: String) throws -> PaymentAuthorization? {
        let name = IntakeDraft.PaymentName(key: key, terminalId: terminalId)
        if let kept = draft.payments[name] { return kept }
        return try queryAfterUnwritten([PostgresPayments.named([(key, terminalId)])]).first
            .map { try PaymentRows.payment($0.stored) }
    }

    func capturePayment(key: String, of terminalId: String) {
        draft.unwritten.captures.append((key, terminalId))
    }

    func voidPayment(key: String, of terminalId: String, at now: Int64) throws -> EndedDebt? {
        // A sale behind it gets the payment as it is then.
        draft.payments = draft.payments.filter { $0.key.key != key }
        return try void(key, of: terminalId, at: now)
    }

    func storePayment(_ payment: StoredPayment, of terminalId: String, at now: Int64) throws -> Bool {
        try insert(
            PaymentRows.store(payment, of: terminalId, at: now),
            under: IntakeDraft.PaymentName(key: payment.key, terminalId: terminalId))
    }

    func insertDiscard(of mutationId: String, by record: MutationRecord) throws {
        _ = try query(
            "UPDATE mutations SET discarded_by = $1 WHERE id IN \(EntryRows.keys(of: "$2::text")) "
                + "AND outcome <> 'applied' AND terminal_id = ANY($3::text[])",
            [.text(record.key), .text(mutationId), .texts(known(record.device).terminalIds)])
        draft.responded.insert(mutationId)
        _ = try query(
            "INSERT INTO discards (mutation_id, terminal_id, discarded_by) VALUES ($1, $2, $3) "
                + "ON CONFLICT DO NOTHING",
            [.text(mutationId), .text(record.device.terminalId), .text(record.key)])
    }

    func attachmentsMissing(
        among ids: [String], of terminalId: String
    ) throws(PostgresError) -> [String] {
        let rows = try connection.query(
            "SELECT id FROM attachments WHERE terminal_id = $1 AND id = ANY($2::text[]) "
                + "AND whole_at IS NOT NULL", [.text(terminalId), .texts(ids)]
        ).rows
        let complete = Set(rows.compactMap { $0.optionalText(0) })
        return ids.filter { !complete.contains($0) }
    }

    func publish(_ change: FeedChange) throws {
        try queryAfterUnwritten([StoreLock.feed.statement, PublishedChange(change).statement])
    }
}
