internal import ArgumentParser
internal import Glibc

/// Replays recorded sales to members and prints who could have spent points in an outage.
struct LeasesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leases",
        abstract: "Replays recorded baskets of members, by two rules of what tills are lent in advance.",
        discussion: """
            Every store is cut off from the hub on one day in --rounds, a round for each choice of days, so \
            that each basket is sold offline once. At each visit the member spends a part of the points. \
            Printed is how many attempts succeed offline, and how many are refused online meanwhile, as what \
            they lack is at a store that is away.
            """)

    @Option(
        help: ArgumentHelp(
            "CSV with basket_id, store_id, timestamp, household_id and customer_paid_cents.", valueName: "file"))
    var baskets: String

    @Option(help: "A store is cut off on one day in so many.") var rounds = 10

    @Option(help: "Tills of each store of the large chain.") var tills = 4

    func validate() throws {
        guard (2...100).contains(rounds) else { throw ValidationError("--rounds must be from 2 to 100") }
        guard (1...16).contains(tills) else { throw ValidationError("--tills must be from 1 to 16") }
    }

    func run() throws {
        let all = try RecordedVisits(file: baskets)
        show("chain | spends | rule | offline: attempts | succeed | online: attempts | refused | wait")
        let small = [(1, 4), (4, 4), (16, 1)]
        for (stores, tills) in small {
            try replay(all.ofLargest(stores), stores: stores, tills: tills)
        }
        try replay(all, stores: max(300, all.stores.count), tills: tills)
    }

    private func replay(_ visits: RecordedVisits, stores: Int, tills: Int) throws {
        let isSmall = stores * tills <= 16
        for part in [500, 1_000, 2_500, 5_000] as [Int64] {
            // What was lent before, and what is in chains of more than one store.
            let rules: [LeaseReplay.Rule] = [isSmall ? .everyTill : .lookUpsAlone, .whereMembersBuy]
            for rule in rules {
                let replay = LeaseReplay(
                    visits, tillsOfStore: tills, rule: rule, spends: part, rounds: rounds)
                let tally = replay.run()
                show(
                    "\(stores) × \(tills) | \(part / 100) % | \(rule.rawValue) | "
                        + "\(tally.offline.attempts) | \(tally.offline.percent) | "
                        + "\(tally.online.attempts) | \(tally.refused.percent) | \(tally.waiting.percent)")
            }
        }
    }

    /// At once, also into a file: a run takes minutes.
    private func show(_ line: String) {
        print(line)
        fflush(nil)
    }
}
