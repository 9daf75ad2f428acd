import Base
import Testing

@testable import OfflineCore

@Suite("Network fault detector")
struct NetworkFaultDetectorTests {
    @Test("It starts as suspect without a cause, and one success suffices")
    func start() {
        var bench = Bench()
        #expect(bench.state == .suspect)
        #expect(bench.machine.status(at: bench.now).network.evidence == ["starting"])
        #expect(bench.machine.connectivity.state == .localNetworkOnly)
        bench.run(for: .milliseconds(20))
        #expect(bench.state == .reachable)
        #expect(bench.machine.connectivity.state == .online)
    }

    @Test("A ping is no proof of a hub that was never reached: T1 later it is dark")
    func startByPing() {
        var bench = Bench()
        bench.hub = .silent
        bench.echo = .responded
        #expect(bench.play("xxxxxxxxxxxx") == "ssssssssssBB")
        #expect(bench.causes == [.service])
    }

    @Test("A network cause on disk makes the start unreachable, and one success ends it")
    func takenOver() {
        var bench = Bench(startup: StartupState(networkWasDown: true))
        #expect(bench.state == .unreachable)
        #expect(bench.causes == [.network])
        bench.run(for: .milliseconds(20))
        #expect(bench.state == .reachable)
        #expect(bench.causes == [])
    }

    @Test("A silent blackhole is suspected by a ping, confirmed at T1 and left after three of four and T2")
    func blackhole() {
        var bench = Bench.reachable(NetworkSettings(pingInterval: .seconds(4), intervalJitterPerMille: 0))
        // The ping at 4 s times out at 5 s; T1 ends at 13 s.
        #expect(bench.play("xxxxxxxxxxxxxx") == "----ssssssssDD")
        #expect(bench.switches == [.offline])
        let draw = bench.play("oooooooooooooooooo")
        #expect(draw.hasPrefix("U") || draw.hasPrefix("D"))
        #expect(draw.contains("UUUUUUUUUU-"))
        #expect(bench.switches == [.offline, .online])
    }

    @Test("An outage shorter than T1 switches nothing")
    func shortOutage() {
        var bench = Bench.reachable(NetworkSettings(pingInterval: .seconds(1), intervalJitterPerMille: 0))
        #expect(bench.play("oxxxxxxxoooxxxxxxxooo").allSatisfy { "-s".contains($0) })
        #expect(bench.switches == [])
    }

    @Test("T1 starts at the first failure and is never restarted by a later one")
    func debounceOnce() {
        var bench = Bench.reachable(NetworkSettings(debounce: .seconds(8)))
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        let first = bench.now
        for _ in 0..<7 {
            bench.run(for: .seconds(1))
            bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
            #expect(bench.machine.status(at: bench.now).network.deadline == first + .seconds(8))
        }
        #expect(bench.time(until: .unreachable) == .seconds(1))
    }

    @Test("No fault is confirmed before one full confirmation round has failed")
    func fullRound() {
        var bench = Bench.reachable(NetworkSettings(debounce: .seconds(1)))
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        // The last ping is sent at 2.375 s and times out 1 s later.
        #expect(bench.time(until: .unreachable) == .milliseconds(3_375))
    }

    @Test(
        "An idle till finds a silent blackhole within 26 s with responses to pings and 28 s without",
        arguments: 1...200)
    func detection(seed: Int) throws {
        for (echo, limit) in [(Bench.Echo?.none, 26), (.unavailable, 28)] {
            var bench = Bench.reachable(seed: UInt64(seed), echo: echo)
            bench.run(for: .seconds(100 + seed))
            bench.hub = .silent
            let found = bench.time(until: .unreachable)
            let took = try #require(found)
            #expect(took >= .seconds(8) && took <= .seconds(limit))
        }
    }

