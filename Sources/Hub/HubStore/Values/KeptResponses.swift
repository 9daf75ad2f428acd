package import HubCore

/// The responses of one epoch of one terminal's journal, as far as they may be old enough to go.
package struct KeptResponses: Sendable {
    package let place: JournalPlace
    /// Up to this sequence they are gone already.
    package let droppedThrough: Int64
    /// The smallest sequence without a result on the terminal's disk.
    package let lowSequence: Int64

    package init(place: JournalPlace, droppedThrough: Int64, lowSequence: Int64) {
        self.place = place
        self.droppedThrough = droppedThrough
        self.lowSequence = lowSequence
    }

    /// Terminals whose kept responses may be due. The low sequence is that of the terminal's last epoch,
    /// since sequences continue over all epochs.
    package static let selection =
        "SELECT e.terminal_id, e.epoch, e.dropped_through, l.low_sequence FROM epochs e JOIN epochs l "
        + "ON l.terminal_id = e.terminal_id AND l.epoch = (SELECT MAX(x.epoch) FROM epochs x "
        + "WHERE x.terminal_id = e.terminal_id) WHERE l.low_sequence IS NOT NULL "
        + "AND e.dropped_through < e.highest AND e.dropped_through < l.low_sequence - 1 "
        + "ORDER BY e.terminal_id, e.epoch"

    package func dropped(through sequence: Int64) -> KeptResponses {
        KeptResponses(place: place, droppedThrough: sequence, lowSequence: lowSequence)
    }
}

/// What one transaction removed of a terminal's kept responses.
package struct DroppedResponses: Sendable {
    package let count: Int
    /// Nil when nothing more of it is old enough.
    package let rest: KeptResponses?

    package init(count: Int, rest: KeptResponses?) {
        self.count = count
        self.rest = rest
    }
}
