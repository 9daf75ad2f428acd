import Base
import HubProtocol

@testable import Neighbours

/// The tills of a store and a hub in virtual time: who is there, copies of what waits, and what is handed in
/// for others, on a network and disks that a seed breaks. Every entry that was ever sold is in its log.
///
/// The machines are those of the till; what they drive and the hub are models: a push is one moment.
struct StoreWorld {
    /// A sale.
    struct Entry: Hashable {
        let id: Int
        let sequence: Int64
    }

    /// What a till has on its disk.
    struct Disk {
        var epoch: Int64 = 1
        /// Of all epochs, without gaps.
        var journal: [Entry] = []
        var acknowledgedThrough: Int64 = 0
        /// What it keeps of others.
        var pieces: [KeptPiece.ID: [Entry]] = [:]
    }

    struct Till {
        let id: String
        let number: Int64
        var disk = Disk()
        var watch: NeighbourWatch
        var copies: PieceCopies
        var kept = KeptPieces([], capacity: StoreWorld.capacity)
        /// Pieces that the hub keeps aside, and when they are handed in again.
        var settled: [KeptPiece.ID: Instant] = [:]
        /// The epochs of others, as their hellos said.
        var seen: [String: Int64] = [:]
        /// Counts starts: what was under way before a start does not arrive after it.
        var run = 0
        var began = Instant(nanoseconds: 0)
        var hasWay = true
        var isOnline = true
        var isBurnt = false

        var pending: Int64 { (disk.journal.last?.sequence ?? 0) - disk.acknowledgedThrough }
    }

    /// What the hub has, and what it keeps aside for a person.
    struct Hub {
        struct Place: Hashable {
            let till: String
            let epoch: Int64
            let sequence: Int64
        }
        struct Epoch: Hashable {
            let till: String
            let epoch: Int64
        }
        var taken: [Place: Int] = [:]
        /// The present epochs of tills that are behind their first, and where those begin.
        var epochs: [String: Int64] = [:]
        var starts: [Epoch: Int64] = [:]
        /// How often each entry had an effect.
        var effects: [Int: Int] = [:]
        var aside: Set<Int> = []
    }

    /// Something that happens later.
    enum Step {
        case wake(till: Int)
        case event(till: Int, run: Int, NeighbourWatch.Event)
        /// A hello on its way, with the epoch of its sender's journal.
        case greeted(from: Int, to: Int, run: Int, NeighbourHello, epoch: Int64)
        case learned(till: Int, run: Int, maker: Int, epoch: Int64, [RunCoverage])
        case tick(till: Int, run: Int)
        case brought(from: Int, run: Int, to: Int, KeptPiece.ID, [Entry])
        case delivered(till: Int, run: Int, keeper: String, PieceCopies.End)
        case handIn(till: Int, run: Int)
        case drain(till: Int, run: Int)
    }

    static let capacity: Int64 = 400
    private static let pieceEntries = 5
    var tills: [Till] = []
    private(set) var hub = Hub()
    private(set) var sold = 0
    private var steps = TimedSteps<Step>()
    /// Numbers the pieces that were kept.
    private var arrivals = 0
    /// Milliseconds.
    private(set) var now: Int64 = 0
    var random: SplitMix64
    /// `from * 100 + to` of directions that lose everything.
    var cut: Set<Int> = []
    /// In thousandths: responses that are lost behind their request's effect, and messages that come twice.
    var losses: UInt64 = 0
    /// The longest delay of a message.
    var delay: UInt64 = 20
    private(set) var problems: [String] = []
    /// Makers of whose copies some went with a keeper's disk or gave way, until their keepers have said so.
    private var unsure: Set<String> = []

    init(tills count: Int, seed: UInt64) {
        random = SplitMix64(seed: seed)
        for index in 0..<count {
            let number = Int64(index + 1)
            tills.append(
                Till(
                    id: "T\(index)", number: number, watch: NeighbourWatch(terminalId: "T\(index)", seed: 0),
                    copies: PieceCopies(number: number)))
        }
        for index in tills.indices { start(index) }
    }

    private var instant: Instant { Instant(nanoseconds: now * 1_000_000) }
    private func index(of id: String) -> Int? { tills.firstIndex { $0.id == id } }
}

// MARK: Faults and work

