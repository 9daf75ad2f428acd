import HubCore
import HubProtocol
import Testing

@Suite("What signed heads show of a journal")
struct JournalWitnessTests {
    private static func hash(_ word: Int64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    private func head(_ sequence: Int64, _ hash: Int64? = nil, at signedAt: Int64 = 1_000) throws
        -> SignedHead
    {
        try #require(
            SignedHead(
                terminalId: "T1", epoch: 1, sequence: sequence, hash: Self.hash(hash ?? sequence),
                orderCounter: 1, at: signedAt
            ) { _ in "c2lnbmF0dXJl" })
    }

    private func link(_ sequence: Int64, _ hash: Int64? = nil, after previous: Int64? = nil)
        -> JournalChain.Link
    {
        JournalChain.Link(
            epoch: 1, sequence: sequence, previousHash: Self.hash(previous ?? sequence - 1),
            hash: Self.hash(hash ?? sequence), isHashRight: true)
    }

    @Test("A signed head measures what its terminal still holds, never less than nothing; an invalid one not")
    func backlog() throws {
        let claim = HeadClaim.signed(try head(40))
        #expect(claim.backlog(behind: 10) == 30)
        #expect(claim.backlog(behind: 40) == 0)
        #expect(claim.backlog(behind: 41) == 0)
        #expect(HeadClaim.invalid.backlog(behind: 10) == nil)
    }

    private func epoch(from first: Int64 = 1, through highest: Int64) -> JournalEpoch {
        JournalEpoch(
            epoch: 1, firstSequence: first, acknowledgedThrough: highest, highest: highest, lowSequence: nil)
    }

    @Test("A head stays open until its entry arrives, and is closed by it")
    func closed() throws {
        var witness = JournalWitness(try head(3), at: 10)
        #expect(witness.open.map(\.sequence) == [3])
        #expect(witness.close(in: epoch(through: 2)) { link($0) }.isEmpty)
        #expect(witness.open.map(\.sequence) == [3])
        #expect(witness.close(in: epoch(through: 3)) { link($0) }.isEmpty)
        #expect(witness.open.isEmpty)
        #expect(witness.last.sequence == 3)
    }

    @Test("A lower head is found once, names where the journal ended, and a higher one does not hide it")
    func regressed() throws {
        var witness = JournalWitness(try head(10), at: 10)
        #expect(witness.see(try head(8, at: 2_000), at: 20) == .regressed)
        #expect(witness.see(try head(8, at: 3_000), at: 30) == nil)
        #expect(witness.see(try head(9, 900, at: 4_000), at: 40) == nil)
        #expect(witness.last.sequence == 10)
        #expect(witness.see(try head(7, at: 5_000), at: 50) == .regressed)
        #expect(witness.open.first?.endsAt == 7)
        #expect(witness.see(try head(12, 1200, at: 6_000), at: 60) == nil)
        #expect(witness.open.map(\.sequence) == [10, 12])
        let found = witness.close(in: epoch(through: 12)) { link($0, $0 * 100) }
        #expect(found == [.contradicted])
        #expect(witness.close(in: epoch(through: 12)) { link($0, $0 * 100) }.isEmpty)
        #expect(witness.open.map(\.sequence) == [10])
    }

    @Test("Another hash at the same sequence is a journal that went back")
    func sameSequence() throws {
        var witness = JournalWitness(try head(10), at: 10)
        #expect(witness.see(try head(10), at: 20) == nil)
        #expect(witness.see(try head(10, 99, at: 2_000), at: 30) == .regressed)
    }

    @Test("A head that was overtaken on the way is nothing within a minute, and a clock that was set back is")
    func overtaken() throws {
        var witness = JournalWitness(try head(10, at: 5_000), at: 100)
        #expect(witness.see(try head(9, at: 4_999), at: 60_099) == nil)
        #expect(witness.see(try head(9, at: 4_999), at: 60_100) == .regressed)
    }

    @Test("At most 32 heads stay open, and the first ones are kept")
    func bounded() throws {
        var witness = JournalWitness(try head(1), at: 1)
        for sequence in 2...32 { _ = witness.see(try head(Int64(sequence)), at: Int64(sequence)) }
        #expect(witness.open.map(\.sequence) == Array(1...32))
        for sequence in 33...40 { _ = witness.see(try head(Int64(sequence)), at: Int64(sequence)) }
        #expect(witness.open.map(\.sequence) == Array(1...31) + [40])
        #expect(witness.last.sequence == 40)
    }

    @Test("What was before the first entry of an enrolment is named by that entry's link")
    func beforeFirst() throws {
        var witness = JournalWitness(try head(6), at: 10)
        #expect(witness.close(in: epoch(from: 7, through: 7)) { link($0, after: 66) }.isEmpty)
        #expect(witness.open.map(\.sequence) == [6])
        _ = witness.close(in: epoch(from: 7, through: 7)) { link($0) }
        #expect(witness.open.isEmpty)
        #expect(JournalWitness(try head(0), at: 10).open.isEmpty)
    }

    @Test("A witness comes back from its document, and of noise it does not")
    func stored() throws {
        var witness = JournalWitness(try head(10), at: 10)
        _ = witness.see(try head(8, at: 2_000), at: 20)
        _ = witness.close(in: epoch(through: 10)) { link($0, 5) }
        let read = try JournalWitness(
            head: witness.last, seenAt: witness.lastSeenAt, document: witness.document)
        #expect(read == witness)
        #expect(throws: ShapeError.self) {
            try JournalWitness(head: witness.last, seenAt: 1, document: ["open": [["sequence": "x"]]])
        }
    }

    @Test("The audit counts what a head names, and shows heads that no entry explains")
    func audit() throws {
        var witness = JournalWitness(try head(10), at: 10)
        func audit(holds: Bool = false, received: Int64 = 8) -> HeadAudit {
            HeadAudit(
                witnesses: [1: witness], epoch: epoch(through: 8), received: { _ in received },
                holds: { _, _ in holds })
        }
        #expect(audit().sold == 10)
        #expect(audit().gap == 2)
        #expect(audit().unexplained.isEmpty)
        #expect(audit().hasTrouble)
        #expect(!audit(received: 10).hasTrouble)
        _ = witness.see(try head(8, at: 2_000), at: 20)
        #expect(audit().unexplained.map(\.head.sequence) == [10])
        #expect(audit(holds: true).unexplained.isEmpty)
        #expect(HeadAudit.none.members["head"] == "unsigned")
        #expect(audit().members["head"] == "signed")
    }
}
