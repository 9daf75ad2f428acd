import OfflineCore
import Simulation
import Base
import Testing

@Suite("Figures of a simulation run on a link")
struct LinkFiguresTests {
    @Test("Example: the time of wrong display either way, detected outages, needless switches")
    func drawn() {
        // One character is ten seconds: `x` dead, `O` shown offline.
        let link = Self.intervals("...xxxxxx....x......xxxx..", "x")
        let till = Self.intervals("....OOOOOOO..O.OO.........", "O")
        let figures = LinkFigures(
            watched: .seconds(260), outages: link, offline: till, waiting: .seconds(2), activeProbes: 13)
        #expect(figures.deadShownOnline == .seconds(50))
        #expect(figures.falseOffline == .seconds(40))
        #expect([figures.trueOutages, figures.missed, figures.needless] == [2, 1, 2])
        #expect(figures.finding == .seconds(10 + 40))
        #expect(figures.slowestFinding == .seconds(40))
        #expect(figures.perHour(13) == 180)
    }

    @Test("Offline already when the outage begins: detected at once, and not needless")
    func already() {
        let figures = LinkFigures(
            watched: .seconds(80), outages: Self.intervals("..xxxx..", "x"),
            offline: Self.intervals(".OOOOO..", "O"), waiting: .zero, activeProbes: 0)
        #expect(figures.finding == .zero)
        #expect([figures.missed, figures.needless] == [0, 0])
        #expect(figures.falseOffline == .seconds(10))
    }

    @Test("The cost counts waiting, wrong display and switches in a cashier's seconds")
    func cost() {
        var figures = LinkFigures(
            watched: .seconds(3_600), outages: Self.intervals("xx", "x"), offline: TimeRanges(),
            waiting: .seconds(4), activeProbes: 0)
        figures.count(switches: 2)
        #expect(figures.costPerHour == 20)
    }

    static func intervals(_ drawing: String, _ mark: Character) -> TimeRanges {
        var intervals = TimeRanges()
        for (index, character) in drawing.enumerated() where character == mark {
            let start = Instant(nanoseconds: Int64(index) * 10_000_000_000)
            intervals.add(start, start + .seconds(10))
        }
        return intervals
    }
}
