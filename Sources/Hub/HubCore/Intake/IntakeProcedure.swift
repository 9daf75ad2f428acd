internal import Base
import HubProtocol

/// Handles one push, in the order that the contract sets: known key, sequence, content.
///
/// It runs inside one transaction of the store. A refusal is for the whole push, and the store undoes
/// everything that was done for it; alarms about it are raised apart.
package struct IntakeProcedure<Store: IntakeTransaction> {
    let store: Store
    let request: IntakeRequest
    private var clock: HybridLogicalClock
    var epoch: JournalEpoch?
    /// The last epoch that the terminal had here before this push.
    let newest: JournalEpoch?
    var lastLink: JournalChain.Link?
    /// Looked up by the first mutation of the push that needs them.
    var approvalFacts: ApprovalFacts?
    /// What the store's sales earned, and what those of this push add; read by the first that earns points.
    var earnedMeasure: EarnedMeasure?
    /// The terminal that pushes.
    let device: KnownDevice
    /// What it left at the hub today, and what this push adds.
    let usage: TerminalUsage
    var added = TerminalUsage()

    private init(_ request: IntakeRequest, in store: Store) throws {
        self.request = request
        self.store = store
        clock = try store.clock()
        newest = try store.lastEpoch(of: request.device.terminalId)
        epoch = try Self.spokenEpoch(request, newest: newest, in: store)
        device = try store.known(request.device)
        usage = try store.usage(
            of: request.device.terminalId, on: TerminalUsage.day(at: request.receivedAt))
    }

    /// Handles `request` in a transaction that has begun.
    ///
    /// - Returns: the results, or why the push is refused; then the transaction is to be undone.
    /// - Throws: what the store throws.
    package static func run(_ request: IntakeRequest, in store: Store) throws -> IntakeResponse {
        var procedure = try IntakeProcedure(request, in: store)
        do {
            return .results(try procedure.run())
        } catch let refusal as RefusedPush {
            return .refused(refusal.reason)
        }
    }

    private mutating func run() throws -> MutationBatchResponse {
        let isSuperseded = epoch.map { spoken($0) < $0.epoch } ?? false
        if isSuperseded, request.mutations.isEmpty { throw try superseded() }
        if !isSuperseded { try begin() }
        var results: [MutationResult] = []
        for mutation in request.mutations {
            try store.spendTime()
            // What is left becomes a push of its own, as if the terminal had sent two.
            if !results.isEmpty, store.isTurnOver { break }
            results.append(try take(mutation, isSuperseded: isSuperseded))
        }
        if !isSuperseded { try adoptHeld() }
        try store.save(clock)
        try HeadRecorder(store: store, terminalId: request.device.terminalId, now: request.receivedAt)
            .note(try witnessedHead(), beside: epoch, lastLink: lastLink)
        try store.add(
            added, of: request.device.terminalId, on: TerminalUsage.day(at: request.receivedAt))
        try store.add(earnedMeasure?.additions ?? [], of: request.device)
        if let epoch { try store.save(epoch, of: request.device.terminalId) }
        if let relay = request.relay { try note(relay, results) }
        return MutationBatchResponse(results: results, try extent(isSuperseded: isSuperseded))
    }

    /// A piece that brings nothing new leaves no row.
    private func note(_ relay: RelayRecord, _ results: [MutationResult]) throws {
        if results.contains(where: { $0.outcome != .duplicate }) { try store.note(relay) }
        guard results.count == request.mutations.count, results.allSatisfy(\.outcome.isFinal) else { return }
        try store.release(relay)
    }

    /// What others hand in may come long after its terminal has gone on, also by a person; what it says of
    /// the journal's end counts only where nothing later is known.
    private func witnessedHead() throws -> HeadClaim? {
        guard request.way != .terminal, let head = request.head?.signed else { return request.head }
        let known = try store.witness(
            of: JournalPlace(terminalId: sender.terminalId, epoch: head.epoch))
        return head.sequence > known?.last.sequence ?? -1 ? request.head : nil
    }

    /// The terminal as its token names it.
    private var sender: DeviceIdentity { request.device }

    private mutating func take(_ mutation: ReceivedMutation, isSuperseded: Bool) throws -> MutationResult {
        let kept = PlantedBug.hubKeyNotLookedUp.isPlanted ? [] : try store.known(mutation.id)
        if let known = entry(of: mutation, among: kept) {
            guard known.digest == mutation.digest else {
                return MutationResult.rejected(
                    mutation.id, code: .idempotencyKeyReused,
                    detail: "Another mutation was accepted under this key.")
            }
            if !isSuperseded { try adopt(mutation, keptAs: known.key) }
            guard known.result != .null else {
                return MutationResult.expired(mutation.id, receivedAt: known.receivedAt)
            }
            return MutationResult.duplicate(mutation.id, first: known.result)
        }
        guard !isSuperseded, let epoch else { throw try superseded() }
        try refuseFork(at: mutation, in: epoch)
        let key =
            kept.isEmpty ? mutation.id : EntryKey.ofSharedId(mutation.id, from: request.device.terminalId)
        return try judge(mutation, keptAs: key, in: epoch)
    }

    /// The entry that a mutation is: one of the same content that a device of the same store brought, or what
    /// this device brought under the id. What other devices brought under it is something else.
    private func entry(of mutation: ReceivedMutation, among kept: [KnownMutation]) -> KnownMutation? {
        let own = kept.filter { device.terminalIds.contains($0.terminalId) }
        let ofStore = kept.filter { $0.storeId == sender.storeId }
        return (own + ofStore).first { $0.digest == mutation.digest } ?? own.first
    }

    private mutating func judge(
        _ mutation: ReceivedMutation, keptAs key: String, in epoch: JournalEpoch
    ) throws -> MutationResult {
        clock.tick(now: request.receivedAt)
        var record = MutationRecord(
            mutation, key: key, from: request.device, epoch: epoch.epoch, hlc: clock,
            receivedAt: request.receivedAt)
        let size = TerminalUsage(mutations: 1, bytes: Int64(mutation.document.utf8.count))
        try refusePastQuota(size)
        let result = try self.result(of: &record, in: epoch)
        guard result.outcome.isFinal else { return result }
        added = added + size
        record.result = result
        try store.keep(record)
        if result.outcome != .applied { try store.insertRefusal(result, for: record) }
        if case .success(let content) = mutation.content {
            if !content.attachments.isEmpty {
                try store.keepAttachments(content.attachments, of: request.device.terminalId)
            }
            if result.outcome == .applied { try noteEntry(content, record) }
        }
        try enter(mutation, keptAs: key, into: epoch)
        return result
    }

    /// Before anything is looked up for a mutation, so that a refusal is cheap.
    private func refusePastQuota(_ more: TerminalUsage) throws {
        guard !(usage + added + more).fits(request.limits) else { return }
        let wait = TerminalUsage.milliseconds(toTheNextDayAt: request.receivedAt)
        throw RefusedPush(reason: .quotaExceeded(retryAfterMilliseconds: wait))
    }

    private mutating func result(
        of record: inout MutationRecord, in epoch: JournalEpoch
    ) throws -> MutationResult {
        let id = record.mutation.id
        let content: Mutation
        switch record.mutation.content {
        case .success(let mutation): content = mutation
        case .failure(let error):
            return MutationResult.rejected(id, code: .invalidMutation, detail: "In the mutation, \(error).")
        }
        if let refused = try refusedSuccession(content, record.mutation.common) {
            record.supersedes = nil
            return refused
        }
        if let held = try heldBack(content) { return held }
        if let held = try lacksAttachments(content, from: record.device) { return held }
        if let refused = try refusedByRights(content, record.mutation) { return refused }
        if let collision = try collision(of: content, record) { return collision }
        switch record.mutation.assessment {
        case .rejected(let reason):
            return MutationResult.rejected(id, code: .invalidMutation, detail: reason)
        case .accepted(let flags, let effects):
            if let refused = try unapproved(content, record.mutation.common) ?? pastMeasure(content, record) {
                return refused
            }
            if let withheld = try withheldNumber(effects, of: content, record) { return withheld }
            let all = flags.union(try approvalFlags(of: content, record))
            return try apply(effects, of: content, flags: all, to: &record, in: epoch)
        }
    }

    private mutating func apply(
        _ effects: [IntakeEffect], of content: Mutation, flags: Set<IntakeFlag>,
        to record: inout MutationRecord, in epoch: JournalEpoch
    ) throws -> MutationResult {
        var flags = flags.union(try chainFlags(of: record.mutation, in: epoch))
        if request.way == .settledConflict { flags.insert(.relayedConflict) }
        if case .recordOrder(let order)? = effects.first {
            let sale = SalePlausibility(
                of: order, storeId: record.device.storeId, terminalNumber: device.number,
                at: record.receivedAt, within: request.limits)
            flags.formUnion(sale.flags)
            record.numberCounts = sale.numberCounts
            record.orderKey = EntryKey.ofOrder(
                order.orderId, from: sender.terminalId,
                isShared: try !store.orders(named: order.orderId).isEmpty)
        }
        let (within, pointsFlags) = try withinPoints(
            effects, record, isPlausible: !flags.contains(.amountImplausible))
        flags.formUnion(pointsFlags)
        var outcome = IntakeOutcome()
        for effect in try possible(within, of: content, record.mutation) {
            flags.formUnion(try store.perform(effect, for: record, &outcome))
        }
        if let memberId = outcome.visitor { try noteVisit(of: memberId, record) }
        if case .recordOrder(let order)? = effects.first, !flags.contains(.pointsLimit) {
            flags.formUnion(
                try store.returnEarlierPoints(
                    of: order, byNumber: !flags.contains(.orderNumberRepeated),
                    isHeld: flags.contains(.pointsHeld), for: record))
        }
        try reconsiderShift(after: content, record)
        let documents = IntakeDocuments(of: record, outcome)
        if documents.sale?.differs == true { flags.insert(.amountsDiffer) }
        for kind in flags.sorted().compactMap(\.alarm) { try raise(kind, for: record) }
        try enterSale(content, record)
        if !flags.isEmpty { try store.insert(flags.sorted(), for: record) }
        for document in documents.all(flags: flags) { try store.append(document) }
        return MutationResult.applied(
            record.mutation.id, flags: flags, hlc: record.hlc, receivedAt: record.receivedAt)
    }

    /// Past the day's limit a sale is none: a terminal that invents sales moves no more members' shares to
    /// its store than one that looks members up.
    private mutating func noteVisit(of memberId: String, _ record: MutationRecord) throws {
        guard (usage + added).visits < request.limits.lookUpsPerDay else { return }
        added.visits += 1
        try store.note(
            MemberVisit(
                memberId: memberId, storeId: sender.storeId, seenAt: record.receivedAt,
                terminalId: sender.terminalId))
    }

    /// An entry behind the end of its shift, which a restored database had open again. An edit belongs to the
    /// place of what it replaces.
    private func noteEntry(_ content: Mutation, _ record: MutationRecord) throws {
        guard record.supersedes == nil, ShiftTally.types.contains(content.type),
            let shiftId = record.mutation.common.shiftId
        else { return }
        try store.noteEntry(
            of: shiftId, at: content.sequence,
            in: JournalPlace(terminalId: record.device.terminalId, epoch: record.epoch))
    }

    /// A disputed shift is compared once more when an entry of it was edited or discarded.
    private func reconsiderShift(after content: Mutation, _ record: MutationRecord) throws {
        let terminalId = record.device.terminalId
        var concerned: EntryMembers?
        if record.supersedes != nil {
            concerned = record.mutation.common
        } else if content.type == "mutation.discarded", let id = record.mutation.common.discards {
            concerned = EntryMembers(shown: try store.payload(of: id, by: terminalId))
        }
        guard let shiftId = concerned?.shiftId else { return }
        try store.reconsider(shift: shiftId, of: terminalId)
    }

    /// The order that the terminal names, with what came back of it.
    private func refundable(_ orderId: String) throws -> RefundableOrder {
        try store.refundable(.id(store.orderKey(orderId, namedBy: sender)))
    }

    /// The read model of sales, in the transaction that accepts the mutation.
    private func enterSale(_ content: Mutation, _ record: MutationRecord) throws {
        guard SaleEntry.types.contains(content.type) else { return }
        let entry = try SaleEntry.entry(
            id: record.key, type: content.type, entityId: content.entityId, content.payload,
            content: record.mutation.sale
        ) { orderId throws(any Error) in try refundable(orderId) }
        if let entry { try store.insert(entry, for: record) }
    }

    /// What belongs to the whole chain has a measure for each terminal and day: past it an entry waits for
    /// the next one, and what no day has room for is refused. Half of it is an alarm.
    private mutating func pastMeasure(
        _ mutation: Mutation, _ record: MutationRecord
    ) throws -> MutationResult? {
        let before = usage + added
        for measure in ChainMeasure.of(mutation, within: request.limits) {
            let after = before + measure.more
            if let refusal = measure.refusal {
                return MutationResult.rejected(mutation.id, code: .pointsLimit, detail: refusal)
            }
            guard after[keyPath: measure.used] <= measure.limit else {
                return MutationResult.retry(
                    mutation.id, after: TerminalUsage.milliseconds(toTheNextDayAt: request.receivedAt))
            }
            let half = measure.limit - measure.limit / 2
            if before[keyPath: measure.used] < half, after[keyPath: measure.used] >= half {
                try store.raise(
                    Alarm(
                        kind: measure.alarm, terminalId: record.device.terminalId,
                        mutationId: mutation.id,
                        detail: "\(after[keyPath: measure.used]) of \(measure.limit) of this day.",
                        at: record.receivedAt))
            }
        }
        added = ChainMeasure.of(mutation, within: request.limits).first.map { added + $0.more } ?? added
        return nil
    }

    /// Points that are given by hand are money that nobody paid: where the store has people, one of them who
    /// may approve it takes part. Nothing has happened yet, so that it is refused.
    private mutating func unapproved(
        _ mutation: Mutation, _ people: EntryMembers
    ) throws -> MutationResult? {
        guard mutation.type == "points.adjusted" else { return nil }
        let facts = try approvalFacts ?? store.approvalFacts(in: request.device.storeId)
        approvalFacts = facts
        guard facts.hasCashiers, !facts.isApproved(by: people.approverId, for: people.cashierId) else {
            return nil
        }
        return MutationResult.rejected(
            mutation.id, code: .approvalMissing,
            detail: "`approverId` names another person than `cashierId` who may approve in this store.")
    }

    /// Members are found by their numbers: who changes one names the number by which the member was looked
    /// up. Otherwise the rest of the profile is written, and a person decides on the number.
    private func withheldNumber(
        _ effects: [IntakeEffect], of mutation: Mutation, _ record: MutationRecord
    ) throws -> MutationResult? {
        guard case .writeMember(let id, let change)? = effects.first else { return nil }
        let (ownId, member) = try store.memberOfPerson(id)
        // Of one who is made again under a merged id nothing is written at all.
        guard ownId == id || mutation.type != MemberRecord.creation else { return nil }
        let lookUp = MemberProfile(shown: mutation.payload).lookUp?.phone
        guard let rest = change.withholdingNumber(of: member, foundBy: lookUp) else { return nil }
        var outcome = IntakeOutcome()
        if rest.fields != [:] { _ = try store.perform(.writeMember(id: id, rest), for: record, &outcome) }
        return MutationResult.conflict(
            mutation.id, policy: .escalate, serverState: ["memberId": .string(ownId)],
            detail: "The number of the member \(ownId) was not changed, since `lookUp` does not name the one "
                + "that they have. The rest was taken.")
    }

    private func heldBack(_ mutation: Mutation) throws -> MutationResult? {
        for dependency in mutation.dependsOn {
            switch try store.status(of: dependency, of: device.terminalIds) {
            case .settled: continue
            case .missing, .foreign: return MutationResult.deferred(mutation.id, waitingFor: dependency)
            case .failed, .discarded:
                // Money that is reserved for a sale that was refused is given up all the same.
                guard mutation.type != "payment.voided" else { continue }
                return MutationResult.rejected(
                    mutation.id, code: .dependencyRejected,
                    detail: "The mutation \(dependency) that it depends on was rejected or discarded.")
            }
        }
        return nil
    }

    /// Looks in the transaction of the result whether all attachments are complete. A mutation whose list is
    /// invalid gets its result from the rules.
    private func lacksAttachments(
        _ mutation: Mutation, from device: DeviceIdentity
    ) throws -> MutationResult? {
        guard request.way != .withoutAttachments,
            (1...AttachmentInfo.maximumPerMutation).contains(mutation.attachments.count),
            mutation.attachments.allSatisfy(AttachmentInfo.isIdentifier)
        else { return nil }
        let missing = try store.attachmentsMissing(among: mutation.attachments, of: device.terminalId)
        return missing.isEmpty ? nil : MutationResult.deferred(mutation.id, waitingForAttachments: missing)
    }

    private mutating func approvalFlags(
        of mutation: Mutation, _ record: MutationRecord
    ) throws -> Set<IntakeFlag> {
        let claims = ApprovalClaim.claims(of: mutation, record.mutation.common, record.mutation.fact?.order)
        guard !claims.isEmpty else { return [] }
        let facts = try approvalFacts ?? store.approvalFacts(in: request.device.storeId)
        approvalFacts = facts
        let moment = record.moments.first ?? request.receivedAt
        return claims.contains { $0.isMissing(by: facts, at: moment) } ? [.approvalMissing] : []
    }

    private func chainFlags(of mutation: ReceivedMutation, in epoch: JournalEpoch) throws -> Set<IntakeFlag> {
        var flags: Set<IntakeFlag> = mutation.isHashRight ? [] : [.hashMismatch]
        let link = self.link(of: mutation, in: epoch)
        var neighbour = lastLink
        if neighbour?.sequence != mutation.sequence - 1, mutation.sequence - 1 <= epoch.highest {
            neighbour = try store.link(at: mutation.sequence - 1, in: place(epoch))
        }
        if !JournalChain.agrees(link, with: neighbour) { flags.insert(.chainBroken) }
        if mutation.sequence < epoch.highest,
            let next = try store.link(at: mutation.sequence + 1, in: place(epoch)),
            !JournalChain.agrees(next, with: link)
        {
            flags.insert(.chainBroken)
        }
        return flags
    }

    private func raise(_ kind: AlarmKind, for record: MutationRecord) throws {
        try store.raise(
            Alarm(
                kind: kind, terminalId: record.device.terminalId, mutationId: record.key,
                at: record.receivedAt))
    }
}

