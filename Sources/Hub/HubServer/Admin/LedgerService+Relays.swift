internal import HubCore
internal import HubProtocol
internal import HubStore

/// What tills handed in for others.
extension LedgerService {
    /// A terminal with the pieces that others handed in of it.
    func showTerminal(_ id: String) async throws -> JSONValue {
        guard let terminal = try await ledger.terminal(id) else { throw Problem.noTerminal(id) }
        var members = terminal.json.object ?? [:]
        members["relayed"] = .array(try await ledger.relays(of: id).map(\.json))
        return .object(members)
    }

    /// Takes the entries of all pieces that wait for a person, in the order of epochs and sequences, as those
    /// of a dead till's file. One that is refused is named, and keeps no other one waiting.
    ///
    /// - Returns: how many pieces and entries were taken, and what is missing then.
    func acceptRelayed(_ id: String, reason: String) async throws -> JSONValue {
        guard (1...500).contains(reason.unicodeScalars.count) else {
            throw Problem.malformed("A reason has 1 to 500 characters.")
        }
        guard let terminal = try await ledger.terminal(id) else { throw Problem.noTerminal(id) }
        let held = try await ledger.relays(of: id).filter { $0.held != nil }
            .sorted { ($0.epoch, $0.first, $0.at) < ($1.epoch, $1.first, $1.at) }
        var members: JSONObject = ["terminalId": .string(id), "pieces": .integer(Int64(held.count))]
        var (applied, waiting): (Int64, Int64) = (0, 0)
        var refused: [JSONValue] = []
        for relay in held {
            do {
                let result = try await take(relay, of: terminal)
                applied += result["outcomes"]?["applied"]?.integer ?? 0
                for key in ["acknowledgedThrough", "missing"] { members[key] = result[key] }
                // An entry that waits for another one is taken once that is here; the piece stays until then.
                let outcomes = (result["outcomes"]?.object ?? [:]).keys
                    .compactMap(MutationResult.Outcome.init)
                guard outcomes.allSatisfy(\.isFinal) else {
                    waiting += 1
                    continue
                }
                try await ledger.accept(relay.digest, of: id, reason: reason, at: now())
            } catch let problem as Problem {
                refused.append(Self.refusal(of: relay, problem))
            }
        }
        if waiting > 0 { members["waiting"] = .integer(waiting) }
        if !refused.isEmpty { members["refused"] = .array(refused) }
        members["applied"] = .integer(applied)
        return .object(members)
    }

    private func take(_ relay: RelayRecord, of terminal: TerminalRecord) async throws -> JSONValue {
        guard let bytes = try await ledger.heldPiece(relay.digest, of: terminal.id),
            let piece = try? SealedPiece(bytes)
        else { throw Problem.pieceInvalid("its bytes are not here") }
        guard let key = try await vault.opened().ring.entry(piece.header.keyId)?.privateBytes else {
            throw Problem.pieceKeyUnknown(piece.header.keyId)
        }
        let content = try PieceContent(of: piece, openedWith: Array(key), signedBy: terminal.publicKey)
        return try await ingest(
            content, of: terminal,
            by: relay.held?.way(ofRevoked: terminal.revokedAt != nil) ?? .file)
    }

    /// Why a piece waits on, for a person.
    private static func refusal(of relay: RelayRecord, _ problem: Problem) -> JSONValue {
        [
            "epoch": .integer(relay.epoch), "first": .integer(relay.first), "last": .integer(relay.last),
            "by": .string(relay.by), "code": .string(problem.code.rawValue),
            "detail": .string(problem.detail),
        ]
    }
}

extension RelayHold {
    /// How a piece is taken that a person accepted.
    fileprivate func way(ofRevoked isRevoked: Bool) -> IntakeWay {
        self == .conflict ? .settledConflict : isRevoked ? .withoutAttachments : .file
    }
}
