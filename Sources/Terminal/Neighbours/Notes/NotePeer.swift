internal import Base
internal import HubProtocol
internal import OfflineCore

/// One neighbour as a source of notes.
struct NotePeer: Hashable, Sendable {
    /// A request that is under way.
    struct Pull: Hashable {
        let list: NoteListKey
        let after: Int64
        let since: Instant
        /// It has been waited for: another neighbour may be requested the same list, this one nothing more
        /// until it has responded or failed.
        var isLate = false
    }

    /// How far it has each list, as it said last.
    var heads: [NoteListKey: NoteHead] = [:]
    var pull: Pull?
    /// Lists of which it has another branch: its notes from this number on are requested, to have both notes.
    var rechecks: [NoteListKey: Int64] = [:]
    /// Nothing is requested before.
    private(set) var waitsUntil: Instant?
    private var backoff = Backoff(maximum: NeighbourLimits.longestRetry)

    /// It did not respond, or had nothing of what it named; the list is requested again when it names it
    /// again.
    mutating func fail(_ pull: Pull, at now: Instant, using generator: inout SplitMix64) {
        heads[pull.list] = nil
        rechecks[pull.list] = nil
        waitsUntil = now + backoff.fail(using: &generator)
    }

    mutating func succeed() {
        backoff.reset()
        waitsUntil = nil
    }

    /// The wait is over; the next failure waits longer.
    mutating func endWait() { waitsUntil = nil }

    func isWaiting(at now: Instant) -> Bool { waitsUntil.map { now < $0 } ?? false }

    /// The number behind which notes of this list are requested; nil: it has nothing that is new.
    func after(_ key: NoteListKey, beside list: NoteList?) -> Int64? {
        guard let head = heads[key] else { return nil }
        guard let list else { return 0 }
        if let recheck = rechecks[key] { return recheck - 1 }
        if list.forkedAt == nil {
            if let known = list.hash(at: head.number), known != head.hash { return head.number - 1 }
            if let forkedAt = head.forkedAt, list.hash(at: forkedAt) != nil { return forkedAt - 1 }
        }
        return head.number > list.last ? list.last : nil
    }
}
