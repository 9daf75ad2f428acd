package import Base
package import HubProtocol
internal import OfflineCore

/// The lists of notes of all tills of a store, as one till has them: it writes its own, pulls the others'
/// from whoever has them, keeps two notes under one number as proof, and begins lists anew with checkpoints.
///
/// A note counts when it is durable. Nothing that a neighbour says counts without the signature of the note's
/// maker, so that a neighbour can withhold notes and cost time, and nothing else.
package struct NoteLists: Machine {
    /// Whether this till writes notes.
    package enum OwnStatus: Hashable, Sendable {
        /// It waits for what its neighbours have of its own lists, until this moment at most.
        case checking(until: Instant)
        case writing
        /// A neighbour has a signed note that this till's disk does not have: it waits for a new epoch.
        case behind
    }

    /// A write that is under way, and what it makes durable.
    private enum Write: Hashable {
        case own(NoteDraft, isCheckpoint: Bool)
        case received(NoteListKey, notes: [NeighbourNote], fork: NeighbourNote?)
    }

    /// How many notes of a maker were accepted in an interval of ``NeighbourLimits/noteInterval``.
    private struct Intake: Hashable {
        var began: Instant
        var count = 0
    }

    package let terminalId: String
    private let checkpointEvery: Int64
    private let wait: Duration?
    /// Of this till's journal, and of the list that it writes.
    package private(set) var epoch: Int64
    package private(set) var status: OwnStatus
    /// Each list that this till has, its own among them.
    package private(set) var lists: [NoteListKey: NoteList] = [:]
    private var keys: [String: TerminalKey] = [:]
    private var peers: [String: NotePeer] = [:]
    private var requests: [NoteRequest] = []
    private var checkpoint: [CheckpointPart] = []
    private var pages: [(peer: String, pull: NotePeer.Pull, notes: [NeighbourNote])] = []
    private var write: Write?
    /// Whether the write is with the driver; it is not while it waits after a failure.
    private var isWriting = false
    /// The last save failed: it is tried again then.
    private var writesAgainAt: Instant?
    private var writeBackoff = Backoff(maximum: NeighbourLimits.longestRetry)
    private var journal: JournalMark?
    private var acknowledged: [NoteListKey: Int64] = [:]
    private var intakes: [String: Intake] = [:]
    private var raised: Set<NoteAlarm> = []
    private var generator: SplitMix64

    /// Starts with what is on disk.
    ///
    /// - Parameters:
    ///   - stored: the notes of each list in order of their numbers; of any order among the lists.
    ///   - forks: the second notes under numbers of those.
    ///   - checkpointEvery: own notes after which a checkpoint is written.
    ///   - wait: how long one neighbour is waited for before another one is requested the same list;
    ///     nil: until it responds or fails.
    package init(
        terminalId: String, epoch: Int64, stored: [NeighbourNote], forks: [NeighbourNote],
        checkpointEvery: Int = NeighbourLimits.checkpointEvery, wait: Duration? = nil,
        seed: UInt64, at now: Instant
    ) {
        self.terminalId = terminalId
        self.epoch = epoch
        self.checkpointEvery = Int64(checkpointEvery)
        self.wait = wait
        generator = SplitMix64(seed: seed)
        status = .checking(until: now + NeighbourLimits.startCheck)
        for note in stored { add(note) }
        for note in forks {
            lists[note.list, default: NoteList()].fork(at: note.number)
            raised.insert(.forked(note.list, number: note.number))
        }
    }

    /// The list that this till writes.
    package var own: NoteListKey { NoteListKey(terminalId, epoch) }

    /// Whether all that was requested is written, and more would be.
    package var isIdle: Bool { status == .writing && requests.isEmpty && write == nil }

    /// What this till names to its neighbours, in order of makers and epochs.
    package var heads: [NoteHead] {
        lists.filter { $0.value.count > 0 }.sorted { $0.key < $1.key }.map { key, list in
            NoteHead(
                terminalId: key.terminalId, epoch: key.epoch, number: list.last, hash: list.lastHash,
                forkedAt: list.forkedAt)
        }
    }

    /// What all notes say of rights.
    package var storeNotes: StoreNotes {
        StoreNotes(
            states: lists.mapValues(\.state), forked: Set(lists.filter { $0.value.forkedAt != nil }.keys))
    }

    /// Whether a maker signed no two notes under one number in this epoch, as far as this till knows.
    package func isTrusted(_ list: NoteListKey) -> Bool { lists[list]?.forkedAt == nil }

    /// What the notes of all tills say was given back of a receipt, in minor units. It may be more: notes may
    /// be missing.
    package func refunded(of orderId: String) -> Int64 {
        storeNotes.refunds(of: orderId).values.reduce(0) { sum, amount in
            let (next, overflow) = sum.addingReportingOverflow(amount)
            return overflow ? .max : next
        }
    }

    package var deadline: Instant? {
        var moments = peers.values.compactMap(\.waitsUntil)
        if let wait {
            moments += peers.values.compactMap { $0.pull.flatMap { $0.isLate ? nil : $0.since + wait } }
        }
        if case .checking(let until) = status { moments.append(until) }
        if let writesAgainAt { moments.append(writesAgainAt) }
        moments += intakes.values.filter { $0.count >= NeighbourLimits.notesADay }.map {
            $0.began + NeighbourLimits.noteInterval
        }
        return moments.min()
    }

    package mutating func handle(_ event: NoteEvent, at now: Instant) -> [NoteEffect] {
        var effects: [NoteEffect] = []
        switch event {
        case .noteRequested(let request): take(request, &effects)
        case .ownSaved(let note): finishOwn(note, &effects)
        case .ownRefused: refuseOwn(&effects)
        case .saved: finishReceived(at: now, &effects)
        case .saveFailed: failWrite(at: now, &effects)
        case .headsHeard(let peer, let heads): take(heads, from: peer)
        case .pulled(let peer, let notes): take(notes, from: peer)
        case .pullFailed(let peer): failPull(peer, at: now)
        case .keysChanged(let known): change(to: known)
        case .acknowledged(let list, let through): acknowledge(list, through, &effects)
        case .journalMoved(let mark): journal = mark
        case .epochRaised(let raised): raise(to: raised, &effects)
        case .deadlineReached: wake(at: now)
        }
        proceed(at: now, &effects)
        return effects
    }

    /// Starts whatever can start. Harmless to repeat.
    private mutating func proceed(at now: Instant, _ effects: inout [NoteEffect]) {
        writeNext(at: now, &effects)
        pullNext(at: now, &effects)
        settleStart(at: now)
        writeNext(at: now, &effects)
    }
}

