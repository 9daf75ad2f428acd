import Base
import Testing

@testable import OfflineCore

@Suite("Pushes that fail while the hub responds")
struct FailingCallsTests {
    private func ended(_ outcome: OutcomeClass, at now: Instant) -> OfflineEvent {
        .requestFinished(
            RequestOutcome(
                api: Bench.push, outcome: outcome, startedAt: now, firstByteAt: nil, finishedAt: now))
    }

    /// The failures that QoS gets: the counts of a report without a response are sent again.
    private func reported(_ bench: Bench) -> ServiceCounts {
        var most = ServiceCounts(service: "order")
        for (_, effect) in bench.effects {
            guard case .reportQoS(_, let report) = effect else { continue }
            for counts in report.services where counts.service == "order" && counts.failed >= most.failed {
                most = counts
            }
        }
        return most
    }

    private func failures(in counts: ServiceCounts) -> [String] {
        let all = [
            ("connect", counts.connect), ("timeout", counts.timeout), ("tls", counts.tls),
            ("dns", counts.dns), ("http5xx", counts.http5xx),
        ]
        return all.flatMap { Array(repeating: $0.0, count: $0.1) }
    }

    @Test(
        "From the second in a row they are evidence, reported, and shown with their reason",
        arguments: [
            (OutcomeClass.network(.reset), ConnectivitySnapshot.Reason.connectFail, "connect"),
            (.network(.connectTimeout), .timeout, "timeout"), (.network(.tls), .tlsError, "tls"),
            (.portal(.foreignBody), .captivePortal, "http5xx"),
            (.portal(.redirect), .captivePortal, "http5xx"),
            (.portal(.foreignName), .tlsError, "tls"),
        ])
    func everyClass(
        outcome: OutcomeClass, reason: ConnectivitySnapshot.Reason, count: String
    ) {
        var bench = Bench.reachable()
        bench.feed(ended(outcome, at: bench.now))
        bench.run(for: .seconds(6))
        #expect(bench.machine.connectivity.state == .online)
        #expect(reported(bench).failed == 0)
        bench.feed(ended(outcome, at: bench.now))
        bench.run(for: .seconds(6))
        #expect(bench.state == .reachable)
        #expect(bench.machine.connectivity.state == .onlineDegraded)
        #expect(bench.machine.connectivity.reason == reason)
        #expect(bench.machine.connectivity.coreCallsFail)
        #expect(failures(in: reported(bench)) == [count])
        #expect(bench.causes == [])
        bench.feed(ended(.success, at: bench.now))
        #expect(!bench.machine.connectivity.coreCallsFail)
    }

    @Test("A hub that responds to 503 to every push shows it from the second on", arguments: [503, 500])
    func unavailable(status: Int) {
        var bench = Bench.reachable()
        for _ in 0..<2 { bench.feed(ended(.service(.status(status)), at: bench.now)) }
        #expect(bench.machine.connectivity.state == .onlineDegraded)
        #expect(bench.machine.connectivity.reason == .http5xx)
    }

    @Test("Enough of them trip the service, and with QoS silent make a local fault")
    func trips() {
        var bench = Bench.reachable()
        for _ in 0..<7 {
            bench.feed(ended(.network(.reset), at: bench.now))
            bench.run(for: .seconds(2))
        }
        bench.run(for: .seconds(15))
        #expect(bench.causes == [.service])
    }

    @Test("A failure that the network's outage explains is no evidence on the service")
    func outage() {
        var bench = Bench.reachable()
        bench.hub = .silent
        for _ in 0..<6 {
            bench.feed(ended(.network(.reset), at: bench.now))
            bench.run(for: .seconds(3))
        }
        #expect(bench.state == .unreachable)
        bench.hub = .responses
        _ = bench.time(until: .reachable)
        bench.run(for: .seconds(30))
        #expect(reported(bench).failed == 0)
        #expect(!bench.machine.connectivity.coreCallsFail)
        #expect(bench.causes == [])
    }

    @Test("A success ends what failed before it, too, where the outage was not decided yet")
    func undecided() {
        var bench = Bench.reachable()
        for _ in 0..<2 { bench.feed(ended(.network(.reset), at: bench.now)) }
        #expect(bench.state == .suspect)
        // The hub is back before T1 ends, and the outbox is empty with its first push.
        bench.feed(ended(.success, at: bench.now))
        #expect(!bench.machine.connectivity.coreCallsFail)
        bench.run(for: .seconds(60))
        #expect(bench.state == .reachable)
        #expect(!bench.machine.connectivity.coreCallsFail)
        #expect(reported(bench).failed == 0)
    }

    @Test("A success between two failures makes each of them the first")
    func broken() {
        var bench = Bench.reachable()
        for _ in 0..<5 {
            bench.feed(ended(.network(.reset), at: bench.now))
            bench.run(for: .seconds(2))
            bench.feed(ended(.success, at: bench.now))
        }
        bench.run(for: .seconds(6))
        #expect(reported(bench).failed == 0)
        #expect(!bench.machine.connectivity.coreCallsFail)
    }
}
