import Base
import OfflineCore

/// Writes a run into the event recording: the events of the machine, its decisions, and from time to time the
/// complete machine.
///
/// The recorder keeps the bounded newest part of the recording. The checkpoints make this part replayable
/// without the start of the run, except for the lines before its first checkpoint.
struct RunRecording {
    /// Events from one checkpoint to the next: an hour or two of an idle terminal, and one line in 1,500.
    static let checkpointInterval = 1_000

    private let recorder: any EventRecorder
    private var sinceCheckpoint = 0

    init(recorder: any EventRecorder) {
        self.recorder = recorder
    }

    func note(_ line: RecordingLine, at now: Instant) {
        recorder.append(line.text(at: now))
    }

    /// The machine has handled an event and decided `effects`; `machine` returns its present state for a
    /// checkpoint.
    mutating func decided(_ effects: [OfflineEffect], at now: Instant, machine: () -> OfflineMachine) {
        let words = effects.compactMap(\.recordedName)
        if !words.isEmpty { note(.decided(words), at: now) }
        sinceCheckpoint += 1
        guard sinceCheckpoint >= Self.checkpointInterval else { return }
        sinceCheckpoint = 0
        note(.checkpoint(machine()), at: now)
    }
}
