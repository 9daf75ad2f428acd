package import Base
package import HubProtocol
internal import OfflineCore

/// The right with one owner: which till may sell a parked cart, give back an amount of a receipt, or spend a
/// part of a lease.
///
/// Only the owner gives a right away. Before it says so, it can use the right itself no more, durably
/// (`reserve`), and the signed note of the grant is on its disk (`writeGrant`). What is lost on the way is
/// responded to the same claim again, for ever. So a right has one owner whatever the network loses, repeats
/// or reorders, and whenever a till stops: between two steps it is nobody's, never two tills'.
///
/// What is left is a till that runs from an old copy of its disk, and one that signs two notes under one
/// number. The notes show both (``NoteLists``), and a till that knows it of itself grants and claims nothing
/// until the hub gave it a new epoch, in which nothing of an earlier one is given.
package struct Claims: Machine {
    /// How far the granting of a claim has come.
    private enum Granting: Hashable {
        case reserving
        case writing
    }

    /// How far a claim of this till has come.
    private enum Claiming: Hashable {
        /// It is not sent before it is durable.
        case keeping(WantedRight)
        /// - `isWanted`: somebody waits for it.
        case sent(RightClaim, owner: String, isWanted: Bool)
        case adopting(RightClaim, isWanted: Bool)
        /// Granted, and somebody is about to use it at once.
        case using
    }

    private let terminalId: String
    private var isReady = false
    private var epoch: Int64 = 0
    private var notes = StoreNotes()
    private var keys: [String: String] = [:]

    private var granting: [ClaimKey: Granting] = [:]
    /// All that this till ever granted, as its disk has it.
    private var given: [ClaimKey: GrantedRight]
    /// Of those, what is neither used up nor back.
    private var open: Set<ClaimKey>
    private var parts = PartAllowance()
    /// What was reserved before the start, and perhaps never given.
    private var reserved: [GrantedRight]
    /// Carts that notes of this till end, and that are no more on its disk.
    private var ended: Set<String> = []

    private var claims: [String: Claiming] = [:]
    /// All that this till ever adopted, as its disk has it, by its claims.
    private var held: [String: GrantedRight]
    private var wanted: OwnClaims
    private var disputes = CartDisputes()
    /// Claims of this till by which nothing more is done: used, or released.
    private var over: Set<String> = []
    /// When claims that were granted without this till's knowledge are looked at again.
    private var looksAgainAt: Instant?
    /// The last claim that was sent again: the one behind it is next.
    private var sentAgain = ""
    private var backoff = Backoff(maximum: NeighbourLimits.longestRetry)

    private var raised: Set<ClaimAlarm> = []
    private var generator: SplitMix64

    /// Starts with what is on disk.
    ///
    /// - Parameters:
    ///   - given: what was granted to others.
    ///   - open: of those, the claims whose grants are neither used up nor back.
    ///   - reserved: what was taken away from this till, and whose note it does not know to be written.
    ///   - held: what was adopted, by this till's claims.
    ///   - wanted: carts that this till claimed.
    ///   - seed: of the jitter.
    package init(
        terminalId: String, given: [GrantedRight] = [], open: Set<ClaimKey> = [],
        reserved: [GrantedRight] = [], held: [GrantedRight] = [], wanted: [WantedRight] = [], seed: UInt64
    ) {
        self.terminalId = terminalId
        self.wanted = OwnClaims(wanted)
        self.given = Dictionary(given.map { (ClaimKey($0), $0) }) { first, _ in first }
        self.open = open
        self.reserved = reserved
        self.held = Dictionary(held.map { ($0.claimId, $0) }) { first, _ in first }
        generator = SplitMix64(seed: seed)
    }

    package var deadline: Instant? { [looksAgainAt, disputes.deadline].compactMap(\.self).min() }

    package mutating func handle(_ event: ClaimEvent, at now: Instant) -> [ClaimEffect] {
        switch event {
        case .claimed(let claim, let taker):
            return judge(claim, of: ClaimKey(taker: taker, claimId: claim.claimId), at: now)
        case .reserved(let grant): return write(grant)
        case .reserveRefused(let key, let refusal, let owner):
            return granting.removeValue(forKey: key) == nil
                ? [] : [.respond(key, .refused(refusal, to: owner))]
        case .reserveFailed(let key):
            return granting.removeValue(forKey: key) == nil ? [] : [.respond(key, nil)]
        case .granted(let grant): return finish(grant, at: now)
        case .grantNotMarked(let grant):
            granting[ClaimKey(grant)] = nil
            return [.respond(ClaimKey(grant), nil)] + settleGiven()
        case .grantFailed(let grant): return giveUp(grant)
        case .takenBack(let key): return takeBack(key)
        case .wanted(let claim, let owner): return want(claim, of: owner)
        case .kept(let claimId): return sendKept(claimId)
        case .keepFailed(let claimId): return failKeeping(claimId)
        case .responded(let claimId, let response, let others):
            return take(response, to: claimId, beside: others, at: now)
        case .adopted(let grant): return finishAdopting(grant)
        case .adoptFailed(let claimId): return failAdopting(claimId, at: now)
        case .adoptRefused(let claimId): return refuseAdopting(claimId)
        case .used(let claimId):
            claims[claimId] = nil
            over.insert(claimId)
            return []
        case .abandoned(let claimId): return abandon(claimId)
        case .notesChanged(let notes):
            let alarms = disputes.follow(notes, after: self.notes, at: now)
            self.notes = notes
            return settleGiven() + lookForUnknown(at: now) + raiseTwice() + alarms.flatMap { raise($0) }
        case .readinessChanged(let isReady, let epoch):
            if epoch != self.epoch { wanted.forgetParts() }
            (self.isReady, self.epoch) = (isReady, epoch)
            return settleGiven() + lookForUnknown(at: now)
        case .keysChanged(let keys):
            self.keys = keys
            return lookForUnknown(at: now)
        case .deadlineReached:
            let alarms = disputes.ripe(at: now).flatMap { raise($0) }
            guard let looksAgainAt, now >= looksAgainAt else { return alarms }
            return alarms + lookForUnknown(at: now)
        }
    }
}

