import HubProtocol

/// The epochs of a journal: how one begins and is extended, and what the hub lacks of them.
///
/// The start of an epoch is the terminal's to say, and the chain shows whether that was all: the entry before
/// an epoch's first one has to be here, too, in whichever epoch, or it is missing. So a terminal that opened
/// an epoch after the backup that this hub was restored from sends everything again that the hub lost.
extension IntakeProcedure {
    func spoken(_ known: JournalEpoch) -> Int64 { request.epoch ?? known.epoch }

    func place(_ epoch: JournalEpoch) -> JournalPlace {
        JournalPlace(terminalId: request.device.terminalId, epoch: epoch.epoch)
    }

    /// The epoch that a push goes on with: the last one, or that of a file which may be an earlier one.
    static func spokenEpoch(
        _ request: IntakeRequest, newest: JournalEpoch?, in store: Store
    ) throws -> JournalEpoch? {
        guard request.way.isBelated, let newest, let spoken = request.epoch, spoken < newest.epoch else {
            return newest
        }
        let known = try store.epochs(of: request.device.terminalId).first { $0.epoch == spoken }
        return known
            ?? JournalEpoch(
                epoch: spoken, firstSequence: request.mutations.map(\.sequence).min() ?? 1)
    }

    /// Opens the epoch that the request names, when it is a new one. An empty push that names no sequence
    /// opens none, since its first sequence is not known.
    mutating func begin() throws {
        defer { if let low = request.lowSequence { epoch?.lowSequence = low } }
        if var known = epoch, spoken(known) == known.epoch {
            guard let start = request.epochStart, start < known.firstSequence else { return }
            try noteGap(from: start, to: known.firstSequence, in: known)
            known.extend(to: start)
            epoch = known
            return
        }
        guard !request.mutations.isEmpty || request.lowSequence != nil || request.epochStart != nil else {
            return
        }
        // A hub that knows no epoch of the terminal, since it lost its store, takes the one that it names.
        if let newest, spoken(newest) > newest.epoch + reach {
            throw RefusedPush(reason: .epochInvalid(next: newest.epoch + 1))
        }
        if request.way == .relay, try !mayBeRelayed(newest) {
            throw RefusedPush(reason: .epochInvalid(next: (newest?.epoch ?? 0) + 1))
        }
        let lowest = request.mutations.map(\.sequence).min() ?? Int64.max
        var first = min(request.epochStart ?? request.lowSequence ?? 1, lowest)
        // What the hub lacks of the epochs before belongs to this one, since the terminal sends it under
        // this.
        if request.epochStart != nil, let newest { first = min(first, newest.acknowledgedThrough + 1) }
        let opened = JournalEpoch(epoch: request.epoch ?? 1, firstSequence: first)
        try noteGap(from: first, to: lowest, in: opened)
        epoch = opened
    }

    /// Whether another terminal may bring the first entries of an epoch: of the first one, and of one that
    /// the terminal itself has named here.
    private func mayBeRelayed(_ newest: JournalEpoch?) throws -> Bool {
        let spoken = request.epoch ?? 1
        if newest == nil, spoken == 1 { return true }
        return try store.witness(
            of: JournalPlace(terminalId: request.device.terminalId, epoch: spoken)) != nil
    }

    /// How many epochs above the last known one the push may open: those between were opened after the backup
    /// that this store was made of.
    private var reach: Int64 {
        request.epochStart != nil && request.head?.signed != nil ? JournalEpoch.maximumLeap : 1
    }

    private func noteGap(from start: Int64, to entry: Int64, in epoch: JournalEpoch) throws {
        guard entry != .max, entry - start > JournalEpoch.plausibleGap else { return }
        try store.raise(
            Alarm(
                kind: .epochGap, terminalId: request.device.terminalId,
                detail: "epoch \(epoch.epoch), from \(start) to \(entry)", at: request.receivedAt))
    }

    /// Lets a mutation that another journal of this till brought in count in this one too.
    mutating func adopt(_ mutation: ReceivedMutation, keptAs key: String) throws {
        guard let epoch, mutation.sequence >= epoch.firstSequence,
            try store.holder(of: mutation.sequence, in: place(epoch)) == nil
        else { return }
        try enter(mutation, keptAs: key, into: epoch)
    }

    func refuseFork(at mutation: ReceivedMutation, in epoch: JournalEpoch) throws {
        guard mutation.sequence <= epoch.highest,
            try store.holder(of: mutation.sequence, in: place(epoch)) != nil,
            let head = try store.head(of: place(epoch))
        else { return }
        throw RefusedPush(
            reason: .forked(
                epoch: max(epoch.epoch, newest?.epoch ?? 0) + 1, headSequence: head.sequence,
                headHash: head.hash, headOrderNumber: head.orderNumber))
    }

    /// The refusal of a copy that speaks an old epoch. It names how far the journal came in that epoch and in
    /// those after it: a hub that is restored from an older backup forgets them, and the copy that opened
    /// them may be gone.
    func superseded() throws -> RefusedPush {
        guard let newest else {
            return RefusedPush(reason: .epochSuperseded(epoch: 1, ends: [], headOrderNumber: nil))
        }
        var ends: [JournalMark] = []
        var orderNumber: String?
        let epochs = try store.epochs(of: request.device.terminalId)
        for epoch in epochs.suffix(JournalOrigin.maximumEnds) where epoch.epoch >= spoken(newest) {
            guard let head = try store.head(of: place(epoch)) else { continue }
            ends.append(JournalMark(epoch: epoch.epoch, sequence: head.sequence, hash: head.hash))
            orderNumber = head.orderNumber
        }
        return RefusedPush(
            reason: .epochSuperseded(epoch: newest.epoch, ends: ends, headOrderNumber: orderNumber))
    }

