import Base
import HubProtocol
import Neighbours
import Testing

/// Tills with cable and radio, in both versions of IP: one connection to each.
@Suite("A till at several addresses")
struct SeveralAddressesTests {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)

    /// A till `B` with the keys of `A` and `C`, which tries two addresses.
    private func watch() -> NeighbourWatch {
        var watch = NeighbourWatch(terminalId: "B", seed: 7)
        _ = watch.handle(.keysChanged(["A": "a", "B": "b", "C": "c"]), at: Self.start)
        _ = watch.handle(.addressesChanged(["x:1", "y:1"]), at: Self.start)
        return watch
    }

    private func heard(_ id: String, at address: String) -> NeighbourWatch.Event {
        var hello = NeighbourHello()
        (hello.terminalId, hello.run, hello.version) = (id, "r", "1.0.0")
        return .heard(hello, at: address, isOurs: true)
    }

    /// Whom the till greets until `end`, when everybody responds at once.
    private func greetings(of watch: inout NeighbourWatch, _ id: String, until end: Instant) -> [String] {
        var greeted: [String] = []
        while let now = watch.deadline, now < end {
            for case .greet(let address) in watch.handle(.deadlineReached, at: now) {
                greeted.append(address)
                _ = watch.handle(heard(id, at: address), at: now)
            }
        }
        return greeted
    }

    @Test("One that is heard over an address is not greeted over its others, until that one fails")
    func others() {
        var watch = watch()
        _ = watch.handle(heard("C", at: "y:1"), at: Self.start)
        let second = watch.handle(heard("C", at: "x:1"), at: Self.start)
        #expect(second == [.leave("x:1")], "the one that responded first stays")
        #expect(watch.way(to: "C") == "y:1")
        var now = Self.start + .seconds(3_600)
        let greeted = greetings(of: &watch, "C", until: now)
        #expect(greeted.count > 90 && Set(greeted) == ["y:1"])
        #expect(watch.handle(.modeChanged(isOnline: false), at: now) == [.greet("y:1")])
        _ = watch.handle(heard("C", at: "y:1"), at: now)
        #expect(watch.handle(.ownMoved, at: now) == [.greet("y:1")])
        // The others at once, and none of them again and again when nobody is there.
        #expect(watch.handle(.greetFailed("y:1"), at: now) == [.greet("x:1")])
        #expect(watch.handle(.greetFailed("x:1"), at: now) == [])
        #expect(watch.deadline.map { $0 > now } ?? false)
        now = now + .seconds(2)
        #expect(Set(watch.handle(.deadlineReached, at: now)).isSuperset(of: [.greet("x:1"), .greet("y:1")]))
        _ = watch.handle(heard("C", at: "x:1"), at: now)
        #expect(watch.way(to: "C") == "x:1")
        #expect(watch.handle(.greetFailed("y:1"), at: now) == [])
        #expect(watch.handle(.ownMoved, at: now) == [.greet("x:1")])
        _ = watch.handle(heard("C", at: "x:1"), at: now)
        #expect(Set(greetings(of: &watch, "C", until: now + .seconds(600))) == ["x:1"])
    }

    @Test("Another network, another address and another till at it are each looked at at once")
    func moved() {
        var watch = watch()
        for address in ["x:1", "y:1"] { _ = watch.handle(heard("C", at: address), at: Self.start) }
        let now = Self.start + .seconds(1)
        #expect(watch.handle(.pathMoved, at: now) == [.greet("x:1"), .greet("y:1")])
        _ = watch.handle(heard("C", at: "y:1"), at: now)
        #expect(watch.handle(heard("C", at: "x:1"), at: now) == [.leave("x:1")])
        #expect(watch.handle(.addressesChanged(["x:1"]), at: now) == [.greet("x:1")])
        _ = watch.handle(heard("C", at: "x:1"), at: now)
        #expect(watch.handle(.addressesChanged(["x:1", "y:1"]), at: now) == [.greet("y:1")])
        #expect(watch.handle(heard("C", at: "y:1"), at: now) == [.leave("y:1")])
        // The address is another till's meanwhile.
        #expect(watch.handle(.modeChanged(isOnline: false), at: now) == [.greet("x:1")])
        #expect(watch.handle(heard("A", at: "x:1"), at: now).contains(.greet("y:1")))
        #expect(watch.way(to: "A") == "x:1")
        _ = watch.handle(heard("C", at: "y:1"), at: now)
        #expect(watch.way(to: "C") == "y:1")
    }

    @Test("When addresses change, one that rests is looked at again: it may be another till's now")
    func restsNoLonger() {
        var watch = watch()
        for address in ["x:1", "y:1"] { _ = watch.handle(heard("C", at: address), at: Self.start) }
        let now = Self.start + .seconds(1)
        #expect(watch.handle(.addressesChanged(["x:1", "y:1"]), at: now) == [])
        #expect(
            watch.handle(.addressesChanged(["x:1", "y:1", "z:1"]), at: now) == [.greet("y:1"), .greet("z:1")])
        _ = watch.handle(heard("A", at: "y:1"), at: now)
        #expect(watch.way(to: "A") == "y:1" && watch.way(to: "C") == "x:1")
    }

    @Test("One that begins itself is greeted at none of its addresses, and then at one of them")
    func lowerBegins() {
        var watch = watch()
        for address in ["x:1", "y:1"] { _ = watch.handle(heard("A", at: address), at: Self.start) }
        var hello = NeighbourHello()
        (hello.terminalId, hello.run, hello.version) = ("A", "r", "1.0.0")
        for second in stride(from: Int64(5), to: 200, by: 30) {
            let now = Self.start + .seconds(second)
            #expect(watch.handle(.deadlineReached, at: now) == [])
            _ = watch.handle(.heard(hello, at: "z:9", isOurs: false), at: now)
        }
        #expect(watch.handle(.deadlineReached, at: Self.start + .seconds(185 + 45)) == [.greet("x:1")])
    }

    @Test(
        "Whatever addresses fail and move: one connection to each till, and each that can be is reached",
        arguments: UInt64(1)...40)
    func anyTimes(seed: UInt64) {
        var world = World(seed: seed)
        world.run(until: 1_800_000)
        world.heal()
        world.run(until: 2_000_000)
        #expect(world.problems == [])
        #expect(Set(world.kept.values) == Set(World.tills), "each till is reached")
        let before = world.greetings
        world.run(until: 2_600_000)
        #expect(world.problems == [])
        // Twenty intervals of each till, or twenty-five where each is the shortest; of the one that begins
        // itself there is nothing else to hear here.
        #expect(world.greetings - before <= World.tills.count * 26)
    }
}

