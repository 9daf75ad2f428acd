import HubCore
import HubProtocol

/// Handles one push, in the order that the contract sets: known key, sequence, content.
///
/// It runs inside one transaction of the store. A refusal is for the whole push, and the store undoes
/// everything that was done for it; alarms about it are raised apart.
struct IntakeProcedure<Store: IntakeTransaction> {
    let store: Store
    private let request: IntakeRequest
    private var clock: HybridLogicalClock
    private var epoch: JournalEpoch?
    private var lastLink: JournalChain.Link?
    /// Looked up by the first mutation of the push that needs them.
    private var approvalFacts: ApprovalFacts?
    /// The terminal that pushes.
    let device: KnownDevice
    /// What it left at the hub today, and what this push adds.
    private let usage: TerminalUsage
    private var added = TerminalUsage()

    init(_ request: IntakeRequest, in store: Store) throws {
        self.request = request
        self.store = store
        clock = try store.clock()
        epoch = try store.lastEpoch(of: request.device.terminalId)
        device = try store.known(request.device)
        usage = try store.usage(
            of: request.device.terminalId, on: TerminalUsage.day(at: request.receivedAt))
    }

    static func run(_ request: IntakeRequest, in store: Store) throws -> IntakeAnswer {
        var procedure = try IntakeProcedure(request, in: store)
        do {
            return .results(try procedure.run())
        } catch let refusal as RefusedPush {
            return .refused(refusal.reason)
        }
    }

    private mutating func run() throws -> MutationBatchAnswer {
        let isSuperseded = epoch.map { spoken($0) < $0.epoch } ?? false
        if isSuperseded, request.mutations.isEmpty { throw RefusedPush(reason: .epochSuperseded) }
        if !isSuperseded { try begin() }
        var results: [MutationResult] = []
        for mutation in request.mutations {
            try store.spendTime()
            results.append(try take(mutation, isSuperseded: isSuperseded))
        }
        try store.save(clock)
        try HeadRecorder(store: store, terminalId: request.device.terminalId, now: request.receivedAt)
            .note(request.head, beside: epoch, lastLink: lastLink)
        try store.add(
            added, of: request.device.terminalId, on: TerminalUsage.day(at: request.receivedAt))
        guard let epoch else {
            return MutationBatchAnswer(results: results, acknowledgedThrough: 0, missing: [])
        }
        try store.save(epoch, of: request.device.terminalId)
        return MutationBatchAnswer(
            results: results, acknowledgedThrough: epoch.acknowledgedThrough, missing: try missing(in: epoch))
    }

    /// The terminal as its token names it.
    var sender: DeviceIdentity { request.device }

    private func spoken(_ known: JournalEpoch) -> Int64 { request.epoch ?? known.epoch }

    private func place(_ epoch: JournalEpoch) -> JournalPlace {
        JournalPlace(terminalId: request.device.terminalId, epoch: epoch.epoch)
    }

    /// Opens the epoch that the request names, when it is a new one. An empty push that names no sequence
    /// opens none, since its first sequence is not known.
    private mutating func begin() throws {
        defer { if let low = request.lowSequence { epoch?.lowSequence = low } }
        if let epoch, spoken(epoch) == epoch.epoch { return }
        // A hub that knows no epoch of the terminal, since it lost its store, takes the one that it names.
        if let epoch, spoken(epoch) > epoch.epoch + 1 {
            throw RefusedPush(reason: .epochInvalid(next: epoch.epoch + 1))
        }
        guard !request.mutations.isEmpty || request.lowSequence != nil else { return }
        let lowest = request.mutations.map(\.sequence).min() ?? Int64.max
        epoch = JournalEpoch(epoch: request.epoch ?? 1, firstSequence: min(request.lowSequence ?? 1, lowest))
    }

