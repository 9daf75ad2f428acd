public import OfflineCore

/// Tells what the kernel knows of the way to the hub.
public protocol PathMonitoring: Sendable {
    /// The present status first, then each change of it, until the consumer stops listening.
    ///
    /// Settling (0.5 s) is the machine's work; a monitor tells at once.
    func statuses() -> AsyncStream<PathStatus>
}
