import Base
import HubProtocol
import Neighbours
import Testing

/// What goes to which neighbours when.
@Suite("Copies of entries that wait")
struct PieceCopiesTests {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)

    private func keeper(
        _ number: Int64, run: String = "r", through: Int64 = 0, heardAt: Instant = start
    ) -> PossibleKeeper {
        PossibleKeeper(
            terminalId: "T\(number)", number: number, run: run, through: through, heardAt: heardAt)
    }

    private func extent(_ last: Int64, acknowledged: Int64 = 0, epoch: Int64 = 1) -> PieceCopies.Extent {
        .init(epoch: epoch, last: last, acknowledgedThrough: acknowledged)
    }

    @Test("What has waited through a tick goes to the two next ones, once, and what came meanwhile follows")
    func pace() {
        var copies = PieceCopies(number: 1)
        let all = [keeper(2), keeper(3), keeper(4)]
        let none = copies.tick(extent(5), keepers: all, at: Self.start)
        let both = copies.tick(extent(9), keepers: all, at: Self.start)
        #expect(none == [] && both.map(\.keeper) == ["T2", "T3"])
        #expect(both.allSatisfy { $0.after == 0 && $0.through == 5 })
        // Under way at one, kept at the other: that one gets what has waited since.
        copies.ended("T3", .kept(through: 5), at: Self.start)
        let next = copies.tick(extent(9), keepers: all, at: Self.start)
        #expect(next.map(\.keeper) == ["T3"] && next.first?.after == 5 && next.first?.through == 9)
        #expect(copies.copied(beyond: 2) == 3)
    }

    @Test("What the hub has is not copied")
    func acknowledged() {
        var copies = PieceCopies(number: 1)
        _ = copies.tick(extent(9), keepers: [keeper(2)], at: Self.start)
        let due = copies.tick(extent(9, acknowledged: 9), keepers: [keeper(2)], at: Self.start)
        #expect(due == [] && copies.copied(beyond: 9) == 0)
    }

    @Test("A full or silent keeper gives way to the next in the circle, and is tried again")
    func full() {
        var copies = PieceCopies(number: 2)
        let all = [keeper(1), keeper(3), keeper(4)]
        _ = copies.tick(extent(5), keepers: all, at: Self.start)
        let first = copies.tick(extent(5), keepers: all, at: Self.start)
        #expect(first.map(\.keeper) == ["T3", "T4"])
        copies.ended("T3", .full, at: Self.start)
        copies.ended("T4", .failed, at: Self.start)
        let third = copies.tick(extent(5), keepers: all, at: Self.start)
        #expect(third.map(\.keeper) == ["T1"])
        let later = copies.tick(extent(5), keepers: all, at: Self.start + NeighbourLimits.longestRetry)
        #expect(later.map(\.keeper) == ["T3", "T4"])
    }

    @Test("Of a keeper that started again what it has on its disk now counts")
    func restarted() {
        var copies = PieceCopies(number: 1)
        _ = copies.tick(extent(9), keepers: [keeper(2, through: 4)], at: Self.start)
        let first = copies.tick(extent(9), keepers: [keeper(2, through: 4)], at: Self.start)
        #expect(first.map(\.after) == [4])
        copies.ended("T2", .kept(through: 9), at: Self.start)
        let none = copies.tick(extent(9), keepers: [keeper(2, through: 4)], at: Self.start)
        #expect(none == [])
        // Its disk is gone.
        let lost = copies.tick(extent(9), keepers: [keeper(2, run: "s")], at: Self.start)
        #expect(lost.map(\.after) == [0])
    }

    @Test("A keeper that deleted for others what it took gets it again, and counts no more meanwhile")
    func gaveWay() {
        var copies = PieceCopies(number: 1)
        for _ in 0..<2 { _ = copies.tick(extent(9), keepers: [keeper(2)], at: Self.start) }
        copies.ended("T2", .kept(through: 9), at: Self.start)
        #expect(copies.copied(beyond: 0) == 9)
        // A hello that may have been on its way before the receipt says nothing of it.
        let early = keeper(2, through: 5, heardAt: Self.start + NeighbourLimits.exchange)
        #expect(copies.tick(extent(9), keepers: [early], at: Self.start) == [])
        let later = keeper(
            2, through: 5, heardAt: Self.start + NeighbourLimits.exchange + .milliseconds(1))
        #expect(copies.tick(extent(9), keepers: [later], at: Self.start).map(\.after) == [5])
        #expect(copies.copied(beyond: 0) == 5)
        // And one whose receipt was lost has more than was known.
        copies.ended("T2", .failed, at: Self.start)
        let more = keeper(2, through: 9, heardAt: Self.start + .seconds(30))
        #expect(copies.tick(extent(9), keepers: [more], at: Self.start + .seconds(30)) == [])
        #expect(copies.copied(beyond: 0) == 9)
    }

    @Test("In another epoch everything goes anew, whatever was under way of the one before")
    func epochs() {
        var copies = PieceCopies(number: 1)
        for _ in 0..<2 { _ = copies.tick(extent(9), keepers: [keeper(2)], at: Self.start) }
        _ = copies.tick(extent(9, epoch: 2), keepers: [keeper(2)], at: Self.start)
        copies.ended("T2", .kept(through: 9), at: Self.start)
        #expect(copies.copied(beyond: 0) == 0)
        let anew = copies.tick(extent(9, epoch: 2), keepers: [keeper(2)], at: Self.start)
        #expect(anew.map(\.after) == [0] && anew.map(\.through) == [9])
    }

    @Test("A keeper has what follows what the hub has, in this epoch and on this disk")
    func reach() {
        func run(_ first: Int64, _ last: Int64, epoch: Int64 = 1, hash: String = "own") -> KeptRun {
            KeptRun(first: first, end: JournalMark(epoch: epoch, sequence: last, hash: hash))
        }
        let coverages = [RunCoverage(hash: "own", through: 3), RunCoverage(hash: "other", through: nil)]
        func reach(_ runs: KeptRun...) -> Int64 {
            PieceCopies.reach(of: runs, coverages, in: extent(20, acknowledged: 3))
        }
        #expect(reach(run(1, 9)) == 9 && reach(run(4, 9)) == 9 && reach(run(5, 9)) == 0)
        #expect(reach(run(9, 12), run(2, 8)) == 12, "of any order")
        #expect(reach(run(2, 8), run(10, 12)) == 8, "up to the gap")
        #expect(reach(run(1, 3)) == 0, "the hub has that")
        #expect(reach(run(1, 9, epoch: 2)) == 0)
        #expect(reach(run(1, 9, hash: "other")) == 0 && reach(run(1, 9, hash: "unnamed")) == 0)
    }

    @Test("Pieces are handed in where their till wants it or left their epoch, and after a silence else")
    func relaying() {
        func isDue(
            _ seconds: Int64, wants: Bool = false, manual: Bool = false, epoch: Int64? = nil,
            foreign: Bool = false
        ) -> Bool {
            Relaying.isDue(
                .init(wantsRelay: wants, isManual: manual, heardAt: Self.start, epoch: epoch), of: 2,
                isForeign: foreign, at: Self.start + .seconds(seconds))
        }
        #expect(isDue(0, wants: true) && !isDue(599) && isDue(600))
        #expect(!isDue(86_399, manual: true) && isDue(86_400, manual: true))
        // It is there, and in another epoch: its own push brings nothing of this one any more.
        #expect(isDue(0, foreign: true), "its own journal has other entries there")
        #expect(!isDue(0, epoch: 2) && isDue(0, epoch: 3) && !isDue(0, epoch: 1))
    }
}
