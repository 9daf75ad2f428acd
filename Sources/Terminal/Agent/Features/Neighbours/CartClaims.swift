internal import HubProtocol
internal import MachineRuntime
internal import Neighbours
internal import TerminalStore

/// Claims on carts and leases: what travels with a grant, and what becomes of it on this till's disk.
extension ClaimExchange {
    /// The response to a claim that was granted; nil: none, which its taker takes for silence.
    func response(with grant: GrantedRight) async -> ClaimResponse? {
        guard let note = await around.files.grant(grant, by: around.terminalId) else { return nil }
        if grant.kind == .lease {
            let lease = (try? await around.rights.lease(of: grant)) ?? nil
            return ClaimResponse(grants: [note.json], content: lease)
        }
        guard grant.kind == .cart else { return ClaimResponse(grants: [note.json]) }
        guard let sent = try? await around.rights.sent(with: grant) else { return nil }
        return ClaimResponse(grants: sent.grants + [note.json], content: sent.content)
    }

    /// What is in a parked cart of this till, for one that may have to copy it.
    func content(of cart: String) async -> CartContentResponse {
        CartContentResponse((try? await around.rights.content(of: cart)) ?? nil)
    }

    func keep(_ cart: WantedRight) async -> ClaimEvent {
        let isKept: Void? = try? await around.rights.keep(
            cart.claim, of: cart.owner, at: around.time.wallMilliseconds())
        return isKept == nil
            ? .keepFailed(claimId: cart.claim.claimId) : .kept(claimId: cart.claim.claimId)
    }

    func adopt(
        cart grant: GrantedRight, _ grants: [JSONValue], origin: String?, content: JSONValue?
    ) async -> ClaimEvent {
        let isAdopted = try? await around.rights.adopt(
            grant, grants: grants, origin: origin, content: content, at: around.time.wallMilliseconds())
        guard isAdopted == true else { return .adoptFailed(claimId: grant.claimId) }
        around.changed()
        return .adopted(grant)
    }

    func adopt(part grant: GrantedRight, _ note: JSONValue?, of lease: JSONValue?) async -> ClaimEvent {
        guard let note, let lease else { return .adoptRefused(claimId: grant.claimId) }
        let now = around.time.wallMilliseconds()
        switch try? await around.rights.adopt(grant, of: lease, by: note, at: now) {
        case .adopted:
            around.recorded()
            return .adopted(grant)
        case .refused: return .adoptRefused(claimId: grant.claimId)
        case nil: return .adoptFailed(claimId: grant.claimId)
        }
    }

    /// A grant's note is written.
    ///
    /// - Returns: whether that is on disk, and of a lease the journal's entry: before it, nobody learns of the
    ///   grant.
    func note(_ grant: GrantedRight, as note: JSONValue?) async -> Bool {
        let isMarked: Void? = try? await around.rights.noteWritten(
            grant, as: note, at: around.time.wallMilliseconds())
        if grant.kind == .lease { around.recorded() }
        return isMarked != nil
    }

    /// An earlier copy of this disk granted it.
    func accept(_ grant: GrantedRight) async {
        let note = await around.files.grant(grant, by: around.terminalId)
        try? await around.rights.accept(grant, as: note?.json, at: around.time.wallMilliseconds())
        if grant.kind == .lease { around.recorded() }
    }
}
