import Base
import Crypto
import Foundation
import HubProtocol

@testable import Neighbours

/// The tills of a store that claim carts, refunds and parts of leases of each other, with real signatures, on
/// a network and disks that a seed breaks, in virtual time. What people did is in logs outside of the disks,
/// and the oracle reads them.
struct ClaimWorld {
    /// A cart that a till can sell.
    struct Cart: Hashable {
        var origin: String
        var grants: [JSONValue] = []
        /// On a screen, or with money: it stays.
        var isBusy = false
    }

    /// Something that was given away.
    struct Given: Hashable {
        enum State: Hashable { case open, closed, back }
        var grant: GrantedRight
        var isNoted = false
        var state = State.open
        /// Of a cart, for its taker.
        var cart: Cart?
    }

    /// An amount that its owner has: of its own receipt, or lent by the hub.
    struct Amount: Hashable {
        let kind: RightKind
        /// Of a lease, whose: another till does not know its id.
        let subject: String
        let total: Int64
        let epoch: Int64
        /// By refunds or uses of its owner.
        var used: [String: Int64] = [:]
    }

    /// What survives a loss of power.
    struct Disk {
        var epoch: Int64 = 1
        var carts: [String: Cart] = [:]
        var gone: Set<String> = []
        var amounts: [String: Amount] = [:]
        var given: [ClaimKey: Given] = [:]
        var held: [String: GrantedRight] = [:]
        var wanted: [String: WantedRight] = [:]
        var refunds: Set<String> = []
        var notes: [NoteListKey: [NeighbourNote]] = [:]
        var forks: Set<NoteListKey> = []
    }

    struct Till {
        let key: Curve25519.Signing.PrivateKey
        let terminalId: String
        var machine: Claims
        var disk = Disk()
        var copy = Disk()
        /// Counts starts: what was under way before a start does not arrive after it.
        var run = 0
        var isHostile = false
        var isBehind = false
        var isChecking = true
        /// What the notes on the disk say.
        var states: [NoteListKey: NoteState] = [:]
        /// Claims that wait for a response of this till.
        var waiting: [ClaimKey: [Int]] = [:]
        /// Refunds that somebody is at.
        var atHand: [String: RightClaim] = [:]
    }

    enum Step {
        case event(till: Int, run: Int, ClaimEvent)
        case effect(till: Int, run: Int, ClaimEffect)
        case request(to: Int, RightClaim, from: Int, run: Int)
        case gossip(till: Int, run: Int)
        case ready(till: Int, run: Int)
        case wake(till: Int)
    }

    var tills: [Till] = []
    private var steps = TimedSteps<Step>()
    private(set) var now: Int64 = 0
    var random: SplitMix64
    /// `from * 100 + to` of directions that lose everything.
    var cut: Set<Int> = []
    /// In thousandths.
    var failingWrites: UInt64 = 0
    /// Terminals of which two tills ran, or one from an old disk.
    private(set) var doubled: Set<String> = []
    /// Terminals of which that was seen.
    private(set) var seen: Set<String> = []
    private(set) var alarms: [ClaimAlarm] = []
    private var serial = 0
    /// How much hostile tills made up.
    var lies = 0

    /// Who ever had each right, by the right's id.
    private(set) var owners: [String: Set<String>] = [:]
    /// The physical tills that sold each cart.
    private(set) var sales: [String: [Int]] = [:]
    /// What was spent by right, and by whose decision.
    private(set) var spent: [(right: String, amount: Int64, isNamed: Bool)] = []
    private(set) var totals: [String: Int64] = [:]
    private(set) var settled: [ClaimOutcome] = []
    private(set) var problems: [String] = []

    init(tills count: Int, seed: UInt64) {
        random = SplitMix64(seed: seed)
        for index in 0..<count { add("T\(index)", Curve25519.Signing.PrivateKey()) }
        for index in tills.indices { start(index) }
    }

    private var instant: Instant { Instant(nanoseconds: now * 1_000_000) }

    private var keys: [String: String] {
        Dictionary(
            tills.map { ($0.terminalId, $0.key.publicKey.rawRepresentation.base64EncodedString()) }
        ) { first, _ in first }
    }

