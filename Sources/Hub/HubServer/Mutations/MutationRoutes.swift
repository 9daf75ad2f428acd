import Base

internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Logging
internal import LinuxRuntime
internal import MachineRuntime
internal import Synchronization

/// Where the outboxes of the terminals drain (http.md section 3).
struct MutationRoutes: Sendable {
    let ledger: any JournalLedger
    let telemetry: PiggybackedTelemetry
    let heads: HeadReader
    let inFlight: InFlightKeys
    /// Reads large bodies, terminal by terminal.
    let bodies: FairWorker
    let limits: IntakeLimits
    let figures: HubFigures
    let shifts: ShiftBook
    let now: @Sendable () -> Int64

    var routes: [Route] {
        [
            Route(.post, Routes.mutation, response: single),
            Route(.post, Routes.mutationBatch, response: batch),
        ]
    }

    @Sendable private func single(_ request: HubRequest) async throws -> HubResponse {
        let device = try request.requireDevice()
        let bytes = try await request.body()
        let start = LinuxSystemTime.hub.now()
        defer { figures.noteIntake(took: LinuxSystemTime.hub.now() - start) }
        let mutation = try await bodies.work(on: bytes.count, of: device.terminalId) { () throws(Problem) in
            try Self.read(try HubRequest.parsed(bytes), path: "mutation")
        }
        guard request.idempotencyKey == mutation.id else { throw Problem.keyMissing }
        let push = IntakeRequest(
            device: device, epoch: try request.clampedHeader(HeaderNames.epoch, into: Self.epochs),
            epochStart: try request.clampedHeader(HeaderNames.epochStart, into: Self.sequences),
            lowSequence: try request.clampedHeader(HeaderNames.lowSequence, into: Self.sequences),
            mutations: [mutation], receivedAt: now(),
            head: await heads.claim(ofHeader: request.header(HeaderNames.head), from: device), limits: limits)
        // By terminal: nobody else's request makes a till wait.
        let key = EntryKey.ofSharedId(mutation.id, from: device.terminalId)
        guard inFlight.begin(key) else { throw Problem.inProgress }
        defer { inFlight.end(key) }
        let taken = try await ledger.ingest(push)
        Self.log(taken, of: device, to: request.logger)
        switch taken {
        case .refused(let refusal): throw refusal.problem
        case .results(let response):
            guard let result = response.results.first else { throw Problem.internalError }
            let feedMoved = await shifts.look(after: push, response.results)
            return Self.response(result, response.extent, feedMoved: feedMoved)
        }
    }

    @Sendable private func batch(_ request: HubRequest) async throws -> HubResponse {
        let device = try request.requireDevice()
        let bytes = try await request.body()
        let start = LinuxSystemTime.hub.now()
        defer { figures.noteIntake(took: LinuxSystemTime.hub.now() - start) }
        guard !MutationCount.exceeds(MutationBatch.maximumCount, in: bytes) else {
            throw Problem.tooManyMutations
        }
        let (json, mutations) = try await bodies.work(on: bytes.count, of: device.terminalId) {
            () throws(Problem) in
            try Self.batch(in: bytes)
        }
        let push = try self.push(
            json, mutations, from: device, at: now(), head: await heads.claim(of: json, from: device))
        let response = try await ledger.ingest(push)
        Self.log(response, of: device, to: request.logger)
        await telemetry.note(json["telemetry"], of: device.terminalId, at: push.receivedAt)
        switch response {
        case .refused(let refusal): throw refusal.problem
        case .results(var results):
            results.feedMoved = await shifts.look(after: push, results.results)
            return .json(results.json)
        }
    }

    /// What became of a push, once it is durable. The id of each entry names its trace, too.
    private static func log(_ response: IntakeResponse, of device: DeviceIdentity, to logger: Logger) {
        logger.info(
            "a push",
            metadata: [
                "terminal": "\(device.terminalId)", "store": "\(device.storeId)",
                "entries": .array(response.entries.map { "\($0)" }),
            ])
    }

    /// The body of a batch, and its mutations.
    static func batch(
        in bytes: [UInt8]
    ) throws(Problem) -> (json: JSONValue, mutations: [ReceivedMutation]) {
        let (json, spans) = try parsed(bytes)
        return (json, try mutations(in: json, bytes, spans))
    }

    private static func parsed(
        _ bytes: [UInt8]
    ) throws(Problem) -> (value: JSONValue, spans: [Range<Int>?]) {
        do throws(JSONError) {
            return try JSONParser.parse(bytes, lookingFor: "mutations")
        } catch {
            throw .malformed("The body is not JSON: \(error).")
        }
    }