// MARK: As an owner

extension Claims {
    private mutating func judge(
        _ claim: RightClaim, of key: ClaimKey, at now: Instant
    ) -> [ClaimEffect] {
        // The response to the first one serves this one.
        guard granting[key] == nil else { return [] }
        guard let kind = RightKind(rawValue: claim.kind) else {
            return [.respond(key, .refused(.unknownKind))]
        }
        guard isReady, key.taker != terminalId else { return [.respond(key, nil)] }
        if let grant = given[key], notes.grant(of: key, by: terminalId) != nil {
            let isOver = isReleased(grant)
            return [.respond(key, isOver ? .refused(.spent) : .granted(grant))]
        }
        guard !notes.isReleased(key, by: key.taker) else { return [.respond(key, .refused(.spent))] }
        guard !isFull(key, of: kind, at: now) else { return [.respond(key, .refused(.tooManyClaims))] }
        let turn = kind == .cart ? nextTurn(of: claim.right) : 1
        guard turn < JSONValue.exactIntegers.upperBound else { return [.respond(key, .refused(.notMine))] }
        granting[key] = .reserving
        return [
            .reserve(
                claim, for: key.taker, turn: turn, epoch: epoch,
                refunds: kind == .receipt ? notes.refunds(of: claim.right) : [:])
        ]
    }

    /// One more than each ownership of the cart that this till had or gave.
    private func nextTurn(of cart: String) -> Int64 {
        let had = held.values.filter { $0.kind == .cart && $0.right == cart }.map(\.turn).max() ?? 0
        let gave = given.values.filter { $0.kind == .cart && $0.right == cart }.map(\.turn).max() ?? 0
        return 1 + max(notes.turn(of: cart, at: terminalId), had, gave)
    }

    private func isFull(_ key: ClaimKey, of kind: RightKind, at now: Instant) -> Bool {
        let having =
            kind == .lease
            ? parts.given(to: key.taker, at: now)
            : open.count { $0.taker == key.taker && given[$0]?.kind == kind && $0 != key }
        return having + granting.keys.count { $0.taker == key.taker } >= kind.mostGranted
    }

    private mutating func write(_ grant: GrantedRight) -> [ClaimEffect] {
        let key = ClaimKey(grant)
        guard granting[key] == .reserving else {
            return given[key] == nil && granting[key] == nil ? [.unreserve(key)] : []
        }
        granting[key] = .writing
        return [.writeGrant(grant, epoch: epoch)]
    }

    private mutating func finish(_ grant: GrantedRight, at now: Instant) -> [ClaimEffect] {
        let key = ClaimKey(grant)
        keep(grant)
        if grant.kind == .lease { parts.note(key.taker, at: now) }
        return granting.removeValue(forKey: key) == nil ? [] : [.respond(key, .granted(grant))]
    }

    private mutating func keep(_ grant: GrantedRight) {
        given[ClaimKey(grant)] = grant
        // A part of a lease does not come back, and is used where nobody sees it.
        if grant.kind != .lease { open.insert(ClaimKey(grant)) }
    }

