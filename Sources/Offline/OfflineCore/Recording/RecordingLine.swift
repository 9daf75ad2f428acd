public import Base

/// One line of the event recording: what the machine was notified of and when, as text that reads back
/// exactly.
///
/// A line is fields between single spaces: the format's version, the moment in nanoseconds, the event's name
/// and its values in a fixed order. A string is `=` and its UTF-8 with spaces, `%` and control characters as
/// `%XX`; nil is `-`; a list is its count and its items. The events of a run, replayed by a machine made
/// from its start or from any of its checkpoints, repeat the run bit for bit.
public enum RecordingLine: Hashable, Sendable {
    /// A run began with these values; a machine made from them has the same state.
    case started(settings: OfflineSettings, apis: CoreAPIs, startup: StartupState, seed: UInt64)
    case event(OfflineEvent)
    /// The effects of the event before, as ``OfflineEffect/recordedName``s; not written when there were none.
    case decided([String])
    /// The complete machine after the line before, in the encoding of the recorder. A recording whose
    /// beginning was rotated away replays from its first checkpoint.
    case checkpoint(String)

    /// The version of the format that this code writes, and the only one it reads. A new event, another field
    /// or another state in a checkpoint makes another version, so that no reader takes such a line for a
    /// corrupt one. Version 7 added the state of the delivery, and took the account's out of the checkpoints.
    public static let version: Int64 = 7

    /// The line, without a line end.
    public func text(at moment: Instant) -> String {
        var writer = RecordingFieldWriter()
        writer.put(Self.version)
        writer.put(moment)
        writer.put(self)
        return writer.text
    }

    /// Reads a line back.
    public static func read(
        _ text: some StringProtocol
    ) throws(RecordingLineError) -> (at: Instant, line: RecordingLine) {
        var reader = RecordingFieldReader(text)
        let version = try reader.take(Int64.self)
        guard version == Self.version else { throw .unknownVersion(version) }
        let moment = try reader.take(Instant.self)
        let line = try reader.take(RecordingLine.self)
        try reader.expectEnd()
        return (moment, line)
    }
}

/// Why a line of the event recording cannot be read.
public enum RecordingLineError: Error, Hashable, Sendable {
    /// Written by another version of the program: read the recording with that one.
    case unknownVersion(Int64)
    /// The field (counted from 0) is missing or malformed: the line was cut or is corrupt, and what follows
    /// it replays from the next checkpoint.
    case malformed(field: Int)
}
