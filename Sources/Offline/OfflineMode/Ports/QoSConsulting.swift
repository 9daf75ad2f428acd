public import OfflineCore

/// The QoS decision service.
public protocol QoSConsulting: Sendable {
    /// The effective decisions for this terminal; nil without a valid response within `timeout`.
    func decisions(for services: [String], timeout: Duration) async -> QoSResponse?

    /// Sends counts and returns the decisions of the response; nil without a valid response within `timeout`.
    func report(_ report: QoSReport, timeout: Duration) async -> QoSResponse?
}
