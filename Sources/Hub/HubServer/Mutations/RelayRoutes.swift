import Base

internal import Credentials
internal import HubCore
internal import HubProtocol
internal import HubStore

/// Takes pieces of journals that another till of the store hands in (http.md section 3, relayed entries).
///
/// Each entry is taken as from its maker: under its id, in its chain, within its quota. What the hub cannot
/// take that way is kept aside for a person, and changes nothing until then.
struct RelayRoutes: Sendable {
    let ledger: any Ledger
    /// The same store, watched and measured as for any push.
    let journal: any JournalLedger
    let keys: HubKeys
    let bodies: FairWorker
    let limits: IntakeLimits
    let figures: HubFigures
    let shifts: ShiftBook
    let now: @Sendable () -> Int64

    var routes: [Route] { [Route(.post, Routes.relayed, response: relay)] }

    @Sendable private func relay(_ request: HubRequest) async throws -> HubResponse {
        let relayer = try request.requireDevice()
        try await requireQuota(of: relayer)
        let bytes = try await request.body()
        do {
            switch try Self.content(bytes, mediaType: request.header("Content-Type")) {
            case .piece(let bytes): return try await take(bytes, from: relayer)
            case .head(let head): return try await take(head, bytes.count, from: relayer)
            }
        } catch let problem as Problem {
            // What the maker's quota or the hub's load stopped is nothing that this one did.
            if (400...409).contains(problem.status) {
                try await charge(relayer, entries: 1, bytes: bytes.count)
            }
            throw problem
        }
    }

    private func take(_ bytes: [UInt8], from relayer: DeviceIdentity) async throws -> HubResponse {
        let piece = try Self.read(bytes)
        let maker = try await maker(piece.header.terminalId, for: relayer)
        guard piece.isSigned(by: maker.publicKey) else { throw Problem.pieceSignatureInvalid }
        guard let key = keys.ring.entry(piece.header.keyId), key.kind == .sealing,
            let privateKey = key.privateBytes
        else { throw Problem.pieceKeyUnknown(piece.header.keyId) }
        let content = try await bodies.work(on: piece.bytes.count, of: relayer.terminalId) {
            () throws(Problem) in
            try PieceContent(of: piece, openedWith: Array(privateKey), signedBy: maker.publicKey)
        }
        let record = record(of: piece, from: relayer, held: nil)
        if try await ledger.isAccepted(record) {
            try await charge(relayer, entries: content.mutations.count, bytes: bytes.count)
            return Self.accepted(content)
        }
        if let hold = maker.hold { return try await keep(piece, hold, from: relayer, of: maker) }
        let push = content.push(of: maker, as: record, limits: limits)
        switch try await journal.ingest(push) {
        case .refused(.quotaExceeded(let wait)):
            throw Problem.quotaExceeded(retryAfterMilliseconds: wait)
        case .refused(let refusal):
            return try await keep(piece, refusal.hold, from: relayer, of: maker)
        case .results(let results):
            let known = results.results.count { $0.outcome == .duplicate }
            figures.noteRelayed(results.results.count - known)
            _ = await shifts.look(after: push, results.results)
            try await charge(
                relayer, entries: known, bytes: bytes.count * known / max(1, results.results.count))
            return .json(
                RelayResponse(
                    terminalId: maker.id, epoch: piece.header.epoch, batch: results, held: nil
                ).json)
        }
    }

    /// Notes where another terminal's journal ended, if that is later than what is known: a push of it
    /// without entries, so that whatever waits for a person changes nothing here.
    private func take(
        _ witnessed: WitnessedHead, _ size: Int, from relayer: DeviceIdentity
    ) async throws -> HubResponse {
        let maker = try await maker(witnessed.terminalId, for: relayer)
        guard let head = witnessed.signed(by: maker.publicKey) else { throw Problem.pieceSignatureInvalid }
        let push = IntakeRequest(
            device: DeviceIdentity(terminalId: maker.id, storeId: maker.storeId), epoch: head.epoch,
            epochStart: head.origin?.epochStart, lowSequence: nil, mutations: [], receivedAt: now(),
            head: .signed(head), limits: limits, way: .relay)
        let (results, hold): (MutationBatchResponse, RelayHold?) =
            switch try await journal.ingest(push) {
            case .results(let results): (results, nil)
            case .refused(let refusal): (.ofNothing, refusal.hold)
            }
        try await charge(relayer, entries: 1, bytes: size)
        return .json(
            RelayResponse(terminalId: maker.id, epoch: head.epoch, batch: results, held: hold).json)
    }

