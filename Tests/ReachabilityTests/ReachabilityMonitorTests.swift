import Foundation
import OfflineCore
import Testing

@testable import Reachability

@Suite("Reachability monitor", .timeLimit(.minutes(2)))
struct ReachabilityMonitorTests {
    private let world = ScriptedWorld()

    @Test("a monitor that does not run has no status, and a single check is still correct")
    func stopped() async {
        let monitor = world.monitor { $0.probeTimeout = .seconds(60) }
        let reported = Notes<ReachabilityStatus>()
        let subscription = monitor.onChange(at: .queue(DispatchQueue(label: "changes"))) { reported.add($0) }
        #expect(monitor.status == .notWatched)
        #expect(!monitor.isStarted)

        let good = await monitor.check()
        #expect(good.state == .reachable && good.isSettled)
        #expect(good.transport == .ethernet)
        #expect(good.latency == .milliseconds(7))
        world.response(.failed(.dns))
        let bad = await monitor.check()
        #expect(bad.state == .unreachable && bad.reason == .nameNotResolved && !bad.isSettled)

        #expect(monitor.status == .notWatched)
        #expect(await eventually { reported.all == [.notWatched] && world.openPaths == 0 })
        subscription.cancel()
    }

    @Test("a response that came while the process was delayed ends no check; a probe after it does")
    func heldUp() async {
        let time = HeldUpTime()
        let monitor = world.monitor(time: time) { $0.probeTimeout = .seconds(60) }
        world.holdProbes()
        world.response(.failed(.dns))
        async let status = monitor.check()
        #expect(await eventually { world.heldProbes == 1 })
        time.lose(.seconds(30))
        world.releaseProbes()
        #expect(await status.reason == .nameNotResolved)
        #expect(world.probes > 1)
    }

    @Test("started, it reports connecting until the first response, never an optimistic reachable")
    func connecting() async {
        world.holdProbes()
        let monitor = world.monitor()
        monitor.start()
        #expect(monitor.status.state == .unknown)
        #expect(monitor.status.reason == .connecting)
        #expect(await eventually { world.heldProbes == 1 })
        #expect(monitor.status.state == .unknown)
        world.releaseProbes()
        let status = await monitor.first { $0.isReachable }
        #expect(status?.reason == ReachabilityStatus.Reason.none)
        #expect(monitor.status.state == .reachable)
    }

    @Test("a failure leaves the state in force for T1, and is shown at once as unsettled")
    func doubt() async throws {
        let monitor = world.monitor { $0.debounce = .seconds(2) }
        monitor.start()
        _ = await monitor.first { $0.isReachable }
        world.response(.failed(.silent))
        monitor.retry()
        let doubt = try #require(await monitor.first { !$0.isSettled })
        #expect(doubt.state == .reachable && doubt.reason == .timeout)
        let confirmed = try #require(await monitor.first { !$0.isReachable })
        #expect(confirmed.state == .unreachable && confirmed.reason == .timeout && confirmed.isSettled)
        world.response(.good(roundTrip: .milliseconds(3)))
        monitor.retry()
        let holding = try #require(await monitor.first { !$0.isSettled })
        #expect(holding.state == .unreachable)
        #expect(await monitor.first { $0.state == .reachable && $0.isSettled } != nil)
    }

    @Test("without an interface it is offline, and with another one its transport is reported")
    func path() async throws {
        let monitor = world.monitor()
        monitor.start()
        _ = await monitor.first { $0.isReachable }
        world.response(.failed(.connect))
        world.setPath(.none)
        let offline = try #require(await monitor.first { !$0.isReachable })
        #expect(offline.state == .offline && offline.reason == .noInterface)
        world.response(.good(roundTrip: .milliseconds(90)))
        world.setPath(.phone)
        let back = try #require(await monitor.first { $0.isReachable })
        #expect(back.transport == .cellular && back.isMetered && back.isConstrained)
    }

    @Test("a login page, a host that is down and one that responds with 5xx are distinguished")
    func kinds() async throws {
        let monitor = world.monitor {
            $0.independentProbes = [ReachabilityProbe("https://other.example")]
            $0.probeTimeout = .seconds(60)
        }
        world.response(.portal(.redirect))
        #expect(await monitor.check().reason == .captivePortal)
        world.response(.respondedBadly(status: 503, roundTrip: .milliseconds(4)))
        let unwell = await monitor.check()
        #expect(unwell.state == .targetDown && unwell.reason == .serverError)
        world.response(.failed(.connectTimeout), independent: .good(roundTrip: .milliseconds(5)))
        monitor.start()
        let down = try #require(await monitor.first { $0.state == .targetDown })
        #expect(down.reason == .timeout)
    }