// MARK: Own notes

extension NoteLists {
    private mutating func take(_ request: NoteRequest, _ effects: inout [NoteEffect]) {
        guard request.epoch.map({ $0 == epoch }) ?? true else { return effects.append(.refuse(request)) }
        requests.append(request)
        // More can only wait here while the disk fails or a new epoch does not come.
        guard requests.count > NeighbourLimits.notesADay else { return }
        effects.append(.refuse(requests.remove(at: pendingRequests)))
        raise(.ownNoteLost, &effects)
    }

    /// The start's check takes its whole time: a till that was not heard yet may have more of the own lists.
    private mutating func settleStart(at now: Instant) {
        guard case .checking(let until) = status, now >= until else { return }
        status = .writing
    }

    private mutating func writeNext(at now: Instant, _ effects: inout [NoteEffect]) {
        guard writesAgainAt.map({ now >= $0 }) ?? true else { return }
        writesAgainAt = nil
        if write == nil { write = nextOwn() }
        while write == nil, !pages.isEmpty { judgePage(at: now, &effects) }
        guard let write, !isWriting else { return }
        isWriting = true
        switch write {
        case .own(let draft, _): effects.append(.saveOwn(draft))
        case .received(_, let notes, let fork): effects.append(.save(notes: notes, fork: fork))
        }
    }

    /// The next own note: parts of a checkpoint before others, since they follow each other.
    private mutating func nextOwn() -> Write? {
        guard status == .writing else { return nil }
        if checkpoint.isEmpty { checkpoint = dueCheckpoint() }
        if let part = checkpoint.first {
            let request = NoteRequest(
                kind: .checkpoint, body: part.json, madeAt: lists[own]?.madeAt ?? 0)
            return .own(draft(of: request), isCheckpoint: true)
        }
        return requests.first.map { .own(draft(of: $0), isCheckpoint: false) }
    }

