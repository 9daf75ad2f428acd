import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Edits and discards at the hub")
struct SuccessionTests {
    private static var goodPayload: JSONValue {
        var other = Till("T2")
        return other.sale().payload
    }

    /// A sale that the hub rejects.
    private func badSale(_ till: inout Till) -> Mutation { till.sale(total: -1) }

    @Test(
        "What depends on a rejected sale is rejected, and settles once an edit of the sale was accepted",
        arguments: StoreKind.all)
    func dependents(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let sale = badSale(&till)
        let void = till.minted("order.voided", ["orderId": "x"], dependsOn: [sale.id])
        #expect(
            try await store.outcomes(till.push([sale, void]))
                == ["rejected invalid_mutation", "rejected dependency_rejected"])
        let edit = till.minted("order.completed", sale.payload, supersedes: sale.id)
        #expect(try await store.outcomes(till.push([edit])) == ["rejected invalid_mutation"])
        let repaired = till.minted("order.completed", Self.goodPayload, supersedes: edit.id)
        let again = till.minted("order.voided", ["orderId": "x"], dependsOn: [sale.id], supersedes: void.id)
        #expect(
            try await store.outcomes(till.push([repaired, again])) == ["applied", "applied"])
    }

    @Test("A sale that was accepted is not replaced, and not discarded", arguments: StoreKind.all)
    func takenIn(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let sale = till.sale()
        let edit = till.minted("order.completed", sale.payload, supersedes: sale.id)
        let discard = till.minted("mutation.discarded", ["discards": .string(sale.id), "reason": "r"])
        let void = till.minted("order.voided", ["orderId": "x"], dependsOn: [sale.id])
        let response = try #require(try await store.take(till.push([sale, edit, discard, void])))
        #expect(response.results.map(\.outcome) == [.applied, .conflict, .conflict, .applied])
        #expect(response.results.map { $0.json["policy"]?.string } == [nil, "append_only", "escalate", nil])
        #expect(response.acknowledgedThrough == 4)
    }

    @Test(
        "A second edit of the same sale is a conflict, so that one sale counts once", arguments: StoreKind.all
    )
    func twoEdits(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let sale = badSale(&till)
        let first = till.minted("order.completed", Self.goodPayload, supersedes: sale.id)
        let second = till.minted("order.completed", Self.goodPayload, supersedes: sale.id)
        #expect(
            try await store.outcomes(till.push([sale, first, second]))
                == ["rejected invalid_mutation", "applied", "conflict conflict"])
    }

    @Test(
        "What depends on an entry that was given up before it ever arrived is rejected, and so is the entry",
        arguments: StoreKind.all)
    func discardedUnseen(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        try await store.ledger.keepEnrolmentCodes(["a"], storeId: "S1", expiresAt: 100)
        _ = try await store.ledger.enrol(
            EnrolmentApplicant(
                terminalId: "T1", codeDigest: "a", name: "till", publicKey: "key", tokenExpiresAt: 500),
            at: 50)
        var till = Till()
        let sale = till.sale()
        let void = till.minted("order.voided", ["orderId": "x"], dependsOn: [sale.id])
        let discard = till.minted("mutation.discarded", ["discards": .string(sale.id), "reason": "r"])
        #expect(try await store.outcomes(till.push([void])) == ["deferred dependency_missing"])
        #expect(
            try await store.outcomes(till.push([void, discard])) == [
                "deferred dependency_missing", "applied",
            ])
        #expect(try await store.outcomes(till.push([void])) == ["rejected dependency_rejected"])
        let response = try #require(try await store.take(till.push([sale])))
        #expect(response.results.first?.problem?["code"] == "superseded")
        #expect(response.acknowledgedThrough == 3)
        let audit = try #require(try await store.ledger.audit(terminal: nil).first)
        #expect(audit.orders == 0)
        #expect(audit.discarded == SaleSum(orders: 1, amount: 1250, currency: "CNY"))
        #expect(audit.refused == .none)
    }

    @Test(
        "An entry that arrives after the edit that replaced it is rejected: a restored hub gets both",
        arguments: StoreKind.all)
    func lateOriginal(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let sale = till.sale()
        let edit = till.minted("order.completed", sale.payload, supersedes: sale.id)
        #expect(try await store.outcomes(till.push([edit])) == ["applied"])
        let response = try #require(try await store.take(till.push([sale])))
        #expect(response.results.first?.problem?["code"] == "superseded")
        #expect(response.acknowledgedThrough == 2)
        #expect(response.missing == [])
    }
}
