import OfflineCore
import Simulation
import Base
import Testing

@Suite("The frontier of two figures")
struct FrontierTests {
    private static func run(_ name: String, foundAfter delay: Int, needlessFor wrong: Int) -> LinkRun {
        func intervals(_ all: [(Int, Int)]) -> TimeRanges {
            all.reduce(into: TimeRanges()) { intervals, one in
                intervals.add(
                    Instant(nanoseconds: 0) + .seconds(one.0), Instant(nanoseconds: 0) + .seconds(one.1))
            }
        }
        let offline = intervals([(10, 10 + wrong), (200 + delay, 300)])
        return LinkRun(
            name: name, offline: offline,
            figures: LinkFigures(
                watched: .seconds(300), outages: intervals([(200, 300)]), offline: offline, waiting: .zero,
                activeProbes: 0))
    }

    @Test("A detector is better only if it is better in one figure and no worse in the other")
    func dominance() {
        let mine = Self.run("mine", foundAfter: 20, needlessFor: 5)
        let others = [
            Self.run("alike", foundAfter: 20, needlessFor: 5),
            Self.run("late", foundAfter: 30, needlessFor: 0),
            Self.run("rash", foundAfter: 5, needlessFor: 40),
            Self.run("calm", foundAfter: 20, needlessFor: 0),
            Self.run("quick", foundAfter: 10, needlessFor: 5),
            // Offline nearly always: it detects nothing.
            Self.run("stopped", foundAfter: 0, needlessFor: 190),
        ]
        #expect(Frontier.usual.better(than: mine, among: others) == ["rash", "calm", "quick"])
        #expect(Frontier.worst.better(than: mine, among: others) == ["calm", "quick"])
    }
}