    private func draft(of request: NoteRequest) -> NoteDraft {
        let list = lists[own] ?? NoteList()
        return NoteDraft(
            epoch: epoch, number: list.last + 1, previousHash: list.lastHash, kind: request.kind,
            body: request.body, madeAt: request.madeAt)
    }

    /// The parts of a checkpoint that is due: after ``checkpointEvery`` notes, and not before
    /// they are four times as many as its parts, so that a list is made of notes.
    private func dueCheckpoint() -> [CheckpointPart] {
        guard let journal, journal.epoch == epoch, let list = lists[own],
            list.last - list.lastCheckpoint >= checkpointEvery
        else { return [] }
        let parts = CheckpointPart.parts(of: list, journal: journal)
        return list.last - list.lastCheckpoint >= 4 * Int64(parts.count) ? parts : []
    }

    private mutating func finishOwn(_ note: NeighbourNote, _ effects: inout [NoteEffect]) {
        guard case .own(let draft, let isCheckpoint) = write,
            note.list == NoteListKey(terminalId, draft.epoch),
            note.number == draft.number, note.previousHash == draft.previousHash
        else { return }
        finishWrite()
        // A new epoch, or a note that the disk lacks, has ended the checkpoint meanwhile.
        if isCheckpoint { checkpoint = Array(checkpoint.dropFirst()) } else { requests.removeFirst() }
        add(note)
        beginAnew(note.list, &effects)
    }

    private mutating func refuseOwn(_ effects: inout [NoteEffect]) {
        guard case .own(_, let isCheckpoint) = write else { return }
        finishWrite()
        if isCheckpoint { checkpoint = [] } else { effects.append(.refuse(requests.removeFirst())) }
        raise(.ownNoteLost, &effects)
    }

    private mutating func raise(to raised: Int64, _ effects: inout [NoteEffect]) {
        guard raised > epoch else { return }
        epoch = raised
        checkpoint = []
        dropWaitingOwn()
        // One that is with the driver is of the epoch before, and is written there.
        refuseRequests(from: pendingRequests, &effects)
        if status == .behind { status = .writing }
    }

    /// How many requests are with the driver as notes.
    private var pendingRequests: Int { if case .own(_, false) = write { 1 } else { 0 } }

    /// Refuses those of other epochs.
    private mutating func refuseRequests(from index: Int, _ effects: inout [NoteEffect]) {
        func isOver(_ request: NoteRequest) -> Bool { request.epoch.map { $0 != epoch } ?? false }
        effects += requests.dropFirst(index).filter(isOver).map(NoteEffect.refuse)
        requests = requests.prefix(index) + requests.dropFirst(index).filter { !isOver($0) }
    }

    /// An own note that waits after a failed write is made again, of the epoch and behind the note of then.
    /// One that is with the driver is written as it is.
    private mutating func dropWaitingOwn() {
        guard case .own = write, !isWriting else { return }
        write = nil
    }

    private mutating func fallBehind(_ note: NeighbourNote, _ effects: inout [NoteEffect]) {
        status = .behind
        checkpoint = []
        dropWaitingOwn()
        raise(.ownListAhead(epoch: note.epoch, number: note.number), &effects)
    }
}

// MARK: Notes of others

extension NoteLists {
    private mutating func take(_ heads: [NoteHead], from peer: String) {
        guard keys[peer] != nil else { return }
        let named = heads.prefix(NeighbourLimits.listsNamed).filter { keys[$0.terminalId] != nil }
        peers[peer, default: NotePeer()].heads = Dictionary(named.map { ($0.list, $0) }) { first, _ in first }
    }

    private mutating func change(to known: [TerminalKey]) {
        keys = Dictionary(known.map { ($0.terminalId, $0) }) { first, _ in first }
        peers = peers.filter { keys[$0.key] != nil }
        for (id, peer) in peers { peers[id]?.heads = peer.heads.filter { keys[$0.key.terminalId] != nil } }
    }