extension StoreWorld {
    /// Starts a till from its disk, as after a loss of power.
    mutating func start(_ index: Int) {
        guard !tills[index].isBurnt else { return }
        tills[index].run += 1
        tills[index].began = instant
        tills[index].settled = [:]
        tills[index].seen = [:]
        tills[index].copies = PieceCopies(number: tills[index].number)
        let pieces = tills[index].disk.pieces.keys.sorted().enumerated().map { place, id in
            KeptPiece(id: id, size: Self.size(of: id), arrival: Int64(place), keptAt: 0, keptStep: 0)
        }
        tills[index].kept = KeptPieces(pieces, capacity: Self.capacity)
        tills[index].watch = NeighbourWatch(terminalId: tills[index].id, seed: random.next())
        let others = tills.filter { $0.id != tills[index].id }
        handle(.keysChanged(Dictionary(uniqueKeysWithValues: others.map { ($0.id, "k") })), of: index)
        handle(.addressesChanged(others.map(\.id)), of: index)
        handle(.modeChanged(isOnline: tills[index].isOnline), of: index)
        let run = tills[index].run
        later(Int64(random.below(5_000)), .tick(till: index, run: run))
        later(Int64(random.below(1_000)), .drain(till: index, run: run))
        later(Int64(random.below(5_000)), .handIn(till: index, run: run))
    }

    /// Gives a till its way to the hub, or takes it.
    mutating func setWay(of index: Int, _ hasWay: Bool) {
        tills[index].hasWay = hasWay
        tills[index].isOnline = hasWay
        guard !tills[index].isBurnt else { return }
        handle(.modeChanged(isOnline: hasWay), of: index)
        later(1, .drain(till: index, run: tills[index].run))
        later(2, .handIn(till: index, run: tills[index].run))
    }

    mutating func sell(at index: Int) {
        guard !tills[index].isBurnt else { return }
        sold += 1
        tills[index].disk.journal.append(
            Entry(id: sold, sequence: (tills[index].disk.journal.last?.sequence ?? 0) + 1))
    }

    /// The disk goes with the till.
    mutating func burn(_ index: Int) {
        unsure.formUnion(tills.map(\.id))
        tills[index].isBurnt = true
        tills[index].run += 1
        tills[index].disk = Disk()
    }

    mutating func restore(_ disk: Disk, at index: Int) {
        guard !tills[index].isBurnt else { return }
        unsure.formUnion(tills.map(\.id))
        tills[index].disk = disk
        start(index)
    }

    mutating func loseKeptPieces(_ index: Int) {
        unsure.formUnion(tills.map(\.id))
        tills[index].disk.pieces = [:]
        start(index)
    }

    /// Runs until `moment`, in milliseconds.
    mutating func run(until moment: Int64) {
        while let next = steps.next(until: moment) {
            now = next.at
            perform(next.step)
        }
        now = moment
    }
}

// MARK: What happens

extension StoreWorld {
    private static func size(of id: KeptPiece.ID) -> Int64 { (id.last - id.first + 1) * 4 }

    private mutating func later(_ delay: Int64, _ step: Step) { steps.add(step, at: now + delay) }

    private mutating func isRare() -> Bool { random.below(1_000) < losses }
    private mutating func travel() -> Int64 { 1 + Int64(random.below(delay)) }
    private func passes(_ from: Int, _ to: Int) -> Bool {
        !cut.contains(from * 100 + to) && !tills[to].isBurnt && !tills[from].isBurnt
    }

    private mutating func perform(_ step: Step) {
        switch step {
        case .wake(let till):
            let due = tills[till].watch.deadline.map { $0 <= instant } ?? false
            if due, !tills[till].isBurnt { handle(.deadlineReached, of: till) }
        case .event(let till, let run, let event):
            if tills[till].run == run { handle(event, of: till) }
        case .greeted(let from, let to, let run, let hello, let epoch):
            greeted(from: from, to: to, run, hello, epoch)
        case .learned(let till, let run, let maker, let epoch, let coverages):
            if tills[till].run == run { learn(till, tills[maker].id, epoch, coverages) }
        case .tick(let till, let run): if tills[till].run == run { tick(till, run) }
        case .brought(let from, let run, let to, let id, let entries):
            brought(from: from, run, to: to, id, entries)
        case .delivered(let till, let run, let keeper, let end):
            if tills[till].run == run { tills[till].copies.ended(keeper, end, at: instant) }
        case .handIn(let till, let run): if tills[till].run == run { handIn(till, run) }
        case .drain(let till, let run): if tills[till].run == run { drain(till, run) }
        }
    }

