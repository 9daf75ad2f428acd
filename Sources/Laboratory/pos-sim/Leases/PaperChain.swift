import HubCore
import HubProtocol

/// Members whose leases are kept by ``LeaseBook`` alone, as if tills and hub knew everything at once.
struct PaperChain: LeaseChain {
    /// One member.
    private struct Account {
        var book: LeaseBook
        var seen: [String: (moment: Int64, till: DeviceIdentity)] = [:]
        /// What sales offline earned, and where.
        var waiting: [(till: DeviceIdentity, points: Int64)] = []
        /// All tills, those that pull first in front.
        var everyTill: [DeviceIdentity] = []
    }

    /// Nothing is recorded under the last minute of a lease.
    private static let margin: Int64 = 60_000

    private let shape: ChainShape
    private let rule: LeaseRule
    private let terms = LeaseTerms(kinds: [.points])
    private var accounts: [Account]
    private var days = 0
    private var minted = 0

    /// - Parameter round: another one has other tills in front.
    init(_ shape: ChainShape, _ rule: LeaseRule, members: Int, opening: Int64, round: Int) {
        (self.shape, self.rule) = (shape, rule)
        let all = rule == .everyTill ? shape.stores.flatMap(shape.tills) : []
        accounts = (0..<members).map { number in
            let first = all.isEmpty ? 0 : (number + 3 * round) % all.count
            return Account(
                book: LeaseBook(kind: .points, subject: "\(number)", balance: opening, leases: []),
                everyTill: Array(all[first...] + all[..<first]))
        }
    }

    func balance(of member: Int) -> Int64 { accounts[member].book.balance }

    func held(_ member: Int, by till: DeviceIdentity, at now: Int64) -> Int64 {
        let holder = LeaseHolder(till, epoch: 1)
        return accounts[member].book.leases.reduce(0) {
            holder.holds($1, at: now + Self.margin) ? $0 + $1.left : $0
        }
    }

    mutating func lookUp(_ member: Int, by till: DeviceIdentity, at now: Int64) {
        accounts[member].seen[till.storeId] = (now, till)
        lend(member, to: till, atLeast: 0, at: now)
    }

    mutating func request(_ amount: Int64, of member: Int, by till: DeviceIdentity, at now: Int64) -> Bool {
        lend(member, to: till, atLeast: amount, at: now)
        let holder = LeaseHolder(till, epoch: 1)
        return !accounts[member].book.recall(for: holder, atLeast: amount, at: now).terminals.isEmpty
    }

    mutating func comeBack(_ member: Int, at now: Int64, from hasHub: @escaping (String) -> Bool) {
        for lease in accounts[member].book.leases
        where lease.isSpendable && lease.recall?.amount ?? 0 > 0 && hasHub(lease.storeId) {
            let id = mint()
            _ = accounts[member].book.takeBack(lease.id, spent: lease.used, through: 0, at: now) { id }
        }
        let complete = JournalEvidence(head: nil, acknowledgedThrough: 0, highest: 0)
        _ = accounts[member].book.end(at: now) { $0.returnedThrough == nil ? nil : complete }
    }

    mutating func sell(
        to member: Int, earned: Int64, spent: Int64, by till: DeviceIdentity, at now: Int64, arrives: Bool
    ) {
        let book = accounts[member].book
        var (leases, rest) = (book.leases, spent)
        let holder = LeaseHolder(till, epoch: 1)
        let own = leases.indices.filter {
            let giver = shape.hasNeighbours && !arrives && leases[$0].storeId == till.storeId
            return holder.holds(leases[$0], at: now)
                || giver && leases[$0].isSpendable && now < leases[$0].expiresAt
        }
        for place in own.sorted(by: { leases[$0].expiresAt < leases[$1].expiresAt }) where rest > 0 {
            let part = min(rest, leases[place].left)
            _ = leases[place].use(part, by: [leases[place].terminalId])
            rest -= part
        }
        set(member, book.balance - spent + (arrives ? earned : 0), leases)
        if arrives {
            accounts[member].seen[till.storeId] = (now, till)
        } else {
            accounts[member].waiting.append((till, earned))
        }
    }

    mutating func pull(_ member: Int, by tills: [DeviceIdentity], at now: Int64) {
        switch rule {
        case .lookUpsAlone: return
        case .everyTill:
            let there = Set(tills)
            for till in accounts[member].everyTill where there.contains(till) {
                lend(member, to: till, atLeast: 0, at: now)
            }
        case .whereMembersBuy, .oneTill: for till in tills { lendAhead(member, to: till, at: now) }
        }
    }

    mutating func beginDay(at now: Int64) {
        days += 1
        for member in accounts.indices
        where !accounts[member].waiting.isEmpty || !accounts[member].seen.isEmpty {
            let book = accounts[member].book
            let earned = accounts[member].waiting.reduce(0) { $0 + $1.points }
            for (till, _) in accounts[member].waiting { accounts[member].seen[till.storeId] = (now, till) }
            accounts[member].waiting = []
            set(member, book.balance + earned, book.leases)
            let complete = JournalEvidence(
                head: JournalEvidence.Head(signedAt: now, seenAt: now, sequence: 0), acknowledgedThrough: 0,
                highest: 0)
            _ = accounts[member].book.end(at: now) { _ in complete }
            // Leases last three days, so every second one keeps what is renewed.
            guard days % 2 == member % 2 || earned > 0 else { continue }
            pull(member, by: tills(of: member), at: now)
        }
    }

    /// The last store first.
    private func tills(of member: Int) -> [DeviceIdentity] {
        guard [.whereMembersBuy, .oneTill].contains(rule) else { return accounts[member].everyTill }
        return accounts[member].seen.sorted { $0.value.moment > $1.value.moment }.prefix(
            AdvanceShares.mostStores
        )
        .flatMap { shape.tills(of: $0.key) }
    }

    private mutating func lend(
        _ member: Int, to till: DeviceIdentity, atLeast wanted: Int64, at now: Int64
    ) {
        let ids = [mint(), mint()]
        var next = 0
        _ = accounts[member].book.lend(
            to: LeaseHolder(till, epoch: 1), atLeast: wanted, by: terms, at: now
        ) {
            next += 1
            return ids[next - 1]
        }
    }

    private mutating func lendAhead(_ member: Int, to till: DeviceIdentity, at now: Int64) {
        let visits = accounts[member].seen.map {
            MemberVisit(
                memberId: "", storeId: $0.key, seenAt: $0.value.moment, terminalId: $0.value.till.terminalId)
        }
        let isOfOne = rule == .oneTill
        var part = AdvanceShares.points(
            at: till.storeId, visits: visits, balance: accounts[member].book.balance,
            terminals: isOfOne ? 1 : Int64(shape.tills), by: terms, at: now)
        let (holder, id) = (LeaseHolder(till, epoch: 1), mint())
        if isOfOne, let last = accounts[member].seen[till.storeId]?.till.terminalId {
            part = accounts[member].book.ofOneTill(part, servedBy: last, for: holder, at: now)
        }
        _ = accounts[member].book.lendAhead(part, to: holder, by: terms, at: now) { id }
        _ = accounts[member].book.recallAhead(part, for: holder, at: now)
    }

    private mutating func set(_ member: Int, _ balance: Int64, _ leases: [Lease]) {
        accounts[member].book = LeaseBook(
            kind: .points, subject: accounts[member].book.subject, balance: balance, leases: leases)
    }

    private mutating func mint() -> String {
        minted += 1
        return "\(minted)"
    }
}