/// Edits and discards of refused mutations (http.md section 3): an edit replaces what it supersedes, and
/// one fact is never accepted twice, whichever of the two arrives first.
extension IntakeProcedure {
    /// What the succession forbids; nil when `mutation` is allowed.
    private func refusedSuccession(
        _ mutation: Mutation, _ common: EntryMembers
    ) throws -> MutationResult? {
        if let replaced = mutation.supersedes, let refused = try refusedEdit(mutation, of: replaced) {
            return refused
        }
        if mutation.type == "mutation.discarded", let discarded = common.discards,
            let refused = try refusedDiscard(mutation, of: discarded)
        {
            return refused
        }
        return try respondedBefore(mutation)
    }

    private func refusedEdit(_ mutation: Mutation, of replaced: String) throws -> MutationResult? {
        switch try store.status(of: replaced, of: device.terminalIds) {
        case .settled:
            return MutationResult.conflict(
                mutation.id, policy: .appendOnly, serverState: ["mutationId": .string(replaced)],
                detail: "The mutation \(replaced) was accepted, itself or edited; it is not changed any more."
            )
        case .foreign: return foreign(mutation, replaced)
        case .missing, .failed, .discarded:
            guard try store.isEdited(replaced, by: device.terminalIds) else { return nil }
            return MutationResult.rejected(
                mutation.id, code: .editRepeated,
                detail: "The mutation \(replaced) was edited before; edit that edit instead.")
        }
    }