    private mutating func add(_ id: String, _ key: Curve25519.Signing.PrivateKey) {
        tills.append(Till(key: key, terminalId: id, machine: Claims(terminalId: id, seed: 0)))
    }

    // MARK: Faults

    /// Starts a till from its disk, as after a loss of power.
    mutating func start(_ index: Int) {
        tills[index].run += 1
        let (till, given) = (tills[index], tills[index].disk.given)
        tills[index].machine = Claims(
            terminalId: till.terminalId, given: given.values.filter(\.isNoted).map(\.grant),
            open: Set(given.filter { $0.value.isNoted && $0.value.state == .open }.keys),
            reserved: given.values.filter { !$0.isNoted }.map(\.grant), held: Array(till.disk.held.values),
            wanted: Array(till.disk.wanted.values), seed: random.next())
        tills[index].isChecking = true
        tills[index].waiting = [:]
        tills[index].atHand = [:]
        tills[index].states = till.disk.notes.mapValues { notes in
            var state = NoteState()
            for note in notes { state.add(note) }
            return state
        }
        handle(.keysChanged(keys), of: index)
        noteChange(of: index)
        later(Int64(random.below(200)), .gossip(till: index, run: till.run))
        later(5_000, .ready(till: index, run: till.run))
    }

    mutating func keepCopy(_ index: Int) { tills[index].copy = tills[index].disk }

    mutating func restoreOldDisk(_ index: Int) {
        doubled.insert(tills[index].terminalId)
        tills[index].disk = tills[index].copy
        start(index)
    }

    /// A second computer with the disk and the key of a till.
    mutating func clone(_ index: Int) {
        doubled.insert(tills[index].terminalId)
        add(tills[index].terminalId, tills[index].key)
        tills[tills.count - 1].disk = tills[index].disk
        start(tills.count - 1)
    }

    /// The hub gives tills that run from an old disk their next epoch.
    mutating func raiseEpochs() {
        for index in tills.indices where tills[index].isBehind {
            let same = tills.filter { $0.terminalId == tills[index].terminalId }
            tills[index].disk.epoch = (same.map(\.disk.epoch).max() ?? 1) + 1
            tills[index].isBehind = false
            noteReadiness(of: index)
        }
    }

    // MARK: The machine and what it is connected to

    /// Runs until `moment`, in milliseconds.
    mutating func run(until moment: Int64) {
        while let next = steps.next(until: moment) {
            now = next.at
            perform(next.step)
        }
        now = moment
    }

    private mutating func later(_ delay: Int64, _ step: Step) { steps.add(step, at: now + delay) }

    private mutating func handle(_ event: ClaimEvent, of index: Int) {
        let effects = tills[index].machine.handle(event, at: instant)
        // In order: they are writes of one disk, and messages.
        for effect in effects {
            switch effect {
            case .respond(let key, let verdict): respond(to: key, verdict, by: index)
            case .raise(let alarm): alarms.append(alarm)
            case .settle(let id, let outcome): settle(id, outcome, at: index)
            case .send(let claim, let owner): send(claim, to: owner, from: index)
            case _: perform(effect, of: index)
            }
        }
        if let deadline = tills[index].machine.deadline {
            later(max(1, deadline.nanoseconds / 1_000_000 - now + 1), .wake(till: index))
        }
    }

    private mutating func noteChange(of index: Int) {
        handle(.notesChanged(notes(of: index)), of: index)
    }

    func notes(of index: Int) -> StoreNotes {
        StoreNotes(states: tills[index].states, forked: tills[index].disk.forks)
    }

    private mutating func keep(_ notes: ArraySlice<NeighbourNote>, of list: NoteListKey, at index: Int) {
        tills[index].disk.notes[list, default: []] += notes
        for note in notes { tills[index].states[list, default: NoteState()].add(note) }
    }

    private mutating func noteReadiness(of index: Int) {
        let till = tills[index]
        handle(
            .readinessChanged(isReady: !till.isBehind && !till.isChecking, epoch: till.disk.epoch), of: index)
    }

