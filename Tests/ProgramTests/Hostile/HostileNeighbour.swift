import Base
import Foundation
import HubProtocol
import TestKit

/// What a hostile till says to other tills of its store: all that a key of the store lets through the
/// handshake, by a seed.
///
/// What it receives does not matter, nor whether the other side ends the connection.
struct HostileNeighbour {
    var till: PlayedTill
    var random: SplitMix64
    /// The other tills of its store.
    let others: [String]
    /// Where it comes from; nil: this computer.
    var namespace: NetworkNamespace?
    private(set) var attacks: [String: Int] = [:]
    private var turn = 0
    /// Of one flood: the other side ends it before more.
    private(set) var mostResponses = 0
    /// Of one crowd of connections: what was answered beyond what one till may request in that time.
    private(set) var mostTooMany = Int.min
    /// The till that is attacked.
    private var place = ""
    /// Pieces of its own that others have had.
    private var sent: [[UInt8]] = []

    /// Each kind of attack, by the word under which it is counted.
    private static let kinds: [(String, @Sendable (inout Self, NeighbourWire) throws -> Void)] = [
        ("flood", flood), ("replay", replay), ("reorder", reorder), ("flip", flip), ("forge", forge),
        ("lie", lie), ("version", version), ("large", large), ("notes", notes), ("half", half),
        ("crowd", crowd),
    ]

    init(_ till: PlayedTill, among others: [String], seed: UInt64, from namespace: NetworkNamespace? = nil) {
        (self.till, self.others, self.namespace) = (till, others, namespace)
        random = SplitMix64(seed: seed)
    }

    static var kindCount: Int { kinds.count }

    /// The next attack on the till at `address`: each kind once in a round.
    mutating func attack(_ address: String) {
        let (name, act) = Self.kinds[turn % Self.kinds.count]
        turn += 1
        place = address
        guard let wire = connected() else { return }
        attacks[name, default: 0] += 1
        try? act(&self, wire)
    }

    private func connected() -> NeighbourWire? {
        for _ in 0..<10 {
            if let wire = try? NeighbourWire(to: place, as: till.identity, from: namespace) { return wire }
            // Handshakes of one address are counted by the second.
            Thread.sleep(forTimeInterval: 0.15)
        }
        return nil
    }

    private mutating func pick<T>(_ choices: [T]) -> T { choices[Int(random.below(UInt64(choices.count)))] }

    /// Numbers at which arithmetic breaks.
    private mutating func edge() -> Int64 { pick([1, 2, 1 << 31, (1 << 53) - 1, 1_000_000_000]) }

    private mutating func piece(_ count: Int = 1) throws -> [UInt8] {
        let bytes = try till.piece((0..<count).map { _ in till.journal.sale() })
        sent.append(bytes)
        return bytes
    }

    /// Many times the requests of a second.
    private static func flood(_ hostile: inout Self, _ wire: NeighbourWire) throws {
        let hello = NeighbourWire.Message.bytes(
            "POST \(NeighbourHello.path) HTTP/1.1", hostile.till.hello().json.canonicalBytes)
        var (left, responses) = (200, 0)
        while left > 0, (try? wire.send(hello)) != nil { left -= 1 }
        while (try? wire.next()) != nil { responses += 1 }
        hostile.mostResponses = max(hostile.mostResponses, responses)
    }

    /// As many connections as a till has, each with fewer requests than one may send in a second.
    private static func crowd(_ hostile: inout Self, _ wire: NeighbourWire) throws {
        var wires = [wire]
        while wires.count < NeighbourLimits.connectionsOfTill, let wire = hostile.connected() {
            wires.append(wire)
        }
        let hello = NeighbourWire.Message.bytes(
            "POST \(NeighbourHello.path) HTTP/1.1", hostile.till.hello().json.canonicalBytes)
        let (start, each) = (ContinuousClock.now, NeighbourLimits.requestsASecond - 2)
        for wire in wires { for _ in 0..<each { try wire.send(hello) } }
        var responses = 0
        for wire in wires {
            for _ in 0..<each where (try? wire.next()) != nil { responses += 1 }
        }
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        hostile.mostTooMany = max(
            hostile.mostTooMany, responses - (seconds + 2) * NeighbourLimits.requestsASecond)
    }

    private static func replay(_ hostile: inout Self, _ wire: NeighbourWire) throws {
        let piece = try hostile.sent.last ?? hostile.piece()
        for _ in 0..<4 { _ = try wire.exchange(SealedPiece.path, piece) }
    }

    /// Later entries come first, and some twice over the borders of pieces.
    private static func reorder(_ hostile: inout Self, _ wire: NeighbourWire) throws {
        let entries = (0..<6).map { _ in hostile.till.journal.sale() }
        for part in [entries[4...5], entries[1...4], entries[0...0], entries[0...5]] {
            _ = try wire.exchange(SealedPiece.path, try hostile.till.piece(Array(part)))
        }
    }

    private static func flip(_ hostile: inout Self, _ wire: NeighbourWire) throws {
        var piece = try hostile.piece()
        for _ in 0...hostile.random.below(3) {
            piece[Int(hostile.random.below(UInt64(piece.count)))] ^= UInt8(1 << hostile.random.below(8))
        }
        _ = try wire.exchange(SealedPiece.path, piece)
        var hello = hostile.till.hello().json.canonicalBytes
        hello[Int(hostile.random.below(UInt64(hello.count)))] ^= UInt8(1 << hostile.random.below(8))
        _ = try wire.exchange(NeighbourHello.path, hello)
    }

