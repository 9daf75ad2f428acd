import Base
import Crypto
import Foundation
import HubProtocol
import Neighbours
import Testing

/// Whom a till greets when, and whom it calls reachable.
@Suite("The tills of a store watch each other")
struct NeighbourWatchTests {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)

    private static func at(_ seconds: Int64) -> Instant { start + .seconds(seconds) }

    /// A till `B` with the keys of `A`, `B` and `C`.
    private func watch() -> NeighbourWatch {
        var watch = NeighbourWatch(terminalId: "B", seed: 7)
        _ = watch.handle(.keysChanged(["A": "a", "B": "b", "C": "c"]), at: Self.start)
        return watch
    }

    private func hello(of terminalId: String, _ mode: NeighbourHello.Mode = .online) -> NeighbourHello {
        var hello = NeighbourHello()
        (hello.terminalId, hello.mode, hello.run, hello.version) = (terminalId, mode, "r", "1.0.0")
        return hello
    }

    private func state(of id: String, in watch: NeighbourWatch) -> Neighbour.State? {
        watch.neighbours.first { $0.terminalId == id }.map(watch.state)
    }

    @Test("Each address is greeted at once, one attempt at a time, then after 1, 2, 4 … 60 s at most")
    func backoff() {
        var watch = watch()
        #expect(
            watch.handle(.addressesChanged(["x:1", "y:1"]), at: Self.start) == [.greet("x:1"), .greet("y:1")])
        #expect(watch.handle(.deadlineReached, at: Self.at(500)) == [])
        var now = Self.at(1)
        for failures in 0..<12 {
            _ = watch.handle(.greetFailed("x:1"), at: now)
            let due = watch.deadline
            #expect(due.map { $0 - now <= min(.seconds(60), .seconds(1 << failures)) } ?? false)
            now = due ?? now
            #expect(watch.handle(.deadlineReached, at: now) == [.greet("x:1")])
        }
    }

    private let device = Curve25519.Signing.PrivateKey()
    private var publicKey: String { device.publicKey.rawRepresentation.base64EncodedString() }

    private func head(
        of terminalId: String, _ sequence: Int64, epoch: Int64 = 1, hash: Character = "0"
    ) throws -> SignedHead {
        try #require(
            SignedHead(
                terminalId: terminalId, epoch: epoch, sequence: sequence,
                hash: String(repeating: hash, count: 64), orderCounter: 1, at: 0,
                sign: { try? device.signature(for: Data($0)).base64EncodedString() }))
    }

    @Test("What was witnessed before a start is shown after it, with its till's signature alone")
    func witnessed() throws {
        let mine = try head(of: "C", 9)
        var watch = NeighbourWatch(
            terminalId: "B", heads: ["C": mine, "A": try head(of: "C", 9), "D": mine], seed: 7)
        let keys = ["A": publicKey, "C": publicKey]
        #expect(watch.handle(.keysChanged(keys), at: Self.start) == [.pictureChanged])
        #expect(watch.head(of: "C") == mine && watch.head(of: "A") == nil)
        #expect(state(of: "C", in: watch) == .unknown)
        // Less than it was seen with moves nothing; more has to survive a loss of power.
        var said = hello(of: "C")
        said.head = try head(of: "C", 7).json
        let older = watch.handle(.heard(said, at: "x:1", isOurs: true), at: Self.start)
        #expect(!older.contains(.keepHeads) && watch.head(of: "C") == mine)
        said.head = try head(of: "C", 10).json
        #expect(watch.handle(.heard(said, at: "x:1", isOurs: true), at: Self.start).contains(.keepHeads))
        #expect(watch.heads["C"]?.sequence == 10)
        // Of a till that was revoked the hub can still be shown where its journal ended.
        _ = watch.handle(.keysChanged(["A": publicKey]), at: Self.start)
        #expect(watch.head(of: "C") == nil && watch.heads["C"]?.sequence == 10)
        _ = watch.handle(.keysChanged(keys), at: Self.start)
        #expect(watch.head(of: "C")?.sequence == 10)
        // Another key is another till.
        _ = watch.handle(.keysChanged(["A": publicKey, "C": "k"]), at: Self.start)
        #expect(watch.heads["C"] == nil)
    }

    @Test("Of tills that are gone only as many ends of journals are kept as a store has tills")
    func gone() throws {
        var watch = NeighbourWatch(terminalId: "B", seed: 7)
        for number in 0..<40 {
            let id = "T\(number)"
            _ = watch.handle(.keysChanged([id: publicKey]), at: Self.start)
            var said = hello(of: id)
            said.head = try head(of: id, 3).json
            _ = watch.handle(.heard(said, at: "x:1", isOurs: true), at: Self.start)
        }
        #expect(watch.heads.count == NeighbourLimits.neighbours + 1)
    }

    @Test("A head shows an older disk where it is ahead, and another one where the entries differ")
    func contradictions() throws {
        let own = try head(of: "B", 12, epoch: 2)
        #expect(try head(of: "B", 13, epoch: 2).contradicts(own, having: nil))
        #expect(try head(of: "B", 1, epoch: 3).contradicts(own, having: nil))
        let seen = try head(of: "B", 10, epoch: 2, hash: "a")
        #expect(seen.contradicts(own, having: String(repeating: "b", count: 64)))
        #expect(!seen.contradicts(own, having: seen.hash))
        #expect(!seen.contradicts(own, having: nil), "an entry that cannot be read shows nothing")
        let before = try head(of: "B", 10, epoch: 1, hash: "a")
        #expect(!before.contradicts(own, having: own.hash), "the hub gave a new epoch since")
        #expect(!(try head(of: "B", 0, epoch: 2, hash: "a").contradicts(own, having: own.hash)))
    }

    @Test("The hub's word on the other tills counts for some days")
    func trust() {
        let day: Int64 = 86_400_000
        #expect(NeighbourTrust.notConfirmedSince(nil, days: 7, at: 99 * day) == nil)
        #expect(NeighbourTrust.notConfirmedSince(5, days: 7, at: 7 * day + 5) == nil)
        #expect(NeighbourTrust.notConfirmedSince(5, days: 7, at: 7 * day + 6) == 5)
        #expect(
            NeighbourTrust.notConfirmedSince(9 * day, days: 7, at: day) == nil, "a clock that was set back")
    }

    @Test("Another network ends every wait")
    func movedPath() {
        var watch = watch()
        _ = watch.handle(.addressesChanged(["x:1"]), at: Self.start)
        _ = watch.handle(.greetFailed("x:1"), at: Self.start)
        #expect(watch.handle(.pathMoved, at: Self.start) == [.greet("x:1")])
        // What was tried often without it is tried soon again.
        var now = Self.start
        for _ in 0..<8 {
            _ = watch.handle(.greetFailed("x:1"), at: now)
            now = watch.deadline ?? now
            _ = watch.handle(.deadlineReached, at: now)
        }
        _ = watch.handle(.pathMoved, at: now)
        _ = watch.handle(.greetFailed("x:1"), at: now)
        #expect(watch.deadline.map { $0 - now <= .seconds(1) } ?? false)
    }

    @Test("A till is greeted every 30 s while both are online, and every 5 s while one is not")
    func intervals() throws {
        for (mode, seconds) in [(NeighbourHello.Mode.online, Int64(30)), (.offline, 5)] {
            var watch = watch()
            _ = watch.handle(.addressesChanged(["x:1"]), at: Self.start)
            _ = watch.handle(.heard(hello(of: "C", mode), at: "x:1", isOurs: true), at: Self.start)
            let wait = try #require(watch.deadline) - Self.start
            #expect(wait >= .milliseconds(seconds * 800) && wait <= .milliseconds(seconds * 1_200))
        }
        // Whichever of the two is offline.
        var watch = watch()
        _ = watch.handle(.addressesChanged(["x:1"]), at: Self.start)
        _ = watch.handle(.modeChanged(isOnline: false), at: Self.start)
        _ = watch.handle(.heard(hello(of: "C"), at: "x:1", isOurs: true), at: Self.start)
        #expect(try #require(watch.deadline) - Self.start <= .seconds(6))
    }

    @Test("Ten neighbours are greeted together: an hour has no more wake-ups than one of them needs, nearly")
    func together() throws {
        var watch = NeighbourWatch(terminalId: "A", seed: 7)
        let ids = (0..<10).map { "T\($0)" }
        _ = watch.handle(
            .keysChanged(Dictionary(uniqueKeysWithValues: ids.map { ($0, "k") })), at: Self.start)
        let addresses = Dictionary(uniqueKeysWithValues: ids.map { ("\($0):1", $0) })
        var (now, wakeUps, greetings, last) = (Self.start, 0, 0, [String: Instant]())
        var effects = watch.handle(.addressesChanged(Array(addresses.keys)), at: now)
        while now < Self.at(3_600) {
            for case .greet(let address) in effects {
                let id = try #require(addresses[address])
                if let last = last[id] {
                    let wait = now - last
                    #expect(wait >= .seconds(24) && wait <= .seconds(37))
                }
                last[id] = now
                greetings += 1
                _ = watch.handle(.heard(hello(of: id), at: address, isOurs: true), at: now)
            }
            now = try #require(watch.deadline)
            wakeUps += 1
            effects = watch.handle(.deadlineReached, at: now)
        }
        #expect(wakeUps < 200 && greetings > 1_000, "\(wakeUps), \(greetings)")
    }

    @Test("Its own new entries are said at once while the hub is away, to those who were there")
    func ownNews() {
        var watch = watch()
        _ = watch.handle(.addressesChanged(["x:1", "y:1"]), at: Self.start)
        _ = watch.handle(.heard(hello(of: "C"), at: "x:1", isOurs: true), at: Self.start)
        _ = watch.handle(.greetFailed("y:1"), at: Self.start)
        let soon = Self.start + .milliseconds(100)
        #expect(watch.handle(.ownMoved, at: soon) == [])
        #expect(watch.handle(.modeChanged(isOnline: false), at: soon) == [.greet("x:1"), .greet("y:1")])
        _ = watch.handle(.heard(hello(of: "C"), at: "x:1", isOurs: true), at: soon)
        _ = watch.handle(.greetFailed("y:1"), at: soon)
        #expect(watch.handle(.ownMoved, at: soon) == [.greet("x:1")])
        #expect(watch.handle(.ownMoved, at: soon) == [], "one at a time")
    }

    @Test("Its own switch is said at once")
    func switched() {
        var watch = watch()
        _ = watch.handle(.addressesChanged(["x:1"]), at: Self.start)
        _ = watch.handle(.heard(hello(of: "C"), at: "x:1", isOurs: true), at: Self.start)
        #expect(watch.handle(.modeChanged(isOnline: true), at: Self.at(1)) == [])
        #expect(watch.handle(.modeChanged(isOnline: false), at: Self.at(1)) == [.greet("x:1")])
    }

    @Test(
        "The till with the lower id begins; the other one greets where nothing came for an interval and a half"
    )
    func lowerBegins() throws {
        var watch = watch()
        _ = watch.handle(.addressesChanged(["x:1"]), at: Self.start)
        _ = watch.handle(.heard(hello(of: "A"), at: "x:1", isOurs: true), at: Self.start)
        for second in stride(from: Int64(5), to: 200, by: 30) {
            let now = Self.at(second)
            #expect(watch.handle(.heard(hello(of: "A"), at: "z:9", isOurs: false), at: now) == [])
            #expect(try #require(watch.deadline) >= now + .seconds(45))
        }
        #expect(watch.handle(.deadlineReached, at: Self.at(185 + 45)) == [.greet("x:1")])
        // With a higher id than this till's it is greeted all the same, whatever it says itself.
        _ = watch.handle(.heard(hello(of: "C"), at: "x:1", isOurs: true), at: Self.at(300))
        _ = watch.handle(.heard(hello(of: "C"), at: "z:9", isOurs: false), at: Self.at(301))
        #expect(try #require(watch.deadline) <= Self.at(337))
        _ = watch.handle(.heard(hello(of: "A"), at: "x:1", isOurs: true), at: Self.at(302))
        // Its address is where it was reached, not where it came from.
        #expect(watch.neighbours.first?.address == "x:1")
    }

    @Test("After three missed hellos a till is silent, and its next hello brings it back")
    func silence() throws {
        var watch = watch()
        #expect(state(of: "C", in: watch) == .unknown)
        let first = watch.handle(.heard(hello(of: "C"), at: "z:9", isOurs: false), at: Self.start)
        #expect(first == [.pictureChanged] && state(of: "C", in: watch) == .reachable)
        #expect(watch.handle(.deadlineReached, at: Self.at(90)) == [])
        #expect(state(of: "C", in: watch) == .reachable)
        let due = try #require(watch.deadline)
        #expect(due > Self.at(90) && due < Self.at(120))
        #expect(watch.handle(.deadlineReached, at: due) == [.pictureChanged])
        #expect(state(of: "C", in: watch) == .silent && watch.deadline == nil)
        #expect(watch.handle(.heard(hello(of: "C"), at: "z:9", isOurs: false), at: due) == [.pictureChanged])
        #expect(state(of: "C", in: watch) == .reachable)
    }

    @Test("Of nobody without a key of the store anything is taken, and a withdrawn key ends what there is")
    func withdrawn() {
        var watch = watch()
        #expect(watch.handle(.heard(hello(of: "X"), at: "z:9", isOurs: false), at: Self.start) == [])
        #expect(watch.neighbours.map(\.terminalId) == ["A", "C"])
        _ = watch.handle(.heard(hello(of: "C"), at: "z:9", isOurs: false), at: Self.start)
        #expect(
            watch.handle(.keysChanged(["A": "a", "B": "b"]), at: Self.start) == [
                .drop(["C"]), .pictureChanged,
            ])
        #expect(watch.neighbours.map(\.terminalId) == ["A"] && watch.key(of: "C") == nil)
        // Another key of the same till is a new enrolment: the old connection ends, too.
        #expect(
            watch.handle(.keysChanged(["A": "a2", "B": "b"]), at: Self.start) == [
                .drop(["A"]), .pictureChanged,
            ])
    }

    @Test("An address whose till was withdrawn while it was greeted is tried again, as one that says nothing")
    func withdrawnMeanwhile() throws {
        var watch = watch()
        _ = watch.handle(.addressesChanged(["x:1"]), at: Self.start)
        _ = watch.handle(.keysChanged(["B": "b"]), at: Self.start)
        #expect(watch.handle(.heard(hello(of: "C"), at: "x:1", isOurs: true), at: Self.start) == [])
        #expect(try #require(watch.deadline) - Self.start <= .seconds(1))
    }

    @Test("A store of more tills has sixteen neighbours, and no more addresses than the limit are tried")
    func bounds() {
        var watch = watch()
        let keys = (10..<60).map { ("T\($0)", "k") }
        _ = watch.handle(.keysChanged(Dictionary(uniqueKeysWithValues: keys)), at: Self.start)
        #expect(watch.neighbours.count == NeighbourLimits.neighbours)
        let addresses = (0..<100).map { "10.0.0.\($0):7710" }
        #expect(
            watch.handle(.addressesChanged(addresses), at: Self.start).count == NeighbourLimits.addresses)
    }

    @Test("The furthest head that its till signed is kept: a forged, older or foreign one is not")
    func witness() throws {
        let (key, other) = (Curve25519.Signing.PrivateKey(), Curve25519.Signing.PrivateKey())
        var watch = NeighbourWatch(terminalId: "B", seed: 7)
        let publicKey = key.publicKey.rawRepresentation.base64EncodedString()
        _ = watch.handle(.keysChanged(["A": publicKey, "B": "b"]), at: Self.start)
        func head(_ sequence: Int64, epoch: Int64 = 1, by key: Curve25519.Signing.PrivateKey) throws
            -> SignedHead
        {
            try #require(
                SignedHead(
                    terminalId: "A", epoch: epoch, sequence: sequence,
                    hash: String(repeating: "0", count: 64),
                    orderCounter: 1, at: 0, sign: { try? key.signature(for: $0).base64EncodedString() }))
        }
        func show(_ head: SignedHead) {
            var hello = hello(of: "A")
            hello.head = head.json
            _ = watch.handle(.heard(hello, at: "z:9", isOurs: false), at: Self.start)
        }
        show(try head(9, by: other))
        #expect(watch.head(of: "A") == nil)
        show(try head(7, by: key))
        show(try head(5, by: key))
        show(try head(8, by: other))
        #expect(watch.head(of: "A")?.sequence == 7)
        show(try head(1, epoch: 2, by: key))
        #expect(watch.head(of: "A")?.epoch == 2)
    }
}

