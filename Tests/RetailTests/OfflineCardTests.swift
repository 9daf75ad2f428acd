import Base
import HubProtocol
import MachineRuntime
import OfflineMode
import Synchronization
import Testing

@testable import Retail

@Suite("Cards without the payment service")
struct OfflineCardTests {
    private let limits = OfflineCardLimits(perSale: 100, perShift: 250, perTerminal: 200)
    private let calendar: BusinessCalendar

    init() throws {
        calendar = try #require(BusinessCalendar(timeZone: "Asia/Shanghai"))
    }

    private static let noon: Int64 = 1_795_234_567_000
    private static let day: Int64 = 86_400_000

    private func moment(_ wall: Int64 = 0, boot: Int64 = 0, _ bootId: String = "b1") -> MachineMoment {
        MachineMoment(wall: Self.noon + wall, boot: 1_000_000 + boot, bootId: bootId)
    }

    private func card(
        _ amount: Int64, at moment: MachineMoment? = nil, in shift: String? = nil,
        _ state: DeviceRequest.State = .waiting
    ) -> StoredCard {
        let moment = moment ?? self.moment()
        return StoredCard(
            token: "k", amount: amount, currency: "CNY", businessDay: calendar.day(at: moment.wall),
            takenAt: moment, shiftId: shift, state: state)
    }

    private func excess(
        _ amount: Int64, _ taken: [StoredCard], at now: MachineMoment? = nil, in shift: String? = nil
    ) -> OfflineCardExcess? {
        OfflineCardRoom(
            beside: taken, within: limits, at: now ?? moment(), shift: shift, calendar: calendar
        ).excess(of: amount)
    }

    @Test("the limit of a shift counts the open shift, whatever the day; without one it counts the day")
    func shifts() {
        let taken = [card(100, in: "a", .granted), card(100, in: "b", .granted), card(50, .granted)]
        #expect(excess(100, taken, in: "a") == nil)
        #expect(excess(100, taken + [card(51, in: "a", .granted)], in: "a") == .perShift)
        #expect(excess(100, taken, in: "c") == nil)
        #expect(excess(1, taken) == .perShift)
        // A shift that passes midnight.
        let late = moment(Self.day, boot: Self.day)
        #expect(excess(60, [card(200, in: "a", .granted)], at: late, in: "a") == .perShift)
    }

    @Test("each limit counts what it is for")
    func each() {
        #expect(excess(100, []) == nil)
        #expect(excess(101, []) == .perSale)
        #expect(excess(100, [card(100)]) == nil)
        #expect(excess(100, [card(101)]) == .perTerminal)
        #expect(excess(100, [card(100, .granted), card(60, .refused)]) == .perShift)
        #expect(excess(100, [card(100, .granted), card(60, .voided)]) == nil)
        #expect(excess(1, [card(.max), card(.max)]) == .perTerminal)
    }

    @Test("neither a clock that is set nor a restart makes room")
    func clocks() {
        let taken = [card(200, .granted)]
        #expect(excess(60, taken) == .perShift)
        #expect(excess(60, taken, at: moment(Self.day)) == .perShift)
        #expect(excess(60, taken, at: moment(-Self.day)) == .perShift)
        #expect(excess(60, taken, at: moment(-Self.day, boot: 5, "b2")) == .perShift)
        #expect(excess(60, taken, at: moment(Self.day, boot: Self.day)) == nil)
        #expect(excess(60, taken, at: moment(Self.day, boot: 5, "b2")) == nil)
        #expect(excess(1, [card(1)], at: moment(boot: Self.day + 1)) == .age)
        #expect(excess(1, [card(1)], at: moment(Self.day + 1)) == .age)
        #expect(excess(1, [card(1, .granted)], at: moment(Self.day + 1)) == nil)
        #expect(excess(1, [card(1)], at: moment(-1, boot: 1, "b2")) == .age)
    }

    private typealias Store = MemoryCards

    private func cardService(_ store: Store, _ ports: ScriptedPorts = ScriptedPorts()) -> OfflineCardService {
        OfflineCardService(store: store, tokens: store, time: ports)
    }

    private func take(
        _ cardService: OfflineCardService, _ key: String, _ amount: Int64, isApproved: Bool = false
    ) async -> Bool {
        do throws(SaleRefusal) {
            return try await cardService.take(
                [(key, amount)], currency: "CNY", within: limits, in: nil, calendar,
                isApproved: isApproved) != nil
        } catch {
            return false
        }
    }

