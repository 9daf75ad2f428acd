import Base
import Crypto
import Foundation
import HubProtocol
import Testing

@testable import Neighbours

/// One maker whose notes a test writes by hand, and the till that reads them.
private struct Maker {
    var key = Curve25519.Signing.PrivateKey()
    var epoch: Int64 = 1
    var last = NeighbourNote.genesisHash
    var number: Int64 = 0

    var terminalKey: TerminalKey {
        TerminalKey(
            terminalId: "M", storeId: "S", publicKey: key.publicKey.rawRepresentation.base64EncodedString())
    }

    mutating func note(_ kind: String, _ body: JSONValue) throws -> NeighbourNote {
        number += 1
        let draft = NoteDraft(
            epoch: epoch, number: number, previousHash: last, kind: kind, body: body, madeAt: 1_000)
        let key = key
        let note = try #require(
            NeighbourNote(draft, terminalId: "M") { bytes in
                (try? key.signature(for: Data(bytes)))?.base64EncodedString()
            })
        last = note.hash
        return note
    }

    mutating func refund(_ id: String, _ amount: Int64) throws -> NeighbourNote {
        try note("refundMade", NotedRefund(refundId: id, orderId: "O", amount: amount, madeAt: 1_000).json)
    }

    func head(_ number: Int64? = nil, hash: String? = nil) -> NoteHead {
        NoteHead(terminalId: "M", epoch: epoch, number: number ?? self.number, hash: hash ?? last)
    }
}

@Suite("Rules of notes")
struct NoteRulesTests {
    private var maker = Maker()
    private let start = Instant(nanoseconds: 0)

    private func reader(of maker: Maker) -> NoteLists {
        var reader = NoteLists(terminalId: "R", epoch: 1, stored: [], forks: [], seed: 1, at: start)
        let other = TerminalKey(terminalId: "P", storeId: "S", publicKey: maker.terminalKey.publicKey)
        _ = reader.handle(.keysChanged([maker.terminalKey, other]), at: start)
        return reader
    }

