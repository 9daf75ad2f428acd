import Testing

@testable import OfflineCore

/// A hub that responds to nothing while the way to it works: its port drops packets, accepts and stays
/// silent, or never finishes a TLS handshake. All three look alike from here but for when a push is known
/// to fail.
@Suite("A dark hub")
struct DarkHubTests {
    enum Darkness: CaseIterable {
        /// Nothing connects: a push fails at its own deadline.
        case portDropped
        /// TCP stands and no byte comes, be it in or behind the TLS handshake: a push stalls after 3 s.
        case silent
    }

    /// Without jitter, so that the timelines can be drawn: an idle probe goes out 1 s after the hub went
    /// dark.
    private static func settings(asksInternet: Bool = false) -> NetworkSettings {
        NetworkSettings(
            probeInterval: .seconds(5), intervalJitterPerMille: 0, outageJitterPerMille: 0,
            asksInternet: asksInternet)
    }

    private static func bench(
        _ darkness: Darkness, asksInternet: Bool = false, echo: Bench.Echo = .answered
    ) -> Bench {
        var bench = Bench.reachable(settings(asksInternet: asksInternet))
        bench.run(for: .seconds(3))
        bench.echo = echo
        bench.pushStalls = darkness == .silent
        bench.hub = .silent
        return bench
    }

    @Test(
        "Idle, with ping answers, it is offline T1 after the first probe that failed, and the cause is the hub"
    )
    func idle() {
        var bench = Self.bench(.portDropped)
        #expect(bench.play("xxxxxxxxxxxxxxxxxx") == "----ssssssssBBBBBB")
        expectDark(bench)
    }

    @Test("Selling, with ping answers, it is offline T1 after the first push that failed or stalled")
    func selling() {
        var silent = Self.bench(.silent)
        #expect(silent.play("xxxxxxxxxxxxxx", pushEvery: 2) == "--ssssssssBBBB")
        expectDark(silent)
        var dropped = Self.bench(.portDropped)
        // The idle probe is sooner than the push, which has 10 s to connect.
        #expect(dropped.play("xxxxxxxxxxxxxxxx", pushEvery: 2) == "----ssssssssBBBB")
        expectDark(dropped)
    }

    @Test("Without ping answers the cause is the network, at the same time", arguments: Darkness.allCases)
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
        "With an independent address it alone says why, whatever pings say",
        arguments: Darkness.allCases, [true, false])
    func independentAddress(darkness: Darkness, answers: Bool) {
        for echo in [Bench.Echo.answered, .lost] {
            var bench = Self.bench(darkness, asksInternet: true, echo: echo)
            bench.internetAnswers = answers
            let draw = bench.play("xxxxxxxxxxxxxxxx", pushEvery: 2)
            #expect(draw.hasSuffix(answers ? "B" : "D"), "\(draw)")
            #expect(bench.causes == [answers ? .service : .network])
            let status = bench.machine.status(at: bench.now)
            #expect(status.network.internetAnswers == answers)
        }
    }

    @Test("A hub that refuses is dark as well where its machine answers pings")
    func refuses() {
        var bench = Self.bench(.portDropped)
        bench.hub = .refuses
        #expect(bench.play("rrrrrrrrrrrrrr") == "-ssssssssBBBBB")
        expectDark(bench)
    }

    @Test("Neither a login page nor a name without address is a dark hub, though pings are answered")
    func notDark() {
        for result in [ProbeResult.portal(.redirect), .failed(.dns)] {
            var bench = Self.bench(.silent)
            bench.probeResult = result
            bench.feed(.probeFinished(bench.tag, .hub, result))
            bench.run(for: .seconds(9))
            #expect(bench.causes == [.network])
        }
    }

    @Test("A response that arrives before T1's end, cancels T1: a slow hub is at worst degraded")
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
        "A ping answer ends only what missing pings opened; the silence of that suspicion's probe opens another"
    )
    func pingsEndPings() {
        var bench = Self.bench(.silent, echo: .lost)
        bench.feed(.pingFinished(bench.sentPing(), .timedOut))
        #expect(bench.state == .suspect)
        bench.feed(.pingFinished(bench.tag, .answered(roundTrip: .zero)))
        #expect(bench.state == .reachable)
        bench.echo = .answered
        bench.run(for: .milliseconds(2_999))
        #expect(bench.state == .reachable)
        bench.run(for: .milliseconds(1))
        #expect(bench.state == .suspect)
        for _ in 0..<20 { bench.feed(.pingFinished(bench.tag, .answered(roundTrip: .zero))) }
        bench.run(for: .seconds(8))
        expectDark(bench)
    }

    @Test("QoS saying healthy does not clear it, no lease and no canary belongs to it, and recovery ends it")
    func qos() throws {
        var bench = Self.bench(.silent)
        _ = bench.play("xxxxxxxxxxxx", pushEvery: 1)
        expectDark(bench)
        bench.effects = []
        let healthy = ServiceDecision(
            service: "order", state: .healthy, scope: .global, generation: 7, reason: nil, source: .reports,
            validity: .seconds(90), pollAfter: .seconds(5), resume: nil)
        bench.feed(.qosAnswered(QoSAnswer(issuer: "hub", decisions: [healthy]), tag: 1, sentAt: bench.now))
        bench.run(for: .seconds(400))
        expectDark(bench)
        let asked = bench.effects.filter {
            switch $0.effect {
            case .queryQoS, .reportQoS, .sendCanary: true
            default: false
            }
        }
        #expect(asked.isEmpty)
        bench.hub = .answers
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

    @Test("QoS silent alone costs a probe each time, opens no suspicion and degrades nothing")
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

    @Test("Every call goes local with it")
    func local() {
        var bench = Self.bench(.portDropped)
        _ = bench.play("xxxxxxxxxxxxxxxx")
        for service in ["order", "payment", "member"] { #expect(bench.machine.isLocal(service)) }
    }

    @Test("Five pushes that hang are no evidence against the service once the hub is back")
    func noTripAfterwards() {
        var bench = Self.bench(.silent)
        _ = bench.play(String(repeating: "x", count: 40), pushEvery: 2)
        bench.hub = .answers
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
        #expect(!status.network.internetAnswers, sourceLocation: sourceLocation)
    }
}