    private func missing(in epoch: JournalEpoch) throws -> [Int64] {
        guard epoch.hasGap else { return [] }
        let gaps = try store.gaps(
            above: epoch.acknowledgedThrough, below: epoch.highest, in: place(epoch))
        return JournalEpoch.listed(gaps)
    }

    private mutating func take(_ mutation: ReceivedMutation, isSuperseded: Bool) throws -> MutationResult {
        if let known = try store.known(mutation.id) {
            guard known.digest == mutation.digest else {
                return MutationResult.rejected(
                    mutation.id, code: .idempotencyKeyReused,
                    detail: "Another mutation was accepted under this key.")
            }
            if !isSuperseded { try adopt(mutation) }
            guard known.result != .null else {
                return MutationResult.expired(mutation.id, receivedAt: known.receivedAt)
            }
            return MutationResult.duplicate(mutation.id, first: known.result)
        }
        guard !isSuperseded, let epoch else { throw RefusedPush(reason: .epochSuperseded) }
        guard mutation.sequence >= epoch.firstSequence else {
            return MutationResult.rejected(
                mutation.id, code: .expiredReplay,
                detail: "The sequence is older than what the hub keeps results of.")
        }
        try refuseFork(at: mutation, in: epoch)
        return try judge(mutation, in: epoch)
    }

    /// Lets a mutation that another journal of this till brought in count in this one too.
    private mutating func adopt(_ mutation: ReceivedMutation) throws {
        guard let epoch, mutation.sequence >= epoch.firstSequence,
            try store.holder(of: mutation.sequence, in: place(epoch)) == nil
        else { return }
        try enter(mutation, into: epoch)
    }

    private func refuseFork(at mutation: ReceivedMutation, in epoch: JournalEpoch) throws {
        guard mutation.sequence <= epoch.highest,
            try store.holder(of: mutation.sequence, in: place(epoch)) != nil,
            let head = try store.head(of: place(epoch))
        else { return }
        throw RefusedPush(
            reason: .forked(
                epoch: epoch.epoch + 1, headSequence: head.sequence, headHash: head.hash,
                headOrderNumber: head.orderNumber))
    }

    private mutating func judge(_ mutation: ReceivedMutation, in epoch: JournalEpoch) throws -> MutationResult
    {
        clock.tick(now: request.receivedAt)
        var record = MutationRecord(
            mutation, from: request.device, epoch: epoch.epoch, hlc: clock, receivedAt: request.receivedAt)
        let size = TerminalUsage(mutations: 1, bytes: Int64(mutation.document.utf8.count))
        try refusePastQuota(size)
        let result = try self.result(of: &record, in: epoch)
        guard result.outcome.isVerdict else { return result }
        added = added + size
        record.result = result
        try store.keep(record)
        if case .success(let content) = mutation.content, !content.attachments.isEmpty {
            try store.keepAttachments(content.attachments, of: request.device.terminalId)
        }
        try enter(mutation, into: epoch)
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
        if let refused = try refusedSuccession(content) {
            record.supersedes = nil
            return refused
        }
        if let held = try heldBack(content) { return held }
        if let held = try lacksAttachments(content, from: record.device) { return held }
        if let refused = try refusedByRights(content) { return refused }
        if let collision = try collision(of: content, from: record.device) { return collision }
        switch record.mutation.assessment {
        case .rejected(let reason):
            return MutationResult.rejected(id, code: .invalidMutation, detail: reason)
        case .accepted(let flags, let effects):
            if let refused = pastPoints(content) { return refused }
            let all = flags.union(try approvalFlags(of: content))
            return try apply(effects, of: content, flags: all, to: &record, in: epoch)
        }
    }