    private mutating func handle(_ event: NeighbourWatch.Event, of index: Int) {
        for effect in tills[index].watch.handle(event, at: instant) {
            guard case .greet(let address) = effect, let to = self.index(of: address) else { continue }
            greet(from: index, to: to)
        }
        if let deadline = tills[index].watch.deadline {
            later(max(1, deadline.nanoseconds / 1_000_000 - now + 1), .wake(till: index))
        }
    }

    /// - Parameter kept: what the other till says just now that it keeps; nil: as it said last.
    private func hello(of index: Int, to other: Int, keeping kept: NeighbourKept? = nil) -> NeighbourHello {
        let till = tills[index]
        var hello = NeighbourHello()
        (hello.terminalId, hello.number, hello.run) = (till.id, till.number, "\(till.run)")
        hello.mode = till.isOnline ? .online : .offline
        hello.pending = till.pending
        hello.wantsRelay = !till.isOnline && till.pending > 0
        hello.acknowledgedThrough = till.disk.acknowledgedThrough
        hello.kept = till.kept.kept(of: tills[other].id)
        let kept = kept ?? till.watch.hello(of: tills[other].id)?.kept
        hello.coverages = till.disk.coverages(of: kept?.runs ?? [])
        return hello
    }

    private mutating func greet(from: Int, to: Int) {
        let run = tills[from].run
        guard passes(from, to) else {
            return later(4_000, .event(till: from, run: run, .greetFailed(tills[to].id)))
        }
        later(
            travel(),
            .greeted(from: from, to: to, run: run, hello(of: from, to: to), epoch: tills[from].disk.epoch))
    }

    /// The other side takes the hello and says its own, which may be lost or late.
    private mutating func greeted(
        from: Int, to: Int, _ run: Int, _ hello: NeighbourHello, _ epoch: Int64
    ) {
        guard !tills[to].isBurnt else { return }
        handle(.heard(hello, at: tills[from].id, isOurs: false), of: to)
        learn(to, tills[from].id, epoch, hello.coverages)
        guard passes(to, from), !isRare() else {
            return later(4_000, .event(till: from, run: run, .greetFailed(tills[to].id)))
        }
        let response = self.hello(of: to, to: from, keeping: hello.kept)
        let way = travel()
        later(way, .event(till: from, run: run, .heard(response, at: tills[to].id, isOurs: true)))
        later(
            way,
            .learned(
                till: from, run: run, maker: to, epoch: tills[to].disk.epoch, response.coverages))
    }

    /// What a maker says of its journal.
    private mutating func learn(_ index: Int, _ maker: String, _ epoch: Int64, _ coverages: [RunCoverage]) {
        tills[index].seen[maker] = max(epoch, tills[index].seen[maker] ?? 0)
        delete(tills[index].kept.take(coverages, of: maker), at: index)
    }

    /// What is deleted as covered is at the hub, or waits there for a person.
    private mutating func delete(_ ids: [KeptPiece.ID], at index: Int) {
        for id in ids {
            let entries = tills[index].disk.pieces[id] ?? []
            if entries.contains(where: { hub.effects[$0.id] == nil && !hub.aside.contains($0.id) }) {
                problems.append("\(tills[index].id) deleted \(id), which the hub does not have")
            }
        }
        remove(ids, at: index)
    }

    private mutating func remove(_ ids: [KeptPiece.ID], at index: Int) {
        for id in ids { tills[index].disk.pieces[id] = nil }
        tills[index].kept.remove(ids)
    }
}

// MARK: Copies

extension StoreWorld {
    private mutating func tick(_ index: Int, _ run: Int) {
        later(5_000, .tick(till: index, run: run))
        let watch = tills[index].watch
        let disk = tills[index].disk
        let extent = PieceCopies.Extent(
            epoch: disk.epoch, last: disk.journal.last?.sequence ?? 0,
            acknowledgedThrough: disk.acknowledgedThrough)
        let keepers = watch.neighbours.compactMap { neighbour -> PossibleKeeper? in
            guard watch.state(of: neighbour) == .reachable, let hello = neighbour.hello,
                let heardAt = neighbour.heardAt, let number = hello.number,
                watch.way(to: neighbour.terminalId) != nil
            else { return nil }
            let runs = hello.kept?.runs ?? []
            return PossibleKeeper(
                terminalId: neighbour.terminalId, number: number, run: hello.run,
                through: PieceCopies.reach(of: runs, disk.coverages(of: runs), in: extent), heardAt: heardAt)
        }
        for order in tills[index].copies.tick(extent, keepers: keepers, at: instant) {
            bring(order, from: index, run)
        }
        checkCopied(of: index)
    }

