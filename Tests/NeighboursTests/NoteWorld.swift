import Base
import Crypto
import Foundation
import HubProtocol

@testable import Neighbours

/// The tills of a store with real keys and signatures, on a network and disks that a seed breaks: lists of
/// notes alone, in virtual time. Every note that was ever signed is in its log, and the oracle reads it.
struct NoteWorld {
    /// A till, or a copy of one that runs beside it with the same key.
    struct Till {
        let key: Curve25519.Signing.PrivateKey
        let terminalId: String
        var machine: NoteLists
        /// Durable, in the order of the writes.
        var disk: [NeighbourNote] = []
        var forks: [NeighbourNote] = []
        var epoch: Int64 = 1
        /// An earlier copy of the disk.
        var copy: (disk: [NeighbourNote], forks: [NeighbourNote]) = ([], [])
        /// Counts starts: what was under way before a start does not arrive after it.
        var run = 0
        var isHostile = false
        /// Amounts that were known of each receipt; they never fall.
        var refunded: [String: Int64] = [:]
    }

    /// Something that happens later.
    enum Step {
        case event(till: Int, run: Int, NoteEvent)
        case own(till: Int, run: Int, NoteDraft)
        case save(till: Int, run: Int, [NeighbourNote], NeighbourNote?)
        case request(from: Int, run: Int, to: Int, NoteListKey, after: Int64)
        case hello(till: Int, run: Int)
        case wake(till: Int)
    }

    var tills: [Till] = []
    private var steps = TimedSteps<Step>()
    private(set) var now: Int64 = 0
    var random: SplitMix64
    /// `from * 100 + to` of directions that lose everything.
    var cut: Set<Int> = []
    /// Makers of which two tills ran, or one from an old disk.
    var doubled: Set<String> = []
    /// Every note that an honest key signed and a disk kept.
    private(set) var log: [NeighbourNote] = []
    private(set) var alarms: [(till: Int, NoteAlarm)] = []
    private(set) var problems: [String] = []
    private var orders = 0
    /// Numbers carts and refunds: no id is used twice.
    private var serial = 0
    /// In thousandths.
    var failingWrites: UInt64 = 0

    init(tills count: Int, seed: UInt64) {
        random = SplitMix64(seed: seed)
        for index in 0..<count { _ = addTill("T\(index)", key: Curve25519.Signing.PrivateKey()) }
        for index in tills.indices { start(index) }
    }

    static let checkpointEvery = 12

    private var instant: Instant { Instant(nanoseconds: now * 1_000_000) }

    private mutating func addTill(_ id: String, key: Curve25519.Signing.PrivateKey) -> Int {
        let machine = NoteLists(terminalId: id, epoch: 1, stored: [], forks: [], seed: 0, at: instant)
        tills.append(Till(key: key, terminalId: id, machine: machine))
        return tills.count - 1
    }

    private var keys: [TerminalKey] {
        tills.map {
            TerminalKey(
                terminalId: $0.terminalId, storeId: "S",
                publicKey: $0.key.publicKey.rawRepresentation.base64EncodedString())
        }
    }

    // MARK: Faults

    /// Starts a till from its disk, as after a loss of power.
    mutating func start(_ index: Int) {
        tills[index].run += 1
        let till = tills[index]
        var machine = NoteLists(
            terminalId: till.terminalId, epoch: till.epoch, stored: till.disk, forks: till.forks,
            checkpointEvery: Self.checkpointEvery, wait: random.below(2) == 0 ? .milliseconds(250) : nil,
            seed: random.next(), at: instant)
        perform(machine.handle(.keysChanged(keys), at: instant), of: index)
        tills[index].machine = machine
        later(Int64(random.below(200)), .hello(till: index, run: till.run))
        wakeLater(index)
    }

    mutating func restoreOldDisk(_ index: Int) {
        doubled.insert(tills[index].terminalId)
        (tills[index].disk, tills[index].forks) = tills[index].copy
        tills[index].refunded = [:]
        start(index)
    }

    /// A second computer with the disk and the key of a till.
    mutating func clone(_ index: Int) {
        doubled.insert(tills[index].terminalId)
        let copy = addTill(tills[index].terminalId, key: tills[index].key)
        (tills[copy].disk, tills[copy].forks) = (tills[index].disk, tills[index].forks)
        tills[copy].epoch = tills[index].epoch
        start(copy)
    }

    // MARK: What happens

    mutating func request(_ request: NoteRequest, at index: Int) {
        handle(.noteRequested(request), of: index)
    }