    @Test("of sales at once no more are taken than the limit has room for, and what is given back makes room")
    func concurrent() async {
        let (store, ports) = (Store(), ScriptedPorts())
        let cardService = cardService(store, ports)
        let taken = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 { group.addTask { await self.take(cardService, "k\(number)", 50) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 4)
        #expect(await !take(cardService, "more", 1))
        #expect(await take(cardService, "approved", 1, isApproved: true))
        let first = store.kept.withLock { $0.cards.first?.key } ?? ""
        await cardService.release([first, "approved"])
        #expect(await take(cardService, "again", 50))
    }

    @Test("after a kill the file counts, also beside an old database, until the hub knows better")
    func killed() async {
        let (store, ports) = (Store(), ScriptedPorts())
        #expect(await take(cardService(store, ports), "k1", 100))
        #expect(await take(cardService(store, ports), "k2", 100))
        let again = cardService(store, ports)
        #expect(await !take(again, "k3", 1))
        await again.inquire { $0 == "k1" ? .granted : .open }
        #expect(store.settled.withLock { $0 } == ["k1 sold"])
        #expect(await take(again, "k4", 50))
        await again.noteSold(["k4"])
        await again.inquire { _ in .absent }
        #expect(store.kept.withLock { $0.cards.map(\.key) } == ["k1", "k4"])
    }

    @Test("what a kill left of a charge without the bank goes with the charge's void")
    func machineKilled() async {
        let store = Store()
        let left = StoredCard(
            DeviceRequest(
                .charge, key: "k", chargeKey: "k", amount: 100, currency: "CNY", openedAt: 0,
                state: .charged(DeviceProof(reference: "1")), origin: .init(kind: .zvt, address: "tcp:m:1"),
                reported: nil), businessDay: calendar.day(at: Self.noon), takenAt: moment(), shiftId: nil)
        store.kept.withLock { $0 = StoredCards([left]) }
        let again = cardService(store)
        await again.release(["other"])
        #expect(store.kept.withLock { $0.cards } == [left])
        #expect(await again.inquire { _ in .granted } == false)
        await again.release([left.key])
        #expect(store.kept.withLock { $0.cards }.isEmpty)
    }

    /// A card service whose file cannot be read.
    private func unreadable(_ rows: [StoredCard] = []) -> (Store, OfflineCardService) {
        let store = Store()
        store.kept.withLock { $0 = StoredCards(isComplete: false) }
        store.rows.withLock { $0 = rows }
        return (store, cardService(store))
    }

    @Test("a file that cannot be read stops every card: no sale, no approval and no restart makes room")
    func unreadable() async throws {
        let (store, service) = unreadable()
        #expect(await !take(service, "k1", 1))
        // A cash sale, and a card sale that could not be recorded.
        await service.noteSold([])
        await service.release([])
        #expect(await !take(service, "k2", 1))
        #expect(await take(service, "k3", 1, isApproved: true))
        await service.noteSold(["k3"])
        #expect(await !take(service, "k4", 1))
        #expect(await !take(cardService(store), "k5", 1))
        #expect(try await store.cards().cards.map(\.key) == ["k3"])
    }

    @Test("it counts as complete once the hub has responded about every open payment, and not before")
    func complete() async throws {
        for outcome in [StoredCardOutcome.silence, .absent] {
            let (_, service) = unreadable([card(5)])
            await service.inquire { _ in outcome }
            #expect(await !take(service, "k1", 1))
        }
        for outcome in [StoredCardOutcome.open, .granted] {
            let (store, service) = unreadable([card(5)])
            await service.inquire { _ in outcome }
            #expect(await take(service, "k1", 1))
            #expect(try await store.cards().isComplete)
        }
        // Where nothing is open, the hub has to be within reach all the same.
        let (_, service) = unreadable()
        await service.inquire { _ in .silence }
        #expect(await !take(service, "k1", 1))
        await service.inquire { _ in .absent }
        #expect(await take(service, "k1", 1))
    }

    @Test("a service that has read nothing yet leaves the file as it is")
    func untouched() async throws {
        let (store, ports) = (Store(), ScriptedPorts())
        #expect(await take(cardService(store, ports), "k1", 100))
        await cardService(store, ports).release([])
        #expect(try await store.cards().cards.map(\.key) == ["k1"])
    }

    @Test("a payment that is sold while the hub is asked about it is not released")
    func soldMeanwhile() async throws {
        let (store, ports) = (Store(), ScriptedPorts())
        let service = cardService(store, ports)
        #expect(await take(service, "k1", 100))
        #expect(await take(service, "k2", 50))
        await service.noteUndecided(["k1", "k2"])
        store.rows.withLock { $0 = [] }
        await service.inquire { key in
            // The other one's sale is recorded before its turn.
            if key == "k1" { await service.noteSold(["k2"]) }
            return .absent
        }
        #expect(try await store.cards().cards.map(\.key) == ["k2"])
        #expect(try await service.all().map(\.request.state) == [.requested(DeviceProof(reference: "k2"))])
    }

    @Test("a sale whose commit failed and reached the disk counts, one that did not is released")
    func undecided() async throws {
        let (store, ports) = (Store(), ScriptedPorts())
        let service = cardService(store, ports)
        #expect(await take(service, "k1", 100))
        #expect(await take(service, "k2", 50))
        await service.noteUndecided(["k1", "k2"])
        store.rows.withLock { $0 = [StoredCard(of: "k1", 100, calendar)] }
        await service.inquire { _ in .absent }
        #expect(try await service.all().map(\.key) == ["k1"])
        #expect(await !take(service, "k3", 101))
    }

    @Test("a refused card is a debt with its reason until the hub settles it, which is queried now and then")
    func debts() async throws {
        let (store, ports) = (Store(), ScriptedPorts())
        let cardService = cardService(store, ports)
        #expect(await take(cardService, "k1", 100))
        await cardService.noteSold(["k1"])
        let asked = Mutex<Int>(0)
        func inquire(_ settledAt: Int64?) async -> Bool {
            await cardService.inquire { _ in
                asked.withLock { $0 += 1 }
                return .known(.found(.notDone(reason: "stolen card")), settledAt: settledAt)
            }
        }
        #expect(await inquire(nil))
        #expect(store.settled.withLock { $0 } == ["k1 declined stolen card"])
        let debt = try #require(try await cardService.debts().first)
        #expect(debt.orderNumber == "N-k1" && debt.amount == 100 && debt.reason == "stolen card")
        #expect(!debt.isSettled)
        // Known for less than the interval: the hub is not queried.
        #expect(await !inquire(5))
        #expect(asked.withLock { $0 } == 1)
        ports.with { $0.wall += 599_000 }
        #expect(await !inquire(5))
        ports.with { $0.wall += 1_000 }
        #expect(await inquire(5))
        #expect(try await cardService.debts().map(\.isSettled) == [true])
        ports.with { $0.wall += 600_000 }
        #expect(await !inquire(6))
        #expect(asked.withLock { $0 } == 2, "a settled one is not queried")
    }

    @Test("what is owed leaves out what is settled, and never overflows")
    func owed() throws {
        func debt(_ amount: Int64, _ settledAt: Int64? = nil) throws -> CardDebt {
            try #require(
                CardDebt(
                    StoredCard(
                        token: "k", amount: amount, currency: "CNY", businessDay: calendar.day(at: Self.noon),
                        takenAt: moment(), state: .refused, settledAt: settledAt), orderNumber: nil))
        }
        #expect(CardDebt.open([]) == 0)
        #expect(try CardDebt.open([debt(5), debt(7, 1), debt(6)]) == 11)
        #expect(try CardDebt.open([debt(.max), debt(1)]) == .max)
    }

