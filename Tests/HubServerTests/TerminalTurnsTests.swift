import Base
import HubProtocol
import OfflineCore
import Synchronization
import TestKit
import Testing

@testable import HubServer

/// What one terminal can have under way before the store's queue.
@Suite("Turns of terminals")
struct TerminalTurnsTests {
    private let turns = TerminalTurns(bytesPerMinute: 4 << 20, now: { Instant(nanoseconds: 1) })

    /// Begins requests that end only at the end of the test, and gives how many of them run.
    private func running(_ count: Int, of kind: TerminalTurns.Kind) async -> (runs: Int, refused: Int) {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let (reports, report) = AsyncStream<Bool>.makeStream()
        let turns = turns
        return await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    let ran: Void? = await turns.run(kind) { _ in
                        report.yield(true)
                        for await _ in gate {}
                    }
                    if ran == nil { report.yield(false) }
                }
            }
            var (runs, refused) = (0, 0)
            var iterator = reports.makeAsyncIterator()
            // What is neither running nor refused waits.
            while runs + refused < count - min(TerminalTurns.mostWaiting, count - TerminalTurns.atOnce),
                let ran = await iterator.next()
            {
                if ran { runs += 1 } else { refused += 1 }
            }
            open.finish()
            await group.waitForAll()
            return (runs, refused)
        }
    }

    @Test("Two requests with a body run at a time, eight wait, more are refused; all places come free again")
    func turnsOfOne() async {
        let kind = TerminalTurns.Kind(terminalId: "T1", work: .readingBody)
        for _ in 1...2 {
            let (runs, refused) = await running(15, of: kind)
            #expect(runs == TerminalTurns.atOnce && refused == 5)
            #expect(turns.count == 0)
        }
    }

    @Test("Another terminal, and a request without a body, wait for none of them")
    func others() async {
        let busy = TerminalTurns.Kind(terminalId: "T1", work: .readingBody)
        let result = await turns.run(busy) { _ in
            await turns.run(busy) { _ in
                let other: Bool? = await turns.run(.init(terminalId: "T2", work: .readingBody)) { _ in true }
                let reading: Bool? = await turns.run(.init(terminalId: "T1", work: .withoutBody)) { _ in true
                }
                return other == true && reading == true
            }
        }
        #expect(result == true)
    }

    @Test(
        "A request that waits elsewhere lets others on; four of a terminal wait so, and each place comes free once"
    )
    func elsewhere() async {
        let kind = TerminalTurns.Kind(terminalId: "T1", work: .readingBody)
        let other: Bool? = await turns.run(.init(terminalId: "T2", work: .readingBody)) { turn in
            var places: [TerminalTurns.Turn] = []
            let result: Bool? = await turns.run(kind) { first in
                for _ in 0..<TerminalTurns.mostElsewhere { places += [taken(first)].compactMap(\.self) }
                let isFull = places.count == TerminalTurns.mostElsewhere && taken(first) == nil
                let second: Bool? = await turns.run(kind) { _ in
                    first.end()
                    first.end()
                    // The place of the first, and no other.
                    let third: Bool? = await turns.run(kind) { _ in true }
                    return third == true
                }
                return isFull && second == true && taken(turn) != nil
            }
            for place in places { place.end() }
            return result == true
        }
        #expect(other == true)
        #expect(turns.count == 0)
    }

    private func taken(_ turn: TerminalTurns.Turn) -> TerminalTurns.Turn? {
        if case .taken(let place) = turn.elsewhere(upTo: .seconds(30)) { place } else { nil }
    }

    @Test("Who finds no place to wait in gets to know when the first of them comes free at the latest")
    func fullElsewhere() async {
        let clock = Mutex(Instant(nanoseconds: 0))
        let turns = TerminalTurns(bytesPerMinute: 4 << 20, now: { clock.withLock { $0 } })
        func elsewhere(_ turn: TerminalTurns.Turn, _ seconds: Int, at now: Int) -> TerminalTurns.Place {
            clock.withLock { $0 = Instant(nanoseconds: 0) + .seconds(now) }
            return turn.elsewhere(upTo: .seconds(seconds))
        }
        func wait(_ place: TerminalTurns.Place) -> Duration? {
            if case .full(let wait) = place { wait } else { nil }
        }
        await turns.run(.init(terminalId: "T1", work: .readingBody)) { turn in
            let places = [(30, 0), (30, 5), (90, 6), (90, 7)].map { elsewhere(turn, $0.0, at: $0.1) }
            #expect(places.allSatisfy { wait($0) == nil })
            #expect(wait(elsewhere(turn, 30, at: 10)) == .seconds(20))
            #expect(wait(elsewhere(turn, 30, at: 40)) == .seconds(1))
            for case .taken(let place) in places.prefix(2) { place.end() }
            let later = [41, 42].map { elsewhere(turn, 60, at: $0) }
            #expect(later.allSatisfy { wait($0) == nil })
            #expect(wait(elsewhere(turn, 60, at: 50)) == .seconds(46))
        }
    }

    @Test("Bytes of a minute are counted for each terminal")
    func bytes() {
        for _ in 0..<4 { #expect(turns.count(bytes: 1_047_552, of: "T1") == nil) }
        #expect(turns.count(bytes: 1_047_552, of: "T1") != nil)
        #expect(turns.count(bytes: 1_047_552, of: "T2") == nil)
    }
}

/// What a batch is counted by before it is read.
@Suite("Mutations are counted before they are built")
struct MutationCountTests {
    private func exceeds(_ most: Int, _ text: String) -> Bool {
        MutationCount.exceeds(most, in: Array(text.utf8))
    }

    @Test("Elements of the list alone count, whatever texts and lists are within and beside it")
    func count() {
        let two =
            #"{"a":[1,2,3,4],"b":"\"mutations\":[1,2,3","mutations":[{"x":[1,2,3],"y":",,,[{"},[]],"c":[1,2,3]}"#
        #expect(!exceeds(2, two))
        #expect(exceeds(1, two))
        #expect(!exceeds(1, #"{"mutations":[]}"#))
        #expect(!exceeds(2, #"["mutations",[1,2,3,4]]"#))
    }

    @Test("Whatever the bytes are, they are looked at once and never past their end")
    func broken() {
        for text in [
            #"{"mutations":["#, "]]]]", #"{"mutations"#, "\\", #""\"#, "", "}{,", #"{"mutations":[1,2"#,
        ] {
            #expect(!exceeds(2, text))
        }
        #expect(exceeds(200, "{\"mutations\":[" + String(repeating: "{},", count: 200)))
    }

    @Test("A batch of too many is refused without reading its elements")
    func refused() async throws {
        let hub = try await HubInProcess()
        let till = try await hub.enrol()
        // Element 201 is no JSON: whoever reads it says so.
        let body = #"{"mutations":["# + String(repeating: "{},", count: 200) + "?]}"
        let response = try await hub.request(
            "POST", Routes.mutationBatch, headers: till.headers, body: body)
        #expect(response.status == 413 && response.problemCode == "too_many_mutations")
    }
}
