/// What the hub's own records have open: what a person should look at, and what did not arrive.
package struct RecordSummary: Hashable, Sendable {
    /// Alarms that nobody has acknowledged since they were raised last.
    package var alarms: Int64
    /// Refused mutations that neither their terminal nor an operator has resolved.
    package var refusals: Int64
    /// Shifts whose sums are not those of the hub's journal.
    package var disputedShifts: Int64
    /// Cards that were taken offline and refused afterwards, and that nobody has settled.
    package var debts: Int64
    /// How many entries of a terminal's journal are missing between others that arrived, by its id. It sends
    /// them again by itself once it is connected.
    package var missing: [String: Int64]

    /// Makes a summary; by default nothing is open.
    package init(
        alarms: Int64 = 0, refusals: Int64 = 0, disputedShifts: Int64 = 0, debts: Int64 = 0,
        missing: [String: Int64] = [:]
    ) {
        self.alarms = alarms
        self.refusals = refusals
        self.disputedShifts = disputedShifts
        self.debts = debts
        self.missing = missing
    }
}