    private mutating func perform(_ step: Step) {
        switch step {
        case .event(let till, let run, let event):
            if tills[till].run == run { handle(event, of: till) }
        case .effect(let till, let run, let effect):
            if tills[till].run == run { finish(effect, of: till) }
        case .request(let to, let claim, let from, let run):
            guard !tills[to].isHostile else { return lie(about: claim, to: from, run, by: to) }
            let key = ClaimKey(taker: tills[from].terminalId, claimId: claim.claimId)
            tills[to].waiting[key, default: []].append(from * 1_000 + run)
            handle(.claimed(claim, from: key.taker), of: to)
        case .gossip(let till, let run):
            if tills[till].run == run { gossip(from: till, run) }
        case .ready(let till, let run):
            guard tills[till].run == run else { return }
            tills[till].isChecking = false
            noteReadiness(of: till)
        case .wake(let till):
            let isDue = tills[till].machine.deadline.map { $0 <= instant } ?? false
            if isDue { handle(.deadlineReached, of: till) }
        }
    }

    private mutating func fails() -> Bool { random.below(1_000) < failingWrites }

    /// Changes the disk now; what the machine hears of it comes later, or is lost by a stop.
    private mutating func perform(_ effect: ClaimEffect, of index: Int) {
        let event: ClaimEvent?
        switch effect {
        case .reserve(let claim, let taker, let turn, let epoch, let refunds):
            let key = ClaimKey(taker: taker, claimId: claim.claimId)
            event =
                fails()
                ? .reserveFailed(key) : reserve(claim, key, turn: turn, epoch: epoch, refunds, of: index)
        case .writeGrant(let grant, let epoch):
            let isWritten =
                !fails() && tills[index].disk.epoch == epoch && !tills[index].isBehind
                && write(grant.kind.note, grant.json, of: index)
            if isWritten { tills[index].disk.given[ClaimKey(grant)]?.isNoted = random.below(3) > 0 }
            event = isWritten ? .granted(grant) : .grantFailed(grant)
        case .keep(let cart):
            let id = cart.claim.claimId
            let isKept = !fails()
            if isKept { tills[index].disk.wanted[id] = cart }
            event = isKept ? .kept(claimId: id) : .keepFailed(claimId: id)
        case .adopt(let grant, let grants, let origin, _):
            event = fails() ? .adoptFailed(claimId: grant.claimId) : adopt(grant, grants, origin, of: index)
        case .lookUp(let id):
            let isAtHand = tills[index].atHand[id] != nil
            event =
                tills[index].disk.refunds.contains(id)
                ? .used(claimId: id)
                : isAtHand ? nil : .abandoned(claimId: id)
        case _:
            event = nil
            finish(effect, of: index)
        }
        guard let event else { return }
        later(1 + Int64(random.below(40)), .event(till: index, run: tills[index].run, event))
    }

    private mutating func finish(_ effect: ClaimEffect, of index: Int) {
        switch effect {
        case .unreserve(let key):
            guard let given = tills[index].disk.given[key], !given.isNoted else { return }
            tills[index].disk.given[key] = nil
            if let cart = given.cart { tills[index].disk.carts[given.grant.right] = cart }
            checkOwners()
        case .close(let key): tills[index].disk.given[key]?.state = .closed
        case .regain(let key): tills[index].disk.given[key]?.state = .back
        case .accept(let grant):
            var given = tills[index].disk.given[ClaimKey(grant)] ?? Given(grant: grant)
            given.isNoted = true
            given.cart = given.cart ?? tills[index].disk.carts.removeValue(forKey: grant.right)
            tills[index].disk.given[ClaimKey(grant)] = given
        case .endCart(let cart):
            tills[index].disk.carts[cart] = nil
            tills[index].disk.gone.insert(cart)
        case .writeRelease(let key):
            // Its note waits until the till writes notes.
            guard !tills[index].isBehind, !tills[index].isChecking, !fails() else {
                return later(3_000, .effect(till: index, run: tills[index].run, effect))
            }
            let release = ReleasedRight(taker: key.taker, claimId: key.claimId, madeAt: now)
            _ = write(.released, release.json, of: index)
        case _: break
        }
    }