    @Test("What is heard is pulled, checked, made durable, and only then counts")
    mutating func durableFirst() throws {
        let note = try maker.refund("a", 100)
        var reader = reader(of: maker)
        let list = NoteListKey("M", 1)
        #expect(
            reader.handle(.headsHeard(from: "P", [maker.head()]), at: start)
                == [.pull(from: "P", list, after: 0)])
        #expect(
            reader.handle(.pulled(from: "P", [note]), at: start) == [.save(notes: [note], fork: nil)])
        #expect(reader.refunded(of: "O") == 0)
        #expect(reader.handle(.saveFailed, at: start) == [])
        let again = reader.deadline ?? start
        #expect(reader.handle(.deadlineReached, at: again) == [.save(notes: [note], fork: nil)])
        #expect(reader.handle(.saved, at: again) == [])
        #expect(reader.refunded(of: "O") == 100)
        #expect(reader.heads == [maker.head()])
    }

    @Test("A neighbour that does not respond within the wait holds no list up, and gets no second request")
    mutating func silentNeighbour() throws {
        let note = try maker.refund("a", 100)
        let list = NoteListKey("M", 1)
        var reader = NoteLists(
            terminalId: "R", epoch: 1, stored: [], forks: [], wait: .milliseconds(200), seed: 1, at: start)
        let others = ["P", "Q"].map {
            TerminalKey(terminalId: $0, storeId: "S", publicKey: maker.terminalKey.publicKey)
        }
        _ = reader.handle(.keysChanged([maker.terminalKey] + others), at: start)
        #expect(
            reader.handle(.headsHeard(from: "P", [maker.head()]), at: start)
                == [.pull(from: "P", list, after: 0)])
        #expect(reader.handle(.headsHeard(from: "Q", [maker.head()]), at: start) == [])
        let late = start + .milliseconds(200)
        #expect(reader.deadline == late)
        #expect(reader.handle(.deadlineReached, at: late) == [.pull(from: "Q", list, after: 0)])
        #expect(reader.deadline.map { $0 > late } ?? true)
        // P is silent still: whatever else it names is not requested of it.
        let more = NoteHead(terminalId: "Q", epoch: 1, number: 1, hash: maker.last)
        #expect(reader.handle(.headsHeard(from: "P", [more]), at: late) == [])
        #expect(
            reader.handle(.pulled(from: "Q", [note]), at: late + .milliseconds(20))
                == [.save(notes: [note], fork: nil)])
        _ = reader.handle(.saved, at: late + .milliseconds(30))
        // A late response counts as any other; the same note twice is one.
        #expect(
            reader.handle(.pulled(from: "P", [note]), at: late + .seconds(9)) == [
                .pull(from: "P", NoteListKey("Q", 1), after: 0)
            ])
        #expect(reader.refunded(of: "O") == 100)
    }

    @Test("A neighbour that names what it does not have is requested again after a wait")
    mutating func emptyPages() throws {
        _ = try maker.refund("a", 100)
        var reader = reader(of: maker)
        let heads = NoteEvent.headsHeard(from: "P", [maker.head(1 << 40)])
        _ = reader.handle(heads, at: start)
        var (now, requests) = (start, 0)
        for _ in 0..<600 {
            now = now + .seconds(1)
            let effects =
                reader.handle(.pulled(from: "P", []), at: now) + reader.handle(heads, at: now)
                + reader.handle(.deadlineReached, at: now)
            requests += effects.count
        }
        #expect((5..<90).contains(requests), "\(requests) in 600 s")
    }

    @Test("A maker's notes above the limit of a day stay with it until the day is over")
    mutating func limitOfADay() throws {
        var notes: [NeighbourNote] = []
        for _ in 0..<NeighbourLimits.notesADay + 50 { notes.append(try maker.note("later", [:])) }
        var reader = reader(of: maker)
        var effects = reader.handle(.headsHeard(from: "P", [maker.head()]), at: start)
        var alarms = 0
        while case .pull(_, _, let after)? = effects.first {
            effects = reader.handle(
                .pulled(from: "P", Array(notes.dropFirst(Int(after)).prefix(100))), at: start)
            #expect(effects.count == 1)
            effects = reader.handle(.saved, at: start)
            alarms += effects.filter { $0 == .raise(.tooManyNotes("M")) }.count
        }
        let list = NoteListKey("M", 1)
        #expect(reader.lists[list]?.last == Int64(NeighbourLimits.notesADay))
        #expect(alarms == 1)
        let tomorrow = start + NeighbourLimits.noteInterval
        #expect(reader.deadline.map { $0 <= tomorrow } ?? false)
        effects = reader.handle(.deadlineReached, at: tomorrow)
        #expect(effects == [.pull(from: "P", list, after: Int64(NeighbourLimits.notesADay))])
    }

    @Test("Kinds of later versions are kept and say nothing")
    mutating func laterKinds() throws {
        let note = try maker.note("keyLent", ["keyId": "L", "sum": 5])
        var reader = reader(of: maker)
        _ = reader.handle(.headsHeard(from: "P", [maker.head()]), at: start)
        #expect(reader.handle(.pulled(from: "P", [note]), at: start) == [.save(notes: [note], fork: nil)])
        _ = reader.handle(.saved, at: start)
        #expect(reader.heads.map(\.number) == [1])
        #expect(reader.lists[note.list]?.state == NoteState())
    }

    @Test("Two notes under one number are both kept, and an alarm is raised once")
    mutating func twoNotes() throws {
        let first = try maker.refund("a", 100)
        var second = Maker(key: maker.key)
        let other = try second.refund("b", 50)
        var reader = reader(of: maker)
        _ = reader.handle(.headsHeard(from: "P", [maker.head()]), at: start)
        _ = reader.handle(.pulled(from: "P", [first]), at: start)
        _ = reader.handle(.saved, at: start)
        #expect(
            reader.handle(.headsHeard(from: "M", [second.head()]), at: start)
                == [.pull(from: "M", first.list, after: 0)])
        #expect(
            reader.handle(.pulled(from: "M", [other]), at: start) == [.save(notes: [], fork: other)])
        #expect(reader.isTrusted(first.list), "not before it is durable")
        #expect(reader.handle(.saved, at: start) == [.raise(.forked(first.list, number: 1))])
        #expect(!reader.isTrusted(first.list))
        #expect(reader.heads.first?.forkedAt == 1)
        // A neighbour that has one of the two requests the other.
        var third = self.reader(of: maker)
        _ = third.handle(.headsHeard(from: "P", [second.head()]), at: start)
        _ = third.handle(.pulled(from: "P", [other]), at: start)
        _ = third.handle(.saved, at: start)
        var head = second.head()
        head.forkedAt = 1
        #expect(
            third.handle(.headsHeard(from: "M", [head]), at: start) == [
                .pull(from: "M", first.list, after: 0)
            ])
        #expect(
            third.handle(.pulled(from: "M", [other, first]), at: start) == [.save(notes: [], fork: first)])
    }

    @Test("A checkpoint that leaves out a refund takes nothing away, and what lies before it stays")
    mutating func loweringCheckpoint() throws {
        let refund = try maker.refund("a", 100)
        var part = CheckpointPart(
            number: 1, hash: refund.hash,
            journal: JournalMark(epoch: 1, sequence: 1, hash: NeighbourNote.genesisHash))
        (part.part, part.parts) = (1, 1)
        let checkpoint = try maker.note("checkpoint", part.json)
        var reader = reader(of: maker)
        _ = reader.handle(.headsHeard(from: "P", [maker.head()]), at: start)
        _ = reader.handle(.pulled(from: "P", [refund, checkpoint]), at: start)
        #expect(reader.handle(.saved, at: start) == [.raise(.checkpointLowers(refund.list))])
        #expect(reader.handle(.acknowledged(refund.list, through: 9), at: start) == [])
        #expect(reader.refunded(of: "O") == 100)
        #expect(reader.lists[refund.list]?.first == 1)
    }

    @Test("Of a maker with many epochs the newest lists are kept")
    mutating func manyEpochs() throws {
        var reader = reader(of: maker)
        var forgotten: [NoteListKey] = []
        for epoch in 1...Int64(NeighbourLimits.epochsKept + 4) {
            var maker = Maker(key: maker.key, epoch: epoch)
            let note = try maker.refund("\(epoch)", 1)
            _ = reader.handle(.headsHeard(from: "P", [maker.head()]), at: start)
            for effect in reader.handle(.pulled(from: "P", [note]), at: start) {
                if case .forget(let list) = effect { forgotten.append(list) }
            }
            _ = reader.handle(.saved, at: start)
        }
        #expect(forgotten.map(\.epoch) == [1, 2, 3, 4])
        #expect(reader.lists.count == NeighbourLimits.epochsKept)
    }

    @Test("A cart that ended stays ended, in whatever order its notes are read")
    mutating func endedCarts() throws {
        let cart = ParkedCart(id: "C", name: "", count: 1, total: 5, turn: 1)
        let notes = try [
            maker.note("cartParked", cart.json), maker.note("cartEnded", EndedCart(id: "C", end: .sold).json),
            maker.note("cartParked", ParkedCart(id: "C", name: "", count: 1, total: 5, turn: 9).json),
        ]
        for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1]] {
            var state = NoteState()
            for index in order { state.add(notes[index]) }
            #expect(state.carts == ["C": .ended(.sold)])
        }
    }

    @Test("The largest bodies fit a note, and one byte more is refused")
    mutating func sizes() throws {
        let id = String(repeating: "i", count: TextBound.name)
        let name = String(repeating: "ä", count: TextBound.entered / 2)
        let cart = ParkedCart(id: id, name: name, count: 1 << 52, total: 1 << 52, turn: 1 << 52)
        let note = try maker.note("cartParked", cart.json)
        #expect(note.json.canonicalBytes.count <= NeighbourLimits.noteBytes)
        #expect(throws: ShapeError.self) {
            try ParkedCart(json: ["id": .string(id + "i"), "name": "", "count": 1, "total": 1, "turn": 1])
        }
        let draft = NoteDraft(
            epoch: 1, number: 1, previousHash: NeighbourNote.genesisHash, kind: "x",
            body: ["x": .string(String(repeating: "x", count: NeighbourLimits.noteBytes))], madeAt: 0)
        let signature = Base64.text([UInt8](repeating: 0, count: 64))
        #expect(NeighbourNote(draft, terminalId: "M") { _ in signature } == nil)
    }

    @Test("The parts of a checkpoint of the longest carts and refunds fit, and together say the same")
    mutating func parts() throws {
        var list = NoteList()
        let long = String(repeating: "i", count: 120)
        for index in 0..<30 {
            let cart = ParkedCart(
                id: "\(long)\(index)", name: String(repeating: "\"", count: TextBound.entered), count: 9,
                total: 1, turn: 1)
            list.add(try maker.note("cartParked", cart.json))
            let refund = NotedRefund(
                refundId: "\(long)\(index)", orderId: long, amount: 1 << 50, madeAt: 1_000)
            list.add(try maker.note("refundMade", refund.json))
            var copy = ParkedCart(id: "\(long)c\(index)", name: "", count: 9, total: 1, turn: 1)
            copy.copiedFrom = "\(long)f\(index)"
            list.add(try maker.note("cartParked", copy.json))
            if index > 0 {
                let end = EndedCart(id: copy.id, end: index == 1 ? .dropped : .sold)
                list.add(try maker.note("cartEnded", end.json))
            }
        }
        let before = list.state
        let journal = JournalMark(epoch: 1 << 31, sequence: 1 << 52, hash: NeighbourNote.genesisHash)
        let parts = CheckpointPart.parts(of: list, journal: journal)
        #expect(parts.count > 10)
        maker.number = list.last
        maker.last = list.lastHash
        var state = NoteState()
        for part in parts {
            let note = try maker.note("checkpoint", part.json)
            #expect(note.json.canonicalBytes.count <= NeighbourLimits.noteBytes)
            #expect(list.place(of: note) == .next)
            list.add(note)
            state.add(note)
        }
        #expect(state.openCarts == before.openCarts)
        #expect(state.refunds == before.refunds)
        // A copy that was sold speaks against its first cart after its notes are dropped.
        #expect(state.soldCopies == before.soldCopies && state.soldCopies.count == 28)
        let makers = [NoteListKey("M", 1): state]
        let copiers = (0..<30).map {
            StoreNotes(states: makers).doubles(of: "\(long)f\($0)", copiedFrom: nil)
        }
        #expect(copiers.count { $0 == "M" } == 1 + NeighbourLimits.copiesSold && copiers[1] == nil)
        #expect(list.checkpoint?.isCovering == true)
    }
}
