import Base
import Testing

@testable import OfflineCore

@Suite("Connectivity snapshot")
struct ConnectivitySnapshotTests {
    typealias Snapshot = ConnectivitySnapshot

    private func inputs(
        wayOut: Snapshot.WayOut = .open, isPathLost: Bool = false, isHubAlone: Bool = false,
        isHubDark: Bool = false, isBackendDown: Bool = false, isAccountBlocked: Bool = false,
        isThrottled: Bool = false,
        isDegraded: Bool = false, isManual: Bool = false, _ change: (inout NetworkSignals) -> Void = { _ in }
    ) -> Snapshot.Inputs {
        var signals = NetworkSignals()
        change(&signals)
        return Snapshot.Inputs(
            signals: signals, path: Bench.ethernet, wayOut: wayOut, isPathLost: isPathLost,
            isHubAlone: isHubAlone,
            isHubDark: isHubDark, isBackendDown: isBackendDown, isAccountBlocked: isAccountBlocked,
            throttledUntil: isThrottled ? at(60) : nil, isDegraded: isDegraded, failing: nil,
            isManual: isManual)
    }

    @Test("When all states apply at once, the earlier ones have priority")
    func dominance() {
        func state(_ count: Int) -> Snapshot.State {
            Snapshot(
                deriving: inputs(
                    wayOut: count > 1 ? .open : .closed, isPathLost: count == 0, isBackendDown: count < 4,
                    isAccountBlocked: count < 3, isDegraded: count < 5)
            ).state
        }
        #expect(
            (0..<6).map(state) == [
                .offline, .localNetworkOnly, .authBlocked, .backendDown, .onlineDegraded, .online,
            ])
    }

    @Test(
        "Each kind of response in the hub's place has its own reason",
        arguments: [
            (PortalEvidence.redirect, Snapshot.Reason.captivePortal, true),
            (.foreignBody, .captivePortal, true), (.foreignNonce, .captivePortal, true),
            (.foreignCertificate, .captivePortal, true), (.foreignName, .tlsError, true),
            (.expiredCertificate, .tlsError, false),
        ])
    func portals(portal: PortalEvidence, reason: Snapshot.Reason, isPortal: Bool) {
        var bench = Bench.reachable()
        bench.feed(.probeFinished(bench.tag, .hub, .portal(portal)))
        let snapshot = bench.machine.connectivity
        #expect(snapshot.state == .localNetworkOnly)
        #expect(snapshot.reason == reason)
        #expect(snapshot.captivePortalSuspected == isPortal)
    }

    @Test(
        "Each kind of failure to reach the hub has its reason, from the outage on",
        arguments: [
            (NetworkFailure.dns, Snapshot.Reason.dnsFail), (.connect, .connectFail), (.reset, .connectFail),
            (.connectTimeout, .timeout), (.silent, .timeout), (.tls, .tlsError),
        ])
    func failures(failure: NetworkFailure, reason: Snapshot.Reason) {
        var bench = Bench.reachable()
        bench.hub = .silent
        bench.feed(.probeFinished(bench.tag, .hub, .failed(failure)))
        #expect(bench.machine.connectivity.state == .online)
        _ = bench.time(until: .unreachable)
        bench.feed(.probeFinished(bench.tag, .hub, .failed(failure)))
        #expect(bench.machine.connectivity.state == .localNetworkOnly)
        #expect(bench.machine.connectivity.reason == reason)
    }

    @Test("Only after T1 is the hub down, with a service cause; it is degraded once a round has failed")
    func hubAlone() {
        var bench = Bench.reachable(NetworkSettings(probesInternet: true))
        bench.internetResponds = true
        bench.hub = .refuses
        bench.echo = .lost
        bench.feed(.probeFinished(bench.tag, .hub, .failed(.connect)))
        bench.run(for: .seconds(5))
        #expect(bench.machine.connectivity.state == .onlineDegraded)
        #expect(bench.machine.connectivity.reason == .connectFail)
        #expect(bench.causes.isEmpty)
        bench.run(for: .seconds(5))
        #expect(bench.causes == [.service])
        #expect(bench.machine.connectivity.state == .backendDown)
    }

    @Test("A page in the hub's place is no captive portal of a network whose internet responds")
    func pageWithInternet() {
        for isDark in [false, true] {
            let snapshot = Snapshot(
                deriving: inputs(isHubAlone: true, isHubDark: isDark) { $0.portal = .foreignBody })
            #expect(snapshot.state == (isDark ? .backendDown : .onlineDegraded))
            #expect(!snapshot.captivePortalSuspected)
            #expect(snapshot.reason == .connectFail)
        }
    }

    private func ended(
        _ outcome: OutcomeClass, of api: APIRoute, at now: Instant, retryAfter: Duration? = nil
    ) -> OfflineEvent {
        .requestFinished(
            RequestOutcome(
                api: api, outcome: outcome, startedAt: now, firstByteAt: now, finishedAt: now,
                retryAfter: retryAfter))
    }

    @Test("a Retry-After of the core service is shown to its end, whatever else the hub serves")
    func keptThrottle() {
        let member = APIRoute(method: "GET", template: "/v1/members")
        var bench = Bench.reachable()
        let end = bench.now + .seconds(600)
        bench.feed(ended(.throttle(retryAfter: .seconds(600)), of: Bench.push, at: bench.now))
        bench.feed(ended(.success, of: member, at: bench.now))
        bench.feed(ended(.throttle(retryAfter: .seconds(1)), of: member, at: bench.now))
        bench.run(for: .seconds(599))
        #expect(bench.machine.connectivity.reason == .rateLimit)
        #expect(bench.machine.connectivity.rateLimitEnds == end)
        bench.run(for: .seconds(1))
        #expect(bench.machine.connectivity.reason == .none)
        #expect(bench.machine.connectivity.rateLimitEnds == nil)
        bench.feed(ended(.throttle(retryAfter: .seconds(600)), of: Bench.push, at: bench.now))
        bench.feed(ended(.success, of: Bench.push, at: bench.now))
        #expect(bench.machine.connectivity.reason == .none)
    }

    @Test("a 503 with Retry-After is shown as a rate limit once the hub serves other calls")
    func throttleOfUnwellHub() {
        var bench = Bench.reachable()
        bench.feed(
            ended(.service(.status(503)), of: Bench.push, at: bench.now, retryAfter: .seconds(60)))
        bench.feed(
            ended(.success, of: APIRoute(method: "GET", template: "/v1/members"), at: bench.now))
        #expect(bench.machine.connectivity.reason == .rateLimit)
        #expect(bench.machine.connectivity.rateLimitEnds == bench.now + .seconds(60))
    }

    @Test("429 makes the path constrained until its time is over, and is no outage")
    func throttle() {
        var bench = Bench.reachable()
        let outcome = RequestOutcome(
            api: Bench.push, outcome: .throttle(retryAfter: .seconds(20)), startedAt: bench.now,
            firstByteAt: bench.now, finishedAt: bench.now)
        bench.feed(.requestFinished(outcome))
        #expect(bench.machine.connectivity.state == .online)
        #expect(bench.machine.connectivity.isConstrained)
        #expect(bench.machine.connectivity.reason == .rateLimit)
        bench.run(for: .seconds(19))
        #expect(bench.machine.connectivity.isConstrained)
        bench.run(for: .seconds(2))
        #expect(!bench.machine.connectivity.isConstrained)
        #expect(bench.causes.isEmpty)
        bench.feed(.probeFinished(bench.tag, .hub, .respondedBadly(status: 429, roundTrip: .zero)))
        #expect(bench.machine.connectivity.state == .online)
        #expect(bench.machine.connectivity.reason == .rateLimit)
    }

    @Test("A start is connecting with the last run's good times, never online")
    func coldStart() {
        let good = Bench.start - .seconds(60)
        let bench = Bench(startup: StartupState(lastInternetOk: good, lastBackendOk: good))
        let snapshot = bench.machine.connectivity
        #expect(snapshot.state == .localNetworkOnly)
        #expect(snapshot.reason == .none)
        #expect(snapshot.lastBackendOk == good)
        #expect(snapshot.lastInternetOk == good)
    }

    @Test("Good times are stored for the next start at most once a minute")
    func keptTimes() {
        var bench = Bench.reachable()
        bench.effects = []
        for _ in 0..<600 {
            bench.run(for: .milliseconds(500))
            bench.feed(.probeFinished(bench.tag, .hub, .good(roundTrip: .zero)))
        }
        let kept = bench.effects.compactMap { at, effect in
            if case .saveLastRun(let run) = effect { run.lastBackendOk.map { at - $0 } } else { nil }
        }
        #expect((4...6).contains(kept.count))
        #expect(kept.allSatisfy { $0 < .seconds(1) })
    }

    @Test("Other settings apply from the next suspicion on; a running one keeps its end")
    func otherSettings() {
        var bench = Bench.reachable()
        bench.hub = .silent
        bench.echo = .lost
        bench.feed(.probeFinished(bench.tag, .hub, .failed(.silent)))
        let end = bench.machine.status(at: bench.now).network.deadline
        bench.feed(.settingsChanged(OfflineSettings(network: NetworkSettings(debounce: .seconds(20)))))
        #expect(bench.machine.status(at: bench.now).network.deadline == end)
        bench.hub = .responses
        bench.echo = nil
        _ = bench.time(until: .reachable)
        #expect(bench.machine.status(at: bench.now).network.debounce == .seconds(20))
        bench.hub = .silent
        bench.echo = .lost
        bench.feed(.probeFinished(bench.tag, .hub, .failed(.silent)))
        let began = bench.now
        #expect((bench.time(until: .unreachable) ?? .zero) >= .seconds(20))
        #expect(bench.now >= began + .seconds(20))
    }
}