/// What tills say to each other, read as from a stranger.
@Suite("Hellos")
struct NeighbourHelloTests {
    @Test("A hello is read as it was written")
    func roundTrip() throws {
        var hello = NeighbourHello()
        hello.terminalId = "01M8EF9YWPFRGJE7NBC95NPZZ7"
        (hello.number, hello.run, hello.version, hello.mode) = (3, "r1", "1.2.3", .offline)
        (hello.causes, hello.pending, hello.acknowledgedThrough) = (["network", "manual"], 12, 99)
        (hello.shift, hello.at) = ("01M8EF9Z3P88SZT1ATF4KYGHX3", 1_700_000_000_000)
        hello.head = ["epoch": 1]
        #expect(try NeighbourHello(json: JSONParser.parse(hello.json.canonicalBytes)) == hello)
        #expect(try NeighbourHello(json: JSONParser.parse(NeighbourHello.example.utf8)).version == "9.9.9")
    }

    @Test(
        "A hello that no till of ours would send is refused",
        arguments: [
            ("mode", JSONValue.string("asleep")), ("pending", -1), ("terminalId", ""),
            ("version", "a\u{1B}[2J"),
            ("causes", .array(Array(repeating: "network", count: 17))),
            ("run", .string(String(repeating: "x", count: 200))),
        ])
    func refused(_ member: String, _ value: JSONValue) throws {
        var members = try #require(JSONParser.parse(NeighbourHello.example.utf8).object)
        members[member] = value
        #expect(throws: ShapeError.self) { try NeighbourHello(json: .object(members)) }
    }

    @Test("A key is bound to one terminal by its device key, and to nobody else by it")
    func bound() throws {
        let device = Curve25519.Signing.PrivateKey()
        let publicKey = device.publicKey.rawRepresentation.base64EncodedString()
        let key = Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
        let proof = Array(try device.signature(for: NeighbourKey.signedBytes(terminalId: "A", key: key)))
        #expect(NeighbourKey.isBound(key, to: "A", by: publicKey, proof: proof))
        #expect(!NeighbourKey.isBound(key, to: "B", by: publicKey, proof: proof))
        #expect(!NeighbourKey.isBound(Array(key.reversed()), to: "A", by: publicKey, proof: proof))
        #expect(!NeighbourKey.isBound(key, to: "A", by: publicKey, proof: Array(proof.reversed())))
    }
}

extension NeighbourHello {
    /// Of a later version, with a member that this one does not know.
    fileprivate static let example = """
        {"acknowledgedThrough":0,"at":"2026-01-01T00:00:00.000Z","causes":[],"later":{},"mode":"online",
        "pending":0,"run":"r","terminalId":"A","version":"9.9.9"}
        """
}
