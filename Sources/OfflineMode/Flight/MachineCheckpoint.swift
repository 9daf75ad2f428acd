internal import Foundation
public import OfflineCore

/// A whole machine as text, for the flight recorder's checkpoints.
public enum MachineCheckpoint {
    /// Nil when the machine cannot be written; the recording then goes on without this checkpoint.
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
