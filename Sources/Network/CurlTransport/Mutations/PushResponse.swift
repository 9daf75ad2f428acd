internal import CurlHTTP
internal import HubProtocol
internal import OfflineCore

/// Reads the hub's response to a push, once: no later step parses the response again.
///
/// Only an object with the row's id and one of the contract's outcomes is a result. Everything else, such as
/// a login page, half a response or a response about another row, keeps every row in the outbox.
enum PushResponse {
    /// A response of the hub that breaks the contract.
    static let broken = PushOutcome.hubTrouble(.service(.brokenBody), retryAfter: nil)

    /// The outcome of a single push of the mutation `id`.
    static func outcome(of reply: HubReply, single id: String) -> PushOutcome {
        switch reply.outcome {
        case .success:
            guard let json = reply.json, let result = successResult(json, id: id) else { return broken }
            return results(result, json)
        case .business:
            if let result = refusedResult(reply, id: id) { return results(result, reply.json) }
            return refusal(reply)
        case .auth, .network, .service, .throttle, .portal, .cancelled:
            return trouble(reply)
        }
    }

    /// The response to a single push need not say anything of the journal.
    private static func results(_ result: PushResult, _ json: JSONValue?) -> PushOutcome {
        let extent = json.flatMap { try? JournalExtent(json: $0) }
        return .results(
            [result], acknowledgedThrough: extent?.acknowledgedThrough, missing: extent?.missing ?? [])
    }

    /// The outcome of a batch of the mutations `ids`, in the order sent.
    static func outcome(of reply: HubReply, batch ids: [String]) -> PushOutcome {
        switch reply.outcome {
        case .success: batchResults(reply.json, ids: ids) ?? broken
        case .business: refusal(reply)
        case .auth, .network, .service, .throttle, .portal, .cancelled: trouble(reply)
        }
    }

    private static func batchResults(_ json: JSONValue?, ids: [String]) -> PushOutcome? {
        guard let json, let response = try? MutationBatchResponse(json: json),
            response.results.map(\.id) == ids
        else { return nil }
        var results: [PushResult] = []
        for element in response.results {
            guard let result = PushResult(element) else { return nil }
            results.append(result)
        }
        return .results(
            results, acknowledgedThrough: response.acknowledgedThrough, missing: response.missing)
    }

    /// 201 and 200: accepted, now or before. Refusals come with a 4xx and are no success here.
    private static func successResult(_ json: JSONValue, id: String) -> PushResult? {
        guard let result = try? MutationResult(json: json), result.id == id else { return nil }
        switch result.outcome {
        case .applied, .duplicate, .deferred, .retry: return PushResult(result)
        case .rejected, .conflict: return nil
        }
    }

    /// The 4xx problems about this row.
    private static func refusedResult(_ reply: HubReply, id: String) -> PushResult? {
        guard let problem = reply.problem, let json = reply.json else { return nil }
        let namesRow = problem.extensions["id"]?.string == id
        let outcome = problem.extensions["outcome"]?.string
        func result(_ outcome: PushResult.Outcome) -> PushResult {
            PushResult(id: id, outcome: outcome, MutationResponse(json), document: json)
        }
        switch (reply.response?.status ?? 0, problem.code) {
        case (422, _) where namesRow && outcome == "rejected":
            return result(.rejected)
        case (409, .conflict) where namesRow && outcome == "conflict":
            return result(.conflict)
        case (409, .dependencyMissing):
            return result(.deferred)
        case (409, .idempotencyInProgress):
            return result(.retry(after: reply.retryAfter))
        case (_, _):
            return nil
        }
    }

    /// A 4xx about the complete request.
    private static func refusal(_ reply: HubReply) -> PushOutcome {
        let status = reply.response?.status ?? 0
        guard let problem = reply.problem else {
            return .refused(status: status, code: "", detail: "the hub answered \(status) without a reason")
        }
        switch (status, problem.code) {
        case (409, .journalForked): return fork(problem) ?? broken
        case (409, .epochSuperseded): return .epochSuperseded(superseding(problem))
        case (426, .upgradeRequired): return .upgradeRequired
        case (_, _):
            let detail = reply.json?.canonicalText ?? problem.detail
            return .refused(status: status, code: problem.code.rawValue, detail: detail)
        }
    }

    /// The epochs that a hub can have: the range of an enrolment's epoch.
    private static let epochs: ClosedRange<Int64> = 1...(1 << 31)

    private static func fork(_ problem: Problem) -> PushOutcome? {
        guard let epoch = problem.extensions["epoch"]?.integer, epochs.contains(epoch),
            let head = problem.extensions["head"],
            let sequence = head["sequence"]?.integer, sequence >= 0,
            let hash = head["hash"]?.string
        else { return nil }
        return .journalForked(
            epoch: epoch, headSequence: sequence, headHash: hash,
            headOrderNumber: head["orderNumber"]?.string)
    }

    /// What cannot be read is left out, since the terminal stops all the same.
    private static func superseding(_ problem: Problem) -> SupersedingJournal {
        let head = problem.extensions["head"]
        let named = (problem.extensions["ends"]?.array ?? []) + [head ?? .null]
        let ends = named.compactMap { try? JournalMark(json: $0) }.suffix(JournalOrigin.maximumEnds)
        return SupersedingJournal(
            ends: ends.map { SupersedingJournal.End(epoch: $0.epoch, sequence: $0.sequence, hash: $0.hash) },
            headOrderNumber: head?["orderNumber"]?.string)
    }

    private static func trouble(_ reply: HubReply) -> PushOutcome {
        if case .auth(let status) = reply.outcome {
            return .signInNeeded(code: reply.problem?.code.rawValue ?? "http_\(status)")
        }
        return .hubTrouble(reply.outcome, retryAfter: reply.retryAfter)
    }
}

extension PushResult {
    /// The result for the outbox. A duplicate has the outcome of the hub's first response: a mutation that
    /// was rejected then is rejected now, and not sold twice.
    ///
    /// - Returns: nil when a duplicate's first response is not about this mutation.
    fileprivate init?(_ result: MutationResult) {
        let response = MutationResponse(result.json)
        let outcome: Outcome
        switch result.outcome {
        case .applied: outcome = .applied
        case .rejected: outcome = .rejected
        case .conflict: outcome = .conflict
        case .deferred: outcome = .deferred
        case .retry:
            outcome = .retry(
                after: result.retryAfterMilliseconds.map {
                    max(.zero, min(RetryAfter.longest, .milliseconds($0)))
                })
        case .duplicate:
            guard response.id == result.id, let first = response.outcome else { return nil }
            outcome = Outcome(repeating: first)
        }
        self.init(id: result.id, outcome: outcome, response, document: result.json)
    }

    fileprivate init(id: String, outcome: Outcome, _ response: MutationResponse, document: JSONValue) {
        let reason: String? =
            switch outcome {
            case .rejected: response.problem["code"]?.string
            case .conflict: response.policy
            case .applied, .deferred, .retry: nil
            }
        self.init(
            id: id, outcome: outcome, reason: reason, waitsFor: response.waitsFor,
            document: document.canonicalText)
    }
}

extension PushResult.Outcome {
    /// - Parameter first: the outcome that a duplicate repeats; its own where the hub did not repeat one.
    fileprivate init(repeating first: MutationResult.Outcome) {
        self =
            switch first {
            case .applied, .duplicate, .deferred, .retry: .applied
            case .rejected: .rejected
            case .conflict: .conflict
            }
    }
}
