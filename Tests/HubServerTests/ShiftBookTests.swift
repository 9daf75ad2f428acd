import Foundation
import HubCore
import HubProtocol
import TestKit
import Testing

@testable import HubServer

/// When the hub compares shifts: within a push, or in its rounds.
@Suite("The hub's shift book")
struct ShiftBookTests {
    private static let shiftId = TillOverHTTP.ulid()

    private func opening() -> ShiftOpening {
        ShiftOpening(
            shiftId: Self.shiftId, businessDay: "2026-11-21", timeZone: "Asia/Shanghai", currency: "CNY",
            openedAt: 1_000, openedBy: nil, float: 500)
    }

    /// A sale in the shift.
    private func sale(_ till: inout TillOverHTTP, _ total: Int64, currency: String = "CNY") -> Mutation {
        var other = till
        var payload = other.sale(total: total).payload.object ?? [:]
        payload["shiftId"] = .string(Self.shiftId)
        payload["currency"] = .string(currency)
        return till.minted("order.completed", payload["orderId"]?.string ?? "", .object(payload))
    }

    private func closing(_ till: inout TillOverHTTP, behind last: Mutation, _ sales: [Mutation]) -> Mutation {
        var tally = ShiftTally()
        for sale in sales { tally.add(id: sale.id, type: sale.type, payload: sale.payload) }
        let closing = ShiftClosing(
            opening: opening(), closedAt: 2_000, closedBy: nil,
            cash: ShiftClosing.Cash(expected: tally.sums.expectedCash(float: 500), counted: 0), counted: [],
            sums: tally.sums, from: 1, to: last.sequence, head: last.hash)
        return till.minted(ShiftClosing.type, Self.shiftId, closing.json)
    }

    private func state(of hub: HubInProcess) async throws -> String? {
        try await hub.perform(.backOffice(.showShift(Self.shiftId)))["state"]?.string
    }

    private func push(
        _ mutations: [Mutation], _ till: TillOverHTTP, on hub: HubInProcess
    ) async throws -> JSONValue {
        try await till.push(mutations, on: hub).json()
    }

    @Test("The push that brings a shift's last entry brings its statement", arguments: HubStoreKind.all)
    func late(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var till = try await hub.enrol()
        let opened = till.minted(ShiftOpening.type, Self.shiftId, opening().json)
        let (first, second) = (sale(&till, 300), sale(&till, 450))
        let closed = closing(&till, behind: second, [first, second])
        let early = try await push([opened, second, closed], till, on: hub)
        #expect(early["feedMoved"] == nil)
        #expect(try await state(of: hub) == "provisional")
        await hub.compareShifts()
        #expect(try await state(of: hub) == "provisional")
        let response = try await push([first], till, on: hub)
        #expect(response["feedMoved"] == true, "\(response)")
        #expect(try await state(of: hub) == "confirmed")
        // A push that comes again compares nothing.
        #expect(try await push([opened, first, second, closed], till, on: hub)["feedMoved"] == nil)
    }

    @Test(
        "A shift, the flags and the journal feed have the same of a card machine, which changes no sum",
        arguments: HubStoreKind.all)
    func cardMachine(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var till = try await hub.enrol()
        let opened = till.minted(ShiftOpening.type, Self.shiftId, opening().json)
        let sold = sale(&till, 300)
        var decision = CardDecision()
        (decision.key, decision.verdict, decision.reference) = ("K1", .charged, "143")
        (decision.amount, decision.currency, decision.shiftId) = (300, "CNY", Self.shiftId)
        let decided = till.minted(CardDecision.type, "K1", decision.json)
        var day = CardDayClosing()
        (day.kind, day.machine, day.till, day.currency) = ("zvt", 300, 300, "CNY")
        day.shiftId = Self.shiftId
        let agreed = till.minted(CardDayClosing.type, "C1", day.json)
        day.machine = 250
        let differing = till.minted(CardDayClosing.type, "C2", day.json)
        let closed = closing(&till, behind: differing, [sold])
        _ = try await push([opened, sold, decided, agreed, differing, closed], till, on: hub)
        let shift = try await hub.perform(.backOffice(.showShift(Self.shiftId)))
        #expect(shift["state"] == "confirmed", "\(shift)")
        #expect(shift["cardDecisions"] == [decision.json])
        #expect(shift["cardDays"] == [agreed.payload, day.json])
        let listed = try await hub.perform(.backOffice(.listFlags(.init(), flag: nil)))["flags"]?.array
        let flags = Set(
            (listed ?? []).map { "\($0["flag"]?.string ?? "") \($0["mutationId"]?.string ?? "")" })
        #expect(flags == ["card_decided \(decided.id)", "card_day_differs \(differing.id)"])
        let feed = try await hub.perform(.readJournal(after: nil, storeId: nil, types: "flag"))
        let documents = (feed["documents"]?.array ?? []).map {
            let (common, content) = JournalDocument.shown($0.string)
            #expect(common.shiftId == Self.shiftId && common.currency == "CNY")
            return FlagDocument(shown: content)
        }
        #expect(Set(documents.map { "\($0.flag) \($0.subject)" }) == flags)
        #expect(documents.compactMap(\.cardDecision) == [decision])
        #expect(documents.compactMap(\.cardDay) == [day])
        #expect(documents.compactMap(\.cardDay?.difference) == [-50])
    }

