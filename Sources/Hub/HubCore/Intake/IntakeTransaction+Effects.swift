import Base
import HubProtocol

/// What a mutation does to the hub's state (``IntakeEffect``), the same for every store.
extension IntakeTransaction {
    /// Performs an effect and returns the flags that it raises.
    ///
    /// - Parameter outcome: gets what the documents of the mutation say of it.
    func perform(
        _ effect: IntakeEffect, for record: MutationRecord, _ outcome: inout IntakeOutcome
    ) throws -> Set<IntakeFlag> {
        switch effect {
        case .recordOrder(let order): return try recordOrder(order, for: record)
        case .countStock(let sku, let soldMilli):
            if try terms(of: sku, in: record.device.storeId).countsStock {
                return try countStoreStock(of: sku, soldMilli, for: record)
            }
            guard let listed = try product(sku), let total = try sell(soldMilli, of: sku) else { return [] }
            return listed.flags(selling: soldMilli, upTo: total)
        case .voidOrder(let orderId):
            return try voidOrder(orderId, for: record, &outcome)
        case .recordRefund(let id, .order(let orderId), let refund):
            return try recordRefund(id, ofOrder: orderId, refund, for: record, &outcome)
        case .recordRefund(let id, .receipt(let code), let refund):
            return try recordRefund(id, by: code, refund, for: record, &outcome)
        case .voidPayment(let key):
            let debt = try voidPayment(key: key, of: record.device.terminalId, at: record.receivedAt)
            outcome.note(debt, named: key)
        case .keepPayment(let payment): return try keepCard(payment, for: record)
        case .capturePayment(let key):
            try capturePayment(key: key, of: record.device.terminalId)
        case .refundPayment(let key, let amount, let refundId, let sale):
            let (terminalId, orderId) = (record.device.terminalId, try orderId(of: sale))
            let refunded = try refundPayment(
                key: key, of: terminalId, orderId: orderId, amount: amount, refundId: refundId)
            if case .owed(let debt) = refunded { outcome.note(debt, named: key) }
            return refunded == nil ? [.refundNotOnCard] : []
        case .useVoucher(let voucher, let orderId):
            return try use(voucher, for: record.orderKey ?? orderId) ? [.voucherRepeated] : []
        case .sellCart(let cart, let orderId):
            let isRepeated = try sell(cart, for: record.orderKey ?? orderId, in: record.device.storeId)
            return isRepeated ? [.cartSoldTwice] : []
        case .returnVoucher(let voucher, let orderId):
            try giveBack(voucher, of: orderKey(orderId, namedBy: record.device))
        case .storePayment(let payment):
            return try storePayment(payment, of: record.device.terminalId, at: record.receivedAt)
                ? [] : [.paymentUnmatched]
        case .countMachineCard(let card): try count(card, of: record.device.terminalId)
        case .closeMachineDay: try closeMachineDay(of: record.device.terminalId)
        case .publishNote(let id, let change):
            try writeNote(id, change, for: record)
        case .removeNote(let id):
            try removeNote(id, for: record)
        case .writeMember(let id, let change):
            return try writeMember(id, change, for: record)
        case .adjustPoints(let memberId, let delta):
            let (flags, ownId) = try movePoints(of: memberId, by: delta, for: record)
            if record.mutation.type == "order.completed" { outcome.visitor = ownId }
            return flags
        case .useLeases(let claim):
            return try useLeases(claim, for: record)
        case .moveLease(let moved, let isTaken):
            return try move(moved, isTaken: isTaken, for: record)
        case .countCoupon(let code, let uses):
            return try countCoupon(code, uses, for: record)
        case .openShift(let opening): _ = try insert(KeptShift(opening, nil, of: record))
        case .closeShift(let closing):
            let shift = KeptShift(closing.opening, closing, of: record)
            // Each entry is compared once, so that closings cost no more than the entries that they are over.
            guard try !overlapsAnother(shift), try insert(shift) else { return [.shiftOverlaps] }
        case .discard(let mutationId):
            try insertDiscard(of: mutationId, by: record)
        }
        return []
    }

