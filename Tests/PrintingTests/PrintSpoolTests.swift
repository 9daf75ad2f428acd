import Base
import Printing
import Testing

@Suite("The decisions of the print spool")
struct PrintSpoolTests {
    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    private func spooled(_ id: String, opensDrawer: Bool = false) -> PrintSpool.Event {
        .jobSpooled(id: id, state: .waiting, age: .zero, opensDrawer: opensDrawer)
    }

    @Test("Papers are printed one by one, in their order, and a printed one leaves the spool")
    func order() {
        var spool = PrintSpool()
        #expect(spool.handle(spooled("1"), at: at(0)) == [.print(id: "1", opensDrawer: false)])
        #expect(spool.handle(spooled("2"), at: at(1)) == [])
        #expect(spool.jobs.map(\.state) == [.printing, .waiting])
        #expect(
            spool.handle(.attemptEnded(id: "1", .printed(.low)), at: at(2)) == [
                .remove(id: "1"), .print(id: "2", opensDrawer: false),
            ])
        #expect(spool.printer == .ready(.low))
        #expect(spool.handle(.attemptEnded(id: "2", .printed(.enough)), at: at(3)) == [.remove(id: "2")])
        #expect(spool.jobs.isEmpty)
        #expect(spool.deadline == nil)
    }

    @Test("A printer without paper is tried after 1, 2, 4, 8, 10 and 10 seconds, and at once for a new paper")
    func pauses() {
        var spool = PrintSpool()
        _ = spool.handle(spooled("1"), at: at(0))
        var now: Int64 = 0
        var pauses: [Int64] = []
        for _ in 0..<6 {
            #expect(spool.handle(.attemptEnded(id: "1", .notBegun(.paperOut)), at: at(now)) == [])
            #expect(spool.printer == .faulty(.paperOut))
            let due = (spool.deadline ?? at(0)).nanoseconds / 1_000_000_000
            pauses.append(due - now)
            #expect(spool.handle(.timeAdvanced, at: at(due - 1)) == [])
            #expect(spool.handle(.timeAdvanced, at: at(due)) == [.print(id: "1", opensDrawer: false)])
            now = due
        }
        #expect(pauses == [1, 2, 4, 8, 10, 10])
        _ = spool.handle(.attemptEnded(id: "1", .notBegun(.paperOut)), at: at(now))
        #expect(spool.handle(spooled("2"), at: at(now)) == [.print(id: "1", opensDrawer: false)])
        _ = spool.handle(.attemptEnded(id: "1", .printed(.enough)), at: at(now))
        _ = spool.handle(.attemptEnded(id: "2", .notBegun(.paperOut)), at: at(now))
        #expect(spool.deadline == at(now + 1), "a success begins the pauses again")
    }

    @Test("A paper that was interrupted is never sent again but by a person, as a copy")
    func interrupted() {
        var spool = PrintSpool()
        _ = spool.handle(spooled("1"), at: at(0))
        let interrupted = PrintSpool.Event.attemptEnded(id: "1", .interrupted("reset"))
        #expect(spool.handle(interrupted, at: at(1)) == [.record(id: "1", .interrupted)])
        #expect(spool.deadline == nil)
        for second in [2, 20, 2_000, 200_000] {
            #expect(spool.handle(.timeAdvanced, at: at(Int64(second))) == [])
        }
        #expect(
            spool.handle(.retryRequested(id: nil), at: at(200_001)) == [
                .recordAsCopy(id: "1"), .print(id: "1", opensDrawer: false),
            ])
    }

    @Test("A paper that was being sent when the agent was killed is interrupted; one that waited is printed")
    func restart() {
        var spool = PrintSpool()
        let sent = PrintSpool.Event.jobSpooled(
            id: "1", state: .printing, age: .seconds(3), opensDrawer: false)
        #expect(spool.handle(sent, at: at(0)) == [.record(id: "1", .interrupted)])
        let waiting = PrintSpool.Event.jobSpooled(
            id: "2", state: .waiting, age: .seconds(3), opensDrawer: false)
        #expect(spool.handle(waiting, at: at(0)) == [.print(id: "2", opensDrawer: false)])
        #expect(spool.jobs.map(\.state) == [.interrupted, .printing])
        #expect(spool.handle(waiting, at: at(0)) == [], "the same paper is one paper")
    }

    @Test(
        "A paper that waited for 15 minutes fails, and not a second before; a person has it printed as it is")
    func expiry() {
        var spool = PrintSpool()
        _ = spool.handle(spooled("1"), at: at(0))
        _ = spool.handle(.attemptEnded(id: "1", .notBegun(.noResponse("off"))), at: at(895))
        #expect(spool.handle(.timeAdvanced, at: at(896)) == [.print(id: "1", opensDrawer: false)])
        _ = spool.handle(.attemptEnded(id: "1", .notBegun(.noResponse("off"))), at: at(898))
        #expect(spool.deadline == at(900))
        #expect(spool.handle(.timeAdvanced, at: Instant(nanoseconds: at(900).nanoseconds - 1)) == [])
        #expect(spool.handle(.timeAdvanced, at: at(900)) == [.record(id: "1", .failed)])
        #expect(spool.deadline == nil)
        #expect(
            spool.handle(.retryRequested(id: "1"), at: at(5_000)) == [
                .record(id: "1", .waiting), .print(id: "1", opensDrawer: false),
            ])
        let old = PrintSpool.Event.jobSpooled(
            id: "2", state: .waiting, age: .seconds(900), opensDrawer: false)
        #expect(spool.handle(old, at: at(5_001)) == [.record(id: "2", .failed)])
    }

    @Test("The drawer opens with the first attempt within 10 seconds, and never with a later one")
    func drawer() {
        var spool = PrintSpool()
        #expect(
            spool.handle(spooled("1", opensDrawer: true), at: at(0)) == [.print(id: "1", opensDrawer: true)])
        _ = spool.handle(spooled("2", opensDrawer: true), at: at(1))
        _ = spool.handle(spooled("3", opensDrawer: true), at: at(1))
        _ = spool.handle(.attemptEnded(id: "1", .notBegun(.paperOut)), at: at(2))
        #expect(spool.handle(.timeAdvanced, at: at(3)) == [.print(id: "1", opensDrawer: false)])
        #expect(
            spool.handle(.attemptEnded(id: "1", .printed(.enough)), at: Instant(nanoseconds: 10_999_999_999))
                == [.remove(id: "1"), .print(id: "2", opensDrawer: true)])
        #expect(
            spool.handle(.attemptEnded(id: "2", .printed(.enough)), at: at(11)) == [
                .remove(id: "2"), .print(id: "3", opensDrawer: false),
            ])
    }
}
