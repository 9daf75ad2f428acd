import Base
import OfflineCore
import OfflineMode
import MachineRuntime

/// Runs the machine for one target and carries out its effects. It decides nothing.
///
/// It runs once. A monitor that is started again makes a new one, so no state of an earlier watch remains.
final class TargetWatch: Sendable {
    private let ports: ReachabilityPorts
    private let driver: MachineDriver<OfflineMachine>
    /// Every check that has ended: the target's probe is back and the path is known. Each is news, equal
    /// ones too.
    private let looks = Broadcast(ReachabilityStatus.notWatched) { _, _ in true }

    init(ports: ReachabilityPorts, settings: OfflineSettings, seed: UInt64) {
        self.ports = ports
        let machine = OfflineMachine(
            settings: settings, apis: CoreAPIs(services: [:], core: []), startup: StartupState(),
            seed: seed, at: ports.time.now())
        driver = MachineDriver(
            machine, time: ports.time, suspension: { .clockGapObserved($0) }, wakeUp: { [.deadlineReached] })
    }

    var status: ReachabilityStatus {
        let now = ports.time.now()
        return driver.withMachine { ReachabilityStatus(deriving: $0, at: now) }
    }

    /// Probes the target again at once.
    func retry() { driver.post(.retryRequested) }

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
            var look = Look()
            await self.driver.run(in: &group) { event, effects, _ in
                let requests = self.carryOut(effects, announce)
                if self.driver.withMachine({ look.ends(with: event, for: $0) }) {
                    self.looks.publish(self.status)
                }
                return requests
            } perform: { effect, _ in
                await self.request(effect)
            }
            group.cancelAll()
        }
    }

    /// - Returns: those that take time.
    private func carryOut(
        _ effects: [OfflineEffect], _ announce: (ReachabilityStatus) -> Void
    ) -> [OfflineEffect] {
        effects.filter { effect in
            switch effect {
            case .announceStatus:
                announce(status)
                return false
            case .sendPing, .sendProbe: return true
            // A monitor has neither services, nor a switch, nor a disk.
            case .saveManualFlag, .confirmManual, .refuseManual, .queryQoS, .reportQoS, .sendCanary,
                .paceResume, .saveLastRun, .recordPeriod, .switchMode:
                return false
            }
        }
    }

    private func request(_ effect: OfflineEffect) async {
        switch effect {
        case .sendPing(let tag, let timeout):
            driver.post(.pingFinished(tag, await ports.ping.ping(timeout: timeout)))
        case .sendProbe(let tag, let target, let timeout):
            driver.post(.probeFinished(tag, target, await ports.probe.probe(target, timeout: timeout)))
        case .announceStatus, .saveManualFlag, .confirmManual, .refuseManual, .queryQoS, .reportQoS,
            .sendCanary, .paceResume, .saveLastRun, .recordPeriod, .switchMode:
            break
        }
    }

    private func watchPath() async {
        for await status in ports.path.statuses() { driver.post(.pathChanged(status)) }
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
