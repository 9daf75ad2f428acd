import HubCore
import HubProtocol

/// Members of a chain who buy as it was recorded and now and then spend points, while stores are cut off for
/// a day at a time.
struct LeaseReplay {
    /// Attempts, and of how many something is so.
    struct Count {
        var attempts = 0
        var hits = 0

        var percent: String {
            let tenths = attempts == 0 ? 0 : (hits * 1_000 + attempts / 2) / attempts
            return "\(tenths / 10).\(tenths % 10) %"
        }

        mutating func add(_ isHit: Bool) {
            attempts += 1
            if isHit { hits += 1 }
        }
    }

    struct Tally {
        /// Those without the hub that succeeded.
        var offline = Count()
        /// Those with the hub that failed, since what they lacked is at a till that is away.
        var refused = Count()
        /// Those with the hub that came back after a recall.
        var waiting = Count()
    }

    /// What each member has at the beginning.
    static let opening: Int64 = 500
    private static let day: Int64 = 86_400_000

    let visits: RecordedVisits
    let shape: ChainShape
    /// Hundredths of a percent of the balance that is spent at once.
    let part: Int64
    /// One visit in so many spends points.
    let every: Int
    let rounds: Int
    /// Whether all tills of the chain are lent a share of everybody.
    let isEveryTill: Bool

    /// Plays one round: which days the stores are cut off.
    func play<Chain: LeaseChain>(_ round: Int, in chain: inout Chain, _ tally: inout Tally) async throws {
        let places = Dictionary(uniqueKeysWithValues: visits.stores.enumerated().map { ($1, $0) })
        var today: Int64?
        for visit in visits.inOrder {
            let day = visit.moment / Self.day
            if let last = today, last < day {
                for next in last + 1...day { try await chain.beginDay(at: next * Self.day) }
            }
            today = day
            let hasHub = { (store: String) in (Int(day) + (places[store] ?? 0)) % rounds != round }
            try await play(visit, in: &chain, hasHub, &tally)
        }
    }

    private func play<Chain: LeaseChain>(
        _ visit: RecordedVisits.Step, in chain: inout Chain, _ hasHub: @escaping (String) -> Bool,
        _ tally: inout Tally
    ) async throws {
        let (member, place, now) = (visit.member, visit.place, visit.moment)
        let tills = shape.tills(of: visit.store)
        let till = tills[(member &* 7 &+ place &* 5 &+ place / 3) % tills.count]
        let isSpending = (member &* 3 &+ place &* 7 &+ place / 10) % every == 0
        let amount = isSpending ? chain.balance(of: member) * part / 10_000 : 0
        var spent: Int64 = 0
        guard hasHub(visit.store) else {
            if amount > 0 {
                var held: Int64 = 0
                for till in shape.hasNeighbours ? tills : [till] {
                    held += try await chain.held(member, by: till, at: now)
                }
                let succeeds = held >= amount
                tally.offline.add(succeeds)
                if succeeds { spent = amount }
            }
            return try await chain.sell(
                to: member, earned: visit.points, spent: spent, by: till, at: now, arrives: false)
        }
        try await chain.lookUp(member, by: till, at: now)
        if amount > 0 {
            let waits = try await fetch(amount, of: member, by: till, at: now, in: &chain, hasHub)
            tally.refused.add(waits == nil)
            if let waits {
                tally.waiting.add(waits)
                spent = amount
            }
        }
        try await chain.sell(
            to: member, earned: visit.points, spent: spent, by: till, at: now, arrives: true)
        let pulling = isEveryTill ? shape.stores.filter(hasHub).flatMap(shape.tills) : tills
        try await chain.pull(member, by: pulling, at: now)
        guard !isEveryTill else { return }
        try await chain.comeBack(member, at: now, from: hasHub)
        try await chain.pull(member, by: tills, at: now)
    }

    /// - Returns: whether something was recalled for it; nil: the sale fails.
    private func fetch<Chain: LeaseChain>(
        _ amount: Int64, of member: Int, by till: DeviceIdentity, at now: Int64, in chain: inout Chain,
        _ hasHub: @escaping (String) -> Bool
    ) async throws -> Bool? {
        for attempt in 0..<3 {
            let isRecalled = try await chain.request(amount, of: member, by: till, at: now)
            if try await chain.held(member, by: till, at: now) >= amount { return attempt > 0 }
            guard isRecalled else { break }
            try await chain.comeBack(member, at: now, from: hasHub)
        }
        return nil
    }
}