    mutating func handle(_ event: NoteEvent, of index: Int) {
        perform(tills[index].machine.handle(event, at: instant), of: index)
        switch event {
        case .saved, .ownSaved, .acknowledged: if !tills[index].isHostile { checkRefunds(of: index) }
        case _: break
        }
        wakeLater(index)
    }

    /// Runs until `moment`, in milliseconds.
    mutating func run(until moment: Int64) {
        while let next = steps.next(until: moment) {
            now = next.at
            perform(next.step)
        }
        now = moment
    }

    private mutating func later(_ delay: Int64, _ step: Step) { steps.add(step, at: now + delay) }

    private mutating func wakeLater(_ index: Int) {
        guard let deadline = tills[index].machine.deadline else { return }
        later(max(1, deadline.nanoseconds / 1_000_000 - now + 1), .wake(till: index))
    }

    private mutating func perform(_ step: Step) {
        switch step {
        case .event(let till, let run, let event):
            if tills[till].run == run { handle(event, of: till) }
        case .own(let till, let run, let draft):
            if tills[till].run == run { saveOwn(draft, of: till, run) }
        case .save(let till, let run, let notes, let fork):
            if tills[till].run == run { save(notes, fork, of: till, run) }
        case .request(let from, let run, let to, let list, let after):
            respond(to: from, run, by: to, list, after: after)
        case .hello(let till, let run):
            if tills[till].run == run { hello(of: till, run) }
        case .wake(let till):
            // Repeated and early wake-ups change nothing, so none is ever taken back.
            let due = tills[till].machine.deadline.map { $0 <= instant } ?? false
            if due { handle(.deadlineReached, of: till) }
        }
    }

    private mutating func perform(_ effects: [NoteEffect], of index: Int) {
        let run = tills[index].run
        for effect in effects {
            let delay = 1 + Int64(random.below(40))
            switch effect {
            case .saveOwn(let draft): later(delay, .own(till: index, run: run, draft))
            case .save(let notes, let fork): later(delay, .save(till: index, run: run, notes, fork))
            case .pull(let from, let list, let after):
                let others = tills.indices.filter { $0 != index && tills[$0].terminalId == from }
                // Two tills of one key respond under one name.
                guard !others.isEmpty else { continue }
                let to = others[Int(random.below(UInt64(others.count)))]
                later(delay, .request(from: index, run: run, to: to, list, after: after))
            case .drop(let list, let below):
                tills[index].disk.removeAll { $0.list == list && $0.number < below }
            case .forget(let list): tills[index].disk.removeAll { $0.list == list }
            case .refuse: break
            case .raise(let alarm): alarms.append((index, alarm))
            }
        }
    }

    private mutating func fails() -> Bool { random.below(1_000) < failingWrites }

    private mutating func saveOwn(_ draft: NoteDraft, of index: Int, _ run: Int) {
        if fails() { return later(1, .event(till: index, run: run, .saveFailed)) }
        let key = tills[index].key
        let note = NeighbourNote(draft, terminalId: tills[index].terminalId) {
            (try? key.signature(for: Data($0)))?.base64EncodedString()
        }
        guard let note else { return later(1, .event(till: index, run: run, .ownRefused)) }
        tills[index].disk.append(note)
        log.append(note)
        later(1, .event(till: index, run: run, .ownSaved(note)))
    }

    private mutating func save(_ notes: [NeighbourNote], _ fork: NeighbourNote?, of index: Int, _ run: Int) {
        if fails() { return later(1, .event(till: index, run: run, .saveFailed)) }
        tills[index].disk += notes
        if let fork { tills[index].forks.append(fork) }
        later(1, .event(till: index, run: run, .saved))
    }

    private func isCut(_ from: Int, _ to: Int) -> Bool { cut.contains(from * 100 + to) }

    private mutating func hello(of index: Int, _ run: Int) {
        for other in tills.indices where other != index && !isCut(index, other) {
            let heads = tills[index].isHostile ? lie(tills[index].machine.heads) : tills[index].machine.heads
            let event = NoteEvent.headsHeard(from: tills[index].terminalId, heads)
            later(1 + Int64(random.below(50)), .event(till: other, run: tills[other].run, event))
        }
        later(2_000 + Int64(random.below(1_000)), .hello(till: index, run: run))
    }