/// One till and the addresses of three others, which open, close and change their tills.
private struct World {
    enum Step {
        case wake, change
        case result(String, till: String?)
    }

    static let tills = ["A", "C", "D"]
    private static let addresses = (0..<9).map { "a\($0):1" }
    private var watch = NeighbourWatch(terminalId: "B", seed: 0)
    private var random: SplitMix64
    private var steps = TimedSteps<Step>()
    private var now: Int64 = 0
    private var isHealed = false
    /// Whose an address is, and which of them respond.
    private var owners: [String: String] = [:]
    private var closed: Set<String> = []
    /// The till behind each connection that is kept.
    private(set) var kept: [String: String] = [:]
    private(set) var greetings = 0
    /// Where the till is greeting now.
    private var pending: Set<String> = []
    private(set) var problems: [String] = []

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        watch = NeighbourWatch(terminalId: "B", seed: random.next())
        for (index, address) in Self.addresses.enumerated() { owners[address] = Self.tills[index % 3] }
        handle(.keysChanged(["A": "a", "C": "c", "D": "d"]))
        handle(.addressesChanged(Self.addresses))
        steps.add(.change, at: 0)
    }

    /// Every address responds from now on, and stays where it is.
    mutating func heal() {
        isHealed = true
        closed = []
        handle(.modeChanged(isOnline: true))
    }

    mutating func run(until end: Int64) {
        while let next = steps.next(until: end) {
            now = next.at
            switch next.step {
            case .wake: if watch.deadline.map({ $0 <= instant }) ?? false { handle(.deadlineReached) }
            case .change: change()
            case .result(let address, nil):
                pending.remove(address)
                kept[address] = nil
                handle(.greetFailed(address))
            case .result(let address, let till?):
                pending.remove(address)
                kept[address] = till
                var hello = NeighbourHello()
                (hello.terminalId, hello.run, hello.version) = (till, "r", "1.0.0")
                handle(.heard(hello, at: address, isOurs: true))
                // Those that are tried together for the first time, or after another network, are not over.
                let counts = Dictionary(grouping: kept.keys) { kept[$0] ?? "" }
                for (till, all) in counts where all.count > 1 && pending.isDisjoint(with: all) {
                    problems.append("\(now): \(till) at \(all.sorted())")
                }
            }
        }
        now = end
    }

    private var instant: Instant { Instant(nanoseconds: (now + 1_000) * 1_000_000) }

    private mutating func change() {
        guard !isHealed else { return }
        let address = Self.addresses[Int(random.below(UInt64(Self.addresses.count)))]
        switch random.below(8) {
        case 0: closed = Set(Self.addresses.filter { owners[$0] == owners[address] })
        case 1:
            owners[address] = Self.tills[Int(random.below(3))]
            for till in Self.tills where !owners.values.contains(till) { owners[address] = till }
            // What moved has no connection of before.
            kept[address] = nil
        case 2: handle(.pathMoved)
        case 3: handle(.modeChanged(isOnline: random.below(2) == 0))
        case 4: closed = []
        case _:
            if closed.remove(address) == nil { closed.insert(address) }
        }
        steps.add(.change, at: now + 1 + Int64(random.below(40_000)))
    }

    private mutating func handle(_ event: NeighbourWatch.Event) {
        for effect in watch.handle(event, at: instant) {
            switch effect {
            case .greet(let address):
                greetings += 1
                pending.insert(address)
                let isThere = !closed.contains(address)
                steps.add(
                    .result(address, till: isThere ? owners[address] : nil),
                    at: now + (isThere ? 1 + Int64(random.below(2_000)) : 4_000))
            case .leave(let address): kept[address] = nil
            case .pictureChanged, .drop, .keepHeads: break
            }
        }
        if let deadline = watch.deadline {
            steps.add(.wake, at: max(now + 1, deadline.nanoseconds / 1_000_000 - 1_000 + 1))
        }
    }
}
