import Base
import Testing

@testable import OfflineCore

@Suite("Network outage and recovery")
struct NetworkOutageTests {
    @Test("Probes of a long outage wait 1, 1, 2, 4, 8 and 15 s, a fifth more or less")
    func backoff() throws {
        var bench = Bench.reachable()
        bench.hub = .refuses
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        #expect(bench.time(until: .unreachable) != nil)
        bench.effects = []
        var last = bench.now
        bench.run(for: .seconds(120))
        for (probe, wait) in zip(bench.sent(\.isHubProbe), [1, 1, 2, 4, 8, 15, 15, 15]) {
            let gap = probe - last
            #expect(gap >= .milliseconds(wait * 800) && gap <= .milliseconds(wait * 1_200 + 1))
            last = probe
        }
    }

    @Test("A probe that times out does not lengthen the wait for the next one")
    func silentBackoff() throws {
        var bench = Bench.reachable()
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        #expect(bench.time(until: .unreachable) != nil)
        bench.run(for: .seconds(60))
        bench.effects = []
        bench.run(for: .seconds(600))
        let probes = bench.sent(\.isHubProbe)
        for (probe, next) in zip(probes, probes.dropFirst()) {
            #expect(next - probe >= .seconds(12) && next - probe <= .milliseconds(18_001))
        }
        #expect(probes.count > 30)
    }

    @Test("Recovery needs three of the last four probes and T2 since the first good one")
    func recovery() {
        let settings = NetworkSettings(outageProbeCap: .seconds(1), outageJitterPerMille: 0)
        var bench = Bench.reachable(settings)
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        #expect(bench.time(until: .unreachable) != nil)
        bench.hub = .responses
        #expect(bench.time(until: .recovering) != nil)
        #expect(bench.machine.status(at: bench.now).network.deadline == bench.now + .seconds(10))
        #expect(bench.causes == [.network])
        #expect(bench.time(until: .reachable) == .seconds(10))
    }

    @Test("A recovery that fails three of four goes back to the outage")
    func failedRecovery() {
        var bench = Bench.reachable()
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        _ = bench.time(until: .unreachable)
        bench.hub = .responses
        _ = bench.time(until: .recovering)
        bench.hub = .silent
        #expect(bench.time(until: .unreachable) != nil)
        #expect(bench.switches == [.offline])
    }

    @Test("The hold grows by half per flap beyond two in ten minutes, at most to 60 s")
    func flaps() {
        var bench = Bench.reachable(NetworkSettings(debounce: .seconds(1)))
        var holds: [Int64] = []
        for _ in 0..<9 {
            bench.hub = .silent
            bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
            _ = bench.time(until: .unreachable)
            bench.hub = .responses
            _ = bench.time(until: .recovering)
            holds.append(bench.time(until: .reachable)?.wholeMilliseconds ?? -1)
        }
        #expect(holds == [10_000, 10_000, 15_000, 22_500, 33_750, 50_625, 60_000, 60_000, 60_000])
        bench.run(for: .seconds(700))
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        _ = bench.time(until: .unreachable)
        bench.hub = .responses
        _ = bench.time(until: .recovering)
        #expect(bench.time(until: .reachable) == .seconds(10))
    }

    @Test("The network is reachable within 28.5 s after it is back", arguments: 1...100)
    func recoveryTime(seed: Int) throws {
        var bench = Bench.reachable(seed: UInt64(seed))
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        _ = bench.time(until: .unreachable)
        bench.run(for: .milliseconds(60_000 + 171 * seed))
        bench.hub = .responses
        let back = bench.time(until: .reachable)
        #expect(try #require(back) <= .milliseconds(28_500))
    }

    @Test("A silent hub with a reachable internet is a service fault, and recovery ends it")
    func backendDown() {
        var bench = Bench.reachable(NetworkSettings(probesInternet: true))
        bench.internetResponds = true
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        bench.run(for: .milliseconds(7_999))
        #expect(bench.causes == [])
        bench.run(for: .milliseconds(1))
        #expect(bench.causes == [.service])
        let status = bench.machine.status(at: bench.now)
        #expect(status.connectivity.state == .backendDown)
        #expect(status.network.state == .reachable)
        #expect(status.services.first { $0.service == "order" }?.state == .faulty)
        #expect(status.services.first { $0.service == "order" }?.source == .local)
        bench.hub = .responses
        #expect(bench.time(until: .recovering, limit: .seconds(40)) != nil)
        #expect(bench.causes == [.service])
        #expect(bench.time(until: .reachable) == .seconds(10))
        #expect(bench.switches == [.offline, .online])
    }

    @Test(
        "When the internet becomes silent too, the network is suspected and the fault confirmed without a gap"
    )
    func backendThenNetwork() {
        var bench = Bench.reachable(NetworkSettings(probesInternet: true))
        bench.internetResponds = true
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        bench.run(for: .seconds(9))
        bench.internetResponds = false
        #expect(bench.time(until: .suspect) != nil)
        #expect(bench.causes == [.service])
        #expect(bench.time(until: .unreachable) == .seconds(8))
        #expect(bench.causes == [.network])
        bench.internetResponds = true
        bench.run(for: .seconds(40))
        #expect(bench.causes == [.service])
        #expect(bench.switches == [.offline])
    }

    @Test("What a round showed on one path confirms no fault on the next one")
    func roundOfAnotherPath() {
        let other = PathStatus(
            isUsable: true, interface: "wlan0", transport: .wifi, isMetered: false, isConstrained: false,
            route: "wlan0 192.0.2.3 via 192.0.2.1")
        for (moves, isConfirmed) in [(false, true), (true, false)] {
            var bench = Bench.reachable()
            bench.hub = .silent
            bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
            bench.run(for: .milliseconds(7_500))
            if moves { bench.feed(.pathChanged(other)) }
            bench.run(for: .milliseconds(500))
            #expect(bench.causes.isEmpty == !isConfirmed)
            // The round of the new path begins once it has settled, and fails after 3 s.
            bench.run(for: .seconds(4))
            #expect(bench.causes == [.network])
        }
    }
}
