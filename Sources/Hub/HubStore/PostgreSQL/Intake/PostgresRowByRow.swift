import HubCore
import HubProtocol

/// Takes one push in mutation by mutation, each behind a savepoint, within a transaction that has begun.
struct PostgresRowByRow {
    private let parts: [IntakeRequest]
    private let connection: PostgresConnection
    private var clock: HybridLogicalClock

    init(_ request: IntakeRequest, on connection: PostgresConnection, from clock: HybridLogicalClock) {
        parts = request.oneByOne
        self.connection = connection
        self.clock = clock
    }

    func run() throws(PostgresError) -> TransactionEnding<IntakeAnswer> {
        var copy = self
        return try copy.takeAll()
    }

    private mutating func takeAll() throws(PostgresError) -> TransactionEnding<IntakeAnswer> {
        var results: [MutationResult] = []
        var last = MutationBatchAnswer(results: [], acknowledgedThrough: 0, missing: [])
        for part in parts {
            switch try take(part) {
            case .refused(let refusal): return .undo(.refused(refusal))
            case .results(let answer):
                results += answer.results
                last = answer
            }
        }
        return .keep(
            .results(
                MutationBatchAnswer(
                    results: results, acknowledgedThrough: last.acknowledgedThrough, missing: last.missing)))
    }

    private mutating func take(_ part: IntakeRequest) throws(PostgresError) -> IntakeAnswer {
        try connection.query([PostgresStatement("SAVEPOINT row")])
        do throws(PostgresError) {
            return try attempt(part)
        } catch {
            guard case .unfit = error else { throw error }
            try connection.query([PostgresStatement("ROLLBACK TO SAVEPOINT row")])
            return try attempt(part.withoutContent)
        }
    }

    private mutating func attempt(_ part: IntakeRequest) throws(PostgresError) -> IntakeAnswer {
        let intake = PostgresIntake(on: connection, from: clock, locksStock: true)
        try intake.read([part])
        let answer = try PostgresIntakeGroup.run(part, in: intake)
        if case .results = answer { _ = try intake.write() }
        clock = intake.draft.clock
        return answer
    }
}

extension IntakeRequest {
    /// The same push as one push a mutation; an epoch that it opens starts where it would have.
    fileprivate var oneByOne: [IntakeRequest] {
        let start = min(lowSequence ?? 1, mutations.map(\.sequence).min() ?? 1)
        return mutations.map { mutation in
            IntakeRequest(
                device: device, epoch: epoch, lowSequence: start, mutations: [mutation],
                receivedAt: receivedAt, head: head, limits: limits)
        }
    }

    /// The push with nothing in it but what a rejection needs.
    fileprivate var withoutContent: IntakeRequest {
        IntakeRequest(
            device: device, epoch: epoch, lowSequence: lowSequence,
            mutations: mutations.map {
                $0.unreadable(
                    ShapeError(path: "payload", expected: "without values that are too long for the store"))
            },
            receivedAt: receivedAt, head: head, limits: limits)
    }
}
