internal import HubCore
internal import HubProtocol
internal import HubStore

/// Some pushes on their way into the database: together when that works, otherwise each alone, and a push
/// with a row that the database cannot hold row by row.
struct PostgresIntakeGroup {
    typealias Response = Result<IntakeResponse, PostgresError>

    private let requests: [IntakeRequest]
    private let connection: PostgresConnection
    private let penalties: PushPenalties
    private let memory: IntakeMemory

    init(
        _ requests: [IntakeRequest], on connection: PostgresConnection, _ penalties: PushPenalties,
        _ memory: IntakeMemory
    ) {
        self.memory = memory
        self.requests = requests
        self.connection = connection
        self.penalties = penalties
    }

    /// The responses in the order of the requests; each is durable.
    func run() -> [Response] {
        let together = Result { () throws(PostgresError) in try takeTogether(requests) }
        switch together {
        case .success(let responses?): return responses.map { .success($0) }
        case .failure(.unreachable(let reason)): return requests.map { _ in .failure(.unreachable(reason)) }
        case .success(nil), .failure:
            if requests.count > 1 { return requests.map(alone) }
            return requests.map { request in
                guard case .failure(let error) = together else { return alone(request) }
                return rowByRow(request, after: charged(error, to: request))
            }
        }
    }

    private func alone(_ request: IntakeRequest) -> Response {
        guard !penalties.isRefused(request.device.terminalId) else { return .failure(.overBudget) }
        do throws(PostgresError) {
            guard let response = try takeTogether([request])?.first else { throw .unexpected(column: "0") }
            return .success(response)
        } catch {
            return rowByRow(request, after: charged(error, to: request))
        }
    }

    /// Refuses the terminal for a while when its push took too long by itself, not when the database stood
    /// still.
    private func charged(_ error: PostgresError, to request: IntakeRequest) -> PostgresError {
        guard error.isOfPush else { return error }
        penalties.refuse(request.device.terminalId)
        return .overBudget
    }

    /// - Returns: nil when one of several is refused, which can only be undone with all of them.
    private func takeTogether(_ requests: [IntakeRequest]) throws(PostgresError) -> [IntakeResponse]? {
        let count = requests.reduce(0) { $0 + $1.mutations.count }
        let now = requests.map(\.receivedAt).max() ?? 0
        let clock = try PostgresClock.reserve(count, at: now, on: connection)
        let responses = try PostgresDatabase.repeating(on: connection) { () throws(PostgresError) in
            try take(requests, from: clock)
        }
        let refusals = zip(requests, responses ?? []).compactMap { request, response -> Alarm? in
            guard case .refused(let refusal) = response else { return nil }
            return refusal.alarm(about: request)
        }
        if let alarms = PostgresAlarms.raising(refusals) { try connection.query([alarms]) }
        return responses
    }

    /// - Parameter locksStock: whether others wait with what these pushes sell until they are written.
    private func take(
        _ requests: [IntakeRequest], from clock: HybridLogicalClock, locksStock: Bool = false
    ) throws(PostgresError) -> [IntakeResponse]? {
        let intake = PostgresIntake(
            on: connection, from: clock, locksStock: locksStock, memory: memory)
        try intake.begin(requests)
        var responses: [IntakeResponse] = []
        for request in requests {
            intake.timer = penalties.budget.start()
            let response = try Self.run(request, in: intake)
            responses.append(response)
            guard case .refused = response else { continue }
            try connection.query([.rollback])
            return requests.count == 1 ? responses : nil
        }
        intake.timer = nil
        guard try intake.write() else {
            try connection.query([.rollback])
            return try take(requests, from: clock, locksStock: true)
        }
        try connection.query([.commit])
        return responses
    }

    static func run(
        _ request: IntakeRequest, in intake: PostgresIntake
    ) throws(PostgresError) -> IntakeResponse {
        try PostgresError.translating { try IntakeProcedure.run(request, in: intake) }
    }