    @Test("a shift's report names the cards that were refused after it, and changes no sum")
    func report() throws {
        let opening = ShiftOpening(
            shiftId: "s1", businessDay: "2026-11-21", timeZone: "Asia/Shanghai", currency: "CNY",
            openedAt: Self.noon, openedBy: nil, float: 0)
        var shift = Shift(
            opening: opening, from: 1, to: 2, head: "h", sums: ShiftSums(), closing: nil, statements: [])
        var policy = CheckoutPolicy(calendar: calendar, receiptHeader: [])
        let before = ShiftReport(shift: shift, policy: policy).text
        #expect(!before.contains("OWED"))
        func card(_ key: String, _ reason: String?, _ settledAt: Int64? = nil) -> StoredCard {
            StoredCard(
                token: key, amount: 1250, currency: "CNY", businessDay: calendar.day(at: Self.noon),
                takenAt: moment(), shiftId: "s1", state: .declined(reason: reason ?? ""),
                settledAt: settledAt)
        }
        shift.debts = [
            CardDebt(card("k1", "stolen card"), orderNumber: "S1-1-20261121-0007"),
            CardDebt(card("k2", nil, 9), orderNumber: "S1-1-20261121-0008"),
        ].compactMap(\.self)
        let text = ShiftReport(shift: shift, policy: policy).text
        for line in [
            "Cards refused after the sale", "S1-1-20261121-0007                 12.50", "  stolen card",
            "  settled: no reason given", "OWED                               12.50",
            "the customers owe: inform the manager",
        ] {
            #expect(text.contains(line), "\(text)")
        }
        let sums = before.split(separator: "\n")
        #expect(sums.allSatisfy { text.contains($0) })
        policy.language = .chinese
        #expect(ShiftReport(shift: shift, policy: policy).text.contains("未结欠款"))
    }

