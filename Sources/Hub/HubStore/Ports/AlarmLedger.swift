public import HubCore

/// Keeps what a person should look at. Alarms are raised by the intake and by the checks of a terminal's
/// signatures and keys.
public protocol AlarmLedger: Sendable {
    /// Raises an alarm. One of the same kind and terminal on the same day is counted and not kept again, so
    /// that no terminal fills the store with them.
    func raise(_ alarm: Alarm) async throws(LedgerError)

    /// The newest alarms first, of one terminal or of all.
    ///
    /// - Parameter limit: from 1 on.
    func alarms(terminal: String?, limit: Int) async throws(LedgerError) -> [RaisedAlarm]
}
