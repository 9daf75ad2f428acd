import HubProtocol
import Testing

@testable import HubCore

@Suite("What is lent of a balance")
struct LeaseBookTests {
    private let terms = LeaseTerms(shareBasisPoints: 2_500, kinds: [.points, .coupon])

    private func holder(_ terminal: String, epoch: Int64 = 1) -> LeaseHolder {
        LeaseHolder(DeviceIdentity(terminalId: terminal, storeId: "S1"), epoch: epoch)
    }

    private func minting() -> () -> String {
        var count = 0
        return {
            count += 1
            return "L\(count)"
        }
    }

    @Test("Each terminal gets a quarter of what the others leave, once however often it is lent")
    func shares() {
        var book = LeaseBook(kind: .points, subject: "M", balance: 1_000, leases: [])
        let mint = minting()
        func lent(_ terminal: String, at now: Int64 = 0) -> [Int64] {
            book.lend(to: holder(terminal), by: terms, at: now, mint: mint).map(\.amount)
        }
        #expect(lent("A") == [250])
        #expect(lent("A") == [])
        #expect(lent("B") == [187])
        #expect(lent("C") == [140])
        #expect(book.unleased == 423 && book.leased == 577)
        // A renewal needs some time to have gone.
        #expect(lent("A", at: 1_000) == [])
        let renewed = book.lend(to: holder("A"), by: terms, at: terms.duration / 2, mint: mint)
        #expect(renewed.map(\.version) == [2] && renewed.map(\.expiresAt) == [terms.duration / 2 * 3])
    }

    @Test("An expired lease is never renewed: what is lent later has another id, and the rest stays reserved")
    func renewals() {
        var book = LeaseBook(kind: .points, subject: "M", balance: 1_000, leases: [])
        let mint = minting()
        _ = book.lend(to: holder("A"), atLeast: 350, by: terms, at: 0, mint: mint)
        // The brief one is over, and may have been spent.
        let second = book.lend(
            to: holder("A"), atLeast: 350, by: terms, at: LeaseTerms.briefDuration, mint: mint)
        #expect(second.map(\.id) == ["L3"] && second.map(\.amount) == [100] && book.leased == 450)
        let third = book.lend(to: holder("A"), by: terms, at: terms.duration, mint: mint)
        #expect(third.map(\.id) == ["L4"] && third.map(\.amount) == [137] && book.leased == 587)
    }

    @Test("What a sale lacks is lent for a short time, never more than nobody has")
    func wanted() {
        var book = LeaseBook(kind: .points, subject: "M", balance: 1_000, leases: [])
        let mint = minting()
        let lent = book.lend(to: holder("A"), atLeast: 900, by: terms, at: 0, mint: mint)
        #expect(lent.map(\.amount) == [250, 650])
        #expect(lent.map(\.expiresAt) == [terms.duration, LeaseTerms.briefDuration])
        #expect(book.unleased == 100)
        let other = book.lend(to: holder("B"), atLeast: 900, by: terms, at: 0, mint: mint)
        #expect(other.map(\.amount) == [25, 75])
        #expect(book.unleased == 0)
        #expect(book.lend(to: holder("C"), atLeast: 1, by: terms, at: 0, mint: mint).isEmpty)
    }

    @Test("A coupon's last uses are lent one by one; a balance below zero lends nothing")
    func uses() {
        var book = LeaseBook(kind: .coupon, subject: "C", balance: 2, leases: [])
        let mint = minting()
        let all = ["A", "B", "C"].map {
            book.lend(to: holder($0), by: terms, at: 0, mint: mint).map(\.amount)
        }
        #expect(all == [[1], [1], []])
        var empty = LeaseBook(kind: .coupon, subject: "C", balance: -3, leases: [])
        #expect(empty.lend(to: holder("A"), atLeast: 5, by: terms, at: 0, mint: mint).isEmpty)
    }

