package import HubProtocol

/// What happened to claims.
package enum ClaimEvent: Hashable, Sendable {
    // As an owner.

    /// A till claims a right of this one. Each is followed by one `respond`, which serves repetitions that
    /// came meanwhile too.
    case claimed(RightClaim, from: String)
    /// The result of `reserve`: this till itself can use it no more, durably. The same claim again has the
    /// same result.
    case reserved(GrantedRight)
    /// The result of `reserve`: it does not have it, or uses it itself. `to`: who has it by a grant.
    case reserveRefused(ClaimKey, ClaimRefusal, to: String?)
    /// The result of `reserve`: nothing changed on disk, or that is not known.
    case reserveFailed(ClaimKey)
    /// The result of `writeGrant`: its note is durable, and so is that it was written.
    case granted(GrantedRight)
    /// The result of `writeGrant`: there is no such note, and there will be none.
    case grantFailed(GrantedRight)
    /// The result of `writeGrant`: the note is durable, and what this till keeps beside it is not.
    case grantNotMarked(GrantedRight)
    /// A person takes back what a till was granted that was silent for ``NeighbourLimits/takenBackAfter``.
    case takenBack(ClaimKey)

    // As a taker.

    /// Somebody at this till wants a right of `owner`. Followed by one `settle`.
    case wanted(RightClaim, owner: String)
    /// The result of `keep`: that somebody wanted it is durable.
    case kept(claimId: String)
    /// The result of `keep`: nothing changed on disk.
    case keepFailed(claimId: String)
    /// The result of `send`; nil: no response in time, or none that can be read.
    ///
    /// - `others`: of a claim on a lease, notes of its owner that other tills have and this till does not
    /// yet.
    case responded(claimId: String, ClaimResponse?, others: [NeighbourNote] = [])
    /// The result of `adopt`: this till can use it, durably.
    case adopted(GrantedRight)
    /// The result of `adopt`: nothing changed on disk.
    case adoptFailed(claimId: String)
    /// The result of `adopt`: no key of the hub's signed the lease, and none will be used of it.
    case adoptRefused(claimId: String)
    /// What was granted is used: a refund is recorded.
    case used(claimId: String)
    /// Nothing is done by the claim, and nothing will be.
    case abandoned(claimId: String)

    // Both.

    /// The lists of notes changed.
    case notesChanged(StoreNotes)
    /// Whether this till writes notes: it has checked what its neighbours have of its lists, and its disk
    /// lacks nothing of them.
    case readinessChanged(isReady: Bool, epoch: Int64)
    /// The device keys of the store's terminals by their ids, in base64.
    case keysChanged([String: String])
    /// The deadline passed; early and repeated wake-ups are harmless.
    case deadlineReached
}

/// What the driver of claims has to do.
package enum ClaimEffect: Hashable, Sendable {
    // As an owner.

    /// Take it away from this till itself, in one transaction. Followed by `reserved`, `reserveRefused` or
    /// `reserveFailed`.
    ///
    /// - `turn`: of a cart, the number of the new ownership.
    /// - `epoch`: nothing of an earlier epoch is given.
    /// - `refunds`: of a receipt what the notes of all tills say was given back, by the refunds' ids.
    case reserve(RightClaim, for: String, turn: Int64, epoch: Int64, refunds: [String: Int64])
    /// Give back to this till what was reserved, unless its note was written: no till has heard of it.
    case unreserve(ClaimKey)
    /// Write the note of a grant, in this epoch alone. Followed by `granted`, `grantNotMarked`
    /// or `grantFailed`.
    case writeGrant(GrantedRight, epoch: Int64)
    /// Respond to all that wait for this claim; nil: not at all, which its taker takes for silence.
    case respond(ClaimKey, ClaimVerdict?)
    /// What was granted is used up: only the claim itself is still responded to.
    case close(ClaimKey)
    /// What was granted is this till's again.
    case regain(ClaimKey)
    /// It stays the taker's: it is used, was never granted, or this till writes no notes now.
    case notTakenBack(ClaimKey)
    /// An earlier copy of this disk granted it: this till itself can use it no more.
    case accept(GrantedRight)
    /// An earlier copy of this disk sold or dropped the cart.
    case endCart(String)

    // As a taker.

    /// Keep durably that this till claims a cart: what it did not claim it does not adopt. Followed by `kept`
    /// or `keepFailed`.
    case keep(WantedRight)
    /// Bring a claim to its owner. Followed by `responded`.
    case send(RightClaim, to: String)
    /// Make it this till's, in one transaction. Followed by `adopted`, `adoptFailed` or `adoptRefused`. One
    /// that was adopted before changes nothing and counts as adopted.
    ///
    /// - `grants`: the notes of all its owners.
    case adopt(GrantedRight, grants: [JSONValue], origin: String?, content: JSONValue?)
    /// The end of a claim that somebody wanted.
    case settle(claimId: String, ClaimOutcome)
    /// A claim was granted of which this till knows nothing. Look whether it was used: followed by `used` or
    /// `abandoned`, or by nothing while somebody is at it.
    case lookUp(claimId: String)
    /// Write that what a claim was granted is its owner's again.
    case writeRelease(ClaimKey)

    /// Raise an alarm; each once while the agent runs.
    case raise(ClaimAlarm)
}

/// What an owner responds.
package enum ClaimVerdict: Hashable, Sendable {
    case granted(GrantedRight)
    case refused(ClaimRefusal, to: String? = nil)
}

/// How a claim ended for the person who wanted it.
package enum ClaimOutcome: Hashable, Sendable {
    /// This till has it.
    case granted(GrantedRight)
    case refused(ClaimRefusal, to: String?)
    /// The owner did not respond, or not as an owner does. It may have granted the claim: that comes with its
    /// notes.
    case silent
    /// This till claims nothing now: it has not checked its disk yet, or runs from an old one.
    case notReady
    /// It was granted, and this till's disk did not take it; it does later.
    case notKept
}

/// What a person has to know of claims.
package enum ClaimAlarm: Hashable, Sendable {
    /// A till granted one cart twice in one ownership: it gives away what it does not have.
    case grantedTwice(NoteListKey, cart: String)
    /// A till responded with what is no grant of its own.
    case grantInvalid(from: String)
    /// A till granted more that this one did not claim than it can have lost.
    case unrequested(from: String)
    /// A till says it had a cart first that another one had.
    case foreignCart(maker: String, owner: String)
    /// Tills that say of one cart that each had it first.
    case disputed(tills: [String])
    /// A till says it has a cart, and for ``NeighbourLimits/proofWait`` nobody knows a grant of it.
    case unproven(maker: String)
    /// A till copied more carts than one that is honest does; the newest count.
    case tooManyCopies(maker: String)
}