    /// Signs a note and keeps it.
    @discardableResult
    mutating func write(_ kind: NoteKind, _ body: JSONValue, of index: Int) -> Bool {
        let till = tills[index]
        let list = NoteListKey(till.terminalId, till.disk.epoch)
        let last = till.disk.notes[list]?.last
        let draft = NoteDraft(
            epoch: list.epoch, number: (last?.number ?? 0) + 1,
            previousHash: last?.hash ?? NeighbourNote.genesisHash, kind: kind.rawValue, body: body,
            madeAt: now)
        let note = NeighbourNote(draft, terminalId: till.terminalId) {
            (try? till.key.signature(for: Data($0)))?.base64EncodedString()
        }
        guard let note else { return false }
        keep([note], of: list, at: index)
        let event = ClaimEvent.notesChanged(notes(of: index))
        later(1 + Int64(random.below(20)), .event(till: index, run: till.run, event))
        return true
    }
}

// MARK: The disk

extension ClaimWorld {
    private mutating func reserve(
        _ claim: RightClaim, _ key: ClaimKey, turn: Int64, epoch: Int64, _ refunds: [String: Int64],
        of index: Int
    ) -> ClaimEvent {
        let disk = tills[index].disk
        if let given = disk.given[key] {
            return given.state == .back ? .reserveRefused(key, .spent, to: nil) : .reserved(given.grant)
        }
        guard let kind = RightKind(rawValue: claim.kind) else {
            return .reserveRefused(key, .unknownKind, to: nil)
        }
        guard kind == .cart else { return reserve(claim, key, kind, epoch, refunds, of: index) }
        guard let cart = disk.carts[claim.right] else {
            let newest = disk.given.values.filter { $0.grant.right == claim.right }
                .max { $0.grant.turn < $1.grant.turn }
            if disk.gone.contains(claim.right) { return .reserveRefused(key, .sold, to: nil) }
            return .reserveRefused(key, newest == nil ? .notMine : .granted, to: newest?.grant.to)
        }
        if cart.isBusy { return .reserveRefused(key, .inUse, to: nil) }
        let grant = GrantedRight(claim, of: .cart, to: key.taker, turn: turn, madeAt: now)
        tills[index].disk.given[key] = Given(grant: grant, cart: cart)
        tills[index].disk.carts[claim.right] = nil
        // A till that lies of a cart before it gets it may not find it afterwards.
        if tills.contains(where: { $0.isHostile && $0.terminalId == key.taker }) {
            owners[claim.right, default: []].insert(key.taker)
        }
        return .reserved(grant)
    }

    private mutating func reserve(
        _ claim: RightClaim, _ key: ClaimKey, _ kind: RightKind, _ epoch: Int64, _ refunds: [String: Int64],
        of index: Int
    ) -> ClaimEvent {
        let all = tills[index].disk.amounts.filter { id, amount in
            amount.kind == kind && amount.epoch == epoch
                && (id == claim.right || kind == .lease && amount.subject == claim.right)
        }.keys.map { (right: $0, left: left(of: $0, at: index, refunds)) }
        guard let (right, left) = all.max(by: { ($0.left, $0.right) < ($1.left, $1.right) }) else {
            return .reserveRefused(key, .notMine, to: nil)
        }
        guard left >= (kind == .lease ? 1 : claim.amount) else {
            return .reserveRefused(key, .spent, to: nil)
        }
        let before = tills[index].disk.given.values.filter { $0.grant.right == right && $0.state != .back }
        // Of a lease what it leaves.
        let part = min(left, claim.amount)
        let given = before.reduce(part) { $0 + $1.grant.amount }
        let own = RightClaim(claimId: claim.claimId, kind: kind, right: right, amount: part)
        let grant = GrantedRight(own, of: kind, to: key.taker, given: given, madeAt: now)
        tills[index].disk.given[key] = Given(grant: grant)
        return .reserved(grant)
    }

