import HubCore
import HubProtocol
import HubStore
import TestKit
import Testing

/// Ids are kept by the device that minted them: who uses another's id first, or a copy of it later, is
/// nothing to the other.
@Suite("One id from two devices, at the hub")
struct SharedIdTests {
    /// T1 of S1, and the stranger T9 of S9 that used T1's next ids before.
    private func opened(_ kind: StoreKind) async throws -> TemporaryStore {
        let store = try TemporaryStore(kind)
        try await store.enrol("T1")
        try await store.enrol("T9", in: "S9")
        return store
    }

    /// The refusals that are open, by their keys.
    private func open(_ store: TemporaryStore) async throws -> [String] {
        let page = BackOfficeQuery.Page(SalesFilter(), after: [], limit: 9)
        return try await store.ledger.rows(of: BackOfficeQuery.refusals(page, openOnly: true)).compactMap {
            $0.text("mutation_id")
        }
    }

    @Test(
        "A stranger's entry under the next id of a till blocks nothing, and each gets its own duplicate",
        arguments: StoreKind.all)
    func aheadOfTheOwner(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, stranger) = (Till(), Till("T9", store: "S9"))
        let sale = till.sale()
        let squat = stranger.minted("note.upserted", ["text": "x"], id: sale.id)
        #expect(try await store.outcomes(stranger.push([squat])) == ["applied"])
        let first = try #require(try await store.take(till.push([sale])))
        #expect(first.results.map(\.outcome) == [.applied])
        #expect(first.acknowledgedThrough == 1)
        // Each of the two is a duplicate of itself, with its own first response.
        let again = try #require(try await store.take(till.push([sale])))
        #expect(again.results.first?.json["result"] == first.results.first?.json)
        #expect(try await store.outcomes(stranger.push([squat])) == ["duplicate"])
        #expect(
            try await store.outcomes(till.push([till.minted(id: sale.id)]))
                == ["rejected idempotency_key_reused"])
        // What depends on it depends on the till's own.
        let dependent = till.minted("note.upserted", ["text": "x"], dependsOn: [sale.id])
        #expect(try await store.outcomes(till.push([dependent])) == ["applied"])
        #expect(try await store.ledger.audit(terminal: "T1").first?.orders == 1)
    }

    @Test(
        "An id and content that another device of the store brings is a duplicate; from another store it is not",
        arguments: StoreKind.all)
    func broughtByAnother(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        try await store.enrol("T2")
        var till = Till()
        let note = till.minted("note.upserted", ["text": "x"])
        #expect(try await store.outcomes(till.push([note])) == ["applied"])
        #expect(try await store.outcomes(Till("T2").push([note])) == ["duplicate"])
        #expect(try await store.outcomes(Till("T9", store: "S9").push([note])) == ["applied"])
        #expect(try await store.outcomes(till.push([note])) == ["duplicate"])
        let heads = try await store.ledger.audit(terminal: nil).map(\.json)
        #expect(heads.count == 3)
    }

    @Test(
        "Edits, discards and refusals of a shared id are those of the device", arguments: StoreKind.all)
    func answers(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, stranger) = (Till(), Till("T9", store: "S9"))
        let bad = till.sale(total: -1)
        // The stranger has a refused entry of the same id, and gives it up before and after the owner's.
        let squat = stranger.minted("order.completed", ["orderId": "x"], id: bad.id)
        let early = stranger.minted("mutation.discarded", ["discards": .string(bad.id), "reason": "r"])
        #expect(
            try await store.outcomes(stranger.push([squat, early]))
                == ["rejected invalid_mutation", "applied"])
        #expect(try await store.outcomes(till.push([bad])) == ["rejected invalid_mutation"])
        #expect(try await open(store) == ["\(bad.id)~T1"])
        let void = till.minted("order.voided", ["orderId": "x"], dependsOn: [bad.id])
        #expect(try await store.outcomes(till.push([void])) == ["rejected dependency_rejected"])
        let good = till.sale()
        let edit = till.minted("order.completed", good.payload, supersedes: bad.id)
        #expect(try await store.outcomes(till.push([edit])) == ["applied"])
        #expect(try await open(store) == [void.id])
        let later = stranger.minted("mutation.discarded", ["discards": .string(void.id), "reason": "r"])
        #expect(try await store.outcomes(stranger.push([later])) == ["rejected mutation_foreign"])
        #expect(try await open(store).contains(void.id))
    }

    @Test("A discard that names another's entry of tomorrow resolves no refusal", arguments: StoreKind.all)
    func discardAhead(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, stranger) = (Till(), Till("T9", store: "S9"))
        let bad = till.sale(total: -1)
        let early = stranger.minted("mutation.discarded", ["discards": .string(bad.id), "reason": "r"])
        let edit = stranger.minted("note.upserted", ["text": "x"], supersedes: bad.id)
        #expect(try await store.outcomes(stranger.push([early, edit])) == ["applied", "applied"])
        #expect(try await store.outcomes(till.push([bad])) == ["rejected invalid_mutation"])
        #expect(try await open(store) == [bad.id])
        #expect(try await store.ledger.audit(terminal: "T1").first?.refused.orders == 1)
    }

    @Test("Of an id that two devices used, both sales are listed", arguments: StoreKind.all)
    func listed(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, stranger) = (Till(), Till("T9", store: "S9"))
        let sale = till.sale()
        let own = stranger.sale()
        let squat = stranger.minted("order.completed", own.payload, id: sale.id)
        #expect(try await store.outcomes(stranger.push([squat])) == ["applied"])
        #expect(try await store.outcomes(till.push([sale])) == ["applied"])
        let rows = try await store.ledger.rows(of: BackOfficeQuery.order(sale.id))
        #expect(rows.map { $0.text("terminal_id") } == ["T9", "T1"])
        #expect(rows.map { $0.text("mutation_id") } == [sale.id, "\(sale.id)~T1"])
    }

    @Test(
        "A stranger's order under the id of a till's next one takes no sale, refund or void of it",
        arguments: StoreKind.all, [false, true])
    func orderAhead(_ kind: StoreKind, isVoided: Bool) async throws {
        let store = try await opened(kind)
        var (till, stranger) = (Till(), Till("T9", store: "S9"))
        let sale = till.sale()
        let orderId = sale.payload["orderId"] ?? .null
        var squat = stranger.sale(price: 100).payload.object ?? [:]
        squat["orderId"] = orderId
        let ahead = stranger.minted("order.completed", .object(squat))
        #expect(try await store.outcomes(stranger.push([ahead])) == ["applied"])
        #expect(try await store.outcomes(till.push([sale])) == ["applied"])
        // Each of them is refunded and voided by itself.
        func refund(_ total: Int64, by till: inout Till) -> Mutation {
            till.minted(
                "refund.completed",
                [
                    "orderId": orderId, "total": .integer(total),
                    "lines": [["sku": "tea", "quantityMilli": 1000]],
                ])
        }
        let foreign = refund(100, by: &stranger)
        #expect(try await store.outcomes(stranger.push([foreign])) == ["applied"])
        let past = refund(100, by: &stranger)
        #expect(try await store.outcomes(stranger.push([past])) == ["conflict conflict"])
        let own =
            isVoided ? till.minted("order.voided", ["orderId": orderId]) : refund(1250, by: &till)
        #expect(try await store.outcomes(till.push([own])) == ["applied"])
        let again = refund(1, by: &till)
        #expect(try await store.outcomes(till.push([again])) == ["conflict conflict"])
        let rows = try await store.ledger.rows(of: BackOfficeQuery.order(orderId.string ?? ""))
        #expect(Set(rows.map { $0.text("terminal_id") }) == ["T1", "T9"])
        #expect(rows.compactMap { $0.text("voided_by") } == (isVoided ? [own.id] : []))
        // The figures that are computed anew are the same.
        let figures = BackOfficeQuery.reversals(ofOrder: "\(orderId.string ?? "")~T1")
        let before = try await store.ledger.rows(of: figures)
        #expect(before.count == 1)
        _ = try await store.ledger.rebuildSales()
        #expect(try await store.ledger.rows(of: figures) == before)
    }

    @Test(
        "A neighbour's order of the same id is another one; the same device's is not",
        arguments: StoreKind.all)
    func neighboursOrder(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        try await store.enrol("T2")
        var (till, other) = (Till(), Till("T2"))
        let sale = till.sale()
        let copy = other.minted("order.completed", sale.payload)
        #expect(try await store.outcomes(other.push([copy])) == ["applied"])
        #expect(try await store.outcomes(till.push([sale])) == ["applied"])
        let second = till.minted("order.completed", sale.payload)
        #expect(try await store.outcomes(till.push([second])) == ["conflict conflict"])
    }

    @Test(
        "A till that lost its key goes on as the device that it was, once an operator links the two",
        arguments: StoreKind.all)
    func linked(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        try await store.enrol("T2", key: "new")
        let ledger = store.ledger
        var (before, after) = (Till(), Till("T2"))
        let sale = before.sale(number: "S1-1-19700101-1")
        let note = before.minted("note.upserted", ["text": "x"])
        #expect(try await store.outcomes(before.push([sale, note])) == ["applied", "applied"])
        let wanted = PaymentAuthorization(
            key: "card", orderId: "o", state: .authorized, amount: 9, currency: "CNY", approvalCode: "A1",
            declineReason: nil)
        _ = try await ledger.decide(wanted, by: "T1", at: 1, within: IntakeLimits())
        #expect(try await ledger.payment(key: "card", of: "T2") == nil)
        let stranger = after.minted("mutation.discarded", ["discards": .string(note.id), "by": "b"])
        #expect(try await store.outcomes(after.push([stranger])) == ["rejected mutation_foreign"])
        try await ledger.link("T2", to: "T1")
        #expect(try await ledger.payment(key: "card", of: "T2")?.amount == 9)
        // Its own entry was accepted, so that it is not given up any more.
        let own = after.minted("mutation.discarded", ["discards": .string(note.id), "by": "b"])
        #expect(try await store.outcomes(after.push([own])) == ["conflict conflict"])
        // Enrolled again with the new key, and linked once more, it is the same device.
        try await store.enrol("T3", key: "new")
        #expect(try await ledger.payment(key: "card", of: "T3")?.amount == 9)
        try await ledger.link("T3", to: "T2")
        #expect(try await ledger.payment(key: "card", of: "T3")?.amount == 9)
        // A terminal of another store stays what it is.
        try await ledger.link("T9", to: "T1")
        #expect(try await ledger.payment(key: "card", of: "T9") == nil)
    }

    @Test("Only a till of the same store whose earlier terminal is revoked is linked to it")
    func linkable() {
        func terminal(_ id: String, store: String = "S1", revokedAt: Int64? = nil) -> TerminalRecord {
            TerminalRecord(
                id: id, storeId: store, number: 1, name: "till", publicKey: id, enrolledAt: 1,
                revokedAt: revokedAt, tokenExpiresAt: 2)
        }
        let earlier = terminal("T1", revokedAt: 5)
        #expect(terminal("T2").objection(toLinkTo: earlier) == nil)
        #expect(terminal("T2").objection(toLinkTo: terminal("T1"))?.contains("Revoke") == true)
        #expect(terminal("T2", store: "S2").objection(toLinkTo: earlier)?.contains("store S1") == true)
        #expect(terminal("T2", revokedAt: 6).objection(toLinkTo: earlier)?.contains("T2 is revoked") == true)
        #expect(earlier.objection(toLinkTo: earlier) != nil)
    }
}
