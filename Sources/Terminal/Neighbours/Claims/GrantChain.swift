internal import HubProtocol

/// The signed notes by which a right came to a till: of a cart from its first owner on, of another right the
/// one of its owner.
struct GrantChain: Hashable, Sendable {
    private let notes: [NeighbourNote]
    private let grants: [GrantedRight]
    /// The last one.
    let grant: GrantedRight
    /// The till that gave the last one.
    let owner: String

    /// Nil without a note, and where one is no grant, not signed by its maker, or does not follow the one
    /// before: it is of the same right and a later ownership, by the till that the one before gave it to.
    ///
    /// - Parameter keys: of the store's terminals, in base64 by their ids.
    init?(_ documents: [JSONValue], keys: [String: String]) {
        var (notes, grants): ([NeighbourNote], [GrantedRight]) = ([], [])
        for document in documents {
            guard let note = try? NeighbourNote(json: document), let kind = NoteKind(rawValue: note.kind),
                let grant = try? GrantedRight(json: note.body), grant.kind.note == kind,
                let key = keys[note.terminalId], note.isSigned(by: key)
            else { return nil }
            if let before = grants.last {
                guard grant.kind == .cart, before.kind == .cart, before.right == grant.right,
                    before.to == note.terminalId, before.turn < grant.turn
                else { return nil }
            }
            notes.append(note)
            grants.append(grant)
        }
        guard let last = grants.last, let owner = notes.last?.terminalId else { return nil }
        (self.notes, self.grants, grant, self.owner) = (notes, grants, last, owner)
    }

    /// The lists that its notes are of.
    var lists: [NoteListKey] { notes.map(\.list) }

    /// Whether it gives to `taker` what it claimed of `owner`. A cart comes from the till that had it
    /// first; of a lease, which may be named by its subject, less may come.
    func answers(_ claim: RightClaim, of taker: String, from owner: String) -> Bool {
        guard grant.to == taker, grant.claimId == claim.claimId, grant.kind.rawValue == claim.kind,
            grant.kind == .lease
                ? grant.amount <= claim.amount : grant.right == claim.right && grant.amount == claim.amount,
            self.owner == owner
        else { return false }
        return grant.kind == .cart ? notes.first?.terminalId == claim.origin ?? owner : notes.count == 1
    }
}
