import Base
import Testing

@testable import OfflineCore

@Suite("A line that a call of the till's own fills")
struct FilledLineTests {
    /// Nothing comes back through the filled line, and bytes of the call move: a report each 3 s.
    private func filled(_ bench: inout Bench, for seconds: Int) -> [OfflineCause] {
        bench.hub = .silent
        bench.pushStalls = false
        for second in 0..<seconds {
            if second > 0, second % 3 == 0 { bench.feed(.requestMoves(since: bench.now - .seconds(3))) }
            bench.run(for: .seconds(1))
        }
        return bench.causes
    }

    @Test("While its bytes move, the silence of pings and probes behind it confirms nothing")
    func moving() {
        var bench = Bench.reachable()
        #expect(filled(&bench, for: 60) == [])
        // The control: without them the same silence is an outage.
        bench.run(for: .seconds(30))
        #expect(bench.causes == [.network])
    }

    @Test("A query of QoS that fails behind it confirms nothing either")
    func query() {
        var bench = Bench.reachable()
        for _ in 0..<4 {
            bench.hub = .silent
            let query = RequestOutcome(
                api: APIRoute(method: "GET", template: "/v1/qos/decisions"), outcome: .network(.silent),
                startedAt: bench.now, firstByteAt: nil, finishedAt: bench.now)
            bench.feed(.requestFinished(query))
            #expect(filled(&bench, for: 15) == [])
        }
    }

    @Test("Bytes that moved before the suspicion do not end it, and none end an outage")
    func noEvidence() {
        var bench = Bench.reachable()
        bench.hub = .silent
        let before = bench.now
        bench.run(for: .seconds(1))
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        bench.feed(.requestMoves(since: before))
        #expect(bench.state == .suspect)
        bench.feed(.requestMoves(since: bench.now))
        #expect(bench.state == .reachable)
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        #expect(bench.time(until: .unreachable) != nil)
        bench.feed(.requestMoves(since: bench.now))
        #expect(bench.state == .unreachable)
    }

    @Test("They do not end the suspicion of a login page, nor that of a lost path")
    func portal() {
        var bench = Bench.reachable()
        bench.hub = .portal
        let page = RequestOutcome(
            api: Bench.push, outcome: .portal(.redirect), startedAt: bench.now, firstByteAt: bench.now,
            finishedAt: bench.now)
        bench.feed(.requestFinished(page))
        bench.feed(.requestMoves(since: bench.now))
        #expect(bench.state == .suspect)
        var unplugged = Bench.reachable()
        unplugged.feed(.pathChanged(Bench.noPath))
        unplugged.feed(.requestMoves(since: unplugged.now))
        #expect(unplugged.state == .suspect)
    }
}
