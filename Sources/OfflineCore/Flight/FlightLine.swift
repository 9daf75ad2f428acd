/// One line of the flight recorder: what the machine was fed and when, as text that can be read back exactly.
///
/// A line is fields between single spaces: the format's version, the moment in nanoseconds, the event's name
/// and its values in a fixed order. A string is `=` and its UTF-8 with spaces, `%` and control characters as
/// `%XX`; nothing is `-`; a list is its count and its items. The events of a run, fed to a machine made
/// from its start or from any of its checkpoints, repeat the run bit for bit.
public enum FlightLine: Hashable, Sendable {
    /// A run began with these words; a machine made from them is where this one was.
    case started(settings: OfflineSettings, apis: CoreAPIs, startup: StartupState, seed: UInt64)
    case event(OfflineEvent)
    /// What the machine wanted done after the event before, in ``OfflineEffect/flightName``s; not written
    /// when that was nothing.
    case decided([String])
    /// The whole machine after the line before, in the words of whoever writes the recording. A recording
    /// whose beginning was rotated away replays from its first one.
    case checkpoint(String)

    /// The version of the format that this code writes, and the only one it reads. A new event, another field
    /// or another state in a checkpoint makes another version, so that no reader takes a line for a spoilt
    /// one.
    public static let version: Int64 = 4

    /// The line, without a line end.
    public func text(at moment: Instant) -> String {
        var writer = FlightWriter()
        writer.put(Self.version)
        writer.put(moment)
        writer.put(self)
        return writer.text
    }

    /// Reads a line back.
    public static func read(
        _ text: some StringProtocol
    ) throws(FlightLineError) -> (at: Instant, line: FlightLine) {
        var reader = FlightReader(text)
        let version = try reader.take(Int64.self)
        guard version == Self.version else { throw .unknownVersion(version) }
        let moment = try reader.take(Instant.self)
        let line = try reader.take(FlightLine.self)
        try reader.expectEnd()
        return (moment, line)
    }
}

/// Why a line of the flight recorder cannot be read.
public enum FlightLineError: Error, Hashable, Sendable {
    /// Written by another version of the program: read the recording with that one.
    case unknownVersion(Int64)
    /// The field (counted from 0) is missing or not what belongs there: the line was cut or spoilt, and what
    /// follows it replays from the next checkpoint.
    case malformed(field: Int)
}