    @Test("a shift's report says who decided what the card machine did")
    func decidedByPerson() {
        let opening = ShiftOpening(
            shiftId: "s1", businessDay: "2026-11-21", timeZone: "Asia/Shanghai", currency: "CNY",
            openedAt: Self.noon, openedBy: nil, float: 0)
        var shift = Shift(
            opening: opening, from: 1, to: 2, head: "h", sums: ShiftSums(), closing: nil, statements: [])
        var decision = CardDecision()
        (decision.key, decision.verdict, decision.businessDay) = ("k", .charged, "2026-11-21")
        (decision.amount, decision.currency) = (1250, "CNY")
        (decision.reference, decision.cashierId, decision.approverId) = ("slip 7", "A2", "M1")
        shift.cardMachine.add(CardDecision.type, decision.json)
        let policy = CheckoutPolicy(calendar: calendar, receiptHeader: [])
        let text = ShiftReport(shift: shift, policy: policy).text
        #expect(text.contains("Card: decided as charged"), "\(text)")
        #expect(text.contains("  decided by M1: slip 7"), "\(text)")
        // The same words about a void would say the opposite of what happened.
        (decision.purpose, decision.verdict) = (.reversal, .notCharged)
        shift.cardMachine.add(CardDecision.type, decision.json)
        decision.purpose = .refund
        shift.cardMachine.add(CardDecision.type, decision.json)
        let more = ShiftReport(shift: shift, policy: policy).text
        #expect(more.contains("Card: void decided as NOT done"), "\(more)")
        #expect(more.contains("Card: refund decided as NOT done"), "\(more)")
        #expect(!more.contains("as not charged"), "\(more)")
    }
}

extension StoredCard {
    /// One of now that its sale wrote.
    fileprivate init(of key: String, _ amount: Int64, _ calendar: BusinessCalendar) {
        let now = MachineMoment(ScriptedPorts())
        self.init(
            token: key, amount: amount, currency: "CNY", businessDay: calendar.day(at: now.wall),
            takenAt: now, state: .waiting)
    }
}

extension DeviceRequest.State {
    /// A sale has the token, and nobody has granted it.
    fileprivate static let waiting = Self.requested(DeviceProof(reference: "k"))
    fileprivate static let granted = Self.sold(DeviceProof(reference: "k"))
    fileprivate static let refused = Self.declined(reason: "")
}

extension StoredCardOutcome {
    fileprivate static let granted = Self.known(.found(.done(DeviceProof(reference: "k"))), settledAt: nil)
}

/// A file and a database in memory.
final class MemoryCards: StoredCardStore, CardTokenSource {
    let kept = Mutex(StoredCards())
    /// Rows of the database, which go before the file.
    let rows = Mutex<[StoredCard]>([])
    let settled = Mutex<[String]>([])

    func cards() async throws(StorageError) -> StoredCards {
        let rows = rows.withLock { $0 }
        return kept.withLock { kept in
            let known = Set(rows.map(\.key))
            return StoredCards(
                rows + kept.cards.filter { !known.contains($0.key) }, isComplete: kept.isComplete)
        }
    }
    func keep(_ cards: StoredCards) throws(StorageError) { kept.withLock { $0 = cards } }
    func settle(_ card: StoredCard) async throws(StorageError) {
        let reason = card.isRefused ? " " + card.request.reason : ""
        settled.withLock { $0.append("\(card.key) \(card.request.state.name)" + reason) }
    }
    func debts() async throws(StorageError) -> [CardDebt] {
        kept.withLock(\.cards).filter(\.isRefused).compactMap {
            CardDebt($0, orderNumber: "N-\($0.key)")
        }
    }
    func isReady() async -> Bool { true }
    func token(ofPayment key: String, amount: Int64, currency: String) async -> OfflineCardToken? {
        await Task.yield()
        return OfflineCardToken(sealed: .init(keyId: "s", token: "t"), isSimulated: true)
    }
}
