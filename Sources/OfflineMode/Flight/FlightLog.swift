import OfflineCore

/// Writes a run into the flight recorder: what the machine was told, what it decided, and from time to time
/// the whole machine.
///
/// The recorder keeps a bounded end of what it was given. Because of the checkpoints that end can be replayed
/// though the start of the run is gone, all but the lines before the first checkpoint in it.
struct FlightLog {
    /// Events from one checkpoint to the next: an hour or two of an idle till, and one line in fifteen
    /// hundred.
    static let checkpointInterval = 1_000

    private let recorder: any FlightRecording
    private var sinceCheckpoint = 0

    init(recorder: any FlightRecording) {
        self.recorder = recorder
    }

    func note(_ line: FlightLine, at now: Instant) {
        recorder.append(line.text(at: now))
    }

    /// The machine has taken an event and decided `effects`; `machine` tells how it is now, if that is asked.
    mutating func decided(_ effects: [OfflineEffect], at now: Instant, machine: () -> OfflineMachine) {
        let words = effects.compactMap(\.flightName)
        if !words.isEmpty { note(.decided(words), at: now) }
        sinceCheckpoint += 1
        guard sinceCheckpoint >= Self.checkpointInterval else { return }
        sinceCheckpoint = 0
        if let checkpoint = MachineCheckpoint.text(of: machine()) { note(.checkpoint(checkpoint), at: now) }
    }
}