    /// The response comes once, twice, late, or not at all.
    private mutating func respond(
        to from: Int, _ run: Int, by to: Int, _ list: NoteListKey, after: Int64
    ) {
        let peer = tills[to].terminalId
        if isCut(from, to) || isCut(to, from) {
            return later(2_000, .event(till: from, run: run, .pullFailed(from: peer)))
        }
        var notes = (tills[to].disk + tills[to].forks).filter { $0.list == list && $0.number > after }
        notes = Array(notes.sorted { $0.number < $1.number }.prefix(5 + Int(random.below(20))))
        if tills[to].isHostile { notes = harm(notes, list) }
        let event = NoteEvent.pulled(from: peer, notes)
        later(1 + Int64(random.below(300)), .event(till: from, run: run, event))
        if random.below(5) == 0 { later(Int64(random.below(900)), .event(till: from, run: run, event)) }
    }

    /// Notes are never lowered by what is heard later, nor by a start.
    private mutating func checkRefunds(of index: Int) {
        for order in 0..<min(orders, 6) {
            let id = "O\(order)"
            let amount = tills[index].machine.refunded(of: id)
            if amount < tills[index].refunded[id] ?? 0 {
                problems.append("\(tills[index].terminalId) forgot a refund of \(id) at \(now)")
            }
            tills[index].refunded[id] = amount
        }
    }
}

// MARK: Hostile neighbours, and what shops do

extension NoteWorld {
    /// Heads of lists that it does not have, far ahead and of other hashes.
    private mutating func lie(_ heads: [NoteHead]) -> [NoteHead] {
        heads.map { head in
            switch random.below(4) {
            case 0: NoteHead(terminalId: head.terminalId, epoch: head.epoch, number: 1 << 50, hash: head.hash)
            case 1:
                NoteHead(
                    terminalId: head.terminalId, epoch: head.epoch + 3, number: 9,
                    hash: NeighbourNote.genesisHash)
            case 2:
                NoteHead(
                    terminalId: head.terminalId, epoch: head.epoch, number: head.number,
                    hash: NeighbourNote.genesisHash, forkedAt: 1)
            case _: head
            }
        }
    }

    /// Notes that are changed, forged, reversed, repeated, of other lists, or none.
    private mutating func harm(_ notes: [NeighbourNote], _ list: NoteListKey) -> [NeighbourNote] {
        switch random.below(6) {
        case 0: return []
        case 1: return notes.reversed()
        case 2: return notes + notes
        case 3: return notes.compactMap { changed($0) }
        case 4:
            let draft = NoteDraft(
                epoch: list.epoch, number: notes.first?.number ?? 1,
                previousHash: notes.first?.previousHash ?? NeighbourNote.genesisHash,
                kind: "refundMade",
                body: NotedRefund(refundId: "X", orderId: "O0", amount: 9, madeAt: 0).json,
                madeAt: 0)
            let own = tills.first { $0.isHostile }
            let forged = NeighbourNote(draft, terminalId: list.terminalId) {
                (try? own?.key.signature(for: Data($0)))?.base64EncodedString()
            }
            return [forged].compactMap { $0 }
        case _: return notes
        }
    }

    private func changed(_ note: NeighbourNote) -> NeighbourNote? {
        var members = note.json.object
        members?["madeAt"] = "2031-01-01T00:00:00.000Z"
        return members.flatMap { try? NeighbourNote(json: .object($0)) }
    }

    /// A cashier parks, sells or drops a cart, or gives money back; the journal grows with it.
    mutating func work(at index: Int) {
        let id = tills[index].terminalId
        serial += 1
        switch random.below(3) {
        case 0:
            let cart = ParkedCart(id: "C\(serial)", name: "Tisch ☕️", count: 3, total: 1_990, turn: 1)
            request(NoteRequest(kind: .cartParked, body: cart.json, madeAt: now), at: index)
        case 1:
            let mine = tills[index].machine.lists[NoteListKey(id, tills[index].epoch)]?.state.openCarts ?? []
            guard let cart = mine.first else { return }
            let end = EndedCart(id: cart.id, end: random.below(2) == 0 ? .sold : .dropped)
            request(NoteRequest(kind: .cartEnded, body: end.json, madeAt: now), at: index)
        case _:
            orders += 1
            let refund = NotedRefund(
                refundId: "\(id)-\(serial)", orderId: "O\(random.below(6))", amount: 100, madeAt: now)
            request(NoteRequest(kind: .refundMade, body: refund.json, madeAt: now), at: index)
        }
        let mark = JournalMark(
            epoch: tills[index].epoch, sequence: Int64(log.count + steps.added + 1),
            hash: NeighbourNote.genesisHash)
        handle(.journalMoved(mark), of: index)
    }