    private mutating func giveUp(_ grant: GrantedRight) -> [ClaimEffect] {
        let key = ClaimKey(grant)
        guard granting.removeValue(forKey: key) != nil else { return [] }
        return (given[key] == nil ? [.unreserve(key)] : []) + [.respond(key, nil)]
    }

    private mutating func takeBack(_ key: ClaimKey) -> [ClaimEffect] {
        // A cart is copied instead: its taker has its lines, and sells it without a further response.
        guard isReady, open.contains(key), given[key]?.kind == .receipt else {
            return [.notTakenBack(key)]
        }
        open.remove(key)
        return [.writeRelease(key), .regain(key)]
    }

    private func isReleased(_ grant: GrantedRight) -> Bool {
        let key = ClaimKey(grant)
        return notes.isReleased(key, by: key.taker) || notes.isReleased(key, by: terminalId)
    }

    /// What became of what this till granted, and what earlier copies of its disk granted, sold or dropped.
    private mutating func settleGiven() -> [ClaimEffect] {
        var effects: [ClaimEffect] = []
        for key in open.sorted() {
            guard let grant = given[key] else { continue }
            if isReleased(grant), grant.kind == .receipt {
                open.remove(key)
                effects.append(.regain(key))
            } else if isUsed(grant) {
                open.remove(key)
                effects.append(.close(key))
            }
        }
        for grant in notes.grants(by: terminalId) where given[ClaimKey(grant)] == nil {
            let key = ClaimKey(grant)
            // Its own write is under way.
            guard granting[key] == nil else { continue }
            keep(grant)
            if grant.kind != .cart || nextTurn(of: grant.right) == grant.turn + 1 {
                effects.append(.accept(grant))
            }
        }
        if isReady {
            // Those whose notes are there were accepted just now.
            effects += reserved.map { ClaimKey($0) }.filter { given[$0] == nil }.map(ClaimEffect.unreserve)
            reserved = []
        }
        for (cart, state) in notes.leftCarts(of: terminalId).sorted(by: { $0.key < $1.key }) {
            guard case .ended = state, ended.insert(cart).inserted else { continue }
            effects.append(.endCart(cart))
        }
        return effects
    }

    private func isUsed(_ grant: GrantedRight) -> Bool {
        switch grant.kind {
        case .cart: notes.hasLeft(grant.right, grant.to, after: grant.turn)
        case .receipt: notes.hasRefund(grant.claimId, of: grant.to)
        case .lease: true
        }
    }
}

// MARK: As a taker

extension Claims {
    private mutating func want(_ claim: RightClaim, of owner: String) -> [ClaimEffect] {
        let id = claim.claimId
        guard isReady else { return [.settle(claimId: id, .notReady)] }
        switch claims[id] {
        // It is under way already: whoever wants it now waits for the same end.
        case .sent(claim, let owner, _) where claim.kind != RightKind.receipt.rawValue:
            claims[id] = .sent(claim, owner: owner, isWanted: true)
            return []
        case .adopting(claim, _):
            claims[id] = .adopting(claim, isWanted: true)
            return []
        case .keeping(WantedRight(claim, of: owner)): return []
        case .keeping, .sent, .adopting, .using, nil: break
        }
        guard claims[id] == nil, !isOver(id) else {
            return [.settle(claimId: id, .refused(.spent, to: nil))]
        }
        let cart = WantedRight(claim, of: owner)
        if claim.kind == RightKind.cart.rawValue, !wanted.has(cart) {
            claims[id] = .keeping(cart)
            return [.keep(cart)]
        }
        wanted.request(cart)
        claims[id] = .sent(claim, owner: owner, isWanted: true)
        return [.send(claim, to: owner)]
    }

    private mutating func sendKept(_ claimId: String) -> [ClaimEffect] {
        guard case .keeping(let cart) = claims[claimId] else { return [] }
        wanted.keep(cart)
        claims[claimId] = .sent(cart.claim, owner: cart.owner, isWanted: true)
        return [.send(cart.claim, to: cart.owner)]
    }

    private mutating func failKeeping(_ claimId: String) -> [ClaimEffect] {
        guard case .keeping = claims[claimId] else { return [] }
        claims[claimId] = nil
        return [.settle(claimId: claimId, .notKept)]
    }

    /// Whether nothing more is done by a claim of this till.
    private func isOver(_ claimId: String) -> Bool {
        over.contains(claimId)
            || notes.isReleased(ClaimKey(taker: terminalId, claimId: claimId), by: terminalId)
    }

