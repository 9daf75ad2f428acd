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
        let piece = try Self.read(try await request.body())
        let maker = try await maker(of: piece, for: relayer)
        guard let key = keys.ring.entry(piece.header.keyId), key.kind == .sealing,
            let privateKey = key.privateBytes
        else { throw Problem.pieceKeyUnknown(piece.header.keyId) }
        let content = try await bodies.work(on: piece.bytes.count, of: relayer.terminalId) {
            () throws(Problem) in
            try PieceContent(of: piece, openedWith: Array(privateKey), signedBy: maker.publicKey)
        }
        if let hold = maker.hold { return try await keep(piece, hold, from: relayer, of: maker) }
        let push = content.push(of: maker, at: now(), limits: limits)
        switch try await journal.ingest(push) {
        case .refused(.quotaExceeded(let wait)):
            throw Problem.quotaExceeded(retryAfterMilliseconds: wait)
        case .refused(let refusal):
            return try await keep(piece, refusal.hold, from: relayer, of: maker)
        case .results(let results):
            let applied = results.results.count { $0.outcome != .duplicate }
            if applied > 0 {
                _ = try await ledger.keep(record(of: piece, from: relayer, held: nil), piece: nil)
            }
            figures.noteRelayed(applied)
            _ = await shifts.look(after: push, results.results)
            return .json(
                RelayResponse(
                    terminalId: maker.id, epoch: piece.header.epoch, batch: results, held: nil
                ).json)
        }
    }

    private static func read(_ bytes: [UInt8]) throws(Problem) -> SealedPiece {
        do throws(ShapeError) {
            return try SealedPiece(bytes)
        } catch {
            throw .pieceInvalid("\(error)")
        }
    }

    /// The terminal that made the piece, which is one of the relayer's store, and whose signature it has.
    private func maker(
        of piece: SealedPiece, for relayer: DeviceIdentity
    ) async throws -> TerminalRecord {
        guard let maker = try await ledger.terminal(piece.header.terminalId),
            AuthorizationTable.allows(
                .relayJournal, by: CallerRole.role(of: relayer, towardsStore: maker.storeId))
        else { throw Problem.makerUnknown }
        guard piece.isSigned(by: maker.publicKey) else { throw Problem.pieceSignatureInvalid }
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
        guard try await ledger.keep(record(of: piece, from: relayer, held: hold), piece: piece.bytes) else {
            throw Problem.quotaExceeded(
                retryAfterMilliseconds: TerminalUsage.milliseconds(toTheNextDayAt: now()))
        }
        try await ledger.raise(
            Alarm(
                kind: hold == .conflict ? .relayedConflict : .relayedHeld, terminalId: maker.id,
                detail:
                    "\(hold.rawValue): epoch \(piece.header.epoch), \(piece.header.first) to "
                    + "\(piece.header.last), by \(relayer.terminalId)", at: now()))
        guard hold != .superseded else { throw Problem.relayedSuperseded }
        return .json(
            RelayResponse(
                terminalId: maker.id, epoch: piece.header.epoch,
                batch: MutationBatchResponse(results: [], JournalExtent(acknowledgedThrough: 0)), held: hold
            ).json)
    }
}

/// What is sealed in a piece: the body of a push.
struct PieceContent: Sendable {
    let header: PieceHeader
    let mutations: [ReceivedMutation]
    /// The entries as they stand in the body.
    let entries: [JSONValue]
    private let head: SignedHead?

    /// Opens and reads it.
    ///
    /// - Throws: `piece_invalid` for one that does not open, or that has other entries than its header says.
    init(of piece: SealedPiece, openedWith key: [UInt8], signedBy publicKey: String) throws(Problem) {
        guard let bytes = HubSeal.opened(piece.ciphertext, info: piece.header.sealInfo, with: key) else {
            throw .pieceInvalid("it does not open with the key \(piece.header.keyId)")
        }
        let (json, mutations) = try MutationRoutes.batch(in: bytes)
        let header = piece.header
        guard !mutations.isEmpty, Int64(mutations.count) == header.last - header.first + 1,
            zip(mutations, header.first...).allSatisfy({ $0.sequence == $1 })
        else { throw .pieceInvalid("it does not have the entries that its header names") }
        self.header = header
        self.mutations = mutations
        entries = json["mutations"]?.array ?? []
        head = json["head"].flatMap { try? SignedHead(json: $0) }.flatMap {
            $0.isSigned(by: publicKey, terminalId: header.terminalId) ? $0 : nil
        }
    }

    /// - Parameter now: milliseconds since 1970.
    func push(of maker: TerminalRecord, at now: Int64, limits: IntakeLimits) -> IntakeRequest {
        IntakeRequest(
            device: DeviceIdentity(terminalId: maker.id, storeId: maker.storeId), epoch: header.epoch,
            epochStart: header.epochStart, lowSequence: nil, mutations: mutations, receivedAt: now,
            head: head.map { .signed($0) }, limits: limits, way: .relay)
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

    fileprivate static func pieceKeyUnknown(_ id: String) -> Problem {
        Problem(
            status: 409, code: .exportKeyUnknown, title: "The piece is encrypted to a key that is not here",
            detail: "Keep the piece. An operator imports the key \(id.printable): `pos-hub key import FILE`.")
    }

    fileprivate static let relayedSuperseded = Problem(
        status: 409, code: .epochSuperseded, title: "The terminal went on in a later epoch",
        detail: "The piece waits here for an operator: `pos-hub terminals accept-relayed`.")
}