    /// New entries count in their maker's quota of the day. What a relayer brings in vain counts in its own,
    /// so that one that hands in the same piece all day costs the hub no more than its own sales may.
    private func requireQuota(of relayer: DeviceIdentity) async throws {
        guard try await ledger.hasRoom(for: Self.vain, of: relayer.terminalId, at: now(), within: limits)
        else {
            throw Problem.quotaExceeded(
                retryAfterMilliseconds: TerminalUsage.milliseconds(toTheNextDayAt: now()))
        }
    }

    private func charge(_ relayer: DeviceIdentity, entries: Int, bytes: Int) async throws {
        guard entries > 0 else { return }
        try await ledger.add(
            TerminalUsage(mutations: Int64(entries), bytes: Int64(bytes)), of: relayer.terminalId, at: now())
    }

    private static let vain = TerminalUsage(mutations: 1)

    /// The response to a piece that a person accepted: its entries have results, and their maker may be
    /// revoked, so that no push of it says so.
    private static func accepted(_ content: PieceContent) -> HubResponse {
        let results = content.mutations.map { MutationResult.duplicate($0.id, first: [:]) }
        return .json(
            RelayResponse(
                terminalId: content.header.terminalId, epoch: content.header.epoch,
                batch: MutationBatchResponse(results: results, JournalExtent(acknowledgedThrough: 0)),
                held: nil
            ).json)
    }

    private static func content(_ bytes: [UInt8], mediaType: String?) throws(Problem) -> HandedIn {
        do throws(ShapeError) {
            return try HandedIn(bytes, mediaType: mediaType)
        } catch {
            throw .pieceInvalid("\(error)")
        }
    }

    private static func read(_ bytes: [UInt8]) throws(Problem) -> SealedPiece {
        do throws(ShapeError) {
            return try SealedPiece(bytes)
        } catch {
            throw .pieceInvalid("\(error)")
        }
    }

    /// The terminal that made what is handed in, which is one of the relayer's store.
    private func maker(_ id: String, for relayer: DeviceIdentity) async throws -> TerminalRecord {
        guard let maker = try await ledger.terminal(id),
            AuthorizationTable.allows(
                .relayJournal, by: CallerRole.role(of: relayer, towardsStore: maker.storeId))
        else { throw Problem.makerUnknown }
        return maker
    }

    private func record(
        of piece: SealedPiece, from relayer: DeviceIdentity, held: RelayHold?
    ) -> RelayRecord {
        let header = piece.header
        return RelayRecord(
            terminalId: header.terminalId, digest: Digest.sha256Hex(piece.bytes), epoch: header.epoch,
            first: header.first, last: header.last, by: relayer.terminalId, at: now(), held: held)
    }

    /// Keeps a piece aside, with an alarm.
    private func keep(
        _ piece: SealedPiece, _ hold: RelayHold, from relayer: DeviceIdentity, of maker: TerminalRecord
    ) async throws -> HubResponse {
        let alarm = Alarm(
            kind: hold == .conflict ? .relayedConflict : .relayedHeld, terminalId: maker.id,
            detail:
                "\(hold.rawValue): epoch \(piece.header.epoch), \(piece.header.first) to "
                + "\(piece.header.last), by \(relayer.terminalId)", at: now())
        let record = record(of: piece, from: relayer, held: hold)
        guard try await ledger.hold(record, piece: piece.bytes, alarm: alarm) else {
            throw Problem.quotaExceeded(
                retryAfterMilliseconds: TerminalUsage.milliseconds(toTheNextDayAt: now()))
        }
        guard hold != .superseded else { throw Problem.relayedSuperseded }
        try await charge(relayer, entries: 1, bytes: piece.bytes.count)
        return .json(
            RelayResponse(
                terminalId: maker.id, epoch: piece.header.epoch, batch: .ofNothing, held: hold
            ).json)
    }
}

