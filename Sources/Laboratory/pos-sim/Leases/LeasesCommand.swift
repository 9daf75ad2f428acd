import ArgumentParser
import Dispatch
import Glibc
import Synchronization

/// Replays recorded sales to members and prints who could have spent points in an outage.
struct LeasesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leases",
        abstract: "Replays recorded baskets of members, by two rules of what tills are lent in advance.",
        discussion: """
            Every store is cut off from the hub on one day in --rounds, a round for each choice of days, so \
            that each basket is sold offline once. One visit in --every spends a part of the member's \
            points. Printed is how many attempts succeed offline, and how many are refused online meanwhile, \
            as what they lack is at a store that is away.
            """)

    @Option(
        help: ArgumentHelp(
            "CSV with basket_id, store_id, timestamp, household_id and customer_paid_cents.",
            valueName: "FILE"))
    var baskets: String
    @Option(help: "A store is cut off on one day in so many.") var rounds = 10
    @Option(help: "One visit in so many spends points.") var every = 10
    @Option(help: "Tills of each store of the large chain.") var tills = 4
    @Option(help: "Only every second member: 0 or 1 says which.") var half: Int?
    @Option(help: "Only the first days of the recording.") var days: Int64?
    @Flag(help: "The tills of a store see each other: a third rule has all of its share at one till.")
    var neighbours = false
    @Flag(help: "Plays one round of the large chain, once on paper and once with a hub's store.")
    var throughTheHub = false

    func validate() throws {
        guard (2...100).contains(rounds) else { throw ValidationError("--rounds must be from 2 to 100.") }
        guard (1...100).contains(every) else { throw ValidationError("--every must be from 1 to 100.") }
        guard (1...16).contains(tills) else { throw ValidationError("--tills must be from 1 to 16.") }
        guard half.map((0...1).contains) ?? true else { throw ValidationError("--half must be 0 or 1.") }
    }

    func run() throws {
        // The program's other commands fork, so its entry does not run as a task.
        let end = DispatchSemaphore(value: 0)
        let failure = Failure()
        Task {
            do { try await replay() } catch { failure.error.withLock { $0 = error } }
            end.signal()
        }
        end.wait()
        if let error = failure.error.withLock({ $0 }) { throw error }
    }

    private final class Failure: Sendable {
        let error = Mutex<(any Error)?>(nil)
    }

    private func replay() async throws {
        var all = try RecordedVisits(file: baskets)
        if let half { all = all.half(half) }
        if let days { all = all.first(days: days) }
        show("chain | spends | rule | offline: attempts | succeed | online: attempts | refused | wait")
        guard !throughTheHub else { return try await compare(all) }
        for (stores, tills) in neighbours ? [(4, 4)] : [(1, 4), (4, 4), (16, 1)] {
            try await replay(all.ofLargest(stores), shape(of: all.largest(stores), tills))
        }
        try await replay(all, shape(of: all.largest(300), tills))
    }

    private func shape(of stores: [String], _ tills: Int) -> ChainShape {
        ChainShape(stores: stores, tills: tills, hasNeighbours: neighbours)
    }

    private func replay(_ visits: RecordedVisits, _ shape: ChainShape) async throws {
        // What was lent before, and what is in chains of more than one store.
        let today: LeaseRule = shape.stores.count * shape.tills <= 16 ? .everyTill : .lookUpsAlone
        for part in [500, 1_000, 2_500, 5_000] as [Int64] {
            for rule in neighbours ? [today, .whereMembersBuy, .oneTill] : [today, .whereMembersBuy] {
                let replay = LeaseReplay(
                    visits: visits, shape: shape, part: part, every: every, rounds: rounds,
                    isEveryTill: rule == .everyTill)
                var tally = LeaseReplay.Tally()
                for round in 0..<rounds {
                    var chain = PaperChain(
                        shape, rule, members: visits.byMember.count, opening: LeaseReplay.opening,
                        round: round)
                    try await replay.play(round, in: &chain, &tally)
                }
                show(replay, rule.rawValue, tally)
            }
        }
    }

    private func compare(_ visits: RecordedVisits) async throws {
        let shape = shape(of: visits.largest(300), tills)
        let replay = LeaseReplay(
            visits: visits, shape: shape, part: 500, every: every, rounds: rounds, isEveryTill: false)
        let (members, opening) = (visits.byMember.count, LeaseReplay.opening)
        var (onPaper, atHub) = (LeaseReplay.Tally(), LeaseReplay.Tally())
        let rule: LeaseRule = neighbours ? .oneTill : .whereMembersBuy
        var paper = PaperChain(shape, rule, members: members, opening: opening, round: 0)
        try await replay.play(0, in: &paper, &onPaper)
        show(replay, "on paper", onPaper)
        let begin = visits.inOrder.first?.moment ?? 0
        var hub = try await HubChain(shape, members: members, opening: opening, at: begin)
        defer { hub.end() }
        try await replay.play(0, in: &hub, &atHub)
        show(replay, "with a hub", atHub)
    }

    private func show(_ replay: LeaseReplay, _ rule: String, _ tally: LeaseReplay.Tally) {
        show(
            "\(replay.shape.stores.count) × \(replay.shape.tills) | \(replay.part / 100) % | \(rule) | "
                + "\(tally.offline.attempts) | \(tally.offline.percent) | "
                + "\(tally.refused.attempts) | \(tally.refused.percent) | \(tally.waiting.percent)")
    }

    /// At once, also into a file: a run takes minutes.
    private func show(_ line: String) {
        print(line)
        fflush(nil)
    }
}
