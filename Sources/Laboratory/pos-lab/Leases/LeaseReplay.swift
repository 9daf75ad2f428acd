import HubCore
import HubProtocol

/// Members of a chain who buy as it was recorded and spend points at each visit, while stores are cut off for
/// a day at a time. Balances and leases are those of the hub's own ``LeaseBook``.
struct LeaseReplay {
    /// What tills are lent in advance, beside what a look-up lends its own.
    enum Rule: String {
        /// All tills of the chain a share of everybody.
        case everyTill = "every till"
        case lookUpsAlone = "look-ups alone"
        case whereMembersBuy = "where members buy"
    }

    /// Attempts, and of how many something is so.
    struct Count {
        var attempts = 0
        var hits = 0

        var percent: String {
            let tenths = attempts == 0 ? 0 : (hits * 1_000 + attempts / 2) / attempts
            return "\(tenths / 10).\(tenths % 10) %"
        }
    }

    struct Tally {
        /// Those that succeeded.
        var offline = Count()
        /// Those that succeeded.
        var online = Count()
        /// Of those online the ones that failed; the till is told that others have what it lacks.
        var refused: Count { Count(attempts: online.attempts, hits: online.attempts - online.hits) }
        /// Of those online the ones that came back after a recall.
        var waiting: Count { Count(attempts: online.attempts, hits: recalls) }
        var recalls = 0
    }

    fileprivate let visits: RecordedVisits
    private let places: [String: Int]
    fileprivate let tillsOfStore: Int
    fileprivate let rule: Rule
    fileprivate let spends: Int64
    private let rounds: Int

    /// - Parameter spends: hundredths of a percent of the balance that each visit spends.
    init(_ visits: RecordedVisits, tillsOfStore: Int, rule: Rule, spends: Int64, rounds: Int) {
        self.visits = visits
        self.tillsOfStore = tillsOfStore
        self.rule = rule
        self.spends = spends
        self.rounds = rounds
        places = Dictionary(uniqueKeysWithValues: visits.stores.enumerated().map { ($1, $0) })
    }

    func run() -> Tally {
        var tally = Tally()
        for round in 0..<rounds {
            for (number, visits) in visits.byMember.enumerated() {
                var member = ReplayedMember(self, round: round, number: number)
                for (place, visit) in visits.enumerated() {
                    member.play(visit, at: (number &* 7 &+ place &* 5 &+ place / 3) % tillsOfStore, &tally)
                }
            }
        }
        return tally
    }

    fileprivate func isOut(_ store: String, on day: Int64, in round: Int) -> Bool {
        (Int(day) + (places[store] ?? 0)) % rounds == round
    }
}

/// One member in one round.
private struct ReplayedMember {
    private static let day: Int64 = 86_400_000
    private static let opening: Int64 = 500
    /// Nothing is recorded under the last minute of a lease.
    private static let margin: Int64 = 60_000

    private let replay: LeaseReplay
    private let round: Int
    private let tills: [DeviceIdentity]
    private let terms = LeaseTerms(kinds: [.points])
    private var book = LeaseBook(kind: .points, subject: "M", balance: opening, leases: [])
    private var seen: [String: Int64] = [:]
    private var settled: Int64 = 0
    /// What sales offline earned, and where.
    private var waiting: [(store: String, points: Int64)] = []
    private let mint = minting()

    init(_ replay: LeaseReplay, round: Int, number: Int) {
        self.replay = replay
        self.round = round
        let all = replay.rule == .everyTill ? replay.visits.stores.flatMap(replay.tills) : []
        // Who pulls first gets most.
        let first = all.isEmpty ? 0 : number % all.count
        tills = Array(all[first...] + all[..<first])
    }

    mutating func play(_ visit: RecordedVisit, at till: Int, _ tally: inout LeaseReplay.Tally) {
        settle(until: visit.moment / Self.day)
        let holder = LeaseHolder(replay.tills(of: visit.store)[till], epoch: 1)
        let (now, earned) = (visit.moment, max(0, visit.paid / 100))
        let amount = book.balance * replay.spends / 10_000
        if isOut(visit.store, at: now) {
            if amount > 0 {
                tally.offline.attempts += 1
                if spend(amount, by: holder, at: now + Self.margin) { tally.offline.hits += 1 }
            }
            waiting.append((visit.store, earned))
            return
        }
        seen[visit.store] = now
        // The look-up.
        _ = book.lend(to: holder, by: terms, at: now, mint: mint)
        if amount > 0 {
            tally.online.attempts += 1
            let (isThere, waits) = fetch(amount, to: holder, at: now)
            if isThere, spend(amount, by: holder, at: now) { tally.online.hits += 1 }
            if isThere, waits { tally.recalls += 1 }
        }
        book = LeaseBook(
            kind: .points, subject: "M", balance: book.balance + earned, leases: book.leases)
        let isEveryTill = replay.rule == .everyTill
        pull(at: now) { $0.storeId == visit.store || isEveryTill }
    }