    /// Requests from each neighbour the first list of which it has more, if it is requested from nobody else
    /// who responds in time.
    private mutating func pullNext(at now: Instant, _ effects: inout [NoteEffect]) {
        let awaited = peers.values.compactMap(\.pull).filter { !$0.isLate }
        var busy = Set(awaited.map(\.list)).union(pages.map(\.pull.list))
        if case .received(let list, _, _) = write { busy.insert(list) }
        for id in peers.keys.sorted() {
            guard let peer = peers[id], peer.pull == nil, !peer.isWaiting(at: now) else { continue }
            for key in peer.heads.keys.sorted() where !busy.contains(key) && mayTake(key, at: now) {
                guard let after = peer.after(key, beside: lists[key]) else { continue }
                peers[id]?.pull = NotePeer.Pull(list: key, after: after, since: now)
                busy.insert(key)
                effects.append(.pull(from: id, key, after: after))
                break
            }
        }
    }

    private func mayTake(_ key: NoteListKey, at now: Instant) -> Bool {
        if key.terminalId == terminalId, key.epoch >= epoch { return status != .behind }
        return room(for: key.terminalId, at: now) > 0
    }

    /// How many notes of a maker can be accepted now.
    private func room(for maker: String, at now: Instant) -> Int {
        guard let intake = intakes[maker], now < intake.began + NeighbourLimits.noteInterval else {
            return NeighbourLimits.notesADay
        }
        return NeighbourLimits.notesADay - intake.count
    }

    private mutating func take(_ notes: [NeighbourNote], from peer: String) {
        guard let pull = peers[peer]?.pull else { return }
        peers[peer]?.pull = nil
        pages.append((peer, pull, Array(notes.prefix(NeighbourLimits.notesOfPage))))
    }

    private mutating func failPull(_ peer: String, at now: Instant) {
        guard let pull = peers[peer]?.pull else { return }
        peers[peer]?.pull = nil
        peers[peer]?.fail(pull, at: now, using: &generator)
    }

    /// Looks through the oldest page: what is new and signed becomes the next write.
    private mutating func judgePage(at now: Instant, _ effects: inout [NoteEffect]) {
        let (peer, pull, notes) = pages.removeFirst()
        if pull.list.terminalId == terminalId, pull.list.epoch >= epoch {
            let unknown = notes.first { note in
                note.list == pull.list && lists[pull.list]?.place(of: note) != .known && isSigned(note)
            }
            if let unknown { fallBehind(unknown, &effects) }
            return settle(pull, of: peer, at: now)
        }
        var list = lists[pull.list] ?? NoteList()
        var accepted: [NeighbourNote] = []
        var fork: NeighbourNote?
        let most = min(room(for: pull.list.terminalId, at: now), keptRoom(for: pull.list, &effects))
        notes: for note in notes where note.list == pull.list {
            let place = list.place(of: note)
            guard place != .known else { continue }
            guard isSigned(note) else { break }
            switch place {
            case .known: continue
            case .next, .anew:
                guard accepted.count < most else { break notes }
                list.add(note)
                accepted.append(note)
            case .fork:
                if list.forkedAt == nil { fork = note }
                break notes
            case .branch:
                if list.forkedAt == nil, list.count > 0 { peers[peer]?.rechecks[pull.list] = list.last }
                break notes
            case .apart: break notes
            }
        }
        if accepted.isEmpty, fork == nil { return settle(pull, of: peer, at: now) }
        peers[peer]?.succeed()
        peers[peer]?.rechecks[pull.list] = nil
        write = .received(pull.list, notes: accepted, fork: fork)
    }

    private func isSigned(_ note: NeighbourNote) -> Bool {
        keys[note.terminalId].map { note.isSigned(by: $0.publicKey) } ?? false
    }

    /// A page that brought nothing: when the neighbour would be requested the same again, it waits.
    private mutating func settle(_ pull: NotePeer.Pull, of peer: String, at now: Instant) {
        guard peers[peer]?.after(pull.list, beside: lists[pull.list]) == pull.after else { return }
        peers[peer]?.fail(pull, at: now, using: &generator)
    }

