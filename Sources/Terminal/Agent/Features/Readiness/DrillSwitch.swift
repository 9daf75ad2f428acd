import Base

internal import CurlHTTP
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Synchronization

/// Cuts the agent off the hub for a drill, and keeps what the machines conclude from that out of the records
/// of real outages.
///
/// It is in memory alone, so that a killed agent starts as if there had been no drill. From ``begin()`` to
/// ``end(isBack:)`` a period of the history and a network that is down are held; a drill that ends without
/// the way back met a real outage, and they are written.
final class DrillSwitch: Sendable {
    private struct State {
        var isOn = false
        var period: RecordedOfflinePeriod?
        var run: LastRunOnDisk?
        /// The start of the drill's period: what comes of it later is dropped, too.
        var dropped: Int64?
    }

    private let state = Mutex(State())
    private let isCutOff = Atomic(false)

    /// Whether a drill runs, its way back included.
    var isOn: Bool { state.withLock { $0.isOn } }

    /// Whether probes and pings fail.
    var cutsOff: Bool { isCutOff.load(ordering: .acquiring) }

    /// - Returns: false when a drill runs already.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.isOn else { return false }
            state = State(isOn: true)
            return true
        }
    }

    func setCutOff(_ isOn: Bool, _ session: any HTTPSession) {
        isCutOff.store(isOn, ordering: .releasing)
        session.setCutOff(isOn)
    }

    /// - Returns: what was held and is real, to be written now.
    func end(isBack: Bool) -> (period: RecordedOfflinePeriod?, run: LastRunOnDisk?) {
        state.withLock { state in
            let held = isBack ? (nil, nil) : (state.period, state.run)
            state = State(dropped: isBack ? state.period?.start ?? state.dropped : nil)
            return held
        }
    }

    /// Whether `period` may be written.
    fileprivate func passes(_ period: RecordedOfflinePeriod) -> Bool {
        state.withLock { state in
            if state.isOn {
                state.period = period
                return false
            }
            return period.start != state.dropped
        }
    }

    /// Whether `run` may be written.
    fileprivate func passes(_ run: LastRunOnDisk) -> Bool {
        state.withLock { state in
            guard state.isOn, run.networkIsDown else { return true }
            state.run = run
            return false
        }
    }
}

/// The probes of an agent that drills.
struct DrillProbe: HubProbing {
    let probe: any HubProbing
    let drill: DrillSwitch

    func probe(_ target: ProbeTarget, timeout: Duration) async -> ProbeResult {
        guard !drill.cutsOff else { return .failed(.connectTimeout) }
        let result = await probe.probe(target, timeout: timeout)
        // The response of one that was under way belongs to the time before the cut.
        return drill.cutsOff ? .failed(.connectTimeout) : result
    }
}

/// The pings of an agent that drills.
struct DrillPing: Pinging {
    let pinger: any Pinging
    let drill: DrillSwitch
    let time: any SystemTime

    func ping(timeout: Duration) async -> PingResult {
        guard drill.cutsOff else {
            let result = await pinger.ping(timeout: timeout)
            return drill.cutsOff ? .timedOut : result
        }
        try? await time.sleep(until: time.now() + timeout)
        return .timedOut
    }
}

/// The history of offline periods, without those of drills.
struct DrillPeriods: OfflinePeriodRecording {
    let log: any OfflinePeriodRecording
    let drill: DrillSwitch

    func openPeriod() -> RecordedOfflinePeriod? { log.openPeriod() }

    func record(_ period: RecordedOfflinePeriod) {
        if drill.passes(period) { log.record(period) }
    }
}

/// What the next start takes over, without drills.
struct DrillLastRun: LastRunStorage {
    let storage: any LastRunStorage
    let drill: DrillSwitch

    func load() -> LastRunOnDisk? { storage.load() }

    func save(_ run: LastRunOnDisk) {
        if drill.passes(run) { storage.save(run) }
    }
}
