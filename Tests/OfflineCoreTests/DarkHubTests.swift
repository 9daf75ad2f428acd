import Base
import Testing

@testable import OfflineCore

/// A hub that responds to nothing while the network to it works: its port drops packets, accepts and stays
/// silent, or never finishes a TLS handshake. The terminal cannot distinguish them except by when a push is
/// known to fail.
@Suite("A dark hub")
struct DarkHubTests {
    enum Darkness: CaseIterable {
        /// Nothing connects: a push fails at its own deadline.
        case portDropped
        /// TCP connects and no byte comes, during the TLS handshake or after it: a push stalls after 3 s.
        case silent
    }

    /// Without jitter, so that the timelines are exact: an idle probe is sent 1 s after the hub became
    /// dark.
    private static func settings(
        probesInternet: Bool = false, probeInterval: Duration = .seconds(5)
    ) -> NetworkSettings {
        NetworkSettings(
            probeInterval: probeInterval, intervalJitterPerMille: 0, outageJitterPerMille: 0,
            probesInternet: probesInternet)
    }

    private static func bench(
        _ darkness: Darkness, probesInternet: Bool = false, echo: Bench.Echo = .responded,
        probeInterval: Duration = .seconds(5)
    ) -> Bench {
        var bench = Bench.reachable(
            settings(probesInternet: probesInternet, probeInterval: probeInterval))
        bench.run(for: .seconds(3))
        bench.echo = echo
        bench.pushStalls = darkness == .silent
        bench.hub = .silent
        return bench
    }

    @Test(
        "Idle, with responses to pings, it is offline T1 after the first failed probe, by the hub"
    )
    func idle() {
        var bench = Self.bench(.portDropped)
        #expect(bench.play("xxxxxxxxxxxxxxxxxx") == "----ssssssssBBBBBB")
        expectDark(bench)
    }

    @Test("Selling, with responses to pings, it is offline T1 after the first push that failed or stalled")
    func selling() {
        var silent = Self.bench(.silent)
        #expect(silent.play("xxxxxxxxxxxxxx", pushEvery: 2) == "--ssssssssBBBB")
        expectDark(silent)
        var dropped = Self.bench(.portDropped)
        // The idle probe is sooner than the push, which has 10 s to connect.
        #expect(dropped.play("xxxxxxxxxxxxxxxx", pushEvery: 2) == "----ssssssssBBBB")
        expectDark(dropped)
    }

    @Test(
        "Without responses to pings the cause is the network, at the same time", arguments: Darkness.allCases)
    func withoutPings(darkness: Darkness) {
        for echo in [Bench.Echo.lost, .unavailable] {
            var bench = Self.bench(darkness, echo: echo)
            let draw = bench.play("xxxxxxxxxxxxxxxx", pushEvery: 2)
            #expect(draw.hasSuffix("D") && draw.drop { $0 == "-" }.hasPrefix("ssssssssD"), "\(draw)")
            #expect(bench.causes == [.network])
            #expect(!bench.evidence.contains("hubDark"))
        }
    }

    @Test(
        "With an independent address it alone decides the cause, whatever pings show",
        arguments: Darkness.allCases, [true, false])
    func independentAddress(darkness: Darkness, responses: Bool) {
        for echo in [Bench.Echo.responded, .lost] {
            var bench = Self.bench(darkness, probesInternet: true, echo: echo)
            bench.internetResponds = responses
            let draw = bench.play("xxxxxxxxxxxxxxxx", pushEvery: 2)
            #expect(draw.hasSuffix(responses ? "B" : "D"), "\(draw)")
            #expect(bench.causes == [responses ? .service : .network])
            let status = bench.machine.status(at: bench.now)
            #expect(status.network.internetResponds == responses)
        }
    }

    @Test("A hub that refuses is dark as well where its machine responds to pings")
    func refuses() {
        var bench = Self.bench(.portDropped)
        bench.hub = .refuses
        #expect(bench.play("rrrrrrrrrrrrrr") == "-ssssssssBBBBB")
        expectDark(bench)
    }

    @Test("Neither a login page nor a name without address is a dark hub, even if pings get responses")
    func notDark() {
        for result in [ProbeResult.portal(.redirect), .failed(.dns)] {
            var bench = Self.bench(.silent)
            bench.probeResult = result
            bench.feed(.probeFinished(bench.tag, .hub, result))
            bench.run(for: .seconds(9))
            #expect(bench.causes == [.network])
        }
    }

    @Test("A response that arrives before T1's end cancels T1: a slow hub is at worst degraded")
    func slowHub() {
        for (takes, isOffline) in [(Duration.milliseconds(7_900), false), (.milliseconds(8_100), true)] {
            var bench = Self.bench(.silent)
            bench.probeTakes = takes
            bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
            for _ in 0..<79 {
                bench.run(for: .milliseconds(100))
                #expect(bench.machine.connectivity.state != .backendDown)
                #expect(bench.causes.isEmpty)
            }
            bench.run(for: .milliseconds(150))
            #expect(bench.causes == (isOffline ? [.service] : []))
            #expect(bench.state == .reachable)
        }
    }

