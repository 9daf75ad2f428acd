import HubCore
internal import HubStore

/// Pushes that wait for the database, accepted together: many small ones share one transaction, one sync of
/// the disk and a few turns of the line.
actor PostgresIntakeQueue {
    private struct Push {
        let request: IntakeRequest
        let weight: Int
        let response: PostgresResponse<Result<IntakeResponse, LedgerError>>
        var passedOver = 0
    }

    private let database: PostgresDatabase
    private let penalties: PushPenalties
    let memory = IntakeMemory()
    private let deadlines: PostgresDeadlines
    private var waiting: [Push] = []
    private var running = 0
    /// Of them, those with heavy pushes.
    private var heavy = 0
    /// Whether light pushes have a transaction of their own beside them.
    private var hasExtra = false

    /// While one transaction waits for the disk, another one computes. While both hold heavy pushes there is
    /// a third one for light pushes alone.
    private static let maximumRunning = 2
    /// More would only wait, and time out at the other end.
    private static let maximumWaiting = 2_000

    init(
        _ database: PostgresDatabase, _ budget: PushBudget = PushBudget(),
        longest: Duration = PostgresDeadlines.longest
    ) {
        deadlines = PostgresDeadlines(longest: longest)
        self.database = database
        penalties = PushPenalties(budget)
    }

    /// Accepts a push and returns when that is durable.
    func take(_ request: IntakeRequest) async throws(LedgerError) -> IntakeResponse {
        guard waiting.count < Self.maximumWaiting else { throw .busy }
        guard !penalties.isRefused(request.device.terminalId) else { throw .tooCostly }
        let result: Result<IntakeResponse, LedgerError> = await withCheckedContinuation { continuation in
            let response = PostgresResponse(continuation)
            deadlines.add { response.give(.failure(PostgresError.tooLate.ledgerError)) }
            let push = Push(request: request, weight: request.weight, response: response)
            waiting.append(push)
            if running < Self.maximumRunning {
                running += 1
                Task { await drain() }
            } else if heavy == Self.maximumRunning, !hasExtra, GroupSelection.isLight(push.weight) {
                hasExtra = true
                Task { await drainLight() }
            }
        }
        return try result.get()
    }

    private func drain() async {
        while let group = nextGroup() {
            let isHeavy = group.contains { !GroupSelection.isLight($0.weight) }
            if isHeavy { heavy += 1 }
            await respond(to: group)
            if isHeavy { heavy -= 1 }
        }
        running -= 1
    }

    private func drainLight() async {
        while heavy == Self.maximumRunning,
            let group = nextGroup(where: { GroupSelection.isLight($0.weight) })
        {
            await respond(to: group)
        }
        hasExtra = false
    }

    private func respond(to group: [Push]) async {
        let results = await responses(to: group.map(\.request))
        for (push, result) in zip(group, results) { push.response.give(result) }
    }

    private nonisolated func responses(
        to requests: [IntakeRequest]
    ) async -> [Result<IntakeResponse, LedgerError>] {
        do throws(LedgerError) {
            let (penalties, memory) = (penalties, memory)
            let responses = try await database.perform { connection in
                PostgresIntakeGroup(requests, on: connection, penalties, memory).run()
            }
            return responses.map { $0.mapError(\.ledgerError) }
        } catch {
            return requests.map { _ in .failure(error) }
        }
    }

    private func nextGroup(where isWanted: (Push) -> Bool = { _ in true }) -> [Push]? {
        // A push that waited too long was refused, and its terminal sends it again.
        if waiting.first?.response.isAwaited == false { waiting.removeAll { !$0.response.isAwaited } }
        let wanted = waiting.indices.filter { isWanted(waiting[$0]) }
        guard !wanted.isEmpty else { return nil }
        let chosen = GroupSelection.next(
            of: wanted.map { .init(weight: waiting[$0].weight, passedOver: waiting[$0].passedOver) })
        let taken = Set(chosen.map { wanted[$0] })
        let group = chosen.map { waiting[wanted[$0]] }
        waiting = waiting.enumerated().filter { !taken.contains($0.offset) }.map { _, push in
            var push = push
            push.passedOver += 1
            return push
        }
        return group
    }
}
