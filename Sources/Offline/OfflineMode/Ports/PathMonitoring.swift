public import OfflineCore

/// Reports the kernel's status of the path to the hub.
public protocol PathMonitoring: Sendable {
    /// The present status first, then each change of it, until the consumer stops listening.
    ///
    /// The machine waits until a status settles (0.5 s); a monitor reports at once.
    func statuses() -> AsyncStream<PathStatus>
}