    /// What the owner itself could use of an amount.
    private func left(of right: String, at index: Int, _ refunds: [String: Int64]) -> Int64 {
        guard let amount = tills[index].disk.amounts[right] else { return 0 }
        var used = amount.used.merging(refunds, uniquingKeysWith: max)
        for given in tills[index].disk.given.values
        where given.grant.right == right && given.state != .back {
            used[given.grant.claimId] = max(given.grant.amount, used[given.grant.claimId] ?? 0)
        }
        return amount.total - used.values.reduce(0, +)
    }

    private mutating func adopt(
        _ grant: GrantedRight, _ grants: [JSONValue], _ origin: String?, of index: Int
    ) -> ClaimEvent {
        if tills[index].disk.held[grant.claimId] == nil {
            tills[index].disk.held[grant.claimId] = grant
            owners[grant.right, default: []].insert(tills[index].terminalId)
            // Who gives what it says was its own first can be no other's witness.
            owners[grant.right, default: []].formUnion(
                grants.compactMap { try? NeighbourNote(json: $0) }.map(\.terminalId))
            if grant.kind == .cart, tills[index].disk.wanted[grant.claimId] == nil {
                problems.append("\(tills[index].terminalId) adopted \(grant.right), which it did not claim")
            }
            if grant.kind == .cart, !tills[index].disk.gone.contains(grant.right) {
                let isBack = origin == tills[index].terminalId
                let maker = grants.first.flatMap { try? NeighbourNote(json: $0) }?.terminalId ?? ""
                tills[index].disk.carts[grant.right] = Cart(
                    origin: isBack ? tills[index].terminalId : maker, grants: isBack ? [] : grants)
                checkOwners()
                park(grant.right, at: index, turn: grant.turn)
            }
        }
        return .adopted(grant)
    }

    private mutating func park(_ id: String, at index: Int, turn: Int64) {
        guard let cart = tills[index].disk.carts[id] else { return }
        var note = ParkedCart(id: id, name: "", count: 1, total: 100, turn: turn + 1)
        note.origin = cart.origin == tills[index].terminalId ? nil : cart.origin
        write(.cartParked, note.json, of: index)
    }
}

// MARK: The network

extension ClaimWorld {
    private func isCut(_ from: Int, _ to: Int) -> Bool { cut.contains(from * 100 + to) }

    /// A claim arrives once, twice, late or never; without a response within a second there is none.
    private mutating func send(_ claim: RightClaim, to owner: String, from index: Int) {
        let run = tills[index].run
        later(1_000, .event(till: index, run: run, .responded(claimId: claim.claimId, nil)))
        let others = tills.indices.filter { $0 != index && tills[$0].terminalId == owner }
        guard !others.isEmpty else { return }
        let to = others[Int(random.below(UInt64(others.count)))]
        guard !isCut(index, to) else { return }
        let step = Step.request(to: to, claim, from: index, run: run)
        if random.below(12) > 0 { later(1 + Int64(random.below(400)), step) }
        if random.below(6) == 0 { later(Int64(random.below(9_000)), step) }
    }

    private mutating func respond(to key: ClaimKey, _ verdict: ClaimVerdict?, by index: Int) {
        guard let callers = tills[index].waiting.removeValue(forKey: key), let verdict else { return }
        let response: ClaimResponse
        switch verdict {
        case .refused(let refusal, let to): response = ClaimResponse(refusal, grantedTo: to)
        case .granted(let grant):
            let disk = tills[index].disk
            guard let note = note(of: grant, by: index) else {
                return problems.append("\(tills[index].terminalId) granted \(key) without a note")
            }
            response = ClaimResponse(
                grants: (disk.given[key]?.cart?.grants ?? []) + [note.json],
                content: lease(grant.right, of: index))
        }
        for caller in callers {
            deliver(response, key.claimId, to: caller / 1_000, caller % 1_000, by: index)
        }
    }

    /// A lease as its owner has it of the hub.
    func lease(_ id: String, of index: Int) -> JSONValue? {
        guard let amount = tills[index].disk.amounts[id], amount.kind == .lease else { return nil }
        var record = LeaseRecord(
            leaseId: id, kind: .points, subject: amount.subject, amount: amount.total, expiresAt: 1 << 40,
            version: 1, epoch: amount.epoch)
        record.terminalId = tills[index].terminalId
        return record.json
    }