    private func isOut(_ store: String, at now: Int64) -> Bool {
        replay.isOut(store, on: now / Self.day, in: round)
    }

    private static func minting() -> () -> String {
        var count = 0
        return {
            count += 1
            return "\(count)"
        }
    }

    /// What became of everything by the midnight of a day, at which every till has the hub.
    private mutating func settle(until day: Int64) {
        guard day > settled else { return }
        var next = settled == 0 ? day : settled + 1
        while true {
            let now = next * Self.day
            for (store, points) in waiting {
                seen[store] = now
                book = LeaseBook(
                    kind: .points, subject: "M", balance: book.balance + points, leases: book.leases)
            }
            waiting = []
            let complete = JournalEvidence(
                head: JournalEvidence.Head(signedAt: now, seenAt: now, sequence: 0), acknowledgedThrough: 0,
                highest: 0)
            _ = book.end(at: now) { _ in complete }
            pull(at: now) { _ in true }
            guard next < day else { break }
            // Leases last three days, so every second one keeps what is renewed.
            next = min(next + 2, day)
        }
        settled = day
    }

    private mutating func pull(at now: Int64, by isThere: (DeviceIdentity) -> Bool) {
        switch replay.rule {
        case .lookUpsAlone: return
        case .everyTill:
            for till in tills where isThere(till) && !(now % Self.day > 0 && isOut(till.storeId, at: now)) {
                _ = book.lend(to: LeaseHolder(till, epoch: 1), by: terms, at: now, mint: mint)
            }
        case .whereMembersBuy:
            let visits = seen.map { MemberVisit(memberId: "M", storeId: $0.key, seenAt: $0.value) }
            for visit in visits.sorted(by: { $0.seenAt > $1.seenAt }) {
                let tills = replay.tills(of: visit.storeId)
                let share = AdvanceShares.points(
                    at: visit.storeId, visits: visits, balance: book.balance, terminals: Int64(tills.count),
                    by: terms, at: now)
                for till in tills where share > 0 && isThere(till) {
                    _ = book.lendAhead(share, to: LeaseHolder(till, epoch: 1), by: terms, at: now, mint: mint)
                }
            }
        }
    }

    /// Lends what a sale lacks, and recalls it where others have it: those that are away return nothing.
    private mutating func fetch(
        _ amount: Int64, to holder: LeaseHolder, at now: Int64
    ) -> (isThere: Bool, waits: Bool) {
        for attempt in 0..<3 {
            _ = book.lend(to: holder, atLeast: amount, by: terms, at: now, mint: mint)
            if held(by: holder, at: now) >= amount { return (true, attempt > 0) }
            guard !book.recall(for: holder, atLeast: amount, at: now).terminals.isEmpty else { break }
            for lease in book.leases
            where lease.isSpendable && lease.recall?.amount ?? 0 > 0 && !isOut(lease.storeId, at: now) {
                _ = book.takeBack(lease.id, spent: lease.used, through: 0, at: now, mint: mint)
            }
            let complete = JournalEvidence(head: nil, acknowledgedThrough: 0, highest: 0)
            _ = book.end(at: now) { $0.returnedThrough == nil ? nil : complete }
        }
        return (false, false)
    }

    private func held(by holder: LeaseHolder, at now: Int64) -> Int64 {
        book.leases.reduce(0) { holder.holds($1, at: now) ? $0 + $1.left : $0 }
    }

    /// Spends of the leases of a till, the short ones first; nothing where they do not have it all.
    private mutating func spend(_ amount: Int64, by holder: LeaseHolder, at now: Int64) -> Bool {
        guard held(by: holder, at: now) >= amount else { return false }
        var (leases, rest) = (book.leases, amount)
        let own = leases.indices.filter { holder.holds(leases[$0], at: now) }
        for place in own.sorted(by: { leases[$0].expiresAt < leases[$1].expiresAt }) where rest > 0 {
            let part = min(rest, leases[place].left)
            _ = leases[place].use(part, by: [holder.device.terminalId])
            rest -= part
        }
        book = LeaseBook(kind: .points, subject: "M", balance: book.balance - amount, leases: leases)
        return true
    }
}

extension LeaseReplay {
    fileprivate func tills(of store: String) -> [DeviceIdentity] {
        (0..<tillsOfStore).map { DeviceIdentity(terminalId: "\(store)-\($0)", storeId: store) }
    }
}
