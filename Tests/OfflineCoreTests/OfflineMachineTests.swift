import Base
import Testing

@testable import OfflineCore

@Suite("Offline machine")
struct OfflineMachineTests {
    @Test("The causes are independent: none can clear another")
    func independent() {
        var bench = Bench.reachable()
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        _ = bench.time(until: .unreachable)
        let flag = ManualFlag(since: 0, by: nil, reason: nil)
        bench.feed(.manualRequested(ManualRequest(ticket: 1, flag: flag)))
        bench.run(for: .milliseconds(10))
        #expect(bench.causes == [.manual, .network])
        bench.hub = .responses
        _ = bench.time(until: .reachable)
        #expect(bench.causes == [.manual])
        #expect(bench.machine.status(at: bench.now).mode == .offline)
        #expect(bench.machine.connectivity.state == .online)
        #expect(bench.machine.connectivity.reason == .manual)
        bench.feed(.manualRequested(ManualRequest(ticket: 2, flag: nil)))
        bench.run(for: .milliseconds(10))
        #expect(bench.causes == [])
        #expect(bench.switches == [.offline, .online])
    }

    @Test("An offline period is written when it begins, grows and ends")
    func period() throws {
        var bench = Bench.reachable()
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        _ = bench.time(until: .unreachable)
        let start = bench.now
        let flag = ManualFlag(since: 0, by: nil, reason: nil)
        bench.feed(.manualRequested(ManualRequest(ticket: 1, flag: flag)))
        bench.run(for: .seconds(1))
        bench.feed(.manualRequested(ManualRequest(ticket: 2, flag: nil)))
        bench.hub = .responses
        _ = bench.time(until: .reachable)
        let periods = bench.effects.compactMap {
            if case .recordPeriod(let period) = $0.effect { period } else { nil }
        }
        #expect(periods.allSatisfy { $0.start == start })
        #expect(periods.first?.causes == [.network])
        #expect(periods.first?.evidence == ["request:stalled", "ping:timeout", "probe:silent"])
        let last = try #require(periods.last)
        #expect(last.end == bench.now)
        #expect(last.causes == [.manual, .network])
        #expect(periods.dropLast().allSatisfy { $0.end == nil })
    }

    @Test("The network cause is stored for the next start when it begins and when it ends")
    func lastRun() {
        var bench = Bench.reachable()
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        _ = bench.time(until: .unreachable)
        bench.hub = .responses
        _ = bench.time(until: .reachable)
        let kept = bench.effects.compactMap {
            if case .saveLastRun(let run) = $0.effect { run.networkIsDown } else { nil }
        }
        #expect(kept == [true, false])
    }

