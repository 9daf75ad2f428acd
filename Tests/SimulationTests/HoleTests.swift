import OfflineCore
import Simulation
import Base
import Testing

@Suite("Links with holes")
struct HoleTests {
    /// One character is ten seconds, `x` dead; twelve of them.
    @Test(
        "Holes in any order, overlapping and beyond the end, make one link",
        arguments: [
            ([], "............"), ([(3, 2)], "...xx......."), ([(6, 1), (3, 2)], "...xx.x....."),
            ([(3, 4), (4, 1), (6, 3)], "...xxxxxx..."), ([(3, 2), (5, 1)], "...xxx......"),
            ([(0, 2), (10, 9)], "xx........xx"), ([(12, 4)], "............"),
            ([(0, 12)], "xxxxxxxxxxxx"),
        ] as [([(Int, Int)], String)])
    func holes(holes: [(Int, Int)], drawing: String) {
        let zero = Instant(nanoseconds: 0)
        let trace = LinkTrace(
            holes: holes.map { Hole(start: zero + .seconds(10 * $0.0), length: .seconds(10 * $0.1)) },
            roundTrip: .milliseconds(80), for: .seconds(120))
        let link = SimulatedLink(outage: .recorded(trace))
        let shown = (0..<12).map { link.isUp(at: zero + .seconds(10 * $0 + 5)) ? "." : "x" }.joined()
        #expect(shown == drawing)
        #expect(trace.outages.total == .seconds(10 * drawing.count { $0 == "x" }))
        #expect(link.roundTrip(at: zero) == .milliseconds(80))
    }
}
