public import OfflineCore

/// The QoS decision service, asked and told.
public protocol QoSConsulting: Sendable {
    /// The effective decisions for this terminal; nil when no valid answer came within `timeout`.
    func decisions(for services: [String], timeout: Duration) async -> QoSAnswer?

    /// Sends counts and takes the decisions that come back; nil when no valid answer came within `timeout`.
    func report(_ report: QoSReport, timeout: Duration) async -> QoSAnswer?
}
