package import Base
package import HubProtocol
internal import OfflineCore

/// Another till of the store, as far as this one has heard of it.
package struct Neighbour: Hashable, Sendable {
    /// What is known of it now.
    package enum State: String, Hashable, Sendable {
        /// It said hello within the last three intervals.
        case reachable
        /// It did before, and not since.
        case silent
        /// Nothing was heard of it since the agent's start.
        case unknown
    }

    /// The hub's id of it.
    package let terminalId: String
    /// What it said last; nil: nothing yet.
    package fileprivate(set) var hello: NeighbourHello?
    /// When it did, by this till's own clock.
    package fileprivate(set) var heardAt: Instant?
    /// Where it was reached, or where it came from.
    package fileprivate(set) var address: String?
    /// The furthest signed end of its journal that it showed: this till can witness it.
    package fileprivate(set) var head: SignedHead?

    init(terminalId: String) { self.terminalId = terminalId }
}

/// What a till does about the other tills of its store: whom it greets when, and who is there.
///
/// Nothing here decides about a sale. A till that is silent is only not heard; a hello moves no right.
package struct NeighbourWatch: Machine, Hashable, Sendable {
    /// What happened.
    package enum Event: Hashable, Sendable {
        /// The ids and device keys (Ed25519, base64) of the store's other tills.
        case keysChanged([String: String])
        /// The addresses that are tried, each once.
        case addressesChanged([String])
        /// Whether this till is online.
        case modeChanged(isOnline: Bool)
        /// The network is another one: what could not be reached may be there now.
        case pathMoved
        /// This till's shift or the end of its journal is another one.
        case ownMoved
        /// The result of `greet`, or a till that greeted this one. Both sides have proven their keys.
        case heard(NeighbourHello, at: String, isOurs: Bool)
        /// The result of `greet`: no hello came back.
        case greetFailed(String)
        /// The deadline passed; early and repeated wake-ups are harmless.
        case deadlineReached
    }

    /// What its driver has to do.
    package enum Effect: Hashable, Sendable {
        /// Exchange hellos with whoever is at the address; followed by `heard` or `greetFailed`. One at a
        /// time for each address.
        case greet(String)
        /// End the connection at the address: its till is greeted at another one.
        case leave(String)
        /// What people see of the neighbours is another picture.
        case pictureChanged
        /// These tills are no neighbours any more: end their connections.
        case drop(Set<String>)
        /// A till showed a later end of its journal: what ``heads`` has shall survive a loss of power.
        case keepHeads
    }

    /// One address that is tried.
    private struct Way: Hashable {
        var isPending = false
        /// Nil while pending.
        var due: Instant?
        /// From when on it is greeted together with another one that is due, so that the till wakes up once
        /// for several; nil: not before it is due.
        var earliest: Instant?
        var backoff = Backoff(maximum: NeighbourLimits.longestRetry)
        /// Who was there last.
        var terminalId: String?
    }

    private let terminalId: String
    private var isOnline = true
    private var keys: [String: String] = [:]
    private var ways: [String: Way] = [:]
    /// The address over which each till is greeted, since it responded there first. Its other addresses rest
    /// until this one fails.
    private var used: [String: String] = [:]
    private var known: [String: Neighbour] = [:]
    /// What was witnessed of tills that have no key here: it has not come yet, or was withdrawn.
    private var witnessed: [String: SignedHead]
    /// Whose silence people see already.
    private var silent: Set<String> = []
    private var generator: SplitMix64

    /// - Parameters:
    ///   - terminalId: this till's own.
    ///   - heads: what ``heads`` had before the start; one without its till's signature is left aside.
    ///   - seed: of the jitter.
    package init(terminalId: String, heads: [String: SignedHead] = [:], seed: UInt64) {
        self.terminalId = terminalId
        witnessed = heads
        generator = SplitMix64(seed: seed)
    }

    package mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        switch event {
        case .keysChanged(let keys): return take(keys)
        case .addressesChanged(let addresses):
            let wanted = Set(addresses.prefix(NeighbourLimits.addresses))
            // What moved may have left an address that rests to another till.
            for address in ways.keys.filter(rests) where wanted != Set(ways.keys) {
                ways[address]?.terminalId = nil
                hurry(address, at: now)
            }
            for address in ways.keys where !wanted.contains(address) {
                giveUp(address, at: now)
                ways[address] = nil
            }
            for address in wanted where ways[address] == nil { ways[address] = Way(due: now) }
            return greetDue(at: now)
        case .modeChanged(let isOnline):
            guard isOnline != self.isOnline else { return [] }
            self.isOnline = isOnline
            hurry(at: now)
            return greetDue(at: now)
        case .pathMoved:
            for address in ways.keys { ways[address]?.backoff.reset() }
            // Another way may be the better one now, or the only one.
            used = [:]
            hurry(at: now)
            return greetDue(at: now)
        case .ownMoved:
            // With the hub there it is the hub's to know.
            guard !isOnline else { return [] }
            for address in ways.keys where ways[address]?.terminalId != nil { hurry(address, at: now) }
            return greetDue(at: now)
        case .heard(let hello, let address, let isOurs):
            return heard(hello, at: address, isOurs: isOurs, now) + greetDue(at: now)
        case .greetFailed(let address):
            guard var way = ways[address] else { return [] }
            way.isPending = false
            way.due = now + way.backoff.fail(using: &generator)
            ways[address] = way
            giveUp(address, at: now)
            return noteSilence(at: now) + greetDue(at: now)
        case .deadlineReached:
            return noteSilence(at: now) + greetDue(at: now)
        }
    }

    package var deadline: Instant? {
        let greetings = ways.filter { !$0.value.isPending && !rests($0.key) }.compactMap(\.value.due)
        let silences = known.values.filter { !silent.contains($0.terminalId) }.compactMap(silentFrom)
        return (greetings + silences).min()
    }
}

