import HubProtocol
import Testing

@testable import HubCore

@Suite("Shares in advance of a chain of several stores")
struct AdvanceSharesTests {
    private static let day: Int64 = 86_400_000
    private let terms = LeaseTerms(shareBasisPoints: 2_500, kinds: [.points, .coupon])
    private let now = 100 * day

    /// A member who was at `stores`, at one of them each day, the last one today.
    private func visits(_ stores: String...) -> [MemberVisit] {
        stores.enumerated().map { place, store in
            MemberVisit(
                memberId: "M", storeId: store, seenAt: now - Int64(stores.count - 1 - place) * Self.day,
                terminalId: store + "1")
        }
    }

    private func points(
        at store: String, _ visits: [MemberVisit], of balance: Int64 = 1_000, terminals: Int64 = 1
    ) -> Int64 {
        AdvanceShares.points(
            at: store, visits: visits, balance: balance, terminals: terminals, by: terms, at: now
        ).each
    }

    @Test("The last three stores share half of the points, the last one first")
    func lastStores() {
        let visits = visits("D", "C", "B", "A")
        #expect(["A", "B", "C", "D", "E"].map { points(at: $0, visits) } == [250, 187, 63, 0, 0])
        #expect(points(at: "A", visits.reversed()) == 250, "the order of the rows says nothing")
        #expect(points(at: "A", visits, terminals: 4) == 62)
        #expect(points(at: "A", visits, terminals: 16) == 15)
        #expect(points(at: "A", visits, terminals: 17) == 0, "the part of each would pay for nothing")
        #expect(points(at: "A", visits, of: 3) == 0 && points(at: "A", visits, of: -20) == 0)
        #expect(points(at: "A", visits, of: .max) == .max / 4)
    }

    @Test("A visit counts for 90 days")
    func oldVisits() {
        func visit(_ store: String, _ days: Int64) -> MemberVisit {
            MemberVisit(memberId: "M", storeId: store, seenAt: now - days * Self.day, terminalId: "T")
        }
        let visits = [visit("A", 90), visit("B", 89)]
        #expect(points(at: "A", visits) == 0 && points(at: "B", visits) == 500)
    }

    @Test("A member of one store alone has two shares there, half of the points at most")
    func oneStore() {
        #expect(points(at: "A", visits("A")) == 500 && points(at: "B", visits("A")) == 0)
        let less = LeaseTerms(shareBasisPoints: 1_000, kinds: [.points])
        let more = LeaseTerms(shareBasisPoints: 4_000, kinds: [.points])
        let each = [less, more].map {
            AdvanceShares.points(
                at: "A", visits: visits("A"), balance: 1_000, terminals: 1, by: $0, at: now
            ).each
        }
        #expect(each == [200, 500])
        #expect(points(at: "A", visits("A"), of: .max) == .max / 2)
        #expect(points(at: "A", visits("A"), of: 1_003) == 501, "not two shares that each were rounded")
    }

    @Test("Stores get of a coupon what they used of it, none where there are fewer uses than stores")
    func coupons() {
        func share(at store: String, of left: Int64, _ uses: [String: Int64], terminals: Int64 = 1) -> Int64 {
            AdvanceShares.coupon(at: store, uses: uses, left: left, stores: 10, terminals: terminals).each
        }
        let uses: [String: Int64] = ["A": 3, "B": 1]
        #expect(["A", "B", "C"].map { share(at: $0, of: 100, uses) } == [37, 12, 0])
        #expect(share(at: "A", of: 100, uses, terminals: 2) == 18)
        #expect(share(at: "A", of: 9, uses) == 0 && share(at: "A", of: 10, uses) == 3)
        #expect(share(at: "A", of: 100, [:]) == 0)
        #expect(share(at: "A", of: .max, ["A": .max, "B": .max]) == .max / 2)
    }

    @Test("What is lent for long comes to half of the balance, and past that nothing is renewed")
    func half() {
        var book = LeaseBook(kind: .points, subject: "M", balance: 1_000, leases: [])
        var count = 0
        func lent(_ share: Int64, _ terminal: String, at now: Int64 = 0) -> Int64? {
            book.lendAhead(
                AdvanceShares.Part(share, of: 1, before: nil),
                to: LeaseHolder(DeviceIdentity(terminalId: terminal, storeId: "S"), epoch: 1), by: terms,
                at: now
            ) {
                count += 1
                return "L\(count)"
            }?.amount
        }
        #expect(lent(250, "A") == 250 && lent(250, "A") == nil)
        #expect(lent(187, "B") == 187)
        #expect(lent(140, "C") == 63 && lent(10, "D") == nil)
        #expect(lent(0, "A", at: terms.duration / 2) == nil, "its store is none of the last ones")
        #expect(lent(250, "A", at: terms.duration / 2) == 250)
        #expect(book.leases.map(\.expiresAt) == [terms.duration / 2 * 3, terms.duration, terms.duration])
        // Somebody spends online what nobody has.
        book = LeaseBook(kind: .points, subject: "M", balance: 900, leases: book.leases)
        #expect(lent(187, "B", at: terms.duration / 2) == nil)
        #expect(book.leased == 500)
    }