    @Test("A lease ends by a later signed head with all before it alone; another epoch is lent anew")
    func ends() {
        let mint = minting()
        var lent = LeaseBook(kind: .points, subject: "M", balance: 1_000, leases: [])
        _ = lent.lend(to: holder("A"), by: terms, at: 0, mint: mint)
        let over = terms.duration + 1
        func ended(
            _ signedAt: Int64, seenAt: Int64 = .max, sequence: Int64, through: Int64, at now: Int64
        ) -> Int {
            var book = lent
            return book.end(at: now) { _ in
                JournalEvidence(
                    head: JournalEvidence.Head(signedAt: signedAt, seenAt: seenAt, sequence: sequence),
                    acknowledgedThrough: through, highest: through)
            }.count
        }
        #expect(ended(over, sequence: 5, through: 5, at: over) == 1)
        #expect(ended(over - 1, sequence: 5, through: 5, at: over) == 0)
        #expect(ended(over, sequence: 5, through: 4, at: over) == 0)
        // The terminal's clock is ahead of the hub's.
        #expect(ended(over, sequence: 5, through: 5, at: over - 1) == 0)
        // It was signed under a clock that is ahead, while the terminal could still spend the lease.
        #expect(ended(over + 1_200_000, seenAt: over - 1, sequence: 5, through: 5, at: over) == 0)
        #expect(ended(over + 1_200_000, seenAt: over, sequence: 5, through: 5, at: over) == 1)
        var book = lent
        #expect(book.end(at: over) { _ in nil }.isEmpty)
        // The copy of before may still spend its lease.
        let next = book.lend(to: holder("A", epoch: 2), by: terms, at: 0, mint: mint)
        #expect(next.map(\.amount) == [187] && book.leased == 437)
    }

