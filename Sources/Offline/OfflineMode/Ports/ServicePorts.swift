public import OfflineCore

/// The QoS decision service.
public protocol QoSConsulting: Sendable {
    /// The effective decisions for this terminal; nil without a valid response within `timeout`.
    func decisions(for services: [String], timeout: Duration) async -> QoSResponse?

    /// Sends counts and returns the decisions of the response; nil without a valid response within `timeout`.
    func report(_ report: QoSReport, timeout: Duration) async -> QoSResponse?
}

/// Tries one harmless call of a service, to see whether it really serves again.
public protocol CanaryCalling: Sendable {
    /// The canary of `order` is the oldest pending mutation alone or an empty batch; of others their GET.
    ///
    /// - Returns: whether the verified hub responded as the contract requires (a 4xx about the call itself
    ///   counts).
    func call(service: String, timeout: Duration) async -> Bool
}

/// Paces the traffic of a service that resumes after a fault.
public protocol ResumePacing: Sendable {
    /// Limits the traffic of `service` to `pace`, counted from now. Returns at once.
    func resume(service: String, at pace: ResumePace)
}
