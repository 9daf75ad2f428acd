import Base
import OfflineCore
import Testing

@testable import OfflineMode

@Suite("The lines of the event recording")
struct RunRecordingTests {
    @Test("Every thousandth event writes the complete machine, and it reads back equal in every bit")
    func checkpoints() throws {
        let ports = ScriptedPorts()
        var log = RunRecording(recorder: ports)
        var machine = OfflineMachine(
            settings: OfflineSettings(), apis: .standard, startup: StartupState(networkWasDown: true),
            seed: 4,
            at: Instant(nanoseconds: 0))
        var machines: [OfflineMachine] = []
        for count in 1...2_500 {
            let now = machine.deadline ?? Instant(nanoseconds: 0)
            let effects = machine.handle(.deadlineReached, at: now)
            log.decided(effects, at: now) { machine }
            if count % RunRecording.checkpointInterval == 0 { machines.append(machine) }
        }
        let kept = try ports.get(\.lines).compactMap { line -> OfflineMachine? in
            guard case .checkpoint(let machine) = try RecordingLine.read(line).line else { return nil }
            return machine
        }
        #expect(kept == machines)
        #expect(kept.count == 2)
    }

    @Test("Decisions are written, mere announcements are not")
    func decisions() throws {
        let ports = ScriptedPorts()
        var log = RunRecording(recorder: ports)
        let machine = OfflineMachine(
            settings: OfflineSettings(), apis: .standard, startup: StartupState(), seed: 4,
            at: Instant(nanoseconds: 0))
        let ping = OfflineEffect.sendPing(ProbeTag(epoch: 1, sequence: 2), timeout: .seconds(1))
        log.decided([.announceStatus], at: Instant(nanoseconds: 7)) { machine }
        log.decided([ping, .announceStatus], at: Instant(nanoseconds: 8)) { machine }
        #expect(ports.get(\.lines) == [RecordingLine.decided(["ping:1:2"]).text(at: Instant(nanoseconds: 8))])
    }
}