    @Test("started twice it is one watch; stopped once it is none")
    func startedTwice() async {
        let monitor = world.monitor()
        monitor.start()
        monitor.start()
        _ = await monitor.first { $0.isReachable }
        #expect(world.openPaths == 1)
        monitor.stop()
        monitor.stop()
        #expect(await eventually { world.openPaths == 0 })
        #expect(monitor.status == .notWatched)
    }

    @Test("three hundred starts and stops leave one watch, and the last value reaches every listener")
    func restarts() async {
        let monitor = world.monitor()
        let reported = Notes<ReachabilityStatus>()
        let subscription = monitor.onChange(at: .mainActor) { reported.add($0) }
        for _ in 0..<300 {
            monitor.start()
            monitor.stop()
        }
        monitor.start()
        #expect(await monitor.first { $0.isReachable } != nil)
        #expect(await eventually { reported.all.last?.isReachable == true && world.openPaths == 1 })
        monitor.stop()
        #expect(await eventually { reported.all.last == .notWatched && world.openPaths == 0 })
        subscription.cancel()
        #expect(await eventually { monitor.readerCount == 0 })
    }

    @Test("a late response to an earlier watch is not announced by the next one")
    func lateWord() async {
        world.holdProbes()
        let monitor = world.monitor()
        monitor.start()
        #expect(await eventually { world.heldProbes == 1 })
        monitor.stop()
        world.releaseProbes()
        #expect(await eventually { world.openPaths == 0 })
        #expect(monitor.status == .notWatched)
        let first = await monitor.first { _ in true }
        #expect(first == .notWatched)
    }

    @Test("a check beside a running watch uses it, and a cancelled one ends at once")
    func checks() async {
        let monitor = world.monitor()
        monitor.start()
        _ = await monitor.first { $0.isReachable }
        #expect(await monitor.check().isReachable)
        #expect(world.openPaths == 1)

        world.holdProbes()
        let check = Task { await monitor.check() }
        #expect(await eventually { world.heldProbes > 0 })
        check.cancel()
        #expect(await check.value.isReachable)
        world.releaseProbes()
    }

    @Test("a released monitor ends its watch and its streams")
    func released() async {
        var monitor: ReachabilityMonitor? = world.monitor()
        monitor?.start()
        _ = await monitor?.first { $0.isReachable }
        let stream = monitor?.statuses()
        monitor = nil
        var last: ReachabilityStatus?
        if let stream { for await status in stream { last = status } }
        #expect(last?.isReachable == true)
        #expect(await eventually { world.openPaths == 0 })
    }

    @Test("what cannot be watched or is out of range is refused")
    func refused() {
        #expect(throws: ReachabilityError.unreadableAddress("https://a b")) {
            try ReachabilityMonitor(host: "a b")
        }
        #expect(throws: ReachabilityError.noAddress) { try ReachabilityMonitor(.internet([])) }
        var settings = ReachabilitySettings()
        settings.debounce = .milliseconds(500)
        #expect(throws: ReachabilityError.self) {
            try ReachabilityMonitor(host: "host.example", settings: settings)
        }
    }

    @Test("the shared monitor is set up before it is used, and not after")
    func shared() throws {
        #expect(throws: ReachabilityError.noAddress) { try ReachabilityMonitor.setUpInternet(probing: []) }
        let probe = ReachabilityProbe("http://127.0.0.1:9", expecting: .body("success"))
        try ReachabilityMonitor.setUpInternet(probing: [probe])
        #expect(ReachabilityMonitor.internet.target == .internet([probe]))
        #expect(ReachabilityMonitor.internet === ReachabilityMonitor.internet)
        #expect(throws: ReachabilityError.sharedMonitorInUse) {
            try ReachabilityMonitor.setUpInternet(probing: [probe])
        }
        #expect(ReachabilityMonitor.internet.status == .notWatched)
        #expect(ReachabilityTarget.standardInternet.probes.allSatisfy { $0.address.hasPrefix("https://") })
    }
}