    private func refusedDiscard(_ mutation: Mutation, of discarded: String) throws -> MutationResult? {
        switch try store.status(of: discarded, of: device.terminalIds) {
        case .settled:
            MutationResult.conflict(
                mutation.id, policy: .escalate, serverState: ["mutationId": .string(discarded)],
                detail: "The mutation \(discarded) was accepted; void or refund it instead.")
        case .foreign: foreign(mutation, discarded)
        case .missing, .failed, .discarded: nil
        }
    }

    private func foreign(_ mutation: Mutation, _ other: String) -> MutationResult? {
        guard !AuthorizationTable.allows(.answerMutation, by: .storeTerminal) else { return nil }
        return MutationResult.rejected(
            mutation.id, code: .mutationForeign, detail: "The mutation \(other) is another terminal's.")
    }

    /// An entry can arrive after its edit or discard: at a hub that was restored from a backup, or when one
    /// disk pushes under two identities.
    private func respondedBefore(_ mutation: Mutation) throws -> MutationResult? {
        guard try store.hasResponse(mutation.id) else { return nil }
        switch try store.status(of: mutation.id, of: device.terminalIds) {
        case .settled:
            return MutationResult.rejected(
                mutation.id, code: .superseded, detail: "An edit of this mutation was accepted in its place.")
        case .discarded:
            return MutationResult.rejected(
                mutation.id, code: .superseded, detail: "A person gave this mutation up before it arrived.")
        case .missing, .failed, .foreign:
            return nil
        }
    }
}