extension MutationBatchResponse {
    /// Of what is held: nothing was taken.
    fileprivate static let ofNothing = MutationBatchResponse(
        results: [], JournalExtent(acknowledgedThrough: 0))
}

/// What is sealed in a piece: the body of a push.
struct PieceContent: Sendable {
    let header: PieceHeader
    let mutations: [ReceivedMutation]
    /// Where its maker's journal ended; nil where the maker did not sign it.
    let head: SignedHead?

    /// Opens and reads it.
    ///
    /// - Throws: `piece_invalid` for one that does not open, or that has other entries than its header says.
    init(of piece: SealedPiece, openedWith key: [UInt8], signedBy publicKey: String) throws(Problem) {
        guard let bytes = HubSeal.opened(piece.ciphertext, info: piece.header.sealInfo, with: key) else {
            throw .pieceInvalid("it does not open with the key \(piece.header.keyId)")
        }
        let (json, mutations) = try Self.body(bytes)
        let header = piece.header
        guard Int64(mutations.count) == header.last - header.first + 1,
            zip(mutations, header.first...).allSatisfy({ $0.sequence == $1 }),
            let first = mutations.first, let last = mutations.last,
            header.link.map({ $0 == EntryLink(hash: last.hash, previousHash: first.previousHash) }) ?? true
        else { throw .pieceInvalid("it does not have the entries that its header names") }
        self.header = header
        self.mutations = mutations
        head = json["head"].flatMap { try? SignedHead(json: $0) }.flatMap {
            $0.isSigned(by: publicKey, terminalId: header.terminalId) ? $0 : nil
        }
    }

    /// The body of a piece never changes: what no push could have is no piece.
    private static func body(
        _ bytes: [UInt8]
    ) throws(Problem) -> (json: JSONValue, mutations: [ReceivedMutation]) {
        do throws(Problem) {
            return try MutationRoutes.batch(in: bytes)
        } catch {
            throw .pieceInvalid(error.detail)
        }
    }

    func push(of maker: TerminalRecord, as relay: RelayRecord, limits: IntakeLimits) -> IntakeRequest {
        IntakeRequest(
            device: DeviceIdentity(terminalId: maker.id, storeId: maker.storeId), epoch: header.epoch,
            epochStart: header.epochStart, lowSequence: nil, mutations: mutations, receivedAt: relay.at,
            head: head.map { .signed($0) }, limits: limits, way: .relay, relay: relay)
    }
}

extension TerminalRecord {
    /// Why what others hand in of it waits for a person; nil: it does not.
    fileprivate var hold: RelayHold? {
        revokedAt != nil ? .revoked : unconfirmedSince != nil ? .unconfirmed : nil
    }
}

extension JournalRefusal {
    /// Why a piece that was refused is kept aside.
    fileprivate var hold: RelayHold {
        switch self {
        case .forked: .conflict
        case .epochSuperseded: .superseded
        case .epochInvalid, .quotaExceeded: .epoch
        }
    }
}

extension Problem {
    static func pieceInvalid(_ reason: String) -> Problem {
        Problem(
            status: 400, code: .pieceInvalid, title: "This is no piece of a journal",
            detail: "The same piece always fails again; drop it: \(reason).")
    }

    fileprivate static let pieceSignatureInvalid = Problem(
        status: 401, code: .pieceSignatureInvalid, title: "The piece is not its terminal's",
        detail: "The device key of the terminal that it names did not sign it; drop it.")

    fileprivate static let makerUnknown = Problem(
        status: 404, code: .terminalUnknown, title: "No terminal of this store made the piece",
        detail: "Keep the piece: the hub may have been restored, and the terminal come back.")

    static func pieceKeyUnknown(_ id: String) -> Problem {
        Problem(
            status: 409, code: .exportKeyUnknown, title: "The piece is encrypted to a key that is not here",
            detail: "Keep the piece. An operator imports the key \(id.printable): `pos-hub key import FILE`.")
    }

    fileprivate static let relayedSuperseded = Problem(
        status: 409, code: .epochSuperseded, title: "The terminal went on in a later epoch",
        detail: "The piece waits here for an operator: `pos-hub terminals accept-relayed`.")
}