    @Test("What a sale lacks is recalled from others, if they can give it; the rest is lent to them again")
    func recalled() {
        var book = LeaseBook(kind: .points, subject: "M", balance: 1_000, leases: [])
        let mint = minting()
        for terminal in ["A", "B", "C"] { _ = book.lend(to: holder(terminal), by: terms, at: 0, mint: mint) }
        // What they do not have together is taken from none.
        #expect(book.recall(for: holder("C"), atLeast: 1_001, at: 0).terminals == [])
        let lent = book.lend(to: holder("C"), atLeast: 700, by: terms, at: 0, mint: mint)
        #expect(lent.map(\.amount) == [423] && book.unleased == 0)
        let recall = book.recall(for: holder("C"), atLeast: 700, at: 0)
        #expect(recall.terminals == ["A", "B"])
        #expect(recall.changed.map { $0.recall?.amount } == [137, 137])
        #expect(recall.changed.allSatisfy { $0.record.isRecalled && $0.version == 2 })
        // Repeating it writes nothing; a request of nothing wants nothing.
        #expect(book.recall(for: holder("C"), atLeast: 700, at: 1).changed == [])
        #expect(book.recall(for: holder("C"), atLeast: 700, at: 1).terminals == ["A", "B"])
        #expect(book.recall(for: holder("C"), atLeast: 0, at: 1).terminals == [])
        // Who has to return it is not lent more of it meanwhile.
        var richer = LeaseBook(kind: .points, subject: "M", balance: 2_000, leases: book.leases)
        #expect(richer.lend(to: holder("B"), by: terms, at: 1, mint: mint).isEmpty)
        let over = LeaseTerms.recallDuration
        #expect(richer.lend(to: holder("B"), by: terms, at: over, mint: mint).map(\.left) == [296])
        let back = book.takeBack("L2", spent: 0, through: 3, at: 2, mint: mint)
        #expect(back.map(\.left) == [0, 50, 250], "\(back)")
        #expect(back[1].terminalId == "B" && back[1].expiresAt == terms.duration)
        // The others have it back, and nobody wants theirs any more.
        #expect(back[2].terminalId == "A" && !back[2].record.isRecalled)
        #expect(book.takeBack("L2", spent: 0, through: 3, at: 3, mint: mint) == [])
        #expect(
            book.lend(to: holder("C"), atLeast: 700, by: terms, at: 3, mint: mint).map(\.left) == [560])
        // One that nobody recalled is free at once, and so is what nobody waits for any more.
        #expect(book.takeBack("L3", spent: 0, through: 0, at: 4, mint: mint).map(\.left) == [0])
        _ = book.recall(for: holder("C"), atLeast: 850, at: 5)
        let late = 5 + LeaseTerms.recallDuration
        #expect(book.takeBack("L1", spent: 0, through: 9, at: late, mint: mint).map(\.left) == [0, 250])
    }

    @Test("A store's own setting says whether its tills see each other")
    func neighbours() {
        func terms(_ value: JSONValue) -> LeaseTerms {
            LeaseTerms(settings: StoreSettings(values: [StoreSetting.neighbours.key: value]))
        }
        #expect(terms("on").hasNeighbours && !terms("off").hasNeighbours)
        #expect(!LeaseTerms(settings: StoreSettings()).hasNeighbours)
    }

    @Test("Nobody is requested to return what has expired")
    func notRequested() {
        var book = LeaseBook(kind: .points, subject: "M", balance: 1_000, leases: [])
        let mint = minting()
        _ = book.lend(to: holder("A"), atLeast: 1_000, by: terms, at: 0, mint: mint)
        let brief = LeaseTerms.briefDuration
        var early = book
        #expect(early.recall(for: holder("B"), atLeast: 900, at: brief - 1).changed.count == 2)
        #expect(book.recall(for: holder("B"), atLeast: 900, at: brief).changed == [])
        #expect(book.recall(for: holder("B"), atLeast: 200, at: brief).changed.map(\.id) == ["L1"])
        let share = AdvanceShares.Part(200, of: 1, before: ["S2"])
        let other = LeaseHolder(DeviceIdentity(terminalId: "C", storeId: "S2"), epoch: 1)
        var later = book
        #expect(later.recallAhead(share, for: other, at: terms.duration) == [])
        #expect(later.recallAhead(share, for: other, at: terms.duration - 1).map(\.id) == ["L1"])
    }

    @Test("What was spent of a returned lease stays reserved until everything before the return has arrived")
    func returned() throws {
        let mint = minting()
        var book = LeaseBook(kind: .points, subject: "M", balance: 1_000, leases: [])
        _ = book.lend(to: holder("A"), by: terms, at: 0, mint: mint)
        let back = book.takeBack("L1", spent: 60, through: 5, at: 1, mint: mint)
        #expect(back.map(\.left) == [60] && back.allSatisfy { !$0.isSpendable })
        #expect(book.unleased == 940)
        func arrived(_ through: Int64) -> Int {
            var later = book
            return later.end(at: 2) { _ in
                JournalEvidence(head: nil, acknowledgedThrough: through, highest: through)
            }.count
        }
        #expect(arrived(4) == 0 && arrived(5) == 1)
        // The terminal gets a new one, and not what is left of the old one.
        let next = book.lend(to: holder("A"), by: terms, at: 3, mint: mint)
        #expect(next.map(\.id) == ["L2"] && next.map(\.amount) == [235])
        // Less than what has arrived cannot be.
        var used = try #require(next.first)
        let isCovered = used.use(200, by: ["A"])
        #expect(isCovered)
        var other = LeaseBook(kind: .points, subject: "M", balance: 1_000, leases: [used])
        #expect(other.takeBack("L2", spent: 10, through: 5, at: 4, mint: mint).map(\.amount) == [200])
    }

    @Test("A lease that expired is not renewed: its terminal may have forgotten what it spent of it")
    func expired() {
        let mint = minting()
        var book = LeaseBook(kind: .points, subject: "M", balance: 1_000, leases: [])
        _ = book.lend(to: holder("A"), by: terms, at: 0, mint: mint)
        let next = book.lend(to: holder("A"), by: terms, at: terms.duration, mint: mint)
        #expect(next.map(\.id) == ["L2"] && next.map(\.amount) == [187] && book.leased == 437)
    }

    @Test(
        """
        Over lends, uses, recalls, returns, voids, lost responses and ends in any order, unleased, leased \
        and spent add up, and nothing is lent twice
        """, arguments: Array(1...12) as [UInt64])
    func constant(seed: UInt64) {
        var shop = LendingShop(seed: seed)
        for _ in 0..<1_500 {
            shop.step()
            #expect(shop.book.unleased + shop.book.leased + shop.arrived == LendingShop.earned)
            #expect(shop.book.unleased >= 0)
        }
        shop.finish()
        #expect(shop.uncovered == 0)
        #expect(shop.book.leased == 0 && shop.book.unleased == LendingShop.earned - shop.spent)
        #expect(shop.sales > 50 && shop.returns > 10 && shop.voids > 10)
    }
}

