public import OfflineCore

/// Paces the traffic of a service that resumes after a fault.
public protocol ResumePacing: Sendable {
    /// Limits the traffic of `service` to `pace`, counted from now. Returns at once.
    func resume(service: String, at pace: ResumePace)
}