extension NeighbourWatch {
    /// Which of a till's others are its neighbours: of more than the limit the first ones by id, the same at
    /// every till.
    static func neighbours(among ids: some Sequence<String>) -> [String] {
        Array(ids.sorted().prefix(NeighbourLimits.neighbours))
    }

    private mutating func take(_ keys: [String: String]) -> [Effect] {
        var others = keys
        others[terminalId] = nil
        let neighbours = Set(Self.neighbours(among: others.keys))
        others = others.filter { neighbours.contains($0.key) }
        guard others != self.keys else { return [] }
        let gone = Set(self.keys.filter { others[$0.key] != $0.value }.keys)
        self.keys = others
        for id in gone {
            // Where a till that was revoked had come to, the hub does not have to know.
            if others[id] == nil, let head = known[id]?.head { witness(head, of: id) }
            known[id] = nil
            silent.remove(id)
        }
        for (id, key) in others where known[id] == nil {
            guard let head = witnessed.removeValue(forKey: id), head.isSigned(by: key, terminalId: id) else {
                continue
            }
            var neighbour = Neighbour(terminalId: id)
            neighbour.head = head
            known[id] = neighbour
        }
        return gone.isEmpty ? [.pictureChanged] : [.drop(gone), .pictureChanged]
    }

    /// Of more than the limit those that signed last stay.
    private mutating func witness(_ head: SignedHead, of id: String) {
        witnessed[id] = head
        guard witnessed.count > NeighbourLimits.neighbours,
            let oldest = witnessed.min(by: { ($0.value.signedAt, $0.key) < ($1.value.signedAt, $1.key) })
        else { return }
        witnessed[oldest.key] = nil
    }

    private mutating func hurry(at now: Instant) { for address in ways.keys { hurry(address, at: now) } }

    private mutating func hurry(_ address: String, at now: Instant) {
        if ways[address]?.isPending == false { ways[address]?.due = now }
    }

