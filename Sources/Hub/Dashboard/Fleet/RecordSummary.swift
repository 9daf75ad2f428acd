/// What the hub's own records have open: what a person should look at, and what did not arrive.
public struct RecordSummary: Hashable, Sendable {
    /// Journals with holes.
    public struct Gaps: Hashable, Sendable {
        /// How many terminals have one.
        public var terminals: Int64
        /// How many entries are missing between others that arrived.
        public var entries: Int64

        /// Makes it; by default nothing is missing.
        public init(terminals: Int64 = 0, entries: Int64 = 0) {
            self.terminals = terminals
            self.entries = entries
        }
    }

    /// Alarms that nobody has acknowledged since they were raised last.
    public var alarms: Int64
    /// Refused mutations that neither their terminal nor an operator has resolved.
    public var refusals: Int64
    /// Shifts whose sums are not those of the hub's journal.
    public var disputedShifts: Int64
    /// Cards that were taken offline and refused afterwards, and that nobody has settled.
    public var debts: Int64
    /// What is missing. A terminal sends it again by itself once it is connected.
    public var gaps: Gaps

    /// Makes a summary; by default nothing is open.
    public init(
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