    /// - Parameter spans: where in `bytes` each mutation stands in canonical form.
    private static func mutations(
        in json: JSONValue, _ bytes: [UInt8], _ spans: [Range<Int>?]
    ) throws(Problem) -> [ReceivedMutation] {
        guard let elements = json["mutations"]?.array else {
            throw .malformed(ShapeError(path: "mutations", expected: "an array"))
        }
        guard elements.count <= MutationBatch.maximumCount else { throw .tooManyMutations }
        var mutations: [ReceivedMutation] = []
        for (index, element) in elements.enumerated() {
            let span = spans.indices.contains(index) ? spans[index] : nil
            mutations.append(
                try read(element, span.map { Array(bytes[$0]) }, path: "mutations[\(index)]"))
        }
        return mutations
    }

    private func push(
        _ json: JSONValue, _ mutations: [ReceivedMutation], from device: DeviceIdentity, at now: Int64,
        head: HeadClaim?
    ) throws(Problem) -> IntakeRequest {
        return IntakeRequest(
            device: device, epoch: try Self.integer(json, "epoch", into: Self.epochs),
            epochStart: try Self.integer(json, "epochStart", into: Self.sequences),
            lowSequence: try Self.integer(json, "lowSequence", into: Self.sequences), mutations: mutations,
            receivedAt: now, head: head, limits: limits)
    }

    private static let epochs: ClosedRange<Int64> = 1...(1 << 31)
    private static let sequences: ClosedRange<Int64> = 1...(1 << 53 - 1)

    private static func integer(
        _ json: JSONValue, _ key: String, into range: ClosedRange<Int64>
    ) throws(Problem) -> Int64? {
        guard json[key] != nil else { return nil }
        return ClampedNumber.clamped(try Problem.reading(json.requiredInteger(key)), into: range)
    }

    private static func read(
        _ json: JSONValue, _ canonical: [UInt8]? = nil, path: String
    ) throws(Problem) -> ReceivedMutation {
        do throws(ShapeError) {
            return try ReceivedMutation(json: json, canonical: canonical)
        } catch {
            throw .malformed(ShapeError(path: "\(path).\(error.path)", expected: error.expected))
        }
    }

    /// A single push's result: the object itself on success, otherwise its problem with `id` and `outcome`;
    /// with what a batch says of the journal as a whole.
    private static func response(
        _ result: MutationResult, _ extent: JournalExtent, feedMoved: Bool
    ) -> HubResponse {
        var members = (result.json.object ?? [:]).merging(extent.members) { own, _ in own }
        switch result.outcome {
        case .applied:
            if feedMoved { members[MutationBatchResponse.feedMovedKey] = true }
            return .json(.object(members), status: 201)
        case .duplicate:
            return HubResponse.json(.object(members)).with(HeaderNames.idempotentReplayed, "true")
        case .rejected, .conflict, .deferred, .retry:
            members["problem"] = nil
            guard let problem = result.problem.flatMap(Problem.init(json:)) else {
                return .problem(.storeUnavailable)
            }
            return .problem(
                Problem(
                    status: problem.status, code: problem.code, title: problem.title, detail: problem.detail,
                    extensions: problem.extensions.merging(members) { _, own in own }))
        }
    }
}

extension Problem {
    fileprivate static let keyMissing = Problem(
        status: 400, code: .idempotencyKeyMissing, title: "The idempotency key is missing",
        detail: "The header Idempotency-Key holds the mutation's id.")

    fileprivate static let inProgress = Problem(
        status: 409, code: .idempotencyInProgress, title: "This key is being worked on",
        detail: "The first request with this key has not ended.", extensions: ["retryAfterMs": 1000])

    fileprivate static let tooManyMutations = Problem(
        status: 413, code: .tooManyMutations, title: "Too many mutations",
        detail: "A batch holds at most \(MutationBatch.maximumCount).")
}

extension IntakeResponse {
    /// Each entry with its outcome.
    fileprivate var entries: [String] {
        switch self {
        case .refused(let refusal): ["refused: \(refusal.problem.code.rawValue)"]
        case .results(let response): response.results.map { "\($0.id) \($0.outcome.rawValue)" }
        }
    }
}

/// The idempotency keys whose first request has not got a response yet.
final class InFlightKeys: Sendable {
    private let keys = Mutex<Set<String>>([])

    /// Whether the key was free; it is taken then.
    func begin(_ key: String) -> Bool {
        keys.withLock { $0.insert(key).inserted }
    }

    func end(_ key: String) {
        _ = keys.withLock { $0.remove(key) }
    }
}