    /// Whether its till is greeted over another address.
    private func rests(_ address: String) -> Bool {
        guard let id = ways[address]?.terminalId, let used = used[id] else { return false }
        return used != address
    }

    /// The till that was greeted over the address is not any more: its others are tried at once.
    private mutating func giveUp(_ address: String, at now: Instant) {
        guard let id = ways[address]?.terminalId, used[id] == address else { return }
        used[id] = nil
        for (other, way) in ways where other != address && way.terminalId == id { hurry(other, at: now) }
    }

    private mutating func greetDue(at now: Instant) -> [Effect] {
        let isDue = ways.contains { address, way in
            !rests(address) && way.due.map { $0 <= now } ?? false
        }
        guard isDue else { return [] }
        return ways.keys.sorted().compactMap { address -> Effect? in
            guard let way = ways[address], !way.isPending, !rests(address), let due = way.due,
                min(due, way.earliest ?? due) <= now
            else { return nil }
            ways[address]?.isPending = true
            ways[address]?.due = nil
            ways[address]?.earliest = nil
            return .greet(address)
        }
    }

    private mutating func heard(
        _ hello: NeighbourHello, at address: String, isOurs: Bool, _ now: Instant
    ) -> [Effect] {
        let id = hello.terminalId
        guard let key = keys[id] else {
            // Its key was withdrawn meanwhile.
            return isOurs ? handle(.greetFailed(address), at: now) : []
        }
        var neighbour = known[id] ?? Neighbour(terminalId: id)
        let before = neighbour
        neighbour.hello = hello
        neighbour.heardAt = now
        // Where it greets from says which machine it is, and its port nothing: what this till reached there
        // stays, until its network has another place.
        if isOurs || neighbour.address.map({ Self.host(of: $0) != Self.host(of: address) }) ?? true {
            neighbour.address = address
        }
        if let head = hello.head.flatMap({ try? SignedHead(json: $0) }), head.isAhead(of: neighbour.head),
            head.isSigned(by: key, terminalId: id)
        {
            neighbour.head = head
        }
        known[id] = neighbour
        var left: [Effect] = []
        if isOurs, ways[address] != nil {
            left = reached(hello, at: address, now)
        } else {
            postpone(greetingOf: id, hello, at: now)
        }
        let isBack = silent.remove(id) != nil
        let isNews = isBack || before.hello == nil || before.hello?.mode != hello.mode
        return left + (isNews ? [.pictureChanged] : []) + (neighbour.head != before.head ? [.keepHeads] : [])
    }

    private static func host(of address: String) -> Substring {
        address.lastIndex(of: ":").map { address[..<$0] } ?? address[...]
    }

    /// A till responded at an address. Where it did so at another one before, this one rests from now on.
    private mutating func reached(_ hello: NeighbourHello, at address: String, _ now: Instant) -> [Effect] {
        let id = hello.terminalId
        if ways[address]?.terminalId != id { giveUp(address, at: now) }
        if var way = ways[address] {
            way.isPending = false
            way.terminalId = id
            way.backoff.reset()
            way.due = now + generator.jittered(interval(to: hello), perMille: 200)
            way.earliest = now + interval(to: hello) * 4 / 5
            ways[address] = way
        }
        guard let used = used[id], used != address else {
            used[id] = address
            return []
        }
        return [.leave(address)]
    }

    /// One exchange serves both: the till with the lower id begins, and the other one only where nothing came
    /// for longer than an interval, since packets may go through in one direction alone.
    private mutating func postpone(greetingOf id: String, _ hello: NeighbourHello, at now: Instant) {
        guard id < terminalId else { return }
        let later = now + interval(to: hello) * 3 / 2
        for (address, way) in ways where way.terminalId == id && !way.isPending {
            ways[address]?.due = later
            ways[address]?.earliest = nil
        }
    }