/// Whose orders a terminal may reverse, by ``AuthorizationTable``, and what a reversal may move.
extension IntakeProcedure {
    /// A void or refund by a terminal of another store than the order's; nil for anything else.
    private func refusedByRights(
        _ mutation: Mutation, _ received: ReceivedMutation
    ) throws -> MutationResult? {
        guard ProtectedAction(mutationType: mutation.type) == .reverseOrder else { return nil }
        let storeId: String?
        if let code = receiptCode(of: received) {
            let receipt = try store.receipt(code)
            // Whoever shows the signed receipt may bring goods back in any store.
            storeId = receipt.isSigned ? nil : receipt.order.state?.storeId
        } else {
            storeId = try store.order(reversedOrder(of: mutation, received.common), namedBy: sender)?.storeId
        }
        guard let storeId else { return nil }
        let role = CallerRole.role(of: sender, towardsStore: storeId)
        guard !AuthorizationTable.allows(.reverseOrder, by: role) else { return nil }
        return MutationResult.rejected(
            mutation.id, code: .orderForeignStore,
            detail: "The order is another store's; only a terminal of that store voids or refunds it.")
    }

    /// The effects of a mutation without those that have no ground: what comes back of an order that the hub
    /// does not have was never counted out of its stock, and of one that it has no more comes back than was
    /// sold.
    private func possible(
        _ effects: [IntakeEffect], of mutation: Mutation, _ received: ReceivedMutation
    ) throws -> [IntakeEffect] {
        guard ProtectedAction(mutationType: mutation.type) == .reverseOrder else { return effects }
        var left: [String: Int64]
        if let refund = received.fact?.refund, let code = receiptCode(of: received) {
            left = try store.receipt(code).goods(of: refund)
        } else {
            left = try refundable(reversedOrder(of: mutation, received.common)).goods ?? [:]
        }
        return effects.compactMap { effect in
            guard case .countStock(let sku, let soldMilli) = effect else { return effect }
            let back = min(soldMilli == .min ? .max : -soldMilli, left[sku] ?? 0)
            guard back > 0 else { return nil }
            left[sku] = (left[sku] ?? 0) - back
            return .countStock(sku: sku, soldMilli: -back)
        }
    }