    private func apply(
        _ effects: [IntakeEffect], of content: Mutation, flags: Set<IntakeFlag>,
        to record: inout MutationRecord, in epoch: JournalEpoch
    ) throws -> MutationResult {
        var flags = flags.union(try chainFlags(of: record.mutation, in: epoch))
        if case .recordOrder(let order)? = effects.first {
            let sale = SalePlausibility(
                of: order, businessDay: content.payload["businessDay"]?.string,
                storeId: record.device.storeId, terminalNumber: device.number, at: record.receivedAt,
                within: request.limits)
            flags.formUnion(sale.flags)
            record.numberCounts = sale.numberCounts
        }
        for effect in try possible(effects, of: content) {
            flags.formUnion(try store.perform(effect, for: record))
        }
        for flag in flags where flag.isAlarm { try raise(flag, for: record) }
        return MutationResult.applied(
            record.mutation.id, flags: flags, hlc: record.hlc, receivedAt: record.receivedAt)
    }

    /// Points past the limit of one mutation are refused, past that of a day they wait for the next one.
    private mutating func pastPoints(_ mutation: Mutation) -> MutationResult? {
        guard mutation.type == "points.adjusted", let adjustment = try? MemberRules.Adjustment(mutation)
        else { return nil }
        let points = adjustment.delta.magnitude
        // What no day has room for would wait for good.
        let most = min(request.limits.pointsPerMutation, request.limits.pointsPerDay)
        guard points <= most.magnitude else {
            return MutationResult.rejected(
                mutation.id, code: .pointsLimit, detail: "One adjustment moves at most \(most) points.")
        }
        let more = TerminalUsage(points: Int64(clamping: points))
        guard (usage + added + more).points <= request.limits.pointsPerDay else {
            return MutationResult.retry(
                mutation.id, after: TerminalUsage.milliseconds(toTheNextDayAt: request.receivedAt))
        }
        added = added + more
        return nil
    }

    private func heldBack(_ mutation: Mutation) throws -> MutationResult? {
        for dependency in mutation.dependsOn {
            switch try store.status(of: dependency, of: device.terminalIds) {
            case .settled: continue
            case .missing, .foreign: return MutationResult.deferred(mutation.id, waitingFor: dependency)
            case .failed, .discarded:
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
        guard (1...AttachmentInfo.maximumPerMutation).contains(mutation.attachments.count),
            mutation.attachments.allSatisfy(AttachmentInfo.isIdentifier)
        else { return nil }
        let missing = try store.attachmentsMissing(among: mutation.attachments, of: device.terminalId)
        return missing.isEmpty ? nil : MutationResult.deferred(mutation.id, waitingForAttachments: missing)
    }

    private mutating func approvalFlags(of mutation: Mutation) throws -> Set<IntakeFlag> {
        let claims = ApprovalClaim.claims(of: mutation)
        guard !claims.isEmpty else { return [] }
        let facts = try approvalFacts ?? store.approvalFacts(in: request.device.storeId)
        approvalFacts = facts
        return claims.contains { $0.isMissing(by: facts) } ? [.approvalMissing] : []
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

    private func link(of mutation: ReceivedMutation, in epoch: JournalEpoch) -> JournalChain.Link {
        JournalChain.Link(
            epoch: epoch.epoch, sequence: mutation.sequence, previousHash: mutation.previousHash,
            hash: mutation.hash, isHashRight: mutation.isHashRight)
    }

    private mutating func enter(_ mutation: ReceivedMutation, into epoch: JournalEpoch) throws {
        try store.enter(mutation.id, at: mutation.sequence, in: place(epoch))
        lastLink = link(of: mutation, in: epoch)
        var advanced = epoch
        try advanced.occupy(mutation.sequence) { sequence in
            try store.endOfRun(from: sequence, in: place(epoch))
        }
        self.epoch = advanced
    }

    private func raise(_ flag: IntakeFlag, for record: MutationRecord) throws {
        try store.raise(
            Alarm(
                kind: flag.rawValue, terminalId: record.device.terminalId, mutationId: record.mutation.id,
                at: record.receivedAt))
    }
}

/// Ends the intake of a push; the store undoes what was done for it.
private struct RefusedPush: Error {
    let reason: JournalRefusal
}