    private mutating func take(
        _ response: ClaimResponse?, to claimId: String, beside others: [NeighbourNote], at now: Instant
    ) -> [ClaimEffect] {
        guard case .sent(let claim, let owner, let isWanted) = claims[claimId] else { return [] }
        claims[claimId] = nil
        func end(_ outcome: ClaimOutcome) -> [ClaimEffect] {
            isWanted ? [.settle(claimId: claimId, outcome)] : []
        }
        guard let response else {
            lookLater(at: now)
            return end(.silent)
        }
        if let refusal = response.refusal { return end(.refused(refusal, to: response.terminalId)) }
        guard let chain = GrantChain(response.grants, keys: keys),
            chain.answers(claim, of: terminalId, from: owner), isTrusted(chain)
        else { return raise(.grantInvalid(from: owner)) + end(.silent) }
        guard claim.kind != RightKind.receipt.rawValue else {
            claims[claimId] = isWanted ? .using : nil
            return end(.granted(chain.grant))
        }
        // Its owner has the lease no more, or is in a new epoch: the part is idle.
        if chain.grant.kind == .lease,
            response.content == nil || chain.lists.last.map(notes.isOver) ?? true
        {
            over.insert(claimId)
            return end(.refused(.spent, to: nil))
        }
        guard chain.grant.kind != .lease || covers(response.content, chain, of: claim, beside: others) else {
            over.insert(claimId)
            return raise(.grantInvalid(from: owner)) + end(.refused(.notMine, to: nil))
        }
        claims[claimId] = .adopting(claim, isWanted: isWanted)
        return [
            .adopt(chain.grant, grants: response.grants, origin: claim.origin, content: response.content)
        ]
    }

    /// Whether no note that is known speaks against the grants of a chain.
    private func isTrusted(_ chain: GrantChain) -> Bool {
        chain.lists.allSatisfy(notes.isTrusted)
            && (chain.grant.kind != .cart || !notes.contradicts(chain.grant, of: chain.owner))
    }

    /// Whether a lease that came with a grant of a part of it is its owner's in its present epoch, and covers
    /// that part beside all that its owner gave of it, as far as any till knows.
    private func covers(
        _ content: JSONValue?, _ chain: GrantChain, of claim: RightClaim, beside others: [NeighbourNote]
    ) -> Bool {
        let grant = chain.grant
        guard let list = chain.lists.last, let lease = content.flatMap({ try? LeaseRecord(json: $0) }),
            lease.leaseId == grant.right, !LeaseRecord.isPart(lease.leaseId), lease.kind != .card,
            [lease.leaseId, lease.subject].contains(claim.right), lease.terminalId == list.terminalId,
            lease.epoch == list.epoch
        else { return false }
        var given = notes.given(of: lease.leaseId, by: list.terminalId)
        for note in others where note.list == list && note.kind == NoteKind.leaseGiven.rawValue {
            guard let other = try? GrantedRight(json: note.body), other.right == grant.right,
                let key = keys[note.terminalId], note.isSigned(by: key)
            else { continue }
            given[ClaimKey(other)] = max(other.amount, given[ClaimKey(other)] ?? 0)
        }
        given[ClaimKey(grant)] = grant.amount
        let (sum, overflows) = given.values.reduce(into: (Int64(0), false)) { sum, amount in
            let (next, overflows) = sum.0.addingReportingOverflow(amount)
            sum = (next, sum.1 || overflows)
        }
        return !overflows && max(sum, grant.given) <= lease.amount
    }

    private mutating func finishAdopting(_ grant: GrantedRight) -> [ClaimEffect] {
        held[grant.claimId] = grant
        backoff.reset()
        guard case .adopting(_, let isWanted) = claims.removeValue(forKey: grant.claimId), isWanted else {
            return []
        }
        return [.settle(claimId: grant.claimId, .granted(grant))]
    }

    private mutating func failAdopting(_ claimId: String, at now: Instant) -> [ClaimEffect] {
        guard case .adopting(_, let isWanted) = claims.removeValue(forKey: claimId) else { return [] }
        lookLater(at: now)
        return isWanted ? [.settle(claimId: claimId, .notKept)] : []
    }

    private mutating func refuseAdopting(_ claimId: String) -> [ClaimEffect] {
        guard case .adopting(_, let isWanted) = claims.removeValue(forKey: claimId) else { return [] }
        over.insert(claimId)
        return isWanted ? [.settle(claimId: claimId, .refused(.notMine, to: nil))] : []
    }

