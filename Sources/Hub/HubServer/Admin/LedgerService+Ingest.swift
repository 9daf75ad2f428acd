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
        for entry in part.entries { mutations.append(try Problem.reading(ReceivedMutation(json: entry))) }
        if let mark = part.mark {
            try await ledger.keep(
                IngestRecord(
                    terminalId: terminal.id, ingestedAt: now(), entries: mark.entries,
                    isSigned: mark.reason == nil, reason: mark.reason))
        }
        return try await ingest(of: terminal, under: part.epoch) { [mutations, now] device, epoch in
            IntakeRequest(
                device: device, epoch: epoch, lowSequence: part.lowSequence, mutations: mutations,
                receivedAt: now(), limits: IntakeLimits().withoutQuotas, way: .file)
        }
    }

    /// The same of a piece that a person accepted. Where its maker's journal began and ended counts under the
    /// piece's own epoch alone: in a later one the same numbers stand for other entries.
    func ingest(_ content: PieceContent, of terminal: TerminalRecord, by way: IntakeWay) async throws
        -> JSONValue
    {
        let header = content.header
        return try await ingest(of: terminal, under: header.epoch) { [now] device, epoch in
            let isOwn = epoch == header.epoch
            return IntakeRequest(
                device: device, epoch: epoch, epochStart: isOwn ? header.epochStart : nil,
                lowSequence: isOwn ? nil : header.first, mutations: content.mutations, receivedAt: now(),
                head: isOwn && content.head?.epoch == epoch ? content.head.map { .signed($0) } : nil,
                limits: IntakeLimits().withoutQuotas, way: way)
        }
    }

    /// - Parameters:
    ///   - epoch: that the entries name, which may be any; what counts is the one that this hub knows.
    ///   - push: makes the push under an epoch.
    private func ingest(
        of terminal: TerminalRecord, under epoch: Int64,
        _ push: (DeviceIdentity, Int64) -> IntakeRequest
    ) async throws -> JSONValue {
        let device = DeviceIdentity(terminalId: terminal.id, storeId: terminal.storeId)
        var epoch = min(epoch, try await ledger.lastEpoch(of: terminal.id) ?? 1)
        var response = try await ledger.ingest(push(device, epoch))
        // A new epoch is opened here alone: behind a fork that this hub has just seen.
        if case .refused(.forked(let next, _, _, _)) = response {
            epoch = next
            response = try await ledger.ingest(push(device, epoch))
        }
        switch response {
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
package struct JournalPart: Fact {
    /// What is noted of a file, with its first part.
    package struct Mark: Fact {
        /// Of the whole file.
        package private(set) var entries: Int64 = 0
        /// Why it is ingested without a signature; nil for a signed one.
        package private(set) var reason: String?

        /// Makes the mark of a file; nil in `reason` means that the device key's signature was checked.
        package init(entries: Int64, reason: String?) {
            self.entries = entries
            self.reason = reason
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.number("entries", &entries, in: 0...JSONValue.exactIntegers.upperBound)
            try m.text("reason", &reason, .valid.orNull)
        }
    }

    /// The terminal that exported the journal; the hub has to know it.
    package private(set) var terminalId = ""
    /// The epoch of all entries of this part, from 1.
    package private(set) var epoch: Int64 = 0
    /// The first sequence of the whole file.
    package private(set) var lowSequence: Int64 = 0
    /// Mutations as the file has them, in order of sequence; 200 at most.
    package private(set) var entries: [JSONValue] = []
    /// Nil for all parts but the first.
    package private(set) var mark: Mark?

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

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        var list: JSONValue? = .array(entries)
        try m.document("entries", &list)
        try m.check(list?.array != nil, "entries", "an array")
        try m.number("epoch", &epoch, in: 1...(1 << 31))
        try m.number("lowSequence", &lowSequence, in: 1...JSONValue.exactIntegers.upperBound)
        try m.part("mark", &mark, .valid)
        try m.text("terminalId", &terminalId)
        entries = list?.array ?? []
    }
}