    /// How many notes of a maker still fit. A maker with several epochs loses the list of its lowest one.
    private mutating func keptRoom(for key: NoteListKey, _ effects: inout [NoteEffect]) -> Int {
        var known = lists.keys.filter { $0.terminalId == key.terminalId }.sorted()
        var count = known.reduce(0) { $0 + (lists[$1]?.count ?? 0) }
        let isNew = lists[key] == nil
        while let lowest = known.first, lowest < key,
            count >= NeighbourLimits.notesKept || isNew && known.count >= NeighbourLimits.epochsKept
        {
            count -= lists[lowest]?.count ?? 0
            known.removeFirst()
            lists[lowest] = nil
            acknowledged[lowest] = nil
            effects.append(.forget(lowest))
        }
        if isNew, known.count >= NeighbourLimits.epochsKept { return 0 }
        if count >= NeighbourLimits.notesKept { raise(.listsFull(key.terminalId), &effects) }
        return max(0, NeighbourLimits.notesKept - count)
    }

    private mutating func finishReceived(at now: Instant, _ effects: inout [NoteEffect]) {
        guard case .received(let key, let notes, let fork) = write else { return }
        finishWrite()
        for note in notes { add(note) }
        count(notes.count, of: key.terminalId, at: now, &effects)
        if let fork {
            lists[key, default: NoteList()].fork(at: fork.number)
            raise(.forked(key, number: fork.number), &effects)
        }
        if lists[key]?.hasLoweringCheckpoint == true { raise(.checkpointLowers(key), &effects) }
        beginAnew(key, &effects)
    }

    private mutating func count(
        _ notes: Int, of maker: String, at now: Instant, _ effects: inout [NoteEffect]
    ) {
        let isOver = intakes[maker].map { now >= $0.began + NeighbourLimits.noteInterval } ?? true
        if isOver { raised.remove(.tooManyNotes(maker)) }
        var intake = isOver ? Intake(began: now) : intakes[maker] ?? Intake(began: now)
        intake.count += notes
        intakes[maker] = intake
        if intake.count >= NeighbourLimits.notesADay { raise(.tooManyNotes(maker), &effects) }
    }
}

// MARK: What both have in common

extension NoteLists {
    private mutating func add(_ note: NeighbourNote) {
        switch (lists[note.list] ?? NoteList()).place(of: note) {
        case .next, .anew: lists[note.list, default: NoteList()].add(note)
        case .known, .fork, .branch, .apart: break
        }
    }

    private mutating func acknowledge(_ key: NoteListKey, _ through: Int64, _ effects: inout [NoteEffect]) {
        guard lists[key] != nil else { return }
        acknowledged[key] = max(through, acknowledged[key] ?? 0)
        beginAnew(key, &effects)
    }

    private mutating func beginAnew(_ key: NoteListKey, _ effects: inout [NoteEffect]) {
        let through = acknowledged[key] ?? 0
        guard let first = lists[key]?.beginAnew(epoch: key.epoch, acknowledged: through) else { return }
        effects.append(.drop(key, below: first))
    }

    private mutating func finishWrite() {
        write = nil
        isWriting = false
        writeBackoff.reset()
    }

    private mutating func failWrite(at now: Instant, _ effects: inout [NoteEffect]) {
        guard isWriting else { return }
        isWriting = false
        if case .own(let draft, _) = write, draft.epoch != epoch {
            write = nil
            refuseRequests(from: 0, &effects)
        }
        writesAgainAt = now + writeBackoff.fail(using: &generator)
    }

    private mutating func wake(at now: Instant) {
        intakes = intakes.filter { now < $0.value.began + NeighbourLimits.noteInterval }
        raised = raised.filter { alarm in
            if case .tooManyNotes(let maker) = alarm { intakes[maker] != nil } else { true }
        }
        for (id, peer) in peers {
            if peer.waitsUntil.map({ now >= $0 }) ?? false { peers[id]?.endWait() }
            if let wait, let pull = peer.pull, now >= pull.since + wait { peers[id]?.pull?.isLate = true }
        }
    }

    private mutating func raise(_ alarm: NoteAlarm, _ effects: inout [NoteEffect]) {
        guard raised.insert(alarm).inserted else { return }
        effects.append(.raise(alarm))
    }
}