    private func recordRefund(
        _ id: String, ofOrder orderId: String, _ refund: RefundFacts, for record: MutationRecord,
        _ outcome: inout IntakeOutcome
    ) throws -> Set<IntakeFlag> {
        let key = orderId.isEmpty ? "" : try orderKey(orderId, namedBy: record.device)
        let order = try refundable(.id(key))
        try insertRefund(id, of: key, number: nil, refund, for: record)
        if PlantedBug.hubCountsRefundTwice.isPlanted {
            try insertRefund(id + "2", of: key, number: nil, refund, for: record)
        }
        try endGrant(of: id, by: known(record.device).terminalIds)
        let (points, claimed) = (order.returnedPoints(by: refund), record.mutation.fact?.returnedPoints)
        let flags = try returnPoints(points, of: order, claimed: claimed, for: record)
        outcome.note(order, points, value: order.returnedValue(by: refund))
        // Goods without a receipt name no sale that could arrive.
        return order.state == nil && !orderId.isEmpty ? flags.union([.orderUnknown]) : flags
    }

    private func recordRefund(
        _ id: String, by code: ReceiptCode, _ refund: RefundFacts, for record: MutationRecord,
        _ outcome: inout IntakeOutcome
    ) throws -> Set<IntakeFlag> {
        let receipt = try receipt(code)
        try insertRefund(id, of: receipt.orderId, number: receipt.orderNumber, refund, for: record)
        let own = try known(record.device).terminalIds
        try endGrant(of: id, by: own)
        guard receipt.isSigned else { return receipt.flags(of: refund) }
        // Without the sale at hand the terminal had no points to name.
        let points = receipt.order.returnedPoints(by: refund)
        let moved = try returnPoints(points, of: receipt.order, claimed: nil, for: record)
        outcome.note(receipt.order, points, value: receipt.order.returnedValue(by: refund))
        return receipt.flags(of: refund, besides: receipt.order.reserved(besides: own)).union(moved)
    }

    private func voidOrder(
        _ orderId: String, for record: MutationRecord, _ outcome: inout IntakeOutcome
    ) throws -> Set<IntakeFlag> {
        let key = try orderKey(orderId, namedBy: record.device)
        let order = try refundable(.id(key))
        for code in order.sale?.couponCodes ?? [] { _ = try countCoupon(code, -1, for: record) }
        let returned = order.points.map {
            ReturnedPoints(earnedReturned: $0.earned, spentReturned: $0.spent)
        }
        // Whatever becomes of the terminal's own entry about its card, and whichever till of the store voids:
        // a void gives the money back once.
        if let seller = order.terminalId {
            for key in order.paymentKeys {
                outcome.note(try voidPayment(key: key, of: seller, at: record.receivedAt), named: key)
            }
        }
        outcome.note(order, returned, value: order.points?.value)
        try giveLeasesBack(of: order, claimed: record.mutation.fact?.void?.leases, for: record)
        if !PlantedBug.hubLosesVoid.isPlanted { try markVoided(key, by: record.key) }
        try endGrant(of: orderId, by: known(record.device).terminalIds)
        let flags = try returnPoints(
            returned, of: order, claimed: record.mutation.fact?.returnedPoints, for: record)
        return order.state == nil ? flags.union([.orderUnknown]) : flags
    }

    /// A sale is a fact: a card that the hub knows nothing of is captured all the same, and one of which it
    /// knows something else is flagged.
    private func keepCard(
        _ payment: PaymentAuthorization, for record: MutationRecord
    ) throws -> Set<IntakeFlag> {
        let terminalId = record.device.terminalId
        if try keepPayment(payment, of: terminalId, at: record.receivedAt) { return [.paymentUnmatched] }
        guard let kept = try self.payment(key: payment.key, namedBy: terminalId) else { return [] }
        switch PaymentRules.evidence(of: payment, in: kept) {
        case .authorized: return []
        case .undecided:
            try authorizePayment(key: kept.key, approvalCode: payment.approvalCode)
            return [.paymentUnmatched]
        case .contrary: return [.paymentUnmatched]
        }
    }

