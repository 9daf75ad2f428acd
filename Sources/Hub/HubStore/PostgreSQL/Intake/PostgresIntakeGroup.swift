import HubCore
import HubProtocol

/// Some pushes on their way into the database: together when that works, otherwise each alone, and a push
/// with a row that the database cannot hold row by row.
struct PostgresIntakeGroup {
    typealias Answer = Result<IntakeAnswer, PostgresError>

    private let requests: [IntakeRequest]
    private let connection: PostgresConnection
    private let penalties: PushPenalties

    init(_ requests: [IntakeRequest], on connection: PostgresConnection, _ penalties: PushPenalties) {
        self.requests = requests
        self.connection = connection
        self.penalties = penalties
    }

    /// The responses in the order of the requests; each is durable.
    func run() -> [Answer] {
        let together = Result { () throws(PostgresError) in try takeTogether(requests) }
        switch together {
        case .success(let answers?): return answers.map { .success($0) }
        case .failure(.unreachable(let reason)): return requests.map { _ in .failure(.unreachable(reason)) }
        case .success(nil), .failure:
            if requests.count > 1 { return requests.map(alone) }
            return requests.map { request in
                guard case .failure(let error) = together else { return alone(request) }
                if case .overBudget = error { penalties.refuse(request.device.terminalId) }
                return rowByRow(request, after: error)
            }
        }
    }

    private func alone(_ request: IntakeRequest) -> Answer {
        guard !penalties.isRefused(request.device.terminalId) else { return .failure(.overBudget) }
        do throws(PostgresError) {
            guard let answer = try takeTogether([request])?.first else { throw .unexpected(column: 0) }
            return .success(answer)
        } catch {
            if case .overBudget = error { penalties.refuse(request.device.terminalId) }
            return rowByRow(request, after: error)
        }
    }

    /// - Returns: nil when one of several is refused, which can only be undone with all of them.
    private func takeTogether(_ requests: [IntakeRequest]) throws(PostgresError) -> [IntakeAnswer]? {
        let count = requests.reduce(0) { $0 + $1.mutations.count }
        let now = requests.map(\.receivedAt).max() ?? 0
        let clock = try PostgresClock.reserve(count, at: now, on: connection)
        let answers = try PostgresDatabase.repeating(on: connection) { () throws(PostgresError) in
            try take(requests, from: clock)
        }
        let refusals = zip(requests, answers ?? []).compactMap { request, answer -> Alarm? in
            guard case .refused(let refusal) = answer else { return nil }
            return refusal.alarm(about: request)
        }
        if let alarms = PostgresAlarms.raising(refusals) { try connection.query([alarms]) }
        return answers
    }

    /// - Parameter locksStock: whether others wait with what these pushes sell until they are written.
    private func take(
        _ requests: [IntakeRequest], from clock: HybridLogicalClock, locksStock: Bool = false
    ) throws(PostgresError) -> [IntakeAnswer]? {
        let intake = PostgresIntake(on: connection, from: clock, locksStock: locksStock)
        try intake.begin(requests)
        var answers: [IntakeAnswer] = []
        for request in requests {
            intake.timer = penalties.budget.start()
            let answer = try Self.run(request, in: intake)
            answers.append(answer)
            guard case .refused = answer else { continue }
            try connection.query([.rollback])
            return requests.count == 1 ? answers : nil
        }
        intake.timer = nil
        guard try intake.write() else {
            try connection.query([.rollback])
            return try take(requests, from: clock, locksStock: true)
        }
        try connection.query([.commit])
        return answers
    }

    static func run(
        _ request: IntakeRequest, in intake: PostgresIntake
    ) throws(PostgresError) -> IntakeAnswer {
        do {
            return try IntakeProcedure.run(request, in: intake)
        } catch let error as PostgresError {
            throw error
        } catch {
            throw .refused(state: "-----", message: "\(error)")
        }
    }

    /// Takes the mutations of a push in one by one, so that one that the database cannot hold is rejected by
    /// itself; still all in one transaction.
    private func rowByRow(_ request: IntakeRequest, after error: PostgresError) -> Answer {
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