    private mutating func bring(_ order: PieceCopies.Order, from: Int, _ run: Int) {
        let disk = tills[from].disk
        let entries = Array(
            disk.journal.filter { $0.sequence > order.after && $0.sequence <= order.through }
                .prefix(Self.pieceEntries))
        guard let to = index(of: order.keeper), let first = entries.first, let last = entries.last,
            passes(from, to)
        else { return later(10_000, .delivered(till: from, run: run, keeper: order.keeper, .failed)) }
        let before = disk.journal.last { $0.sequence < first.sequence }
        let id = KeptPiece.ID(
            terminalId: tills[from].id, epoch: disk.epoch, first: first.sequence, last: last.sequence,
            link: EntryLink(hash: last.hash, previousHash: before?.hash ?? ""))
        later(travel(), .brought(from: from, run: run, to: to, id, entries))
        // Once more behind a lost receipt, as after a new connection.
        if isRare() { later(travel() * 3, .brought(from: from, run: run, to: to, id, entries)) }
    }

    private mutating func brought(
        from: Int, _ run: Int, to: Int, _ id: KeptPiece.ID, _ entries: [Entry]
    ) {
        guard !tills[to].isBurnt else { return }
        var end = PieceCopies.End.kept(through: id.last)
        switch tills[to].kept.offer(id, size: Self.size(of: id), makers: tills.count - 1) {
        case .known: break
        case .full: end = .full
        case .keep(let deleted):
            unsure.formUnion(deleted.map(\.terminalId))
            remove(deleted, at: to)
            arrivals += 1
            tills[to].disk.pieces[id] = entries
            tills[to].kept.add(
                KeptPiece(
                    id: id, size: Self.size(of: id), arrival: Int64(arrivals), keptAt: 0, keptStep: 0))
        }
        later(1, .handIn(till: to, run: tills[to].run))
        let isLost = !passes(to, from) || isRare()
        later(
            isLost ? 10_000 : travel(),
            .delivered(till: from, run: run, keeper: tills[to].id, isLost ? .failed : end))
    }

    /// What a till counts as copied is at another one or at the hub; a disk that was lost or deleted since
    /// then apart.
    private mutating func checkCopied(of index: Int) {
        let till = tills[index]
        guard !unsure.contains(till.id) else { return }
        let through = till.disk.acknowledgedThrough
        let copied = till.copies.copied(beyond: through)
        for entry in till.disk.journal where entry.sequence > through && entry.sequence <= through + copied {
            let isThere = tills.contains { other in
                other.disk.pieces.contains { $0.key.terminalId == till.id && $0.value.contains(entry) }
            }
            if !isThere, hub.effects[entry.id] == nil {
                problems.append("\(till.id) counts entry \(entry.id) as copied, and nobody has it")
            }
        }
    }
}

// MARK: The hub

extension StoreWorld {
    /// A push of all that waits. Where another entry has a place of it, the till goes on in a new epoch.
    private mutating func drain(_ index: Int, _ run: Int) {
        later(3_000 + Int64(random.below(2_000)), .drain(till: index, run: run))
        let till = tills[index]
        guard till.hasWay, till.pending > 0 else { return }
        let waiting = till.disk.journal.filter { $0.sequence > till.disk.acknowledgedThrough }
        if hub.conflicts(waiting, of: till.id, till.disk.epoch) {
            tills[index].disk.epoch = hub.beginEpoch(of: till.id, at: till.disk.acknowledgedThrough + 1)
        }
        hub.take(waiting, of: till.id, tills[index].disk.epoch)
        // Without its response the till pushes everything again.
        guard !isRare() else { return }
        tills[index].disk.acknowledgedThrough = hub.through(of: till.id, tills[index].disk.epoch)
    }

