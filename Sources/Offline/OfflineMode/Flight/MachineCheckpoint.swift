internal import Foundation
public import OfflineCore

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