    /// As its terminal minted it; empty for a sale that is not there.
    private func orderId(of sale: RefundedSale) throws -> String {
        switch sale {
        case .order(let id): return id
        case .receipt(let code):
            let receipt = try receipt(code)
            return receipt.isSigned ? receipt.order.sale?.orderId ?? "" : ""
        }
    }

    /// The order's number is compared with those before it, then the order is one of them.
    private func recordOrder(_ order: CompletedOrder, for record: MutationRecord) throws -> Set<IntakeFlag> {
        var flags: Set<IntakeFlag> = []
        if try record.numberCounts && isTaken(orderNumber: order.orderNumber) {
            flags.insert(.orderNumberRepeated)
        }
        try insert(order, for: record)
        for line in order.lines {
            guard let listed = try product(line.sku) else { continue }
            let prices = try terms(of: line.sku, in: record.device.storeId).prices
            // Most articles have one price, and no clock has to be looked at.
            let moments = prices.isEmpty ? [record.receivedAt] : record.moments
            flags.formUnion(
                listed.flags(
                    of: line, in: order.currency, by: prices, at: record.device.storeId, moments))
        }
        return flags
    }
}

/// When a terminal made an entry.
enum EntryTimes {
    /// What the store's clock can have shown then, in Unix milliseconds: the hub's time as the terminal
    /// followed it (`hubTime` of the payload), then the terminal's own clock. What cannot be read is left
    /// out.
    static func made(_ hubTime: String?, _ generatedAt: String?) -> [Int64] {
        [hubTime, generatedAt].compactMap { $0.flatMap(Timestamp.milliseconds(of:)) }
    }
}

extension MutationRecord {
    /// When it was made, by the store's clock first, and when it arrived.
    var moments: [Int64] {
        let generatedAt = (try? mutation.content.get())?.clientGeneratedAt
        return EntryTimes.made(mutation.common.hubTime, generatedAt) + [receivedAt]
    }
}

/// What a mutation makes of the entities of the change feed, by the pure functions of the policies. The store
/// keeps an entity that was read from changing until the transaction ends, so no writing is lost.
extension IntakeTransaction {
    fileprivate func writeNote(_ id: String, _ change: FieldChange, for record: MutationRecord) throws {
        let before = try entity("note", id, in: record.device.storeId)?.value
        let value = Merging.written(change.fields, naming: change.changed, over: before)
        try publish("note", id, value, in: record.device.storeId, for: record)
    }

    fileprivate func removeNote(_ id: String, for record: MutationRecord) throws {
        try publish("note", id, nil, in: record.device.storeId, for: record)
    }

    fileprivate func writeMember(
        _ id: String, _ change: FieldChange, for record: MutationRecord
    ) throws -> Set<IntakeFlag> {
        guard try !isGone(id) else { return [.memberUnknown] }
        let creates = record.mutation.type == "member.created"
        let (ownId, before) = try memberOfPerson(id)
        if creates, ownId != id { return [.memberMerged] }
        if creates, !before.isKnown, let phone = change.fields["phone"]?.string,
            let owner = try phoneOwner(phone, besides: id),
            let known = Optional(try member(owner)),
            let merge = MemberMerge(of: before, change.fields, into: known)
        {
            try publish(owner, merge.owner, over: known, for: record)
            try publish(id, MemberState(MemberMerge.reference(to: owner)), over: before, for: record)
            return [.memberMerged]
        }
        let after = before.written(change.fields, naming: change.changed)
        try publish(ownId, after, over: before, for: record)
        return before.isKnown || creates ? [] : [.memberUnknown]
    }

    /// A sum that does not fit was rejected before (``IntakeProcedure``).
    func adjustPoints(
        of memberId: String, by delta: Int64, for record: MutationRecord
    ) throws -> Set<IntakeFlag> {
        try movePoints(of: memberId, by: delta, for: record).flags
    }

