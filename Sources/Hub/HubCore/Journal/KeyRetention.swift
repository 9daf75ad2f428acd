/// How long the hub keeps the response to a mutation, so that the same key gets the same response (http.md
/// section 3): as ``RetentionKind/responses`` says, and until the terminal has the result on its own disk.
///
/// What goes is the response alone. The mutation, its key and its place in the chain stay, so a replay is
/// known for ever and never run again; without its response it is `rejected` with `expired_replay`.
package enum KeyRetention {
    /// An entry of a journal with a response that may be old.
    package struct Entry: Hashable, Sendable {
        /// The entry's place in the journal of one epoch, from 1.
        package let sequence: Int64
        /// Milliseconds since 1970.
        package let receivedAt: Int64

        /// An entry that still has its response; `receivedAt` is in milliseconds since 1970.
        package init(sequence: Int64, receivedAt: Int64) {
            self.sequence = sequence
            self.receivedAt = receivedAt
        }
    }

    /// How many of the first `entries` need their responses no longer.
    ///
    /// - Parameters:
    ///   - entries: by rising sequence. One that is too young keeps those behind it too, so that what is gone
    ///     is always a beginning of the journal.
    ///   - lowSequence: the smallest sequence without a result on the terminal's disk, as it last reported.
    ///   - moment: what was received then or before is old, in milliseconds since 1970.
    package static func expired(among entries: [Entry], lowSequence: Int64, until moment: Int64) -> Int {
        entries.prefix { $0.sequence < lowSequence && $0.receivedAt <= moment }.count
    }
}
