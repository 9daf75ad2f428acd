import Base
internal import Logging
internal import OfflineCore
internal import MachineRuntime

/// What the machine's effects do.
extension OfflineService {
    /// Runs until the task is cancelled. Called once.
    public func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.announceAll() }
            group.addTask { await self.watchPath() }
            var log = RunRecording(recorder: self.ports.recorder)
            await self.driver.run(in: &group) { event, effects, now in
                log.note(.event(event), at: now)
                log.decided(effects, at: now) { self.driver.withMachine { $0.machine } }
                return self.carryOut(effects, at: now)
            } perform: { effect, now in
                await self.request(effect, at: now)
            }
            self.announce.finish()
            self.pendingRequests.close()
            self.broadcast.finish()
            group.cancelAll()
        }
    }

    /// - Returns: those that call a port and take time.
    private func carryOut(_ effects: [OfflineEffect], at now: Instant) -> [OfflineEffect] {
        var requests: [OfflineEffect] = []
        var switchedTo: Mode?
        for effect in effects {
            switch effect {
            case .switchMode(let mode, let causes):
                switchedTo = mode
                logger.notice(
                    "mode changed",
                    metadata: ["mode": "\(mode.rawValue)", "causes": "\(causes.map(\.rawValue))"])
            case .announceStatus:
                let status = driver.withMachine { $0.machine.status(at: now) }
                announce.yield(.status(status, switchedTo: switchedTo))
            case .confirmManual(let ticket, let status):
                announce.yield(.manualConfirmed(ticket: ticket, status))
            case .refuseManual(let ticket, let refusal):
                announce.yield(.manualRefused(ticket: ticket, refusal))
            case .recordPeriod(let period): announce.yield(.period(period))
            case .saveLastRun(let run): announce.yield(.lastRun(run))
            case .paceResume(let service, let pace): ports.pace.resume(service: service, at: pace)
            case .saveManualFlag, .sendPing, .sendProbe, .queryQoS, .reportQoS, .sendCanary:
                requests.append(effect)
            }
        }
        return requests
    }

    /// Calls a port and posts its result.
    private func request(_ effect: OfflineEffect, at now: Instant) async {
        switch effect {
        case .saveManualFlag(let flag, let ticket): await save(flag, ticket: ticket)
        case .sendPing(let tag, let timeout):
            driver.post(.pingFinished(tag, await ports.ping.ping(timeout: timeout)))
        case .sendProbe(let tag, let target, let timeout):
            driver.post(.probeFinished(tag, target, await ports.probe.probe(target, timeout: timeout)))
        case .queryQoS(let tag, let services):
            let timeout = serviceSettings.queryTimeout
            receive(await ports.qos.decisions(for: services, timeout: timeout), tag: tag, sentAt: now)
        case .reportQoS(let tag, let report):
            let timeout = serviceSettings.queryTimeout
            receive(await ports.qos.report(report, timeout: timeout), tag: tag, sentAt: now)
        case .sendCanary(let tag, let service):
            let good = await ports.canary.call(service: service, timeout: serviceSettings.canaryTimeout)
            driver.post(.canaryFinished(service: service, tag: tag, good: good))
        case .confirmManual, .refuseManual, .paceResume, .saveLastRun, .recordPeriod, .switchMode,
            .announceStatus:
            break
        }
    }

    private func receive(_ response: QoSResponse?, tag: UInt64, sentAt: Instant) {
        driver.post(response.map { .qosResponded($0, tag: tag, sentAt: sentAt) } ?? .qosFailed(tag: tag))
    }

    private func save(_ flag: ManualFlag?, ticket: UInt64) async {
        do throws(ManualFlagError) {
            try await ports.manualFlag.save(flag)
            driver.post(.manualFlagSaved(ticket: ticket))
        } catch {
            driver.post(.manualFlagSaveFailed(ticket: ticket, error))
        }
    }

    private func watchPath() async {
        for await status in ports.path.statuses() { driver.post(.pathChanged(status)) }
    }
}