    /// Of a refund that names its sale by a receipt; nil for every other mutation.
    private func receiptCode(of received: ReceivedMutation) -> ReceiptCode? {
        guard let refund = received.fact?.refund,
            case .receipt(let code)? = try? RefundedSale(of: refund)
        else { return nil }
        return code
    }

    /// A refund names its order in the payload, a void may name it as its entity.
    private func reversedOrder(of mutation: Mutation, _ common: EntryMembers) -> String {
        common.namedOrder ?? (mutation.type == VoidedOrder.type ? mutation.entityId : "")
    }
}

/// What the hub has already decides, each type by its policy (http.md section 3).
extension IntakeProcedure {
    /// The conflict that `mutation` is in; nil when it merges.
    private func collision(of mutation: Mutation, _ record: MutationRecord) throws -> MutationResult? {
        let (received, device) = (record.mutation, record.device)
        return switch mutation.type {
        case CompletedOrder.type: try appending(mutation, received.common)
        case VoidedOrder.type: try voiding(mutation, received.common)
        case VoidedPayment.type: try voidingPayment(mutation)
        case CompletedRefund.type: try refunding(mutation, received.fact?.refund)
        case "note.upserted", "note.deleted":
            try staleNote(mutation, received.common, from: device) ?? oversizedNote(mutation, from: device)
        case "points.adjusted": try unbearable(mutation)
        case "member.created", "member.updated": try oversized(mutation)
        case _: nil
        }
    }