    /// Gives a mutation its place. One before the epoch's first lets the epoch begin there: it was never
    /// here, whatever the epoch's start was.
    mutating func enter(
        _ mutation: ReceivedMutation, keptAs key: String, into epoch: JournalEpoch
    ) throws {
        var advanced = epoch
        advanced.extend(to: mutation.sequence)
        try store.enter(key, at: mutation.sequence, in: place(epoch))
        lastLink = link(of: mutation, in: epoch)
        try advanced.occupy(mutation.sequence) { sequence in
            try store.endOfRun(from: sequence, in: place(epoch))
        }
        if mutation.sequence == advanced.firstSequence { try lookBehind(mutation, &advanced) }
        self.epoch = advanced
    }

    /// Extends an epoch downwards when the entry before its first one, which is `mutation`, is not here.
    private func lookBehind(_ mutation: ReceivedMutation, _ epoch: inout JournalEpoch) throws {
        guard let start = request.head?.signed?.origin?.journalStart, mutation.sequence > start,
            try store.held(mutation.sequence - 1, hash: mutation.previousHash, by: device.terminalIds) == nil
        else { return }
        var first = mutation.sequence - JournalEpoch.stepBack
        if let newest, newest.epoch < epoch.epoch { first = min(first, newest.acknowledgedThrough + 1) }
        epoch.extend(to: min(mutation.sequence - 1, max(start, first)))
    }

    /// Counts in this epoch, too, what lies in its gaps and is here in another journal of the device: the
    /// terminal's disk may have lost it, and then nobody sends it again. The chain names each entry, from the
    /// last one of a gap downwards.
    mutating func adoptHeld() throws {
        guard var filled = epoch, filled.hasGap else { return }
        let place = place(filled)
        var rest = JournalEpoch.maximumAdopted
        for gap in try store.gaps(above: filled.acknowledgedThrough, below: filled.highest, in: place) {
            var (sequence, hash) = (
                gap.upperBound, try store.link(at: gap.upperBound + 1, in: place)?.previousHash
            )
            while sequence >= gap.lowerBound, rest > 0, let named = hash,
                let entry = try store.held(sequence, hash: named, by: device.terminalIds)
            {
                try store.enter(entry.key, at: sequence, in: place)
                try filled.occupy(sequence) { try store.endOfRun(from: $0, in: place) }
                (sequence, hash, rest) = (sequence - 1, entry.previousHash, rest - 1)
            }
        }
        epoch = filled
    }

    func link(of mutation: ReceivedMutation, in epoch: JournalEpoch) -> JournalChain.Link {
        JournalChain.Link(
            epoch: epoch.epoch, sequence: mutation.sequence, previousHash: mutation.previousHash,
            hash: mutation.hash, isHashRight: mutation.isHashRight)
    }
}

/// What the response says of the journal as a whole.
extension IntakeProcedure {
    /// A superseded copy of the terminal gets nothing of what the other one lacks.
    func extent(isSuperseded: Bool) throws -> JournalExtent {
        guard let epoch else { return JournalExtent(acknowledgedThrough: 0) }
        var extent = JournalExtent(acknowledgedThrough: epoch.acknowledgedThrough)
        guard !isSuperseded else { return extent }
        extent.missing = JournalEpoch.listed(try gaps(in: epoch))
        for end in request.head?.signed?.origin?.ends ?? []
        where try store.held(end.sequence, hash: end.hash, by: device.terminalIds) == nil {
            extent.missingHeads.append(end)
        }
        guard epoch.epoch > 1, request.epochStart != nil, request.mutations.isEmpty else { return extent }
        let comparison = EpochComparison(
            store: store, terminalId: request.device.terminalId, terminalIds: device.terminalIds,
            journalStart: request.head?.signed?.origin?.journalStart)
        let epochs = try store.epochs(of: request.device.terminalId)
        extent.missingEpochs = EpochComparison<Store>.skipped(among: epochs)
        extent.missingHeads += try comparison.gaps(among: epochs).prefix(JournalEpoch.listedGaps).map(\.end)
        return extent
    }

    /// What lies before entries that are here, and what the terminal says that it has given.
    private func gaps(in epoch: JournalEpoch) throws -> [ClosedRange<Int64>] {
        var gaps: [ClosedRange<Int64>] = []
        if epoch.hasGap {
            gaps = try store.gaps(above: epoch.acknowledgedThrough, below: epoch.highest, in: place(epoch))
        }
        if let given, given > epoch.highest { gaps.append((epoch.highest + 1)...given) }
        return gaps
    }

    /// The last sequence before which everything has a result on the terminal's disk; nil: not known.
    private var given: Int64? {
        if let low = request.lowSequence { return low - 1 }
        guard let head = request.head?.signed, head.epoch == epoch?.epoch, head.origin != nil else {
            return nil
        }
        return head.sequence
    }
}