    /// Pieces, hellos and heads of somebody else.
    private static func forge(_ hostile: inout Self, _ wire: NeighbourWire) throws {
        let victim = hostile.pick(hostile.others)
        let sale = hostile.till.journal.sale()
        let epoch = hostile.edge()
        let forged = try hostile.till.piece([sale]) { header in
            (header.terminalId, header.epoch) = (victim, min(epoch, 1 << 31))
        }
        _ = try wire.exchange(SealedPiece.path, forged)
        var hello = hostile.till.hello()
        hello.seen = hostile.head(of: victim)
        hello.head = hostile.head(of: victim)
        _ = try wire.exchange(NeighbourHello.path, hello.json.canonicalBytes)
        hello.terminalId = victim
        _ = try wire.exchange(NeighbourHello.path, hello.json.canonicalBytes)
    }

    /// An end of another journal, far ahead, with this till's signature.
    private mutating func head(of victim: String) -> JSONValue? {
        SignedHead(
            terminalId: victim, epoch: min(edge(), 1 << 31), sequence: edge(),
            hash: String(repeating: "a", count: 64), orderCounter: 1, at: 0, sign: till.sign)?.json
    }

    /// Of itself it may say anything: numbers at their bounds, lists that it does not have, another number.
    private static func lie(_ hostile: inout Self, _ wire: NeighbourWire) throws {
        var hello = hostile.till.hello()
        (hello.pending, hello.acknowledgedThrough) = (hostile.edge(), hostile.edge())
        let end = JournalMark(
            epoch: 1, sequence: hostile.edge(), hash: hostile.pick([NeighbourNote.genesisHash, "", "x"]))
        hello.kept = NeighbourKept(
            entries: hostile.edge(),
            runs: .init(repeating: KeptRun(first: hostile.edge(), end: end), count: 20))
        hello.coverages = .init(
            repeating: RunCoverage(hash: NeighbourNote.genesisHash, through: hostile.edge()), count: 100)
        hello.number = hostile.pick([1, 2, 3, (1 << 53) - 1])
        hello.at = hostile.pick([0, 253_402_300_799_000])
        hello.notes = hostile.others.map { id in
            NoteHead(
                terminalId: id, epoch: 1, number: 1 << 50, hash: NeighbourNote.genesisHash, forkedAt: 1)
        }
        _ = try wire.exchange(NeighbourHello.path, hello.json.canonicalBytes)
    }

    private static func version(_ hostile: inout Self, _ wire: NeighbourWire) throws {
        let start = hostile.pick([
            "PRI * HTTP/2.0", "GET /neighbour/v1/hello HTTP/1.1", "POST /neighbour/v9/hello HTTP/1.1",
            "POST /neighbour/v1/hello HTTP/1.0", "\u{1b}[2J", "POST  HTTP/1.1",
        ])
        try wire.send(NeighbourWire.Message.bytes(start, Array("{}".utf8)))
        _ = try wire.next()
    }

    /// Heads and bodies above their limits, of two lengths, and of none.
    private static func large(_ hostile: inout Self, _ wire: NeighbourWire) throws {
        let junk = String(repeating: "z", count: 3_000)
        let text = hostile.pick([
            "POST /neighbour/v1/hello HTTP/1.1\r\nContent-Length: 9999999999\r\n\r\n",
            "POST \(SealedPiece.path) HTTP/1.1\r\nContent-Length: 524289\r\n\r\n",
            "POST /neighbour/v1/hello HTTP/1.1\r\nX: \(junk)\r\nContent-Length: 2\r\n\r\n{}",
            "POST /neighbour/v1/hello HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
            "POST /neighbour/v1/hello HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        ])
        try wire.send(Array(text.utf8))
        _ = try wire.next()
    }

    private static func notes(_ hostile: inout Self, _ wire: NeighbourWire) throws {
        for id in hostile.others + [hostile.till.id, "../../agent"] {
            let request = NotePageRequest(terminalId: id, epoch: 1, after: hostile.edge())
            _ = try wire.exchange(NotePageRequest.path, request.json.canonicalBytes)
        }
    }

    /// A message whose end does not come before the connection's.
    private static func half(_ hostile: inout Self, _ wire: NeighbourWire) throws {
        let whole = NeighbourWire.Message.bytes(
            "POST \(SealedPiece.path) HTTP/1.1", try hostile.piece(3))
        try wire.send(Array(whole.prefix(Int(hostile.random.below(UInt64(whole.count))))))
    }
}

/// What it says to whoever connects to it.
extension HostileNeighbour {
    /// It says hello as it should, has kept every piece, and has notes of everybody that nobody wrote.
    func liar() -> NeighbourListener.Manner {
        let (till, others) = (till, others)
        return till.responds { request in
            let ok = "HTTP/1.1 200 OK"
            switch request.path {
            case NeighbourHello.path:
                var hello = till.hello()
                hello.notes = others.map { id in
                    NoteHead(terminalId: id, epoch: 1, number: 3, hash: String(repeating: "b", count: 64))
                }
                return NeighbourWire.Message.bytes(ok, hello.json.canonicalBytes)
            case SealedPiece.path:
                return NeighbourWire.Message.bytes(ok, PieceReceipt(answer: "kept").json.canonicalBytes)
            case _:
                let page = NotePage(notes: others.compactMap { forged($0) })
                return NeighbourWire.Message.bytes(ok, page.json.canonicalBytes)
            }
        }
    }

    /// A parked cart of another till, with this one's signature.
    private func forged(_ id: String) -> JSONValue? {
        let cart = ParkedCart(id: "forged", name: "gold", count: 1, total: 1, turn: 1)
        let draft = NoteDraft(
            epoch: 1, number: 1, previousHash: NeighbourNote.genesisHash, kind: "cartParked",
            body: cart.json, madeAt: 0)
        return NeighbourNote(draft, terminalId: id, sign: till.sign)?.json
    }
}
