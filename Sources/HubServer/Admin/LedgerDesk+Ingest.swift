internal import HubCore
public import HubProtocol
internal import HubStore

/// Takes in what `pos sync export` wrote of a till that cannot push any more.
extension LedgerDesk {
    /// One batch of the journal, under the till's own identity: what was pushed before is a duplicate.
    ///
    /// - Returns: the counts by outcome with the refused results, or `epoch`, under which to go on.
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
        let push = IntakeRequest(
            device: DeviceIdentity(terminalId: terminal.id, storeId: terminal.storeId), epoch: part.epoch,
            lowSequence: part.lowSequence, mutations: mutations, receivedAt: now(),
            limits: IntakeLimits().withoutQuotas)
        switch try await ledger.takeIn(push) {
        case .refused(.forked(let epoch, _, _, _)): return ["epoch": .integer(epoch)]
        case .refused(let refusal): throw refusal.problem
        case .results(let answer): return Self.summary(of: answer)
        }
    }

    private static func summary(of answer: MutationBatchAnswer) -> JSONValue {
        var counts: [String: Int64] = [:]
        for result in answer.results { counts[outcome(of: result).rawValue, default: 0] += 1 }
        let refused = answer.results.filter { ![.applied, .duplicate].contains(outcome(of: $0)) }
        return [
            "outcomes": .object(JSONObject(counts.mapValues(JSONValue.integer))),
            "refused": .array(refused.map(\.json)),
            "acknowledgedThrough": .integer(answer.acknowledgedThrough),
            "missing": .array(answer.missing.map(JSONValue.integer)),
        ]
    }

    /// A dead till's file goes back further than answers are kept; what the hub has of it is no refusal.
    private static func outcome(of result: MutationResult) -> MutationResult.Outcome {
        let isExpired = result.problem?["code"]?.string == ProblemCode.expiredReplay.rawValue
        return isExpired && result.json["receivedAt"] != nil ? .duplicate : result.outcome
    }
}

/// Up to 200 entries of an exported journal.
public struct JournalPart: Hashable, Sendable {
    public let terminalId: String
    public let epoch: Int64
    /// The first sequence of the whole file.
    public let lowSequence: Int64
    public let entries: [JSONValue]

    public init(terminalId: String, epoch: Int64, lowSequence: Int64, entries: [JSONValue]) {
        self.terminalId = terminalId
        self.epoch = epoch
        self.lowSequence = lowSequence
        self.entries = entries
    }

    init(json: JSONValue) throws(ShapeError) {
        terminalId = try json.requiredString("terminalId")
        epoch = try json.requiredInteger("epoch", in: 1...(1 << 31))
        lowSequence = try json.requiredInteger("lowSequence", in: 1...(1 << 53 - 1))
        entries = try json.requiredArray("entries")
    }

    var json: JSONValue {
        [
            "terminalId": .string(terminalId), "epoch": .integer(epoch),
            "lowSequence": .integer(lowSequence), "entries": .array(entries),
        ]
    }
}