    /// An order that the device brought under another mutation is not accepted a second time; one of another
    /// device that has the same id is another order.
    private func appending(_ mutation: Mutation, _ common: EntryMembers) throws -> MutationResult? {
        let orderId = common.namedOrder ?? mutation.entityId
        let orders = try store.orders(named: orderId)
        guard
            let order = orders.first(where: {
                device.terminalIds.contains($0.terminalId)
            }),
            Merging.append(mutation.id, to: order.mutationId) == .conflict
        else { return nil }
        return MutationResult.conflict(
            mutation.id, policy: .appendOnly, serverState: order.json(orderId: orderId),
            detail: "The order \(orderId) was accepted with the mutation \(order.mutationId).")
    }

    private func voiding(_ mutation: Mutation, _ common: EntryMembers) throws -> MutationResult? {
        let orderId = common.namedOrder ?? mutation.entityId
        let order = try refundable(orderId)
        guard let state = order.state,
            let objection = RefundRules.objection(
                to: .void, of: order, besides: order.reserved(besides: device.terminalIds))
        else { return nil }
        return MutationResult.conflict(
            mutation.id, policy: .escalate, serverState: state.json(orderId: orderId),
            detail: objection.detail(orderId: orderId))
    }

    /// The money of a sale that stands is not given up, whatever became of the void of that sale: after a
    /// refund elsewhere it would be paid back twice. The order that the payment was requested for counts,
    /// whatever the terminal names.
    private func voidingPayment(_ mutation: Mutation) throws -> MutationResult? {
        let void = VoidedPayment(shown: mutation.payload)
        let key = void.key ?? mutation.entityId
        let kept = try store.payment(key: key, namedBy: request.device.terminalId)
        for case let orderId? in [kept?.orderId, void.orderId.map(TextBound.key)] {
            let order = try refundable(orderId)
            guard let state = order.state, !state.isVoided, order.paymentKeys.contains(key) else { continue }
            return MutationResult.conflict(
                mutation.id, policy: .escalate, serverState: state.json(orderId: orderId),
                detail:
                    "The order \(orderId) that this payment paid was accepted and is not voided; refund it.")
        }
        return nil
    }