    @Test(
        "A discard lets its shift be compared in the next round, the same one again does not",
        arguments: HubStoreKind.all)
    func discarded(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var till = try await hub.enrol()
        let opened = till.minted(ShiftOpening.type, Self.shiftId, opening().json)
        let refused = sale(&till, 300, currency: "none")
        let closed = closing(&till, behind: refused, [refused])
        _ = try await push([opened, refused, closed], till, on: hub)
        #expect(try await state(of: hub) == "disputed")
        let discard = till.minted(
            "mutation.discarded", refused.id, ["discards": .string(refused.id), "reason": "typed twice"])
        let response = try await push([discard], till, on: hub)
        #expect(response["results"]?.array?.first?["outcome"] == "applied", "\(response)")
        #expect(try await state(of: hub) == "provisional")
        await hub.compareShifts()
        #expect(try await state(of: hub) == "confirmed")
        _ = try await push([discard], till, on: hub)
        #expect(try await state(of: hub) == "confirmed")
    }

    @Test("An operator who gives a refused sale up lets its shift be compared", arguments: HubStoreKind.all)
    func resolved(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var till = try await hub.enrol()
        let opened = till.minted(ShiftOpening.type, Self.shiftId, opening().json)
        let refused = sale(&till, 300, currency: "none")
        let closed = closing(&till, behind: refused, [refused])
        _ = try await push([opened, refused, closed], till, on: hub)
        #expect(try await state(of: hub) == "disputed")
        _ = try await hub.perform(
            .backOffice(.resolveRefusal(id: refused.id, keep: "server", reason: "seen")))
        await hub.compareShifts()
        #expect(try await state(of: hub) == "confirmed")
    }

    @Test(
        "A sale behind the end of a confirmed shift disputes it, and shows how many",
        arguments: HubStoreKind.all)
    func behind(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var till = try await hub.enrol()
        let opened = till.minted(ShiftOpening.type, Self.shiftId, opening().json)
        let first = sale(&till, 300)
        let closed = closing(&till, behind: first, [first])
        _ = try await push([opened, first, closed], till, on: hub)
        #expect(try await state(of: hub) == "confirmed")
        _ = try await push([sale(&till, 450)], till, on: hub)
        let shift = try await hub.perform(.backOffice(.showShift(Self.shiftId)))
        #expect(shift["state"] == "disputed")
        #expect(shift["differences"] == [["figure": "behind", "terminal": 0, "hub": 1]])
    }

    @Test("A terminal has entries for some large days at once, and they come back with time")
    func budget() {
        var budget = ComparisonBudget()
        func take(_ entries: Int64, of terminalId: String, at now: Int64) -> Bool {
            budget.take(entries, of: terminalId, at: now)
        }
        #expect(!take(20_001, of: "t", at: 0))
        #expect(take(15_000, of: "t", at: 0))
        #expect(!take(5_001, of: "t", at: 0))
        #expect(take(5_000, of: "t", at: 0))
        #expect(take(20_000, of: "u", at: 0), "another terminal has its own")
        #expect(!take(100, of: "t", at: 990))
        #expect(take(100, of: "t", at: 1_000))
        #expect(take(20_000, of: "t", at: 201_000))
    }
}
