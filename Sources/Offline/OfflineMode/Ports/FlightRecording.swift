/// The event recording: every event of the machines, bounded on disk.
public protocol FlightRecording: Sendable {
    /// Appends one line. Best effort: a recorder that cannot write never blocks the terminal.
    func append(_ line: String)
}
