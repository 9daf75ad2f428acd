import HubCore
import Testing

@Suite("JournalEpoch")
struct JournalEpochTests {
    /// Takes sequences in and draws `acknowledgedThrough` after each.
    private func drawn(first: Int64, _ sequences: [Int64]) -> [Int64] {
        var epoch = JournalEpoch(epoch: 1, firstSequence: first)
        var taken: Set<Int64> = []
        return sequences.map { sequence in
            taken.insert(sequence)
            epoch.occupy(sequence) { start in
                var end = start
                while taken.contains(end + 1) { end += 1 }
                return end
            }
            return epoch.acknowledgedThrough
        }
    }

    @Test("It grows with the unbroken run and jumps when a gap closes")
    func acknowledged() {
        #expect(drawn(first: 1, [1, 2, 3]) == [1, 2, 3])
        #expect(drawn(first: 1, [3, 2, 1, 5, 4]) == [0, 0, 3, 3, 5])
        #expect(drawn(first: 790, [791, 790]) == [789, 791])
    }

    @Test("At most a thousand missing sequences are listed, however wide the gap")
    func missing() {
        #expect(JournalEpoch.listed([2...3, 7...7]) == [2, 3, 7])
        let many = JournalEpoch.listed([2...(1 << 52)])
        #expect(many.count == 1_000)
        #expect(many.last == 1_001)
    }
}

@Suite("JournalChain")
struct JournalChainTests {
    private func link(
        _ sequence: Int64, _ previous: String, _ hash: String, epoch: Int64 = 1, right: Bool = true
    ) -> JournalChain.Link {
        JournalChain.Link(
            epoch: epoch, sequence: sequence, previousHash: previous, hash: hash, isHashRight: right)
    }

    private func brokenAt(_ links: [JournalChain.Link]) -> Int64? {
        var chain = JournalChain()
        for link in links { chain.follow(link) }
        return chain.brokenAt
    }

    @Test("Links that name their neighbour's hash hold; the first of an epoch and one behind a gap do too")
    func intact() {
        #expect(brokenAt([link(1, "0", "a"), link(2, "a", "b"), link(4, "c", "d")]) == nil)
        #expect(brokenAt([link(1, "0", "a"), link(2, "x", "b", epoch: 2)]) == nil)
    }

    @Test("The first wrong hash or link is where the chain is broken")
    func broken() {
        #expect(brokenAt([link(1, "0", "a"), link(2, "x", "b"), link(3, "y", "c")]) == 2)
        #expect(brokenAt([link(1, "0", "a"), link(2, "a", "b", right: false)]) == 2)
    }
}

@Suite("ChangeCursor")
struct ChangeCursorTests {
    @Test("It is read back as written, and nothing else is a cursor")
    func text() {
        #expect(ChangeCursor("feed.12") == ChangeCursor(feed: "feed", position: 12))
        #expect(ChangeCursor(ChangeCursor(feed: "f", position: 0).text)?.position == 0)
        #expect(ChangeCursor("f.1.digests") == ChangeCursor(feed: "f", position: 1, form: "digests"))
        for text in ["", ".1", "f.", "f.-1", "f.1.", "f.1.2.3", "f.x", "f.99999999999999999999"] {
            #expect(ChangeCursor(text) == nil)
        }
    }
}