    private func note(of grant: GrantedRight, by index: Int) -> NeighbourNote? {
        tills[index].disk.notes.filter { $0.key.terminalId == tills[index].terminalId }.flatMap(\.value)
            .first { (try? GrantedRight(json: $0.body)) == grant }
    }

    mutating func deliver(
        _ response: ClaimResponse, _ claimId: String, to: Int, _ run: Int, by index: Int
    ) {
        guard !isCut(index, to), tills[to].run == run else { return }
        let event = ClaimEvent.responded(claimId: claimId, response)
        if random.below(12) > 0 { later(1 + Int64(random.below(900)), .event(till: to, run: run, event)) }
        if random.below(6) == 0 { later(Int64(random.below(9_000)), .event(till: to, run: run, event)) }
    }

    /// Every list goes on to whoever can be heard; a till that hears more of its own list than it has runs
    /// from an old disk.
    private mutating func gossip(from index: Int, _ run: Int) {
        for other in tills.indices where other != index && !isCut(index, other) {
            var isNews = false
            for (list, notes) in tills[index].disk.notes.sorted(by: { $0.key < $1.key }) {
                isNews = take(notes, of: list, by: other) || isNews
            }
            if isNews { noteChange(of: other) }
        }
        later(2_000 + Int64(random.below(4_000)), .gossip(till: index, run: run))
    }

    /// - Returns: whether anything is new.
    private mutating func take(_ notes: [NeighbourNote], of list: NoteListKey, by index: Int) -> Bool {
        let known = tills[index].disk.notes[list] ?? []
        // Hashes are chained: the last one that both have decides.
        let both = min(known.count, notes.count)
        let isFork = both > 0 && known[both - 1].hash != notes[both - 1].hash
        if list.terminalId == tills[index].terminalId, list.epoch >= tills[index].disk.epoch {
            guard isFork || notes.count > known.count else { return false }
            seen.insert(list.terminalId)
            tills[index].isBehind = true
            noteReadiness(of: index)
            return false
        }
        if isFork {
            if !tills[index].isHostile { seen.insert(list.terminalId) }
            return tills[index].disk.forks.insert(list).inserted
        }
        guard notes.count > known.count else { return false }
        keep(notes.dropFirst(known.count), of: list, at: index)
        return true
    }
}

// MARK: What people do

extension ClaimWorld {
    mutating func work(at index: Int) {
        switch random.below(10) {
        case 0, 1: parkCart(at: index)
        case 2: sellCart(at: index)
        case 3, 4, 5: takeCart(at: index)
        case 6: refundOwn(at: index)
        case 7, 8: claimAmount(at: index)
        case _: receive(at: index)
        }
    }

    /// - Returns: its id.
    @discardableResult
    mutating func parkCart(at index: Int) -> String {
        serial += 1
        let id = "C\(serial)"
        guard !tills[index].isBehind, !tills[index].isChecking else { return id }
        tills[index].disk.carts[id] = Cart(
            origin: tills[index].terminalId, isBusy: random.below(5) == 0)
        owners[id] = [tills[index].terminalId]
        park(id, at: index, turn: 0)
        return id
    }

    mutating func sellCart(at index: Int, _ id: String? = nil) {
        let id = id ?? tills[index].disk.carts.keys.sorted().first
        guard let id, tills[index].disk.carts[id] != nil else { return }
        tills[index].disk.carts[id] = nil
        tills[index].disk.gone.insert(id)
        sales[id, default: []].append(index)
        checkOwners()
        guard !tills[index].isBehind else { return }
        write(.cartEnded, EndedCart(id: id, end: .sold).json, of: index)
    }

    mutating func takeCart(at index: Int, _ id: String? = nil) {
        let listed = notes(of: index).openCarts.filter {
            $0.owner != tills[index].terminalId && (id == nil || $0.cart.id == id)
        }
        guard !listed.isEmpty else { return }
        let chosen = listed[Int(random.below(UInt64(listed.count)))]
        serial += 1
        let claim = RightClaim(
            claimId: "K\(serial)", kind: .cart, right: chosen.cart.id,
            origin: chosen.cart.origin ?? chosen.owner)
        handle(.wanted(claim, owner: chosen.owner), of: index)
    }

