import Base

public import OfflineCore

internal import Foundation

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
        if let checkpoint = MachineCheckpoint.text(of: machine()) { note(.checkpoint(checkpoint), at: now) }
    }
}

/// A complete machine as text, for the checkpoints of the event recording.
public enum MachineCheckpoint {
    /// Nil when the machine cannot be encoded; the recording then continues without this checkpoint.
    public static func text(of machine: OfflineMachine) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(machine)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The machine that was written as `text`, equal to it in every bit; nil when the text is of another
    /// version of the program.
    public static func machine(from text: String) -> OfflineMachine? {
        try? JSONDecoder().decode(OfflineMachine.self, from: Data(text.utf8))
    }
}