    @Test("What the last store lacks is recalled from those behind it, and from no others")
    func lastFirst() {
        func lease(_ terminal: String, _ store: String, _ amount: Int64, isBrief: Bool = false) -> Lease {
            Lease(
                id: terminal, kind: .points, subject: "M", terminalId: terminal, storeId: store, epoch: 1,
                isBrief: isBrief, amount: amount, used: 0, expiresAt: terms.duration, version: 1,
                issuedAt: 0, state: .open)
        }
        let leases = [lease("A1", "A", 250), lease("B1", "B", 200), lease("C1", "C", 150)]
        func recalled(_ store: String, _ visits: [MemberVisit]) -> [String: Int64] {
            var book = LeaseBook(kind: .points, subject: "M", balance: 1_000, leases: leases)
            let part = AdvanceShares.points(
                at: store, visits: visits, balance: 1_000, terminals: 2, by: terms, at: now)
            let holder = LeaseHolder(DeviceIdentity(terminalId: store + "2", storeId: store), epoch: 1)
            let marked = book.recallAhead(part, for: holder, at: 0)
            return Dictionary(uniqueKeysWithValues: marked.map { ($0.id, $0.recall?.amount ?? 0) })
        }
        let visits = visits("C", "B", "A")
        // The other till of A lacks 125, and 100 are lent beyond half.
        #expect(recalled("A", visits) == ["B1": 225, "C1": 225])
        #expect(recalled("B", visits) == ["C1": 193])
        #expect(recalled("C", visits) == [:], "nobody comes behind it")
        #expect(recalled("D", visits) == [:])
    }

    @Test("One till has its store's share: the one that served last, or until it has some, whoever has it")
    func oneTill() {
        var book = LeaseBook(kind: .points, subject: "M", balance: 1_000, leases: [])
        var count = 0
        let visits = visits("B", "A")
        func holder(_ terminal: String) -> LeaseHolder {
            LeaseHolder(DeviceIdentity(terminalId: terminal, storeId: "A"), epoch: 1)
        }
        func part(_ terminal: String, last: String, at now: Int64 = 0) -> AdvanceShares.Part {
            let store = AdvanceShares.points(
                at: "A", visits: visits, balance: book.balance, terminals: 1, by: terms, at: self.now)
            return book.ofOneTill(store, servedBy: last, for: holder(terminal), at: now)
        }
        func lent(_ terminal: String, last: String, at now: Int64 = 0) -> Int64? {
            let part = part(terminal, last: last, at: now)
            return book.lendAhead(part, to: holder(terminal), by: terms, at: now) {
                count += 1
                return "L\(count)"
            }?.left
        }
        func recalled(_ terminal: String, last: String) -> [String: Int64] {
            var other = book
            let part = part(terminal, last: last)
            return Dictionary(
                uniqueKeysWithValues: other.recallAhead(part, for: holder(terminal), at: 0).map {
                    ($0.terminalId, $0.recall?.amount ?? 0)
                })
        }
        #expect(lent("A1", last: "A2") == nil && lent("A2", last: "A2") == 250)
        #expect(lent("A1", last: "A1") == nil && book.leased == 250, "nothing is lent twice")
        #expect(recalled("A1", last: "A1") == ["A2": 250] && recalled("A2", last: "A1") == [:])
        let later = terms.duration / 2
        #expect(lent("A2", last: "A1", at: later) == 250, "A1 has nothing yet")
        _ = book.lend(to: holder("A1"), by: terms, at: later) { "look-up" }
        #expect(lent("A2", last: "A1", at: later * 2) == nil && lent("A1", last: "A1", at: later * 2) == 187)
        let over = book.leases.first { $0.terminalId == "A2" }?.expiresAt ?? 0
        #expect(lent("A1", last: "A1", at: over) == 250 && book.leased == 500, "what A2 had is not back yet")
    }

    @Test("A store's customs are looked at every five minutes, up to a minute ago")
    func windows() {
        let first = CustomWindow(after: nil, at: now)
        #expect(first.after == now - AdvanceShares.visitsCount && first.through == now - 60_000)
        #expect(first.isDue)
        #expect(!CustomWindow(after: first.through, at: now + 239_999).isDue)
        #expect(CustomWindow(after: first.through, at: now + 240_000).isDue)
        #expect(CustomWindow(after: now + 1, at: now) == first, "a clock that was ahead")
        #expect(!CustomWindow(after: now, at: now).isDue)
    }
}
