public import OfflineCore

/// Shapes the traffic of a service that is let back after a fault.
public protocol ResumePacing: Sendable {
    /// Holds the traffic of `service` to `pace`, counted from now. Returns at once.
    func resume(service: String, at pace: ResumePace)
}
