package import HubProtocol

/// A note that this till shall write.
package struct NoteRequest: Hashable, Sendable {
    package let kind: String
    /// An object that fits ``NeighbourLimits/noteBytes``; one that does not is refused when it is signed.
    package let body: JSONValue
    /// Milliseconds since 1970.
    package let madeAt: Int64
    /// The epoch outside of which it is not written: a grant is given by what that epoch's disk has; nil: of
    /// any epoch.
    package let epoch: Int64?

    package init(kind: NoteKind, body: JSONValue, madeAt: Int64, epoch: Int64? = nil) {
        self.kind = kind.rawValue
        self.body = body
        self.madeAt = madeAt
        self.epoch = epoch
    }
}

/// What happened to the lists of notes.
package enum NoteEvent: Hashable, Sendable {
    /// Something happened in this till that its neighbours may know.
    case noteRequested(NoteRequest)
    /// The result of `saveOwn`: the note is durable.
    case ownSaved(NeighbourNote)
    /// The result of `saveOwn`: the device key is gone, or the note is too large.
    case ownRefused
    /// The result of `save`: the notes are durable.
    case saved
    /// The result of `saveOwn` or `save`: nothing changed on disk.
    case saveFailed
    /// A neighbour named how far it has the lists of the store.
    case headsHeard(from: String, [NoteHead])
    /// The result of `pull`: notes of one list from the number behind `after` on, in the neighbour's order.
    case pulled(from: String, [NeighbourNote])
    /// The result of `pull`: no response, or one that cannot be read.
    case pullFailed(from: String)
    /// The keys of the store's terminals, this one's too. Of others nothing is accepted.
    case keysChanged([TerminalKey])
    /// The hub has results for the journal of a maker up to `through`, as the maker or the hub says.
    case acknowledged(NoteListKey, through: Int64)
    /// Where this till's journal ends.
    case journalMoved(JournalMark)
    /// The hub gave this till a new epoch, which is durable.
    case epochRaised(Int64)
    /// The deadline passed; early and repeated wake-ups are harmless.
    case deadlineReached
}

/// What the driver of the lists has to do. One save is pending at a time, and one pull for each neighbour.
package enum NoteEffect: Hashable, Sendable {
    /// Sign the note and make it durable. Followed by `ownSaved`, `ownRefused` or `saveFailed`.
    case saveOwn(NoteDraft)
    /// Make these durable, in one transaction. Followed by `saved` or `saveFailed`.
    ///
    /// - `notes`: of one list, in order.
    /// - `fork`: a note under whose number the list has another one; it is kept beside that.
    case save(notes: [NeighbourNote], fork: NeighbourNote?)
    /// Request the notes of a list from the number behind `after` on. Followed by `pulled` or `pullFailed`,
    /// within a time of the driver's.
    case pull(from: String, NoteListKey, after: Int64)
    /// Delete the notes of a list below a number. One that is lost is requested again after a start.
    case drop(NoteListKey, below: Int64)
    /// Delete a whole list.
    case forget(NoteListKey)
    /// This own note is not written, now or later: its epoch is over, it could not be signed, or too many
    /// waited.
    case refuse(NoteRequest)
    /// Raise an alarm; each once while the agent runs.
    case raise(NoteAlarm)
}

/// What a person has to know of the lists.
package enum NoteAlarm: Hashable, Sendable {
    /// A till signed two notes under one number: two tills run with its key, or it runs from an old disk.
    case forked(NoteListKey, number: Int64)
    /// A maker wrote more than ``NeighbourLimits/notesADay``; the rest stays at the maker for a day.
    case tooManyNotes(String)
    /// ``NeighbourLimits/notesKept`` of a maker are there, and no checkpoint.
    case listsFull(String)
    /// A checkpoint leaves out what its maker's notes said; they are kept.
    case checkpointLowers(NoteListKey)
    /// A neighbour has a note that this till signed and does not have: this till runs from an old disk or
    /// was cloned. It writes no note until the hub gave it a new epoch.
    case ownListAhead(epoch: Int64, number: Int64)
    /// An own note could not be signed, or did not fit the queue; the neighbours do not hear of it.
    case ownNoteLost
}
