import HubCore
import HubProtocol
import Testing

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
    func wishes() {
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
                HeadEvidence(
                    signedAt: signedAt, seenAt: seenAt, sequence: sequence, acknowledgedThrough: through)
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

    @Test(
        "Unleased, leased and spent add up to what was earned, in any order",
        arguments: [1, 2, 3] as [UInt64])
    func constant(seed: UInt64) {
        var random = Steps(state: seed)
        let mint = minting()
        var (balance, spent): (Int64, Int64) = (10_000, 0)
        var book = LeaseBook(kind: .points, subject: "M", balance: balance, leases: [])
        for step in 0..<500 {
            let terminal = "T\(Int.random(in: 0..<6, using: &random))"
            let now = Int64(step) * 3_600_000
            if Bool.random(using: &random) {
                let wanted = Int64.random(in: 0...400, using: &random)
                _ = book.lend(to: holder(terminal), atLeast: wanted, by: terms, at: now, mint: mint)
            } else if var lease = book.leases.filter({ $0.terminalId == terminal && $0.left > 0 }).first {
                let amount = Int64.random(in: 1...lease.left, using: &random)
                lease = lease.spending(amount)
                (balance, spent) = (balance - amount, spent + amount)
                let rest = book.leases.filter { $0.id != lease.id }
                book = LeaseBook(kind: .points, subject: "M", balance: balance, leases: rest + [lease])
            }
            #expect(book.unleased + book.leased + spent == 10_000)
            #expect(book.unleased >= 0)
        }
        #expect(spent > 1_000)
    }
}

extension Lease {
    /// As a store keeps it once a sale that spent `amount` of it has arrived.
    fileprivate func spending(_ amount: Int64) -> Lease {
        Lease(
            id: id, kind: kind, subject: subject, terminalId: terminalId, storeId: storeId, epoch: epoch,
            isBrief: isBrief, amount: self.amount, used: used + amount, expiresAt: expiresAt,
            version: version, issuedAt: issuedAt, state: state)
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
