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
    /// of a dead till's file.
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
        for relay in held {
            guard let bytes = try await ledger.heldPiece(relay.digest, of: id),
                let piece = try? SealedPiece(bytes)
            else { continue }
            guard let key = try await vault.opened().ring.entry(piece.header.keyId)?.privateBytes else {
                throw Problem.conflict(
                    "A piece is encrypted to the key \(piece.header.keyId), which is not here; import it first."
                )
            }
            let content = try PieceContent(of: piece, openedWith: Array(key), signedBy: terminal.publicKey)
            let part = JournalPart(
                terminalId: id, epoch: relay.epoch, lowSequence: relay.first, entries: content.entries)
            let result = try await ingest(
                part, by: relay.held?.way(ofRevoked: terminal.revokedAt != nil) ?? .file)
            applied += result["outcomes"]?["applied"]?.integer ?? 0
            for key in ["acknowledgedThrough", "missing"] { members[key] = result[key] }
            // An entry that waits for another one is taken once that is here; the piece stays until then.
            let outcomes = (result["outcomes"]?.object ?? [:]).keys.compactMap(MutationResult.Outcome.init)
            guard outcomes.allSatisfy(\.isFinal) else {
                waiting += 1
                continue
            }
            try await ledger.accept(relay.digest, of: id, reason: reason, at: now())
        }
        if waiting > 0 { members["waiting"] = .integer(waiting) }
        members["applied"] = .integer(applied)
        return .object(members)
    }
}

extension RelayHold {
    /// How a piece is taken that a person accepted.
    fileprivate func way(ofRevoked isRevoked: Bool) -> IntakeWay {
        self == .conflict ? .settledConflict : isRevoked ? .withoutAttachments : .file
    }
}