    /// - Returns: also whose points they are now; nil: nobody's that the hub knows.
    private func movePoints(
        of memberId: String, by delta: Int64, for record: MutationRecord
    ) throws -> (flags: Set<IntakeFlag>, ownId: String?) {
        guard try !isGone(memberId) else { return ([.memberUnknown], nil) }
        let (ownId, before) = try memberOfPerson(memberId)
        guard try ownId == memberId || !isGone(ownId) else { return ([.memberUnknown], nil) }
        guard let after = before.adjusted(by: delta) else { return ([], nil) }
        try publish(ownId, after, over: before, for: record)
        var flags: Set<IntakeFlag> = after.isKnown ? [] : [.memberUnknown]
        if delta < 0, after.points < 0 { flags.insert(.pointsNegative) }
        return (flags, after.isKnown ? ownId : nil)
    }

    /// The count of the terminal's own store, which its terminals get with the next pull.
    fileprivate func countStoreStock(
        of sku: String, _ soldMilli: Int64, for record: MutationRecord
    ) throws -> Set<IntakeFlag> {
        let storeId = record.device.storeId
        let id = StockRecord.id(sku: sku, storeId: storeId)
        guard let known = try entity(StockRecord.entity, id, in: storeId)?.value,
            let left = try? StockRecord(json: known).selling(soldMilli)
        else { return [] }
        try publish(StockRecord.entity, id, left.json, in: storeId, for: record)
        return soldMilli > 0 && left.stockMilli < 0 ? [.stockNegative] : []
    }

    /// A sale is a fact, even when its coupon is not valid.
    fileprivate func countCoupon(_ code: String, _ uses: Int64, for record: MutationRecord) throws -> Set<
        IntakeFlag
    > {
        guard let id = try couponId(typed: code), let known = try entity("coupon", id, in: "")?.value else {
            return uses > 0 ? [.couponUnknown] : []
        }
        let after = CouponState(known).counted(uses)
        try publish("coupon", id, after.value, in: "", for: record)
        if uses > 0, after.usesLeft != nil {
            let storeId = record.device.storeId
            try note(CouponUse(couponId: id, storeId: storeId, usedAt: record.receivedAt))
        }
        return uses > 0 && after.isOverused ? [.couponOverused] : []
    }

    /// Whether a member was withdrawn or erased: terminals do not bring them back.
    private func isGone(_ memberId: String) throws -> Bool {
        try entity("member", memberId, in: "")?.isDeleted ?? false
    }

    /// A member belongs to the whole chain.
    private func member(_ id: String) throws -> MemberState {
        MemberState(try entity("member", id, in: "")?.value)
    }

    /// The member `id`, or the one whom it was merged into, with that one's id.
    func memberOfPerson(_ id: String) throws -> (id: String, state: MemberState) {
        let named = try member(id)
        guard let owner = named.mergedInto else { return (id, named) }
        return (owner, try member(owner))
    }

    /// The one member who has a telephone number, or had it before all others; nil: nobody, nobody alone, or
    /// a text that is no number of a person.
    private func phoneOwner(_ phone: String, besides id: String) throws -> String? {
        for digits in MemberRecord.personalForms(of: phone) {
            let holders = try memberIds(lookup: digits).filter { $0.id != id }
            guard let first = holders.map(\.since).min() else { continue }
            let owners = holders.filter { $0.since == first }
            return owners.count == 1 ? owners[0].id : nil
        }
        return nil
    }

    private func publish(
        _ memberId: String, _ after: MemberState, over before: MemberState, for record: MutationRecord
    ) throws {
        try publish("member", memberId, after.value, in: "", for: record)
        let change = MemberChange(of: memberId, from: before, to: after, by: record)
        if !change.isEmpty { try note(change) }
        guard change.delta != 0, !SaleEntry.types.contains(record.mutation.type) else { return }
        let reason = record.mutation.type == "points.adjusted" ? record.mutation.common.reason : "merged"
        try append(.points(memberId, change.delta, reason: reason, of: record))
    }

    private func publish(
        _ entity: String, _ id: String, _ value: JSONValue?, in storeId: String, for record: MutationRecord
    ) throws {
        try publish(
            FeedChange(
                entity: entity, entityId: id, storeId: storeId,
                deletedAt: value == nil ? record.receivedAt : nil, hlc: record.hlc, origin: record.origin,
                value: value))
    }
}