    /// A sale, or a lease of the hub: an amount that this till has alone.
    @discardableResult
    mutating func receive(at index: Int) -> String {
        serial += 1
        let kind: RightKind = random.below(2) == 0 ? .receipt : .lease
        let id = "A\(serial)"
        tills[index].disk.amounts[id] = Amount(
            kind: kind, subject: "M\(random.below(3))", total: 100, epoch: tills[index].disk.epoch)
        owners[id] = [tills[index].terminalId]
        totals[id] = 100
        return id
    }

    /// The owner uses a part itself.
    mutating func refundOwn(at index: Int) {
        let rights = tills[index].disk.amounts.keys.sorted()
        guard !rights.isEmpty else { return }
        let right = rights[Int(random.below(UInt64(rights.count)))]
        guard let amount = tills[index].disk.amounts[right],
            amount.kind == .receipt || amount.epoch == tills[index].disk.epoch && !tills[index].isBehind,
            left(of: right, at: index, known(of: right, at: index)) >= 30
        else { return }
        serial += 1
        let id = "R\(serial)"
        tills[index].disk.amounts[right]?.used[id] = 30
        spent.append((right, 30, false))
        noteRefund(id, of: right, 30, at: index, amount.kind)
    }

    private func known(of right: String, at index: Int) -> [String: Int64] {
        notes(of: index).refunds(of: right)
    }

    private mutating func noteRefund(
        _ id: String, of right: String, _ amount: Int64, at index: Int, _ kind: RightKind
    ) {
        guard kind == .receipt, !tills[index].isBehind, !tills[index].isChecking else { return }
        let note = NotedRefund(refundId: id, orderId: right, amount: amount, madeAt: now)
        write(.refundMade, note.json, of: index)
    }

    mutating func claimAmount(at index: Int) {
        let all = tills.indices.flatMap { other in
            tills[other].disk.amounts.filter { _ in tills[other].terminalId != tills[index].terminalId }
                .map { id, amount in
                    let isNamed = amount.kind == .lease && serial % 4 > 0
                    return (
                        owner: tills[other].terminalId, right: isNamed ? amount.subject : id,
                        kind: amount.kind
                    )
                }
        }.sorted { ($0.owner, $0.right) < ($1.owner, $1.right) }
        guard !all.isEmpty else { return }
        let chosen = all[Int(random.below(UInt64(all.count)))]
        serial += 1
        let claim = RightClaim(claimId: "K\(serial)", kind: chosen.kind, right: chosen.right, amount: 40)
        if chosen.kind == .receipt { tills[index].atHand[claim.claimId] = claim }
        handle(.wanted(claim, owner: chosen.owner), of: index)
    }

    private mutating func settle(_ id: String, _ outcome: ClaimOutcome, at index: Int) {
        settled.append(outcome)
        guard let claim = tills[index].atHand.removeValue(forKey: id) else { return }
        let isGranted = if case .granted = outcome { true } else { false }
        let isUndecided = outcome == .silent || outcome == .notReady
        // The customer goes away, or the money is given; without the seller's word that is named.
        guard isGranted || isUndecided && random.below(2) == 0, random.below(5) > 0 else {
            return later(1, .event(till: index, run: tills[index].run, .abandoned(claimId: id)))
        }
        tills[index].disk.refunds.insert(id)
        spent.append((claim.right, claim.amount, !isGranted))
        noteRefund(id, of: claim.right, claim.amount, at: index, .receipt)
        later(1, .event(till: index, run: tills[index].run, .used(claimId: id)))
    }
}

// MARK: The oracle

extension ClaimWorld {
    /// A cart can be sold at one till at most, now and ever.
    private mutating func checkOwners() {
        var having: [String: Int] = [:]
        for till in tills { for cart in till.disk.carts.keys { having[cart, default: 0] += 1 } }
        for (cart, count) in having where !isExcused(cart) {
            if count + (sales[cart]?.count ?? 0) > 1 { problems.append("\(cart) has two owners at \(now)") }
        }
    }
}
