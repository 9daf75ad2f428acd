internal import HubCore
package import HubProtocol
internal import HubStore

/// Ingests what `pos sync export` wrote of a till that cannot push any more.
extension LedgerService {
    /// One batch of the journal, under the till's own identity: what was pushed before is a duplicate.
    ///
    /// - Returns: the counts by outcome with the refused results, and the `epoch` under which it went in:
    ///   when that is another one than before, the file's earlier parts belong there too.
    func ingest(_ part: JournalPart) async throws -> JSONValue {
        guard let terminal = try await ledger.terminal(part.terminalId) else {
            throw Problem.notFound(
                "No terminal has the id \(part.terminalId); it was enrolled at another hub.")
        }
        var mutations: [ReceivedMutation] = []
        for entry in part.entries {
            do throws(ShapeError) {
                mutations.append(try ReceivedMutation(json: entry))
            } catch {
                throw Problem.malformed(error)
            }
        }
        if let mark = part.mark {
            try await ledger.keep(
                IngestRecord(
                    terminalId: terminal.id, ingestedAt: now(), entries: mark.entries,
                    isSigned: mark.reason == nil, reason: mark.reason))
        }
        // A file names any epoch; what counts is the one that this hub knows.
        let known = try await ledger.lastEpoch(of: terminal.id) ?? 1
        let device = DeviceIdentity(terminalId: terminal.id, storeId: terminal.storeId)
        return try await ingest(part, mutations, of: device, epoch: min(part.epoch, known))
    }

    /// A new epoch is opened here alone: behind a fork that this hub has just seen.
    private func ingest(
        _ part: JournalPart, _ mutations: [ReceivedMutation], of device: DeviceIdentity, epoch: Int64,
        afterFork: Bool = false
    ) async throws -> JSONValue {
        let push = IntakeRequest(
            device: device, epoch: epoch, lowSequence: part.lowSequence, mutations: mutations,
            receivedAt: now(), limits: IntakeLimits().withoutQuotas, isBelated: true)
        switch try await ledger.ingest(push) {
        case .refused(.forked(let next, _, _, _)) where !afterFork:
            return try await ingest(part, mutations, of: device, epoch: next, afterFork: true)
        case .refused(let refusal): throw refusal.problem
        case .results(let response):
            var members = Self.summary(of: response).object ?? [:]
            members["epoch"] = .integer(epoch)
            return .object(members)
        }
    }

    private static func summary(of response: MutationBatchResponse) -> JSONValue {
        var counts: [String: Int64] = [:]
        for result in response.results { counts[outcome(of: result).rawValue, default: 0] += 1 }
        let refused = response.results.filter { ![.applied, .duplicate].contains(outcome(of: $0)) }
        return [
            "outcomes": .object(JSONObject(counts.mapValues(JSONValue.integer))),
            "refused": .array(refused.map(\.json)),
            "acknowledgedThrough": .integer(response.acknowledgedThrough),
            "missing": .array(response.missing.map(JSONValue.integer)),
        ]
    }

    /// A dead till's file goes back further than responses are kept; what the hub has of it is no refusal.
    private static func outcome(of result: MutationResult) -> MutationResult.Outcome {
        let isExpired = result.problem?["code"]?.string == ProblemCode.expiredReplay.rawValue
        return isExpired && result.json["receivedAt"] != nil ? .duplicate : result.outcome
    }
}

/// Up to 200 entries of an exported journal.
package struct JournalPart: Hashable, Sendable {
    /// What is noted of a file, with its first part.
    package struct Mark: Hashable, Sendable {
        /// Of the whole file.
        package let entries: Int64
        /// Why it is ingested without a signature; nil for a signed one.
        package let reason: String?

        /// Makes the mark of a file; nil in `reason` means that the device key's signature was checked.
        package init(entries: Int64, reason: String?) {
            self.entries = entries
            self.reason = reason
        }
    }

    /// The terminal that exported the journal; the hub has to know it.
    package let terminalId: String
    /// The epoch of all entries of this part, from 1.
    package let epoch: Int64
    /// The first sequence of the whole file.
    package let lowSequence: Int64
    /// Mutations as the file has them, in order of sequence; 200 at most.
    package let entries: [JSONValue]
    /// Nil for all parts but the first.
    package let mark: Mark?

    /// Makes a part; by default it is not the first and has no mark.
    package init(
        terminalId: String, epoch: Int64, lowSequence: Int64, entries: [JSONValue], mark: Mark? = nil
    ) {
        self.terminalId = terminalId
        self.epoch = epoch
        self.lowSequence = lowSequence
        self.entries = entries
        self.mark = mark
    }

    init(json: JSONValue) throws(ShapeError) {
        terminalId = try json.requiredString("terminalId")
        epoch = try json.requiredInteger("epoch", in: 1...(1 << 31))
        lowSequence = try json.requiredInteger("lowSequence", in: 1...(1 << 53 - 1))
        entries = try json.requiredArray("entries")
        guard let mark = json["mark"] else {
            self.mark = nil
            return
        }
        self.mark = Mark(
            entries: try mark.requiredInteger("entries", in: 0...(1 << 53 - 1)),
            reason: try mark.optionalString("reason"))
    }

    var json: JSONValue {
        var members: JSONObject = [
            "terminalId": .string(terminalId), "epoch": .integer(epoch),
            "lowSequence": .integer(lowSequence), "entries": .array(entries),
        ]
        if let mark {
            members["mark"] = ["entries": .integer(mark.entries), "reason": JSONValue(mark.reason)]
        }
        return .object(members)
    }
}