    @Test("With T1 of 3 s and traffic a silent blackhole is confirmed between 3 and 12 s", arguments: 1...50)
    func traffic(seed: Int) throws {
        var bench = Bench.reachable(NetworkSettings(debounce: .seconds(3)), seed: UInt64(seed))
        bench.run(for: .milliseconds(313 * seed))
        bench.hub = .silent
        bench.run(for: .seconds(3))
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now - .seconds(3)))
        let found = bench.time(until: .unreachable)
        let took = try #require(found) + .seconds(3)
        #expect(took >= .seconds(3) && took <= .seconds(12))
    }

    @Test("Five carrier drops of 1.2 s switch nothing")
    func carrierDrops() {
        var bench = Bench.reachable()
        for _ in 0..<5 {
            bench.feed(.pathChanged(Bench.noPath))
            #expect(bench.state == .suspect)
            bench.hub = .silent
            bench.run(for: .milliseconds(1_200))
            bench.feed(.pathChanged(Bench.ethernet))
            bench.hub = .responses
            bench.run(for: .milliseconds(800))
            #expect(bench.state == .reachable)
        }
        #expect(bench.switches == [])
    }

    @Test("Without a path T1 is the shorter one, and a longer one that runs is shortened from its start")
    func pathLost() {
        var bench = Bench.reachable()
        bench.hub = .silent
        bench.feed(.pathChanged(Bench.noPath))
        #expect(bench.time(until: .unreachable) == .seconds(5))

        bench = Bench.reachable()
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        bench.run(for: .seconds(2))
        bench.feed(.pathChanged(Bench.noPath))
        #expect(bench.time(until: .unreachable) == .seconds(3))
    }

    @Test("A path that is back is probed before it counts as reachable")
    func pathBack() {
        var bench = Bench.reachable()
        bench.hub = .silent
        bench.feed(.pathChanged(Bench.noPath))
        bench.run(for: .seconds(1))
        bench.hub = .responses
        bench.feed(.pathChanged(Bench.ethernet))
        bench.effects = []
        bench.run(for: .milliseconds(499))
        #expect(bench.state == .suspect)
        #expect(bench.effects.isEmpty)
        bench.run(for: .milliseconds(1))
        #expect(bench.sent(\.isHubProbe).count == 1)
        #expect(bench.state == .suspect)
        bench.run(for: .milliseconds(20))
        #expect(bench.state == .reachable)
    }

    @Test("A path that is lost again before it has settled was never back")
    func flutteringPath() {
        var bench = Bench.reachable()
        bench.hub = .silent
        var waited = Duration.zero
        while bench.state != .unreachable, waited < .seconds(20) {
            bench.feed(.pathChanged(Bench.noPath))
            bench.run(for: .milliseconds(300))
            bench.feed(.pathChanged(Bench.ethernet))
            bench.run(for: .milliseconds(300))
            waited += .milliseconds(600)
        }
        #expect(waited >= .seconds(5) && waited <= .seconds(6))
    }

    @Test("A ping ends no suspicion by silence of the hub, by a portal, by TLS or by a refused connection")
    func pingEndsNoSilence() {
        for hub in [Bench.Hub.silent, .portal, .refuses] {
            var bench = Bench.reachable()
            bench.hub = hub
            bench.echo = .responded
            bench.feed(
                .requestFinished(
                    RequestOutcome(
                        api: Bench.push,
                        outcome: hub == .silent
                            ? .network(.silent) : hub == .portal ? .portal(.redirect) : .network(.tls),
                        startedAt: bench.now, firstByteAt: nil, finishedAt: bench.now)))
            bench.run(for: .milliseconds(10))
            #expect(bench.state == .suspect)
            bench.run(for: .seconds(9))
            #expect(bench.causes == [hub == .portal ? .network : .service])
            #expect(bench.machine.connectivity.captivePortalSuspected == (hub == .portal))
        }
    }

    @Test("A ping never ends unreachable")
    func pingLeavesNothing() {
        var bench = Bench.reachable()
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        #expect(bench.time(until: .unreachable) != nil)
        bench.feed(.pingFinished(bench.tag, .responded(roundTrip: .zero)))
        #expect(bench.state == .unreachable)
        bench.echo = .responded
        bench.run(for: .seconds(120))
        #expect(bench.state == .unreachable)
    }

    @Test("Ping silence on a path where no ping ever got a response is no evidence")
    func silenceIsNoEvidence() {
        var bench = Bench.reachable(echo: .unavailable)
        bench = Bench(NetworkSettings())
        bench.echo = .lost
        bench.feed(.pathChanged(Bench.ethernet))
        bench.run(for: .seconds(1_000))
        #expect(bench.state == .reachable)
        #expect(bench.switches == [])
    }

    @Test("Where no ping ever got a response the hub is probed at the ping's interval")
    func probesInsteadOfPings() {
        var bench = Bench()
        bench.echo = .lost
        bench.feed(.pathChanged(Bench.ethernet))
        bench.run(for: .seconds(3_600))
        let probes = bench.sent(\.isHubProbe).count
        #expect(probes >= 225 && probes <= 260)
        #expect(probes + bench.sent(\.isPing).count <= 320)
    }

    @Test(
        "A silent blackhole is found as soon where the hub responded before the first ping",
        arguments: 1...20)
    func responseBeforeFirstPing(seed: UInt64) throws {
        var bench = Bench(seed: seed)
        bench.echo = .lost
        bench.run(for: .milliseconds(30))
        // The first ping's response comes after the probe's.
        bench.feed(.pingFinished(bench.tag, .responded(roundTrip: .milliseconds(30))))
        bench.echo = nil
        bench.run(for: .seconds(20))
        bench.hub = .silent
        let found = bench.time(until: .unreachable)
        #expect(try #require(found) <= .seconds(26))
    }

    @Test("A silent blackhole is found as soon where pings became unavailable before it", arguments: 1...20)
    func pingsLostAmidst(seed: UInt64) throws {
        var bench = Bench.reachable(seed: seed)
        bench.feed(.pingFinished(bench.tag, .unavailable))
        bench.echo = .unavailable
        bench.run(for: .seconds(17))
        bench.hub = .silent
        let found = bench.time(until: .unreachable)
        #expect(try #require(found) <= .seconds(28))
    }

    @Test("An idle till sends at most 300 probes an hour, one with traffic none")
    func probeBudget() {
        var bench = Bench.reachable()
        bench.run(for: .seconds(3_600))
        #expect(bench.sent(\.isHubProbe).count + bench.sent(\.isPing).count <= 305)
        bench = Bench.reachable()
        for _ in 0..<360 {
            bench.feed(.requestFinished(success(at: bench.now)))
            bench.run(for: .seconds(10))
        }
        #expect(bench.effects.filter { $0.effect.isHubProbe || $0.effect.isPing }.isEmpty)
    }

    @Test("A response of an older path id changes nothing")
    func oldEpoch() {
        var bench = Bench.reachable()
        let old = bench.tag
        var other = Bench.ethernet
        other = PathStatus(
            isUsable: true, interface: "wlan0", transport: .wifi, isMetered: false, isConstrained: false,
            route: "wlan0")
        bench.feed(.pathChanged(other))
        let before = bench.machine.network
        for event in [
            OfflineEvent.probeFinished(old, .hub, .failed(.silent)),
            .probeFinished(old, .hub, .portal(.redirect)), .probeFinished(old, .internet, .failed(.dns)),
            .pingFinished(old, .timedOut), .pingFinished(old, .unavailable),
        ] {
            bench.feed(event)
            #expect(bench.machine.network == before)
        }
    }

    @Test("Suspension confirms no fault: T1 starts again after it")
    func suspended() {
        var bench = Bench.reachable()
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        bench.run(for: .seconds(7))
        bench.feed(.clockGapObserved(.seconds(600)))
        #expect(bench.machine.status(at: bench.now).network.deadline == nil)
        bench.run(for: .seconds(11))
        #expect(bench.state == .suspect)
        bench.run(for: .seconds(1))
        #expect(bench.state == .unreachable)
    }

    @Test(
        "A machine that dozes again and again finds darkness by its time awake, and the way back",
        arguments: [2, 3, 6, 9])
    func dozing(awake seconds: Int64) throws {
        var bench = Bench.reachable()
        bench.hub = .silent
        var awake = Duration.zero
        func doze(until state: NetworkStatus.State, _ bench: inout Bench) {
            awake = .zero
            while bench.state != state, awake < .seconds(90) {
                bench.run(for: .seconds(seconds))
                bench.feed(.clockGapObserved(.milliseconds(1_500)))
                awake += .seconds(seconds)
            }
        }
        doze(until: .unreachable, &bench)
        // Until the next check (at most 16.5 s), twice settling and a round, then T1 and a last round.
        #expect(awake <= .seconds(36))
        bench.hub = .responses
        doze(until: .reachable, &bench)
        #expect(awake <= .seconds(34))
        #expect(bench.state == .reachable)
    }

    @Test("A late timer confirms no fault; the second in one run does after a new round")
    func lateTimers() {
        var bench = Bench.reachable()
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        bench.now = bench.now + .seconds(30)
        bench.feed(.deadlineReached)
        #expect(bench.state == .suspect)
        #expect(bench.machine.status(at: bench.now).network.deadline == nil)
        bench.run(for: .seconds(5))
        let commits = bench.machine.status(at: bench.now).network.deadline
        #expect(commits != nil)
        bench.now = bench.now + .seconds(30)
        bench.feed(.deadlineReached)
        #expect(bench.state == .suspect)
        #expect(bench.machine.status(at: bench.now).network.deadline == commits)
        #expect(bench.time(until: .unreachable) == .milliseconds(3_375))
    }

    @Test("A success counts when its first byte arrived after T1 began, and on this path")
    func qualifiedSuccess() {
        var bench = Bench.reachable()
        bench.hub = .silent
        bench.run(for: .seconds(1))
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        let opened = bench.now
        bench.run(for: .seconds(1))
        bench.feed(.requestFinished(success(at: bench.now, firstByteAt: opened - .milliseconds(1))))
        #expect(bench.state == .suspect)
        bench.feed(.requestFinished(success(at: bench.now, firstByteAt: opened)))
        #expect(bench.state == .reachable)
    }

    @Test("A person's retry probes at once in every state")
    func retry() {
        var bench = Bench.reachable()
        for state in [NetworkStatus.State.reachable, .suspect, .unreachable, .recovering] {
            if state == .suspect {
                bench.run(for: .milliseconds(20))
                bench.hub = .silent
            }
            if state == .suspect { bench.feed(.requestStalled(Bench.push, startedAt: bench.now)) }
            if state == .recovering { bench.hub = .responses }
            #expect(bench.time(until: state) != nil)
            // Between two rounds; while one runs a retry changes nothing.
            if state == .suspect { bench.run(for: .milliseconds(3_375)) }
            bench.effects = []
            bench.feed(.retryRequested)
            #expect(bench.sent(\.isHubProbe).count == (state == .suspect ? 0 : 1))
        }
    }

    private func success(at now: Instant, firstByteAt: Instant? = nil) -> RequestOutcome {
        RequestOutcome(
            api: Bench.push, outcome: .success, startedAt: now - .milliseconds(30),
            firstByteAt: firstByteAt ?? now, finishedAt: now)
    }
}
