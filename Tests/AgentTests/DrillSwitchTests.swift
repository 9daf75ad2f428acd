import MachineRuntime
import OfflineCore
import OfflineMode
import Synchronization
import Testing

@testable import Agent

/// Keeps what it is given, in order.
private final class Records: OfflinePeriodRecording, LastRunStorage {
    let periods = Mutex<[RecordedOfflinePeriod]>([])
    let runs = Mutex<[Bool]>([])

    func openPeriod() -> RecordedOfflinePeriod? { nil }
    func record(_ period: RecordedOfflinePeriod) { periods.withLock { $0.append(period) } }
    func load() -> LastRunOnDisk? { nil }
    func save(_ run: LastRunOnDisk) { runs.withLock { $0.append(run.networkIsDown) } }
}

@Suite("The switch of a drill")
struct DrillSwitchTests {
    private let records = Records()
    private let drill = DrillSwitch()
    private var periods: DrillPeriods { DrillPeriods(log: records, drill: drill) }
    private var lastRun: DrillLastRun { DrillLastRun(storage: records, drill: drill) }

    private func period(_ start: Int64, end: Int64? = nil) -> RecordedOfflinePeriod {
        RecordedOfflinePeriod(start: start, end: end, causes: [.network], evidence: [])
    }

    private func run(isDown: Bool) -> LastRunOnDisk {
        LastRunOnDisk(networkIsDown: isDown, lastInternetOk: nil, lastBackendOk: nil)
    }

    @Test("Its outage is in no record, also when its end is written after the drill, and the next one is")
    func dropped() {
        #expect(drill.begin())
        periods.record(period(1))
        lastRun.save(run(isDown: true))
        lastRun.save(run(isDown: false))
        let real = drill.end(isBack: true)
        #expect(real.period == nil && real.run == nil)
        periods.record(period(1, end: 2))
        periods.record(period(3))
        #expect(records.periods.withLock { $0 } == [period(3)])
        #expect(records.runs.withLock { $0 } == [false])
    }

    @Test("A real outage that begins meanwhile is written when the drill ends without a way back")
    func real() {
        #expect(drill.begin())
        periods.record(period(1))
        lastRun.save(run(isDown: true))
        let real = drill.end(isBack: false)
        #expect(real.period == period(1) && real.run == run(isDown: true))
        periods.record(period(1, end: 2))
        #expect(records.periods.withLock { $0 } == [period(1, end: 2)])
    }

    @Test("Two drills do not run at once")
    func once() {
        #expect(drill.begin())
        #expect(!drill.begin())
        _ = drill.end(isBack: true)
        #expect(drill.begin())
    }
}
