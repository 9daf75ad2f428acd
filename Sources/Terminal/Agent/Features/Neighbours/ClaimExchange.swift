internal import Base
internal import HubProtocol
internal import Logging
internal import MachineRuntime
internal import Neighbours
internal import Synchronization
internal import TerminalStore

/// What claims need of the agent.
struct ClaimSurroundings: Sendable {
    let terminalId: String
    let time: any SystemTime
    let logger: Logger
    let files: NoteFiles
    let rights: SQLiteRights
    /// The public half of this till's device key.
    let publicKey: String
    /// Whether a refund of this id is recorded; nil: somebody is at it, or that cannot be read.
    let isRecorded: @Sendable (String) async -> Bool?
    /// A cart came, went or was given away.
    var changed: @Sendable () -> Void = {}
    /// Leases of which nothing is given now; nil: no money is given away, neither of leases nor of receipts,
    /// since the hub has not confirmed for too long which tills there are.
    var leasesAtHand: @Sendable () async -> Set<String>? = { [] }
    /// What the hub says of a refund of a sale of this till; nil: nothing, now.
    var hubAllows: @Sendable (RefundInquiry) async -> Bool? = { _ in nil }
    /// The journal has a new entry.
    var recorded: @Sendable () -> Void = {}
}

/// Claims of the store's tills on rights of this one, and its own on theirs, until the run ends.
final class ClaimExchange: Sendable {
    let around: ClaimSurroundings
    private let driver: MachineDriver<Claims>
    /// Tills that wait for a response, by their claims; nil: the run has ended.
    private let callers = Mutex<[ClaimKey: [CheckedContinuation<ClaimVerdict?, Never>]]?>([:])
    /// People who take back what was granted; nil: the run has ended.
    private let owners = Mutex<[ClaimKey: [CheckedContinuation<Bool, Never>]]?>([:])
    /// When the hub was requested last for claims of each till.
    private let inquired = Mutex<[String: Instant]>([:])
    /// Claims of which the hub allowed the refund.
    private let allowed = Mutex<Set<ClaimKey>>([])
    /// People who wait for the end of a claim; nil: the run has ended.
    private let people = Mutex<[String: [CheckedContinuation<ClaimOutcome, Never>]]?>([:])
    /// What changes the disk: one after the other, in the machine's order.
    private let writes: AsyncStream<ClaimEffect>
    private let write: AsyncStream<ClaimEffect>.Continuation
    /// Where notes are requested; set once.
    private let notes = Mutex<NoteOutlet?>(nil)

    /// Reads what is on disk.
    init(_ around: ClaimSurroundings) async throws {
        self.around = around
        (writes, write) = AsyncStream.makeStream(of: ClaimEffect.self)
        let known = try await around.rights.known()
        let wanted = try await around.rights.wantedCarts().map { WantedRight($0.claim, of: $0.owner) }
        var seeds = SystemRandomNumberGenerator()
        driver = MachineDriver(
            Claims(
                terminalId: around.terminalId, given: known.given, open: Set(known.open.map { ClaimKey($0) }),
                reserved: known.reserved, held: known.held, wanted: wanted, seed: seeds.next()),
            time: around.time
        ) { [.deadlineReached] }
    }