    /// No more is refunded than was sold, over all tills. What came back by the code of a receipt is paid
    /// already, perhaps far from the hub: it is flagged, not refused (``ReceiptRefund``).
    private func refunding(_ mutation: Mutation, _ read: CompletedRefund?) throws -> MutationResult? {
        guard let read, let refund = try? RefundFacts(of: read), let named = try? RefundedSale(of: read)
        else { return nil }
        let (order, orderId): (RefundableOrder, String)
        switch named {
        case .order(""): return nil
        case .order(let id): (order, orderId) = (try refundable(id), id)
        case .receipt(let code): (order, orderId) = (try store.receipt(code).order, code.orderNumber)
        }
        if order.refundIds.contains(mutation.entityId) {
            return MutationResult.conflict(
                mutation.id, policy: .appendOnly, serverState: order.json(orderId: orderId),
                detail: "The refund \(mutation.entityId) was accepted before.")
        }
        guard case .order = named,
            let objection = RefundRules.objection(
                to: .refund(refund), of: order, besides: order.reserved(besides: device.terminalIds))
        else { return nil }
        return MutationResult.conflict(
            mutation.id, policy: .escalate, serverState: order.json(orderId: orderId),
            detail: objection.detail(orderId: orderId))
    }

    /// A sum of points that could not be kept. The others' differences stay as they are.
    private func unbearable(_ mutation: Mutation) throws -> MutationResult? {
        guard let adjustment = try? MemberRules.Adjustment(mutation),
            try store.memberOfPerson(adjustment.memberId).state.adjusted(by: adjustment.delta) == nil
        else { return nil }
        return MutationResult.rejected(
            mutation.id, code: .invalidMutation,
            detail: "The points of the member \(adjustment.memberId) would come to more than can be counted.")
    }