    /// The hub has every journal, as each till hears it of each other.
    mutating func acknowledgeAll() {
        for index in tills.indices {
            for list in tills[index].machine.lists.keys {
                handle(.acknowledged(list, through: Int64(log.count + steps.added)), of: index)
            }
        }
    }

    /// The hub gives a till that runs from an old disk its next epoch.
    mutating func raiseEpochs() {
        for index in tills.indices where tills[index].machine.status == .behind {
            let highest =
                tills.filter { $0.terminalId == tills[index].terminalId }.map(\.epoch).max() ?? 1
            tills[index].epoch = highest + 1
            handle(.epochRaised(highest + 1), of: index)
        }
    }
}

// MARK: The oracle

extension NoteWorld {
    /// What is wrong in the logs, for tills that had time to hear of each other without faults.
    func findings(afterQuiet: Bool) -> [String] {
        var found = problems
        var signed: [NoteListKey: [Int64: Set<String>]] = [:]
        for note in log { signed[note.list, default: [:]][note.number, default: []].insert(note.hash) }
        let forked = signed.filter { $0.value.values.contains { $0.count > 1 } }
        let liars = Set(tills.filter(\.isHostile).map(\.terminalId))
        for list in forked.keys where !doubled.contains(list.terminalId) {
            found.append("\(list) has two notes under one number without a reason")
        }
        let known = Set(log.map(\.hash))
        let honest = tills.indices.filter { !tills[$0].isHostile }
        for index in honest {
            // A hostile till signs what it likes of itself, and of nobody else.
            for note in tills[index].disk + tills[index].forks
            where !known.contains(note.hash) && !liars.contains(note.terminalId) {
                found.append("till \(index) keeps a note that nobody signed: \(note.json)")
            }
            found += gaps(of: index)
            let again = NoteLists(
                terminalId: tills[index].terminalId, epoch: tills[index].epoch, stored: tills[index].disk,
                forks: tills[index].forks, seed: 0, at: instant)
            if again.heads != tills[index].machine.heads { found.append("till \(index) starts otherwise") }
        }
        guard afterQuiet else { return found }
        for list in signed.keys where forked[list] == nil && !liars.contains(list.terminalId) {
            found += differences(in: list, honest)
        }
        return found + unseenForks(of: Set(forked.keys), honest)
    }

    private func gaps(of index: Int) -> [String] {
        tills[index].machine.lists.keys.sorted().flatMap { list -> [String] in
            let notes = tills[index].disk.filter { $0.list == list }
            // A list can begin anew with a checkpoint, and with nothing else.
            return zip(notes, notes.dropFirst()).filter { before, next in
                next.kind != "checkpoint"
                    && (before.number + 1 != next.number || before.hash != next.previousHash)
            }.map { "till \(index) has a gap in \(list) from \($0.0.number) to \($0.1.number)" }
        }
    }

    /// Of a list that nobody forked everybody has the same end, open carts and refunds.
    private func differences(in list: NoteListKey, _ honest: [Int]) -> [String] {
        // A note that was lost with a disk before anybody had it is no difference, and a list of such notes
        // alone is none.
        let last = tills.flatMap(\.disk).filter { $0.list == list }.map(\.number).max() ?? 0
        guard last > 0 else { return [] }
        let notes = log.filter { $0.list == list && $0.number <= last }.sorted { $0.number < $1.number }
        var truth = NoteState()
        for note in notes { truth.add(note) }
        return honest.filter { tills[$0].terminalId != list.terminalId }.compactMap { index in
            let known = tills[index].machine.lists[list]
            guard known?.lastHash == notes.last?.hash else {
                return "till \(index) has \(list) up to \(known?.last ?? 0) of \(notes.count)"
            }
            guard known?.state.openCarts == truth.openCarts else { return "till \(index): carts of \(list)" }
            guard known?.state.refunds == truth.refunds else { return "till \(index): refunds of \(list)" }
            return nil
        }
    }

    /// When two tills have different notes under one number, everybody knows it.
    private func unseenForks(of forked: Set<NoteListKey>, _ honest: [Int]) -> [String] {
        forked.sorted().flatMap { list -> [String] in
            let readers = honest.filter { tills[$0].terminalId != list.terminalId }
            var notes: [Int64: Set<String>] = [:]
            for index in readers {
                for note in tills[index].disk where note.list == list {
                    notes[note.number, default: []].insert(note.hash)
                }
            }
            guard notes.values.contains(where: { $0.count > 1 }) else { return [] }
            return readers.filter { tills[$0].machine.isTrusted(list) }.map {
                "till \($0) trusts \(list), of which two notes have one number"
            }
        }
    }
}