    /// - Parameter send: brings a claim to a till; nil: no response in time. With notes of that till which
    ///   others have, where they matter.
    func run(
        send: @escaping @Sendable (RightClaim, String) async -> (ClaimResponse?, others: [NeighbourNote])
    ) async {
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in for await effect in writes { await perform(effect) } }
            await driver.run(in: &group) { _, effects, _ in
                effects.filter { effect in
                    switch effect {
                    case .send: return true
                    case .respond(let key, let verdict): respond(to: key, verdict)
                    case .settle(let claimId, let outcome): settle(claimId, outcome)
                    case .notTakenBack(let key): end(takingBack: key, isBack: false)
                    case .raise(let alarm):
                        around.logger.critical("claims between the store's tills: \(alarm)")
                    case .reserve, .unreserve, .writeGrant, .close, .regain, .accept, .endCart, .keep, .adopt,
                        .lookUp, .writeRelease:
                        write.yield(effect)
                    }
                    return false
                }
            } perform: { [self] effect, _ in
                guard case .send(let claim, let owner) = effect else { return }
                let (response, others) = await send(claim, owner)
                driver.post(.responded(claimId: claim.claimId, response, others: others))
            }
            write.finish()
        }
        end()
    }

    private func end() {
        for caller in callers.withLock({ all in
            defer { all = nil }
            return all?.values.flatMap(\.self) ?? []
        }) { caller.resume(returning: nil) }
        for person in people.withLock({ all in
            defer { all = nil }
            return all?.values.flatMap(\.self) ?? []
        }) { person.resume(returning: .notReady) }
        for person in owners.withLock({ all in
            defer { all = nil }
            return all?.values.flatMap(\.self) ?? []
        }) { person.resume(returning: false) }
    }

    // MARK: Notes

    /// Notes are requested by `request` from now on.
    func connect(_ request: @escaping @Sendable (NoteRequest) -> Void) {
        notes.withLock { $0 = NoteOutlet(request: request) }
    }

    /// The lists of notes have changed, or whether this till writes notes.
    func take(_ notes: StoreNotes, isReady: Bool, epoch: Int64) {
        driver.post(.notesChanged(notes))
        driver.post(.readinessChanged(isReady: isReady, epoch: epoch))
    }

    func take(_ keys: [TerminalKey]) {
        driver.post(
            .keysChanged(Dictionary(keys.map { ($0.terminalId, $0.publicKey) }) { first, _ in first }))
    }

    /// A note of this till is durable.
    func written(_ note: NeighbourNote) async {
        guard let kind = NoteKind(rawValue: note.kind), let grant = try? GrantedRight(json: note.body),
            grant.kind.note == kind
        else { return }
        driver.post(await self.note(grant, as: note.json) ? .granted(grant) : .grantNotMarked(grant))
    }

    /// A note of this till will not be written.
    func refused(_ request: NoteRequest) {
        guard let grant = try? GrantedRight(json: request.body), grant.kind.note.rawValue == request.kind
        else { return }
        driver.post(.grantFailed(grant))
    }

    // MARK: As an owner

    /// The response to a claim of another till; nil: none.
    func response(to claim: RightClaim, of taker: String) async -> ClaimResponse? {
        guard isProven(claim) else { return ClaimResponse(.notMine) }
        let key = ClaimKey(taker: taker, claimId: claim.claimId)
        guard await isAllowedByHub(claim, key) else { return ClaimResponse(.spent) }
        defer { _ = allowed.withLock { $0.remove(key) } }
        let verdict = await withCheckedContinuation { (caller: CheckedContinuation<ClaimVerdict?, Never>) in
            let isOver = callers.withLock { all in
                all?[key, default: []].append(caller)
                return all == nil
            }
            if isOver { caller.resume(returning: nil) } else { driver.post(.claimed(claim, from: taker)) }
        }
        switch verdict {
        case .granted(let grant): return await response(with: grant)
        case .refused(let refusal, let owner): return ClaimResponse(refusal, grantedTo: owner)
        case nil: return nil
        }
    }

    /// Whether the hub, where this till reaches it, lets a new refund be made: it knows the refunds of all
    /// tills. Of what was granted before it may know the refund itself.
    private func isAllowedByHub(_ claim: RightClaim, _ key: ClaimKey) async -> Bool {
        guard claim.kind == RightKind.receipt.rawValue,
            let inquiry = claim.document.flatMap({ try? RefundInquiry(json: $0) }),
            inquiry.refundId == claim.claimId, inquiry.amount == claim.amount,
            (try? await around.rights.isGranted(key.taker, key.claimId)) == false, mayInquire(for: key.taker)
        else { return true }
        let isAllowed = await around.hubAllows(inquiry)
        if isAllowed == true { _ = allowed.withLock { $0.insert(key) } }
        return isAllowed != false
    }

    /// Once a second for each till, as fast as a cashier refunds: one that floods this till with claims uses
    /// up nothing of what the hub takes of it. This till decides the others.
    private func mayInquire(for taker: String) -> Bool {
        let now = around.time.now()
        return inquired.withLock { inquired in
            if let last = inquired[taker], now - last < .seconds(1) { return false }
            inquired[taker] = now
            return true
        }
    }

    /// Whether a claim on a receipt carries the code that this till signed: its maker saw the receipt.
    private func isProven(_ claim: RightClaim) -> Bool {
        guard claim.kind == RightKind.receipt.rawValue else { return true }
        guard let inquiry = claim.document.flatMap({ try? RefundInquiry(json: $0) }),
            case .receipt(let text) = inquiry.sale, let code = try? ReceiptCode(text: text)
        else { return false }
        return code.orderNumber == claim.right && code.isSigned(by: around.publicKey)
    }

    private func respond(to key: ClaimKey, _ verdict: ClaimVerdict?) {
        for caller in callers.withLock({ $0?.removeValue(forKey: key) }) ?? [] {
            caller.resume(returning: verdict)
        }
    }

    /// - Returns: whether the till has it again, durably; false where its taker used it, or the till writes
    ///   no notes now.
    func takeBack(_ key: ClaimKey) async -> Bool {
        await withCheckedContinuation { (person: CheckedContinuation<Bool, Never>) in
            let isOver = owners.withLock { all in
                all?[key, default: []].append(person)
                return all == nil
            }
            if isOver { person.resume(returning: false) } else { driver.post(.takenBack(key)) }
        }
    }

    private func end(takingBack key: ClaimKey, isBack: Bool) {
        for person in owners.withLock({ $0?.removeValue(forKey: key) }) ?? [] {
            person.resume(returning: isBack)
        }
    }

    // MARK: As a taker

    /// Claims a right of `owner`; ends with the owner's response, or without one after
    /// ``NeighbourLimits/claimWait``. Whoever wants the same meanwhile gets the same end.
    ///
    /// - Parameter wait: nobody waits for longer; what comes later is kept all the same.
    func want(
        _ claim: RightClaim, of owner: String, within wait: Duration? = nil
    ) async -> ClaimOutcome {
        let end = wait.map { wait in
            Task { [self] in
                try? await around.time.sleep(until: around.time.now() + wait)
                if !Task.isCancelled { settle(claim.claimId, .silent) }
            }
        }
        defer { end?.cancel() }
        return await withCheckedContinuation { (person: CheckedContinuation<ClaimOutcome, Never>) in
            let isOver = people.withLock { all in
                all?[claim.claimId, default: []].append(person)
                return all == nil
            }
            if isOver {
                person.resume(returning: .notReady)
            } else {
                driver.post(.wanted(claim, owner: owner))
            }
        }
    }

    /// What a claim was granted is used, or nothing is done by it.
    func end(_ claimId: String, isUsed: Bool) {
        driver.post(isUsed ? .used(claimId: claimId) : .abandoned(claimId: claimId))
    }

    private func settle(_ claimId: String, _ outcome: ClaimOutcome) {
        for person in people.withLock({ $0?.removeValue(forKey: claimId) }) ?? [] {
            person.resume(returning: outcome)
        }
    }

    // MARK: The disk

    private func perform(_ effect: ClaimEffect) async {
        switch effect {
        case .reserve(let claim, let taker, let turn, let epoch, let refunds):
            let key = ClaimKey(taker: taker, claimId: claim.claimId)
            let isCart = claim.kind == RightKind.cart.rawValue
            guard let atHand = isCart ? [] : await around.leasesAtHand() else {
                return driver.post(.reserveRefused(key, .notMine, to: nil))
            }
            let result = try? await around.rights.reserve(
                claim, for: taker, turn: turn, epoch: epoch, refunds: refunds, leasesAtHand: atHand,
                arbiter: allowed.withLock { $0.contains(key) } ? .hub : nil,
                at: around.time.wallMilliseconds())
            switch result {
            case .granted(let grant): driver.post(.reserved(grant))
            case .refused(let refusal, let owner): driver.post(.reserveRefused(key, refusal, to: owner))
            case nil: driver.post(.reserveFailed(key))
            }
        case .writeGrant(let grant, let epoch):
            request(
                NoteRequest(kind: grant.kind.note, body: grant.json, madeAt: grant.madeAt, epoch: epoch))
        case .writeRelease(let key):
            let now = around.time.wallMilliseconds()
            let release = ReleasedRight(taker: key.taker, claimId: key.claimId, madeAt: now)
            request(NoteRequest(kind: .released, body: release.json, madeAt: now))
        case .unreserve(let key): try? await around.rights.unreserve(key.taker, key.claimId)
        case .close(let key): try? await around.rights.set(.closed, of: key.taker, key.claimId)
        case .regain(let key):
            let isBack: Void? = try? await around.rights.set(.back, of: key.taker, key.claimId)
            end(takingBack: key, isBack: isBack != nil)
        case .accept(let grant): await accept(grant)
        case .lookUp(let claimId):
            guard let isRecorded = await around.isRecorded(claimId) else { return }
            end(claimId, isUsed: isRecorded)
        case .keep(let cart): driver.post(await keep(cart))
        case .adopt(let grant, let grants, let origin, let content) where grant.kind == .cart:
            driver.post(await adopt(cart: grant, grants, origin: origin, content: content))
        case .adopt(let grant, let grants, _, let content):
            driver.post(await adopt(part: grant, grants.last, of: content))
        case .endCart(let cart): try? await around.rights.end(cart)
        case .respond, .settle, .send, .notTakenBack, .raise: break
        }
    }

    private func request(_ note: NoteRequest) { notes.withLock { $0 }?.request(note) }
}

/// Where a note of this till is requested.
private struct NoteOutlet: Sendable {
    let request: @Sendable (NoteRequest) -> Void
}