    private mutating func handIn(_ index: Int, _ run: Int) {
        let till = tills[index]
        guard till.isOnline, till.hasWay, !till.kept.all.isEmpty else {
            return later(60_000, .handIn(till: index, run: run))
        }
        guard till.pending == 0 else { return later(5_000, .handIn(till: index, run: run)) }
        for piece in till.kept.all {
            guard
                Relaying.isDue(
                    maker(piece.id.terminalId, seenBy: index), of: piece.id.epoch,
                    isForeign: till.kept.isForeign(piece.id), at: instant),
                till.settled[piece.id].map({ $0 <= instant }) ?? true,
                let entries = till.disk.pieces[piece.id]
            else { continue }
            if hub.conflicts(entries, of: piece.id.terminalId, piece.id.epoch) {
                hub.aside.formUnion(entries.map(\.id))
                tills[index].settled[piece.id] = instant + NeighbourLimits.relayAgain
                continue
            }
            hub.take(entries, of: piece.id.terminalId, piece.id.epoch)
            // Without its response the piece stays, and is handed in again.
            guard !isRare() else { break }
            delete([piece.id], at: index)
        }
        later(60_000, .handIn(till: index, run: run))
    }

    private func maker(_ id: String, seenBy index: Int) -> Relaying.Maker {
        let neighbour = tills[index].watch.neighbours.first { $0.terminalId == id }
        return Relaying.Maker(
            wantsRelay: neighbour?.hello?.wantsRelay ?? false, isManual: false,
            heardAt: neighbour?.heardAt ?? tills[index].began, epoch: tills[index].seen[id])
    }
}

extension StoreWorld.Entry {
    /// No two entries have the same.
    fileprivate var hash: String { "\(id)" }
}

extension StoreWorld.Disk {
    fileprivate func coverages(of runs: [KeptRun]) -> [RunCoverage] {
        runs.map { run in
            let isOwn = journal.contains { $0.sequence == run.end.sequence && $0.hash == run.end.hash }
            return RunCoverage(hash: run.end.hash, through: isOwn ? acknowledgedThrough : nil)
        }
    }
}

extension StoreWorld.Hub {
    /// Whether another entry has a place of these, or the till went on in a later epoch without one of them.
    fileprivate func conflicts(_ entries: [StoreWorld.Entry], of till: String, _ epoch: Int64) -> Bool {
        entries.contains { entry in
            // One that the hub has under another place is a duplicate.
            guard effects[entry.id] == nil else { return false }
            let isThere = taken[Place(till: till, epoch: epoch, sequence: entry.sequence)] != nil
            return isThere || epoch < epochs[till] ?? 1
        }
    }

    fileprivate mutating func beginEpoch(of till: String, at start: Int64) -> Int64 {
        let epoch = (epochs[till] ?? 1) + 1
        epochs[till] = epoch
        starts[Epoch(till: till, epoch: epoch)] = start
        return epoch
    }

    fileprivate mutating func take(_ entries: [StoreWorld.Entry], of till: String, _ epoch: Int64) {
        for entry in entries {
            let place = Place(till: till, epoch: epoch, sequence: entry.sequence)
            let isDuplicate = effects[entry.id] != nil
            if taken[place] == nil { taken[place] = entry.id }
            if !isDuplicate { effects[entry.id, default: 0] += 1 }
        }
    }

    /// Up to where the hub has everything of an epoch.
    fileprivate func through(of till: String, _ epoch: Int64) -> Int64 {
        var last = (starts[Epoch(till: till, epoch: epoch)] ?? 1) - 1
        while taken[Place(till: till, epoch: epoch, sequence: last + 1)] != nil { last += 1 }
        return last
    }
}

// MARK: The oracle

extension StoreWorld {
    /// Entries that some disk has and the hub does not.
    var alive: Set<Int> {
        var ids: Set<Int> = []
        for till in tills where !till.isBurnt {
            ids.formUnion(
                till.disk.journal.filter { $0.sequence > till.disk.acknowledgedThrough }.map(\.id))
            for entries in till.disk.pieces.values { ids.formUnion(entries.map(\.id)) }
        }
        return ids
    }

    /// What is wrong, once everything has healed and time has passed.
    ///
    /// - Parameter alive: what some disk had then.
    func findings(of alive: Set<Int>) -> [String] {
        var found = problems
        for (id, count) in hub.effects where count != 1 { found.append("entry \(id) had \(count) effects") }
        for id in alive.sorted() where hub.effects[id] == nil && !hub.aside.contains(id) {
            found.append("entry \(id) was on a disk and did not arrive")
        }
        for till in tills where !till.isBurnt {
            if till.pending > 0 { found.append("\(till.id) still waits for \(till.pending) results") }
            for (id, entries) in till.disk.pieces where entries.allSatisfy({ hub.effects[$0.id] != nil }) {
                let isHeld = entries.contains { hub.aside.contains($0.id) }
                if !isHeld { found.append("\(till.id) still keeps \(id)") }
            }
        }
        return found
    }
}