    /// A profile that many changes make too large, each of them small.
    private func oversized(_ mutation: Mutation) throws -> MutationResult? {
        guard case .accepted(_, let effects) = IntakeRules.assess(mutation),
            case .writeMember(let id, let change)? = effects.first
        else { return nil }
        let before = try store.memberOfPerson(id).state
        let after = before.written(change.fields, naming: change.changed)
        return RecordLimits.member.objection(to: after.profile, growingFrom: before.profile).map {
            MutationResult.rejected(mutation.id, code: .invalidMutation, detail: $0)
        }
    }

    private func oversizedNote(_ mutation: Mutation, from device: DeviceIdentity) throws -> MutationResult? {
        guard mutation.type == "note.upserted", let change = try? FieldChange(payload: mutation.payload)
        else { return nil }
        let before = try store.entity("note", mutation.entityId, in: device.storeId)?.value
        let after = Merging.written(change.fields, naming: change.changed, over: before)
        return RecordLimits.note.objection(to: after, growingFrom: before).map {
            MutationResult.rejected(mutation.id, code: .invalidMutation, detail: $0)
        }
    }

    /// A deletion on a version that is no longer the hub's, or an edit of what was deleted meanwhile.
    private func staleNote(
        _ mutation: Mutation, _ common: EntryMembers, from device: DeviceIdentity
    ) throws -> MutationResult? {
        guard let note = try store.entity("note", mutation.entityId, in: device.storeId),
            Merging.isStale(base: common.baseVersion, current: note.version),
            mutation.type == "note.deleted" ? !note.isDeleted : note.isDeleted
        else { return nil }
        return MutationResult.conflict(
            mutation.id, policy: .escalate, serverState: note.json,
            detail: note.isDeleted
                ? "The note was deleted meanwhile." : "The note was edited after it was last seen here.")
    }
}

/// Ends the intake of a push; the store undoes what was done for it.
struct RefusedPush: Error {
    let reason: JournalRefusal
}