    private mutating func abandon(_ claimId: String) -> [ClaimEffect] {
        switch claims[claimId] {
        // A cart or a lease that is on its way comes to this till.
        case .keeping, .adopting: return []
        case .sent(let claim, _, _) where claim.kind != RightKind.receipt.rawValue: return []
        case .sent, .using, nil: break
        }
        claims[claimId] = nil
        guard over.insert(claimId).inserted else { return [] }
        return [.writeRelease(ClaimKey(taker: terminalId, claimId: claimId))]
    }

    /// What was granted to this till without its knowledge: the response was lost, or the till stopped
    /// before it was durable. What stays with its taker is claimed again, the rest is used or released.
    private mutating func lookForUnknown(at now: Instant) -> [ClaimEffect] {
        guard isReady else { return [] }
        if let looksAgainAt, now < looksAgainAt { return [] }
        looksAgainAt = nil
        var effects: [ClaimEffect] = []
        var (again, strange) = ([WantedRight](), [String: Set<String>]())
        for (list, grant) in notes.grants(to: terminalId) {
            let (id, owner) = (grant.claimId, list.terminalId)
            guard claims[id] == nil, held[id] == nil, !isOver(id), notes.isTrusted(list) else { continue }
            switch grant.kind {
            case .cart:
                // What came later of the cart is known: it was here and is gone.
                let turn = notes.turn(of: grant.right, at: terminalId)
                let isOld = turn >= grant.turn || notes.hasLeft(grant.right, terminalId, after: grant.turn)
                guard !isOld, !notes.contradicts(grant, of: owner) else { continue }
                if let cart = wanted.claim(by: grant, of: owner) {
                    again.append(cart)
                } else {
                    strange[owner, default: []].insert(id)
                }
            case .lease:
                guard wanted.hasRequested(id, of: owner) else { continue }
                let claim = RightClaim(claimId: id, kind: .lease, right: grant.right, amount: grant.amount)
                again.append(WantedRight(claim, of: owner))
            case .receipt:
                if wanted.mayLookUp(id, of: owner) {
                    effects.append(.lookUp(claimId: id))
                } else {
                    strange[owner, default: []].insert(id)
                }
            }
        }
        effects += claim(again: again)
        if !effects.isEmpty || !again.isEmpty { lookLater(at: now) }
        for (owner, claims) in strange.sorted(by: { $0.key < $1.key })
        where claims.count > NeighbourLimits.cartsGranted { effects += raise(.unrequested(from: owner)) }
        return effects
    }

    /// At most ``NeighbourLimits/claimsAtOnce`` at a time, each in its turn, and of carts of one owner that
    /// are not sold no more than it grants.
    private mutating func claim(again waiting: [WantedRight]) -> [ClaimEffect] {
        var room = NeighbourLimits.claimsAtOnce
        room -= claims.values.count { if case .sent(_, _, false) = $0 { true } else { false } }
        let next = waiting.firstIndex { $0.claim.claimId > sentAgain } ?? 0
        var effects: [ClaimEffect] = []
        for cart in waiting[next...] + waiting[..<next]
        where room > 0 && hasRoom(for: cart.claim, of: cart.owner) {
            sentAgain = cart.claim.claimId
            room -= 1
            claims[sentAgain] = .sent(cart.claim, owner: cart.owner, isWanted: false)
            effects.append(.send(cart.claim, to: cart.owner))
        }
        return effects
    }

    private func hasRoom(for claim: RightClaim, of owner: String) -> Bool {
        guard claim.kind == RightKind.cart.rawValue else { return true }
        // Of a cart that came more than once the last time counts.
        let last = Dictionary(
            held.values.filter { $0.kind == .cart }.map { ($0.right, $0.turn) }, uniquingKeysWith: max)
        let having = notes.grants(by: owner).count { grant in
            let isHere = held[grant.claimId] != nil && last[grant.right] == grant.turn
            return grant.kind == .cart && grant.to == terminalId && grant.claimId != claim.claimId
                && (isHere || claims[grant.claimId] != nil)
                && !notes.hasLeft(grant.right, terminalId, after: grant.turn)
        }
        return having < RightKind.cart.mostGranted
    }

    private mutating func lookLater(at now: Instant) {
        looksAgainAt = now + backoff.fail(using: &generator)
    }
}

// MARK: Alarms

extension Claims {
    private mutating func raiseTwice() -> [ClaimEffect] {
        notes.grantedTwice.sorted { $0.key < $1.key }.flatMap { raise(.grantedTwice($0.key, cart: $0.value)) }
    }

    private mutating func raise(_ alarm: ClaimAlarm) -> [ClaimEffect] {
        raised.insert(alarm).inserted ? [.raise(alarm)] : []
    }
}
