internal import OfflineMode

/// Keeps nothing: for commands that look at a home and must leave it as it is.
struct NoRecorder: FlightRecording {
    func append(_ line: String) {}
}