    @Test(
        "A response to a ping ends only a suspicion of missing pings; the silence of its probe opens another"
    )
    func pingsEndPings() {
        var bench = Self.bench(.silent, echo: .lost, probeInterval: .seconds(60))
        #expect(bench.time(until: .suspect) != nil)
        #expect(bench.evidence == ["ping:timeout"])
        bench.feed(.pingFinished(bench.tag, .responded(roundTrip: .zero)))
        #expect(bench.state == .reachable)
        bench.echo = .responded
        bench.run(for: .milliseconds(2_999))
        #expect(bench.state == .reachable)
        bench.run(for: .milliseconds(1))
        #expect(bench.state == .suspect)
        for _ in 0..<20 { bench.feed(.pingFinished(bench.tag, .responded(roundTrip: .zero))) }
        bench.run(for: .seconds(8))
        expectDark(bench)
    }

    @Test("A healthy decision of QoS does not clear it, it has no lease and no canary, and recovery ends it")
    func qos() throws {
        var bench = Self.bench(.silent)
        _ = bench.play("xxxxxxxxxxxx", pushEvery: 1)
        expectDark(bench)
        bench.effects = []
        let healthy = ServiceDecision(
            service: "order", state: .healthy, scope: .global, generation: 7, reason: nil, source: .reports,
            validity: .seconds(90), pollAfter: .seconds(5), resume: nil)
        bench.feed(.qosResponded(QoSResponse(issuer: "hub", decisions: [healthy]), tag: 1, sentAt: bench.now))
        bench.run(for: .seconds(400))
        expectDark(bench)
        let queried = bench.effects.filter {
            switch $0.effect {
            case .queryQoS, .reportQoS, .sendCanary: true
            default: false
            }
        }
        #expect(queried.isEmpty)
        bench.hub = .responses
        let found = bench.time(until: .recovering)
        let back = try #require(found)
        // The cap of 15 s; without jitter here.
        #expect(back <= .seconds(15))
        #expect(bench.causes == [.service])
        #expect(bench.time(until: .reachable) == .seconds(10))
        #expect(bench.causes == [])
    }

    private static func query(_ outcome: OutcomeClass, at now: Instant) -> OfflineEvent {
        .requestFinished(
            RequestOutcome(
                api: APIRoute(method: "GET", template: "/v1/qos/decisions"), outcome: outcome,
                startedAt: now - .seconds(3), firstByteAt: outcome == .success ? now : nil, finishedAt: now))
    }

    @Test(
        "Silence of QoS makes an idle till probe at once: offline T1 and a probe later where the hub is dark")
    func silentQuery() {
        var bench = Self.bench(.silent)
        bench.feed(Self.query(.success, at: bench.now))
        bench.run(for: .seconds(3))
        bench.feed(Self.query(.network(.silent), at: bench.now))
        #expect(bench.play("xxxxxxxxxxxx") == "--ssssssssBB")
        expectDark(bench)
    }

    @Test("Silence of QoS alone costs a probe each time, opens no suspicion and degrades nothing")
    func silentQoS() {
        var bench = Bench.reachable()
        bench.run(for: .seconds(5))
        for _ in 0..<40 {
            bench.effects = []
            bench.feed(Self.query(.network(.silent), at: bench.now))
            #expect(bench.sent(\.isHubProbe).count == 1)
            for _ in 0..<3 {
                #expect(bench.state == .reachable)
                bench.run(for: .seconds(1))
            }
        }
        #expect(bench.machine.connectivity.state == .online)
        #expect(bench.switches == [])
    }

    @Test("Every call is handled locally with it")
    func local() {
        var bench = Self.bench(.portDropped)
        _ = bench.play("xxxxxxxxxxxxxxxx")
        for service in ["order", "payment", "member"] { #expect(bench.machine.isLocal(service)) }
    }

    @Test("Five stalled pushes are no evidence on the service once the hub is back")
    func noTripAfterwards() {
        var bench = Self.bench(.silent)
        _ = bench.play(String(repeating: "x", count: 40), pushEvery: 2)
        bench.hub = .responses
        #expect(bench.time(until: .recovering) != nil)
        #expect(bench.time(until: .reachable) != nil)
        bench.run(for: .seconds(20))
        #expect(bench.causes == [])
        #expect(bench.machine.status(at: bench.now).services.allSatisfy { $0.state == .healthy })
    }

    private func expectDark(_ bench: Bench, sourceLocation: SourceLocation = #_sourceLocation) {
        let status = bench.machine.status(at: bench.now)
        #expect(status.causes == [.service], sourceLocation: sourceLocation)
        #expect(status.connectivity.state == .backendDown, sourceLocation: sourceLocation)
        #expect(status.network.evidence.contains("hubDark"), sourceLocation: sourceLocation)
        let order = status.services.first { $0.service == "order" }
        #expect(order?.state == .faulty && order?.source == .local, sourceLocation: sourceLocation)
        #expect(!status.network.internetResponds, sourceLocation: sourceLocation)
    }
}
