import Base
import OfflineCore
import OfflineMode
import Synchronization

/// Runs the machine for one target: one inbox, one loop, one place that reads the clock, no decisions.
///
/// It runs once. A monitor that is started again makes a new one, so no state of an earlier watch remains.
final class TargetWatch: Sendable {
    private let ports: ReachabilityPorts
    private let machine: Mutex<OfflineMachine>
    private let startedAt: Instant
    private let inbox: AsyncStream<OfflineEvent>
    private let post: AsyncStream<OfflineEvent>.Continuation
    /// Every check that has ended: the target's probe is back and the path is known.
    private let looks: Announcer<ReachabilityStatus>

    /// The two clocks are not read at one moment; a smaller difference between them is no suspension.
    private static let clockNoise = Duration.milliseconds(100)

    init(ports: ReachabilityPorts, settings: OfflineSettings, seed: UInt64) {
        self.ports = ports
        startedAt = ports.time.now()
        machine = Mutex(
            OfflineMachine(
                settings: settings, apis: CoreAPIs(services: [:], core: []), startup: StartupState(),
                seed: seed, at: startedAt))
        (inbox, post) = AsyncStream.makeStream()
        looks = Announcer(first: .notWatched) { _, _ in true }
    }

    var status: ReachabilityStatus {
        let now = ports.time.now()
        return machine.withLock { ReachabilityStatus(deriving: $0, at: now) }
    }

    /// Probes the target again at once.
    func retry() { post.yield(.retryRequested) }

    /// Probes the target and waits for the result, or for the end of the task.
    func look() async -> ReachabilityStatus {
        let looks = looks.stream(beginsWithCurrent: false)
        retry()
        for await status in looks { return status }
        return status
    }

    /// Runs until the task is cancelled. Called once.
    ///
    /// - Parameter announce: called on the loop with the status whenever it may have changed.
    func run(_ announce: @escaping @Sendable (ReachabilityStatus) -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watchPath() }
            await self.takeEvents(&group, announce)
            group.cancelAll()
        }
    }

    private func takeEvents(
        _ group: inout DiscardingTaskGroup, _ announce: @Sendable (ReachabilityStatus) -> Void
    ) async {
        var alarm = Alarm(time: ports.time) { [post] in post.yield(.deadlineReached) }
        var suspended = ports.time.suspended()
        var look = Look()
        alarm.arm(for: startedAt)
        for await event in inbox {
            if case .deadlineReached = event { alarm.rang() }
            let now = ports.time.now()
            let total = ports.time.suspended()
            if total - suspended > Self.clockNoise {
                take(.clockGapObserved(total - suspended), at: now, &group, announce)
                suspended = total
            }
            take(event, at: now, &group, announce)
            if machine.withLock({ look.ends(with: event, for: $0) }) { looks.publish(status) }
            alarm.arm(for: machine.withLock { $0.deadline })
        }
        alarm.stop()
    }

    private func take(
        _ event: OfflineEvent, at now: Instant, _ group: inout DiscardingTaskGroup,
        _ announce: (ReachabilityStatus) -> Void
    ) {
        let effects = machine.withLock { $0.handle(event, at: now) }
        for effect in effects {
            switch effect {
            case .announceStatus: announce(status)
            case .sendPing(let tag, let timeout): group.addTask { await self.ping(tag, timeout) }
            case .sendProbe(let tag, let target, let timeout):
                group.addTask { await self.probe(tag, target, timeout) }
            // A monitor has neither services, nor a switch, nor a disk.
            case .saveManualFlag, .confirmManual, .refuseManual, .queryQoS, .reportQoS, .sendCanary,
                .paceResume, .saveLastRun, .saveSilences, .recordPeriod, .switchMode:
                break
            }
        }
    }

    private func ping(_ tag: ProbeTag, _ timeout: Duration) async {
        post.yield(.pingFinished(tag, await ports.ping.ping(timeout: timeout)))
    }

    private func probe(_ tag: ProbeTag, _ target: ProbeTarget, _ timeout: Duration) async {
        post.yield(.probeFinished(tag, target, await ports.probe.probe(target, timeout: timeout)))
    }

    private func watchPath() async {
        for await status in ports.path.statuses() { post.yield(.pathChanged(status)) }
    }
}

/// Whether a check has ended.
private struct Look {
    private var pathIsKnown = false
    private var probeIsBack = false

    /// The first response may come before the kernel's report of the path; a check waits for both.
    /// A response that came too late to count, after the process was delayed, ends none: the machine probes
    /// again.
    mutating func ends(with event: OfflineEvent, for machine: OfflineMachine) -> Bool {
        switch event {
        case .pathChanged:
            defer { (pathIsKnown, probeIsBack) = (true, false) }
            return !pathIsKnown && probeIsBack
        case .probeFinished(let tag, .hub, _):
            guard machine.isCurrent(tag) else { return false }
            probeIsBack = !pathIsKnown
            return pathIsKnown
        default:
            return false
        }
    }
}