/// Six tills and a hub that lends them a member's points; what is sent may be lost, late or repeated.
private struct LendingShop {
    /// A lease as its till has it.
    private struct Own {
        let amount: Int64
        let expiresAt: Int64
        var spent: Int64 = 0
        var most: Int64 = 0
        var isRecalled = false
        var isGivenUp = false
    }

    private enum Entry {
        case sale(lease: String, amount: Int64)
        case void(lease: String, amount: Int64, isClaimed: Bool)
    }

    private struct Till {
        var leases: [String: Own] = [:]
        var journal: [Entry] = []
        var voided: Set<Int> = []
        var pushed = 0
        /// Requests that may arrive, also more than once.
        var returns: [(id: String, spent: Int64, sequence: Int64)] = []
    }

    static let earned: Int64 = 10_000
    private let terms = LeaseTerms(shareBasisPoints: 2_500, kinds: [.points])
    private(set) var book = LeaseBook(kind: .points, subject: "M", balance: earned, leases: [])
    /// What sales that have arrived spent, and all sales.
    private(set) var arrived: Int64 = 0
    private(set) var spent: Int64 = 0
    /// Sales that arrived and that no lease covered.
    private(set) var uncovered = 0
    private(set) var sales = 0
    private(set) var returns = 0
    private(set) var voids = 0
    private var tills = [Till](repeating: Till(), count: 6)
    private var random: Steps
    private var now: Int64 = 0
    private var minted = 0

    init(seed: UInt64) { random = Steps(state: seed) }

    mutating func step() {
        now += Int64.random(in: 0...3_600_000, using: &random)
        let till = Int.random(in: tills.indices, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: lend(to: till, atLeast: Int64.random(in: 0...4_000, using: &random))
        case 1: lend(to: till, atLeast: 0)
        case 2: pull(till)
        case 3, 4: sell(at: till)
        case 5: void(at: till)
        case 6: push(of: till, Int.random(in: 0...3, using: &random))
        case 7: giveUp(at: till)
        case 8: deliver(of: till)
        case _: end()
        }
    }

    /// Everything arrives, and every lease comes to its end.
    mutating func finish() {
        for till in tills.indices { push(of: till, .max) }
        now += 2 * terms.duration
        end()
    }

    private mutating func mint() -> String {
        minted += 1
        return "L\(minted)"
    }

    private func holder(_ till: Int) -> LeaseHolder {
        LeaseHolder(DeviceIdentity(terminalId: "T\(till)", storeId: "S1"), epoch: 1)
    }

    private mutating func lend(to till: Int, atLeast wanted: Int64) {
        var ids = (0..<2).map { _ in mint() }
        _ = book.lend(to: holder(till), atLeast: wanted, by: terms, at: now) { ids.removeLast() }
        _ = book.recall(for: holder(till), atLeast: wanted, at: now)
        // A response that is lost comes with the next pull.
        if Bool.random(using: &random) { pull(till) }
    }

