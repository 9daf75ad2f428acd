import HubCore

/// The responses of one epoch of one terminal's journal, as far as they may be old enough to go.
struct KeptResponses: Sendable {
    let place: JournalPlace
    /// Up to this sequence they are gone already.
    let droppedThrough: Int64
    /// The smallest sequence without a result on the terminal's disk.
    let lowSequence: Int64

    /// Entries that are looked at in one transaction, so that pushes do not wait for long.
    static let chunk = 500

    /// Terminals whose kept responses may be due. The low sequence is that of the terminal's last epoch,
    /// since sequences continue over all epochs.
    static let selection =
        "SELECT e.terminal_id, e.epoch, e.dropped_through, l.low_sequence FROM epochs e JOIN epochs l "
        + "ON l.terminal_id = e.terminal_id AND l.epoch = (SELECT MAX(x.epoch) FROM epochs x "
        + "WHERE x.terminal_id = e.terminal_id) WHERE l.low_sequence IS NOT NULL "
        + "AND e.dropped_through < e.highest AND e.dropped_through < l.low_sequence - 1 "
        + "ORDER BY e.terminal_id, e.epoch"

    func dropped(through sequence: Int64) -> KeptResponses {
        KeptResponses(place: place, droppedThrough: sequence, lowSequence: lowSequence)
    }
}

/// What one transaction removed of a terminal's kept responses.
struct DroppedAnswers: Sendable {
    let count: Int
    /// Nil when nothing more of it is old enough.
    let rest: KeptResponses?
}
