import Base
import HubProtocol
import Neighbours
import Testing

/// What goes to which neighbours when.
@Suite("Copies of entries that wait")
struct PieceCopiesTests {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)

    private func keeper(_ number: Int64, run: String = "r", kept: NeighbourKept? = nil) -> PossibleKeeper {
        PossibleKeeper(terminalId: "T\(number)", number: number, run: run, kept: kept)
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

    @Test("Of a keeper that started again what it has on its disk now counts, of the present epoch alone")
    func restarted() {
        var copies = PieceCopies(number: 1)
        let kept = NeighbourKept(epoch: 1, entries: 4, through: 4)
        _ = copies.tick(extent(9), keepers: [keeper(2, kept: kept)], at: Self.start)
        let first = copies.tick(extent(9), keepers: [keeper(2, kept: kept)], at: Self.start)
        #expect(first.map(\.after) == [4])
        copies.ended("T2", .kept(through: 9), at: Self.start)
        let none = copies.tick(extent(9), keepers: [keeper(2, kept: kept)], at: Self.start)
        #expect(none == [])
        // Its disk is gone.
        let lost = copies.tick(extent(9), keepers: [keeper(2, run: "s")], at: Self.start)
        #expect(lost.map(\.after) == [0])
        copies.ended("T2", .kept(through: 9), at: Self.start)
        _ = copies.tick(extent(9, epoch: 2), keepers: [keeper(2, run: "s", kept: kept)], at: Self.start)
        let epoch = copies.tick(
            extent(9, epoch: 2), keepers: [keeper(2, run: "s", kept: kept)], at: Self.start)
        #expect(epoch.map(\.after) == [0])
    }

    @Test("Pieces are handed in where their till wants it or left their epoch, and after a silence else")
    func relaying() {
        func isDue(_ seconds: Int64, wants: Bool = false, manual: Bool = false, epoch: Int64? = nil) -> Bool {
            Relaying.isDue(
                .init(wantsRelay: wants, isManual: manual, heardAt: Self.start, epoch: epoch), of: 2,
                at: Self.start + .seconds(seconds))
        }
        #expect(isDue(0, wants: true) && !isDue(599) && isDue(600))
        #expect(!isDue(86_399, manual: true) && isDue(86_400, manual: true))
        // It is there, and in another epoch: its own push brings nothing of this one any more.
        #expect(!isDue(0, epoch: 2) && isDue(0, epoch: 3) && !isDue(0, epoch: 1))
    }
}