    /// Takes the mutations of a push in one by one, so that one that the database cannot hold is rejected by
    /// itself; still all in one transaction.
    private func rowByRow(_ request: IntakeRequest, after error: PostgresError) -> Response {
        guard case .unfit = error, !request.mutations.isEmpty else { return .failure(error) }
        return Result { () throws(PostgresError) in
            let clock = try PostgresClock.reserve(
                request.mutations.count * 2, at: request.receivedAt, on: connection)
            return try PostgresDatabase.write(on: connection) { () throws(PostgresError) in
                try PostgresRowByRow(request, on: connection, from: clock).run()
            }
        }
    }
}

/// Takes one push in mutation by mutation, each behind a savepoint, within a transaction that has begun.
private struct PostgresRowByRow {
    private let parts: [IntakeRequest]
    private let connection: PostgresConnection
    private var clock: HybridLogicalClock

    init(_ request: IntakeRequest, on connection: PostgresConnection, from clock: HybridLogicalClock) {
        parts = request.oneByOne
        self.connection = connection
        self.clock = clock
    }

    func run() throws(PostgresError) -> TransactionEnding<IntakeResponse> {
        // All of them at once: the parts by themselves would lock in the sender's order.
        try connection.query([
            PostgresLock.journals(of: parts), PostgresLock.receipts(WantedRows(parts).receipts),
        ])
        var copy = self
        return try copy.takeAll()
    }

    private mutating func takeAll() throws(PostgresError) -> TransactionEnding<IntakeResponse> {
        var results: [MutationResult] = []
        var last = MutationBatchResponse(results: [], acknowledgedThrough: 0, missing: [])
        for part in parts {
            switch try take(part) {
            case .refused(let refusal): return .undo(.refused(refusal))
            case .results(let response):
                results += response.results
                last = response
            }
        }
        return .keep(
            .results(
                MutationBatchResponse(results: results, last.extent)))
    }

    private mutating func take(_ part: IntakeRequest) throws(PostgresError) -> IntakeResponse {
        try connection.query([PostgresStatement("SAVEPOINT row")])
        do throws(PostgresError) {
            return try attempt(part)
        } catch {
            guard case .unfit = error else { throw error }
            try connection.query([PostgresStatement("ROLLBACK TO SAVEPOINT row")])
            return try attempt(part.withoutContent)
        }
    }

    private mutating func attempt(_ part: IntakeRequest) throws(PostgresError) -> IntakeResponse {
        let intake = PostgresIntake(on: connection, from: clock, locksStock: true)
        try intake.read([part])
        let response = try PostgresIntakeGroup.run(part, in: intake)
        if case .results = response { _ = try intake.write() }
        clock = intake.draft.clock
        return response
    }
}

extension PostgresError {
    /// Whether the push that met it took too long by itself.
    ///
    /// A server ends a statement that works at its limit. One that was ended much later met a server that
    /// stood still, whose own clock had not come to the limit either.
    var isOfPush: Bool {
        switch self {
        case .overBudget: true
        case .timedOut(let elapsed): elapsed < PostgresIntake.statementLimit + Self.lateness
        case .unreachable, .collided, .locked, .unfit, .full, .refused: false
        }
    }

    /// How late the end of a statement may come back from a loaded server. Halved, a loaded one is taken for
    /// one that stood still; doubled, one that stood still for 5 s costs a terminal half a minute.
    private static let lateness: Duration = .seconds(1)
}

extension IntakeRequest {
    /// The same push as one push a mutation; an epoch that it opens starts where it would have, and only the
    /// last one says what is missing.
    fileprivate var oneByOne: [IntakeRequest] {
        let start = min(lowSequence ?? 1, mutations.map(\.sequence).min() ?? 1)
        return mutations.map { mutation in
            IntakeRequest(
                device: device, epoch: epoch, epochStart: epochStart, lowSequence: start,
                mutations: [mutation], receivedAt: receivedAt, head: head, limits: limits,
                way: way)
        }
    }

    /// The push with nothing in it but what a rejection needs.
    fileprivate var withoutContent: IntakeRequest {
        IntakeRequest(
            device: device, epoch: epoch, epochStart: epochStart, lowSequence: lowSequence,
            mutations: mutations.map {
                $0.unreadable(
                    ShapeError(path: "payload", expected: "without values that are too long for the store"))
            },
            receivedAt: receivedAt, head: head, limits: limits, way: way)
    }
}
