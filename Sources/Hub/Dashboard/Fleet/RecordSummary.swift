/// What the hub's own records have open: what a person should look at, and what did not arrive.
package struct RecordSummary: Hashable, Sendable {
    /// Journals with holes.
    package struct Gaps: Hashable, Sendable {
        /// How many terminals have one.
        package var terminals: Int64
        /// How many entries are missing between others that arrived.
        package var entries: Int64

        /// Makes it; by default nothing is missing.
        package init(terminals: Int64 = 0, entries: Int64 = 0) {
            self.terminals = terminals
            self.entries = entries
        }
    }

    /// Alarms that nobody has acknowledged since they were raised last.
    package var alarms: Int64
    /// Refused mutations that neither their terminal nor an operator has resolved.
    package var refusals: Int64
    /// Shifts whose sums are not those of the hub's journal.
    package var disputedShifts: Int64
    /// Cards that were taken offline and refused afterwards, and that nobody has settled.
    package var debts: Int64
    /// What is missing. A terminal sends it again by itself once it is connected.
    package var gaps: Gaps

    /// Makes a summary; by default nothing is open.
    package init(
        alarms: Int64 = 0, refusals: Int64 = 0, disputedShifts: Int64 = 0, debts: Int64 = 0,
        gaps: Gaps = Gaps()
    ) {
        self.alarms = alarms
        self.refusals = refusals
        self.disputedShifts = disputedShifts
        self.debts = debts
        self.gaps = gaps
    }
}