    private mutating func pull(_ till: Int) {
        for lease in book.leases where lease.terminalId == "T\(till)" && lease.isSpendable {
            let known = tills[till].leases[lease.id]
            guard known?.isGivenUp != true else { continue }
            tills[till].leases[lease.id] = Own(
                amount: lease.amount, expiresAt: lease.expiresAt, spent: known?.spent ?? 0,
                most: known?.most ?? 0, isRecalled: lease.record.isRecalled)
        }
    }

    private mutating func sell(at till: Int) {
        let open = tills[till].leases.filter {
            !$0.value.isGivenUp && now < $0.value.expiresAt && $0.value.spent < $0.value.amount
        }
        guard let (id, own) = open.min(by: { $0.key < $1.key }) else { return }
        let amount = Int64.random(in: 1...(own.amount - own.spent), using: &random)
        tills[till].leases[id]?.spent += amount
        tills[till].leases[id]?.most = max(own.most, own.spent + amount)
        tills[till].journal.append(.sale(lease: id, amount: amount))
        spent += amount
        sales += 1
    }

    private mutating func void(at till: Int) {
        let sales = tills[till].journal.indices.filter { place in
            guard case .sale = tills[till].journal[place] else { return false }
            return !tills[till].voided.contains(place)
        }
        guard let place = sales.randomElement(using: &random),
            case .sale(let id, let amount) = tills[till].journal[place]
        else { return }
        let isClaimed = tills[till].leases[id]?.isGivenUp == false
        if isClaimed { tills[till].leases[id]?.spent -= amount }
        tills[till].voided.insert(place)
        tills[till].journal.append(.void(lease: id, amount: amount, isClaimed: isClaimed))
        spent -= amount
        voids += 1
    }

    private mutating func push(of till: Int, _ most: Int) {
        for entry in tills[till].journal.dropFirst(tills[till].pushed).prefix(most) {
            tills[till].pushed += 1
            var leases = book.leases
            let change: Int64
            switch entry {
            case .sale(let id, let amount):
                let place = leases.firstIndex { $0.id == id }
                if place.map({ leases[$0].use(amount, by: ["T\(till)"]) }) != true { uncovered += 1 }
                change = -amount
            case .void(let id, let amount, let isClaimed):
                if isClaimed, let place = leases.firstIndex(where: { $0.id == id }) {
                    leases[place].giveBack(amount)
                }
                change = amount
            }
            arrived -= change
            book = LeaseBook(
                kind: .points, subject: "M", balance: book.balance + change, leases: leases)
        }
    }

    private mutating func giveUp(at till: Int) {
        let recalled = tills[till].leases.filter { $0.value.isRecalled && !$0.value.isGivenUp }
        for (id, own) in recalled.sorted(by: { $0.key < $1.key }) {
            tills[till].leases[id]?.isGivenUp = true
            tills[till].returns.append((id, own.most, Int64(tills[till].journal.count)))
        }
    }

    private mutating func deliver(of till: Int) {
        guard let (id, most, sequence) = tills[till].returns.randomElement(using: &random) else { return }
        let fresh = mint()
        let changed = book.takeBack(id, spent: most, through: sequence, at: now) { fresh }
        if !changed.isEmpty { returns += 1 }
    }

    private mutating func end() {
        let (tills, now) = (tills, now)
        _ = book.end(at: now) { lease in
            let till = tills[Int(lease.terminalId.dropFirst()) ?? 0]
            return JournalEvidence(
                head: JournalEvidence.Head(
                    signedAt: now, seenAt: now, sequence: Int64(till.journal.count)),
                acknowledgedThrough: Int64(till.pushed), highest: Int64(till.pushed))
        }
    }
}

/// Numbers that are the same in every run.
private struct Steps: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}