    @Test("A stall counts for the service when the round succeeds, and once though it is reported twice")
    func stallOfTheService() {
        var bench = Bench.reachable()
        let before = bench.machine.services
        for index in 0..<5 {
            let started = bench.now
            bench.run(for: .seconds(3))
            bench.feed(.requestStalled(Bench.push, startedAt: started))
            #expect(bench.state == .suspect)
            if index == 0 { #expect(bench.machine.services.windows == before.windows) }
            bench.run(for: .seconds(1))
            #expect(bench.state == .reachable)
            bench.feed(.requestFinished(silent(from: started, at: bench.now)))
            #expect(bench.state == .reachable)
        }
        // Five in a row trip `order`, so QoS is queried.
        #expect(bench.effects.contains { if case .queryQoS = $0.effect { true } else { false } })
        #expect(bench.machine.stalls.isEmpty)
    }

    @Test("A stall counts for the network when the round fails: the service stays healthy")
    func stallOfTheNetwork() {
        var bench = Bench.reachable()
        bench.hub = .silent
        for _ in 0..<6 { bench.feed(.requestStalled(Bench.push, startedAt: bench.now)) }
        _ = bench.time(until: .unreachable)
        bench.hub = .responses
        _ = bench.time(until: .reachable)
        bench.run(for: .seconds(30))
        #expect(bench.machine.status(at: bench.now).services.allSatisfy { $0.state == .healthy })
    }

    @Test("the account is blocked for as long as the outbox says so, without an offline cause")
    func account() {
        var bench = Bench.reachable()
        bench.feed(.requestFinished(ended(.auth(status: 401), at: bench.now)))
        #expect(bench.machine.connectivity.state == .online)
        bench.feed(.deliveryChanged(DeliveryState(trouble: .account)))
        #expect(bench.causes == [])
        #expect(bench.machine.connectivity.state == .authBlocked)
        #expect(bench.machine.connectivity.reason == .http401)
        bench.feed(.requestFinished(ended(.success, at: bench.now)))
        #expect(bench.machine.connectivity.state == .authBlocked)
        bench.feed(.deliveryChanged(.well))
        #expect(bench.machine.connectivity.state == .online)
    }

    @Test("an entry that fails by itself does not degrade the connection, others do")
    func entryInTrouble() {
        var bench = Bench.reachable()
        for _ in 0..<3 {
            bench.feed(.requestFinished(ended(.service(.status(500)), at: bench.now)))
        }
        #expect(bench.machine.connectivity.coreCallsFail)
        bench.feed(.deliveryChanged(DeliveryState(entries: 1)))
        #expect(!bench.machine.connectivity.coreCallsFail)
        #expect(bench.machine.status(at: bench.now).delivery.entries == 1)
        let trouble = DeliveryState(trouble: .entries(.http5xx, problem: "500"), entries: 2)
        bench.feed(.deliveryChanged(trouble))
        #expect(bench.machine.connectivity.state == .onlineDegraded)
    }

    @Test("a route in trouble is degraded with its reason, and its refusals are evidence on `order`")
    func routeInTrouble() {
        var bench = Bench.reachable()
        let trouble = DeliveryState(trouble: .route(.http5xx, problem: "404 : no reason"))
        bench.feed(.deliveryChanged(trouble))
        #expect(bench.machine.connectivity.state == .onlineDegraded)
        #expect(bench.machine.connectivity.reason == .http5xx)
        #expect(bench.machine.connectivity.coreCallsFail)
        #expect(bench.machine.status(at: bench.now).delivery == trouble)
        for _ in 0..<5 { bench.feed(.requestFinished(ended(.business(status: 404), at: bench.now))) }
        bench.run(for: .seconds(2))
        let reported = bench.effects.contains { if case .reportQoS = $0.effect { true } else { false } }
        #expect(reported)
        bench.feed(.deliveryChanged(.well))
        bench.feed(.requestFinished(ended(.success, at: bench.now)))
        #expect(bench.machine.connectivity.state == .online)
    }

    @Test("A hub that responds with 5xx is a backend fault with a working network, and no cause")
    func unwell() {
        var bench = Bench.reachable()
        bench.hub = .unwell
        bench.run(for: .seconds(70))
        #expect(bench.state == .reachable)
        #expect(bench.machine.connectivity.state == .backendDown)
        #expect(bench.machine.connectivity.reason == .http5xx)
        #expect(bench.causes == [])
    }

    @Test("A portal is shown as one, and without an interface there is none")
    func localStates() {
        var bench = Bench.reachable()
        bench.hub = .portal
        bench.run(for: .seconds(80))
        #expect(bench.machine.connectivity.state == .localNetworkOnly)
        #expect(bench.machine.connectivity.reason == .captivePortal)
        #expect(bench.machine.connectivity.captivePortalSuspected)
        bench.feed(.pathChanged(Bench.noPath))
        #expect(bench.machine.connectivity.state == .offline)
        #expect(bench.machine.connectivity.reason == .noInterface)
    }

    @Test("Failures degrade the link and never make the terminal offline by themselves")
    func degraded() {
        var bench = Bench.reachable()
        bench.run(for: .seconds(61))
        for _ in 0..<4 { bench.feed(.requestFinished(ended(.success, at: bench.now, took: .seconds(3)))) }
        #expect(bench.machine.connectivity.state == .onlineDegraded)
        #expect(bench.causes == [])
    }

    @Test("There is always a deadline, and a wake-up at it moves it on, in every state", arguments: 0..<20)
    func deadlines(seed: Int) {
        var bench = Bench.reachable(NetworkSettings(probesInternet: seed % 2 == 0), seed: UInt64(seed))
        var random = SplitMix64(seed: UInt64(seed))
        let worlds: [Bench.Hub] = [.responses, .silent, .refuses, .portal, .unwell]
        for _ in 0..<200 {
            bench.hub = worlds[Int(random.below(5))]
            if random.below(6) == 0 { bench.feed(.pathChanged(Bench.noPath)) }
            if random.below(3) == 0 { bench.feed(.pathChanged(Bench.ethernet)) }
            bench.run(for: random.upTo(.seconds(20)))
            var machine = bench.machine
            for _ in 0..<20 {
                guard let deadline = machine.deadline else {
                    Issue.record("no deadline")
                    return
                }
                #expect(deadline - bench.now <= .seconds(330))
                _ = machine.handle(.deadlineReached, at: max(bench.now, deadline))
            }
            #expect((machine.deadline ?? bench.now) > bench.now)
        }
    }

    @Test("Early and repeated wakes are harmless")
    func harmlessWakes() {
        var bench = Bench.reachable()
        bench.run(for: .seconds(2))
        bench.hub = .silent
        bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
        for _ in 0..<3 {
            let before = bench.machine
            #expect(bench.machine.handle(.deadlineReached, at: bench.now) == [])
            #expect(bench.machine == before)
        }
    }

    @Test("State does not grow with time")
    func boundedState() {
        var bench = Bench.reachable(NetworkSettings(debounce: .seconds(1), recoveryHold: .seconds(1)))
        func size() -> Int {
            var text = ""
            dump(bench.machine, to: &text)
            return text.utf8.count
        }
        var largest = 0
        for round in 0..<60 {
            bench.hub = round % 2 == 0 ? .silent : .responses
            for _ in 0..<40 {
                bench.feed(.requestStalled(Bench.push, startedAt: bench.now))
                bench.feed(.requestFinished(ended(.service(.status(503)), at: bench.now)))
                bench.run(for: .milliseconds(700))
            }
            if round == 19 { largest = size() }
        }
        #expect(size() < largest * 5 / 4 + 1_000)
    }

    private func ended(
        _ outcome: OutcomeClass, at now: Instant, took: Duration = .milliseconds(30)
    ) -> RequestOutcome {
        RequestOutcome(
            api: Bench.push, outcome: outcome, startedAt: now - took, firstByteAt: now, finishedAt: now)
    }

    private func silent(from start: Instant, at now: Instant) -> RequestOutcome {
        RequestOutcome(
            api: Bench.push, outcome: .network(.silent), startedAt: start, firstByteAt: nil, finishedAt: now)
    }
}
