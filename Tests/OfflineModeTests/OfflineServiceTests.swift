import Base
import Foundation
import Logging
import OfflineCore
import OfflineMode
import Synchronization
import TestKit
import Testing

@Suite("Offline service", .timeLimit(.minutes(2)))
struct OfflineServiceTests {
    private let ports = ScriptedPorts()
    private let network = NetworkSettings(debounce: .seconds(3), recoveryHold: .seconds(5))

    @Test("The manual flag is durable before it is published, and the requester gets its response last")
    func manual() async throws {
        try await running { service in
            await eventually { service.status.network.state == .reachable }
            service.register(NotingParticipant(ports: ports))
            let seenMode = Mutex<Mode?>(nil)
            let seen = service.onChange { [ports] status in
                // A status may change in something that is not the mode.
                let isNew = seenMode.withLock { last in
                    defer { last = status.mode }
                    return last != status.mode
                }
                if isNew { ports.note("sees \(status.mode)") }
            }
            await eventually { ports.get(\.journal).contains("sees online") }
            ports.set { $0.journal = [] }
            let status = try await service.setManual(on: true, by: "ann", reason: "power")
            ports.note("answered")
            #expect(
                ports.get(\.journal) == [
                    "flag saved", "period open", "will go offline", "sees offline", "answered",
                ])
            #expect(status.isOn && status.by == "ann" && status.reason == "power")
            #expect(status.since == HandClock.epoch)
            #expect(service.status.causes == [.manual])
            #expect(service.route(of: "order") == .local)

            ports.set { $0.journal = [] }
            _ = try await service.setManual(on: false, by: nil, reason: nil)
            ports.note("answered")
            #expect(
                ports.get(\.journal) == [
                    "flag removed", "period closed", "sees online", "did come online", "answered",
                ])
            #expect(service.route(of: "order") == .online)
            seen.cancel()
        }
    }

    @Test("A flag that cannot be saved does not change the mode, and the requester gets the error")
    func manualFails() async throws {
        let failure = ManualFlagError.notDurable(path: "/flag", call: "fsync", code: 5)
        ports.set { $0.flagFailure = failure }
        try await running { service in
            await #expect(throws: ManualSwitchError.refused(.notSaved(failure))) {
                try await service.setManual(on: true, by: nil, reason: nil)
            }
            #expect(service.status.mode == .online)
        }
    }

    @Test("A flag on disk is in force before the service runs, an unreadable one too")
    func flagOnDisk() {
        let flag = ManualFlag(since: 5, by: "ann", reason: nil)
        ports.set { $0.flagOnDisk = .set(flag) }
        #expect(service().status.causes == [.manual])
        ports.set { $0.flagOnDisk = .corrupt(detail: "cut") }
        #expect(service().status.manual.reason == "flag_corrupt")
        #expect(service().route(of: "member") == .local)
    }

    @Test(
        "A service that nobody registered is local, and the log has one error for it; another name has the mode's route"
    )
    func misspeltService() {
        let log = LineLog()
        let service = OfflineService(
            apis: .standard, others: ["lease"], ports: ports.all, seed: 7,
            logger: Logger(label: "test") { _ in log })
        #expect(service.route(of: "lease") == .online)
        #expect(service.route(of: "ordr") == .local)
        #expect(service.route(of: "ordr") == .local)
        #expect(service.route(of: "order") == .online)
        #expect(
            log.lines.withLock { $0 } == ["error: no service has this name; register it or correct the name"])
    }

    @Test("A stream begins with the current status and never loses the last")
    func stream() async throws {
        try await running { service in
            await eventually { service.status.network.state == .reachable }
            let slow = service.statuses()
            for turn in 0..<5 {
                _ = try await service.setManual(on: turn % 2 == 0, by: nil, reason: "\(turn)")
            }
            var reader = slow.makeAsyncIterator()
            #expect(await reader.next()?.manual.reason == "4")
            var fresh = service.statuses().makeAsyncIterator()
            #expect(await fresh.next() == service.status)
        }
    }

    @Test("A participant that hangs has one second and no veto")
    func hangingParticipant() async throws {
        try await running { service in
            service.register(NotingParticipant(ports: ports, hangs: true))
            async let switched = service.setManual(on: true, by: nil, reason: nil)
            await eventually { ports.get(\.journal).contains("will go offline") }
            #expect(service.status.mode == .online)
            #expect(service.route(of: "order") == .online)
            // The participant's watchdog may not wait yet when the clock first moves.
            let done = Mutex(false)
            let mover = Task { [clock = ports.clock] in
                while !done.withLock({ $0 }) {
                    clock.advance(by: .milliseconds(100))
                    await Task.yield()
                }
            }
            let status = try await switched
            #expect(status.isOn)
            done.withLock { $0 = true }
            await mover.value
            #expect(service.status.mode == .offline)
        }
    }

    @Test("Delegate, closure and notification get every change, in order")
    func listeners() async throws {
        final class Delegate: OfflineModeDelegate {
            let seen = Mutex<[String]>([])
            func offlineModeDidChange(to status: ModeStatus) {
                seen.withLock { $0.append(status.manual.reason ?? "-") }
            }
        }
        let delegate = Delegate()
        let closure = Mutex<[String]>([])
        let posted = Mutex<[String]>([])
        let reason = "notified \(UInt64.random(in: 0 ... .max))"
        let token = NotificationCenter.default.addObserver(
            forName: .offlineModeDidChange, object: nil, queue: nil
        ) { notification in
            let status = notification.userInfo?[OfflineService.statusKey] as? ModeStatus
            if status?.manual.reason == reason { posted.withLock { $0.append(reason) } }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try await running { service in
            await eventually { service.status.network.state == .reachable }
            service.setDelegate(delegate)
            let subscription = service.onChange { status in
                closure.withLock { $0.append(status.manual.reason ?? "-") }
            }
            _ = try await service.setManual(on: true, by: nil, reason: reason)
            // Other parts of the status may change as well, and are published too.
            let heard = (steps(delegate.seen), steps(closure), steps(posted))
            #expect(heard == (["-", reason], ["-", reason], [reason]))
            subscription.cancel()
            _ = try await service.setManual(on: false, by: nil, reason: nil)
            #expect((steps(closure), steps(delegate.seen)) == (["-", reason], ["-", reason, "-"]))
        }
    }

    @Test("An outage is found, written down, kept for the next start and left; the record replays it")
    func outage() async throws {
        try await running { service in
            await eventually { service.status.network.state == .reachable }
            ports.set { $0.hubResponses = false }
            service.requestFinished(failure(at: ports.clock.now()))
            await eventually { service.status.network.state == .suspect }
            await pass { service.status.causes == [.network] }
            await eventually { ports.get(\.lastRun)?.networkIsDown == true }
            let opened = try #require(ports.get(\.periods).last)
            #expect(opened.end == nil && opened.causes == [.network])
            #expect(opened.start - HandClock.epoch >= 3_000)
            ports.set { $0.hubResponses = true }
            service.retryNow()
            await pass { service.status.causes == [] }
            await eventually { ports.get(\.periods).last?.end != nil }
            #expect(ports.get(\.periods).last?.start == opened.start)
            #expect(ports.get(\.lastRun)?.networkIsDown == false)
        }
        try replay(ports.get(\.lines))
    }

    @Test(
        "A wall clock that is set while offline makes the period no longer; time that was suspended counts",
        arguments: [Int64(30 * 86_400_000), -86_400_000])
    func setClock(step: Int64) async throws {
        try await running { service in
            _ = try await service.setManual(on: true, by: nil, reason: nil)
            await eventually { !ports.get(\.periods).isEmpty }
            let start = try #require(ports.get(\.periods).last?.start)
            ports.clock.setWall(forwardBy: step)
            ports.clock.advance(by: .seconds(3))
            ports.clock.suspend(for: .seconds(40))
            _ = try await service.setManual(on: false, by: nil, reason: nil)
            await eventually { ports.get(\.periods).last?.end != nil }
            let period = try #require(ports.get(\.periods).last)
            #expect(period.start == start)
            #expect((43_000...60_000).contains((period.end ?? 0) - start))
        }
    }

    @Test("What the last run left continues: cause, period and its first evidence")
    func takenOver() async throws {
        let start = HandClock.epoch - 60_000
        ports.set {
            $0.hubResponses = false
            $0.lastRun = LastRunOnDisk(networkIsDown: true, lastInternetOk: start, lastBackendOk: nil)
            $0.openPeriod = RecordedOfflinePeriod(
                start: start, end: nil, causes: [.service], evidence: ["seen before"])
        }
        try await running { service in
            #expect(service.status.causes == [.network])
            #expect(service.wallMilliseconds(of: service.status.since) == start)
            await eventually { !ports.get(\.periods).isEmpty }
            ports.set { $0.hubResponses = true }
            service.retryNow()
            await pass { service.status.causes == [] }
            await eventually { ports.get(\.periods).last?.end != nil }
            let period = try #require(ports.get(\.periods).last)
            #expect(period.start == start)
            #expect(period.causes == [.network, .service])
            #expect(period.evidence.starts(with: ["seen before", "lastRun"]))
        }
    }

    @Test("A period that a run left open which starts online is closed")
    func interruptedPeriod() async throws {
        ports.set {
            $0.openPeriod = RecordedOfflinePeriod(
                start: 1_000, end: nil, causes: [.service], evidence: ["old"])
        }
        try await running { service in
            await eventually { ports.get(\.periods).last?.end == HandClock.epoch }
            #expect(ports.get(\.periods).last?.causes == [.service])
        }
    }

    @Test("A suspension is passed to the machine before the next event")
    func suspension() async throws {
        try await running { service in
            await eventually { service.status.network.state == .reachable }
            ports.clock.suspend(for: .seconds(60))
            service.retryNow()
            await eventually { ports.get(\.lines).contains { $0.contains(#""event":{"clockGapObserved""#) } }
        }
    }

    @Test("A core service that QoS calls faulty takes the terminal offline, and its pace reaches the drain")
    func qos() async throws {
        let pace = ResumePace(after: .seconds(1), ratePerMinute: 60)
        ports.set { $0.qos = response(.faulty, 1, nil) }
        try await running(service: ServiceSettings(pollInterval: .seconds(1))) { service in
            await pass { service.status.causes == [.service] }
            #expect(service.route(of: "order") == .local)
            ports.set { $0.qos = response(.healthy, 2, pace) }
            await pass { service.status.causes == [] }
            await eventually { ports.get(\.paces).contains(pace) }
        }
    }

    @Test("When it stops, every waiter gets a response and streams end")
    func stopping() async throws {
        let service = service()
        let run = Task { await service.run() }
        await eventually { service.status.network.state == .reachable }
        let reader = Task { for await _ in service.statuses() {} }
        run.cancel()
        await run.value
        await reader.value
        for await _ in service.statuses() {}
        await #expect(throws: ManualSwitchError.stopped) {
            try await service.setManual(on: true, by: nil, reason: nil)
        }
    }

    // MARK: The world of these tests

    private func service(_ settings: ServiceSettings = ServiceSettings()) -> OfflineService {
        OfflineService(
            settings: OfflineSettings(network: network, service: settings), apis: .standard,
            ports: ports.all, seed: 7, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Runs a service for as long as `body` lasts.
    private func running(
        service settings: ServiceSettings = ServiceSettings(),
        _ body: (OfflineService) async throws -> Void
    ) async throws {
        let service = service(settings)
        let run = Task { await service.run() }
        do {
            try await body(service)
        } catch {
            run.cancel()
            throw error
        }
        run.cancel()
        await run.value
    }

    /// Moves the clock in small steps until the condition is true; a timer that is set again is late by at
    /// most one step.
    private func pass(until isTrue: () -> Bool) async {
        await eventually {
            guard !isTrue() else { return true }
            ports.clock.advance(by: .milliseconds(20))
            for _ in 0..<20 { await Task.yield() }
            // The service has a thread of its own, which a busy machine gives no processor while this spins:
            // its responses would be late by the clock that this moves.
            try? await Task.sleep(for: .milliseconds(1))
            return false
        }
    }

    /// The texts in `seen`, without immediate repetitions.
    private func steps(_ seen: borrowing Mutex<[String]>) -> [String] {
        seen.withLock { words in
            words.reduce(into: []) { steps, word in if steps.last != word { steps.append(word) } }
        }
    }

    private func replay(_ lines: [String]) throws {
        let first = try RecordingLine.read(try #require(lines.first))
        guard case .started(let run) = first.line else {
            Issue.record("the record does not begin with a start")
            return
        }
        var machine = run.machine(at: first.at)
        var modes: [Mode] = []
        for line in lines.dropFirst() {
            let (at, read) = try RecordingLine.read(line)
            guard case .event(let event) = read else { continue }
            for case .switchMode(let mode, _) in machine.handle(event, at: at) { modes.append(mode) }
        }
        #expect(modes == [.offline, .online])
    }

    private func failure(at now: Instant) -> RequestOutcome {
        RequestOutcome(
            api: APIRoute(method: "POST", template: "/v1/mutations"), outcome: .network(.connect),
            startedAt: now, firstByteAt: nil, finishedAt: now)
    }
}

private func response(
    _ state: ServiceDecision.State, _ generation: Int64, _ resume: ResumePace?
) -> QoSResponse {
    QoSResponse(
        issuer: "hub",
        decisions: [
            ServiceDecision(
                service: "order", state: state, scope: .global, generation: generation, reason: nil,
                source: .reports, validity: .seconds(60), pollAfter: .seconds(1), resume: resume)
        ])
}

/// Keeps what is logged, as `level: message`.
private final class LineLog: LogHandler {
    let lines = Mutex<[String]>([])
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) { lines.withLock { $0.append("\(event.level): \(event.message)") } }
}
