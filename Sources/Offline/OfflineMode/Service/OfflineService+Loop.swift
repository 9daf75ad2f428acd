import Base
import Logging
import OfflineCore
import Synchronization

/// The loop: takes events, stamps them, lets the machine decide, carries out its effects.
extension OfflineService {
    /// Runs until the task is cancelled. Called once.
    public func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.announceAll() }
            group.addTask { await self.watchPath() }
            await self.takeEvents(&group)
            self.announce.finish()
            self.pendingRequests.close()
            self.broadcast.finish()
            group.cancelAll()
        }
    }

    private func takeEvents(_ group: inout DiscardingTaskGroup) async {
        var alarm = Alarm(time: ports.time) { [post] in post.yield(.deadlineReached) }
        var suspended = opening.suspended
        alarm.arm(for: opening.now)
        var log = FlightLog(recorder: ports.recorder)
        for await event in inbox {
            if case .deadlineReached = event { alarm.rang() }
            let now = ports.time.now()
            let total = ports.time.suspended()
            if total - suspended > Self.clockNoise {
                take(.clockGapObserved(total - suspended), at: now, &log, &group)
                suspended = total
            }
            take(event, at: now, &log, &group)
            alarm.arm(for: machine.withLock { $0.machine.deadline })
        }
        alarm.stop()
    }

    /// The two clocks are not read at one moment; a smaller difference between them is no suspension.
    private static let clockNoise = Duration.milliseconds(100)

    private func take(
        _ event: OfflineEvent, at now: Instant, _ log: inout FlightLog, _ group: inout DiscardingTaskGroup
    ) {
        log.note(.event(event), at: now)
        let (effects, status) = machine.withLock { live in
            let effects = live.machine.handle(event, at: now)
            let isTelling = effects.contains { if case .announceStatus = $0 { true } else { false } }
            if effects.contains(where: \.isSwitch) { live.unpublishedSwitches += 1 }
            return (effects, isTelling ? live.machine.status(at: now) : nil)
        }
        log.decided(effects, at: now) { machine.withLock { $0.machine } }
        var switchedTo: Mode?
        for effect in effects {
            switch effect {
            case .switchMode(let mode, let causes):
                switchedTo = mode
                logger.notice(
                    "mode changed",
                    metadata: ["mode": "\(mode.rawValue)", "causes": "\(causes.map(\.rawValue))"])
            case .announceStatus:
                guard let status else { break }
                announce.yield(.status(status, switchedTo: switchedTo))
            case .confirmManual(let ticket, let status):
                announce.yield(.manualConfirmed(ticket: ticket, status))
            case .refuseManual(let ticket, let refusal):
                announce.yield(.manualRefused(ticket: ticket, refusal))
            case .recordPeriod(let period): announce.yield(.period(period))
            case .saveLastRun(let run): announce.yield(.lastRun(run))
            case .saveSilences(let memory): announce.yield(.silences(memory))
            case .paceResume(let service, let pace): ports.pace.resume(service: service, at: pace)
            case .saveManualFlag, .sendPing, .sendProbe, .queryQoS, .reportQoS, .sendCanary:
                group.addTask { await self.request(effect, at: now) }
            }
        }
    }

    /// Calls a port and posts its result.
    private func request(_ effect: OfflineEffect, at now: Instant) async {
        switch effect {
        case .saveManualFlag(let flag, let ticket): await save(flag, ticket: ticket)
        case .sendPing(let tag, let timeout):
            post.yield(.pingFinished(tag, await ports.ping.ping(timeout: timeout)))
        case .sendProbe(let tag, let target, let timeout):
            post.yield(.probeFinished(tag, target, await ports.probe.probe(target, timeout: timeout)))
        case .queryQoS(let tag, let services):
            let timeout = serviceSettings.queryTimeout
            receive(await ports.qos.decisions(for: services, timeout: timeout), tag: tag, sentAt: now)
        case .reportQoS(let tag, let report):
            let timeout = serviceSettings.queryTimeout
            receive(await ports.qos.report(report, timeout: timeout), tag: tag, sentAt: now)
        case .sendCanary(let tag, let service):
            let good = await ports.canary.call(service: service, timeout: serviceSettings.canaryTimeout)
            post.yield(.canaryFinished(service: service, tag: tag, good: good))
        case .confirmManual, .refuseManual, .paceResume, .saveLastRun, .saveSilences, .recordPeriod,
            .switchMode,
            .announceStatus:
            break
        }
    }

    private func receive(_ answer: QoSAnswer?, tag: UInt64, sentAt: Instant) {
        post.yield(answer.map { .qosAnswered($0, tag: tag, sentAt: sentAt) } ?? .qosFailed(tag: tag))
    }

    private func save(_ flag: ManualFlag?, ticket: UInt64) async {
        do throws(ManualFlagError) {
            try await ports.manualFlag.save(flag)
            post.yield(.manualFlagSaved(ticket: ticket))
        } catch {
            post.yield(.manualFlagSaveFailed(ticket: ticket, error))
        }
    }

    private func watchPath() async {
        for await status in ports.path.statuses() { post.yield(.pathChanged(status)) }
    }
}

extension OfflineEffect {
    fileprivate var isSwitch: Bool {
        if case .switchMode = self { true } else { false }
    }
}