    private func interval(to hello: NeighbourHello) -> Duration {
        isOnline && hello.mode == .online
            ? NeighbourLimits.helloInterval : NeighbourLimits.offlineHelloInterval
    }

    /// From when on it counts as silent; nil: it was not heard.
    private func silentFrom(_ neighbour: Neighbour) -> Instant? {
        guard let hello = neighbour.hello, let heardAt = neighbour.heardAt else { return nil }
        // The longest intervals, and the time that the last exchange may take.
        return heardAt + interval(to: hello) * NeighbourLimits.missedHellos * 6 / 5 + NeighbourLimits.exchange
    }

    private mutating func noteSilence(at now: Instant) -> [Effect] {
        let gone = known.values.filter { neighbour in
            !silent.contains(neighbour.terminalId) && silentFrom(neighbour).map { $0 <= now } ?? false
        }
        silent.formUnion(gone.map(\.terminalId))
        return gone.isEmpty ? [] : [.pictureChanged]
    }
}

/// What others see of it.
extension NeighbourWatch {
    /// The store's other tills, by id; those of which nothing was heard, too.
    package var neighbours: [Neighbour] {
        keys.keys.sorted().map { known[$0] ?? Neighbour(terminalId: $0) }
    }

    /// Whether `neighbour` is there now.
    package func state(of neighbour: Neighbour) -> Neighbour.State {
        neighbour.heardAt == nil ? .unknown : silent.contains(neighbour.terminalId) ? .silent : .reachable
    }

    /// The device key of a neighbour in base64; nil for anybody else.
    package func key(of terminalId: String) -> String? { keys[terminalId] }

    /// What a neighbour said last; nil: nothing yet.
    package func hello(of terminalId: String) -> NeighbourHello? { known[terminalId]?.hello }

    /// Where `terminalId` was reached from here; nil: nowhere.
    package func way(to terminalId: String) -> String? {
        used[terminalId] ?? ways.keys.sorted().first { ways[$0]?.terminalId == terminalId }
    }

    /// The furthest head of `terminalId` that was seen, before this start too.
    package func head(of terminalId: String) -> SignedHead? { known[terminalId]?.head }

    /// The furthest heads of the others by their ids, also of those whose keys were withdrawn.
    package var heads: [String: SignedHead] {
        witnessed.merging(known.compactMapValues(\.head)) { _, head in head }
    }
}

extension SignedHead {
    /// Whether it is of a later epoch, or further on in the same.
    package func isAhead(of other: SignedHead?) -> Bool {
        other.map { (epoch, sequence) > ($0.epoch, $0.sequence) } ?? true
    }

    /// Whether this signed end of a journal shows that a disk is an older one, or not the only one: the disk
    /// ends before it, or has another entry there. An epoch that the journal has left shows nothing.
    ///
    /// - Parameters:
    ///   - own: where the disk ends.
    ///   - hash: of the disk's entry at this head's sequence; nil: there is none, or it cannot be read.
    package func contradicts(_ own: SignedHead, having hash: String?) -> Bool {
        isAhead(of: own) || epoch == own.epoch && sequence > 0 && hash.map { $0 != self.hash } ?? false
    }
}

/// How long the hub's word on who is a till of the store counts without a new one: a till that was revoked
/// meanwhile is not known where the hub is away.
package enum NeighbourTrust {
    /// Since when the keys of the other tills are not confirmed.
    ///
    /// - Parameters:
    ///   - confirmedAt: when the hub last sent what there was of them; nil: it never did, and there are none.
    ///   - days: for how long that counts.
    ///   - now: the wall clock. All moments are milliseconds since 1970.
    /// - Returns: `confirmedAt` where it is too long ago; nil: it is not.
    package static func notConfirmedSince(_ confirmedAt: Int64?, days: Int, at now: Int64) -> Int64? {
        guard let confirmedAt, now - confirmedAt > Int64(days) * 86_400_000 else { return nil }
        return confirmedAt
    }
}
