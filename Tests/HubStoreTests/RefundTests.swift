import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Refunds")
struct RefundTests {
    private func refund(
        of sale: Mutation, _ total: Int64, _ quantityMilli: Int64, by till: inout Till,
        id: String = Till.ulid()
    ) -> Mutation {
        till.minted(
            "refund.completed",
            [
                "orderId": sale.payload["orderId"] ?? .null, "total": .integer(total),
                "lines": [["sku": "tea", "quantityMilli": .integer(quantityMilli)]],
            ], entityId: id,
            // A terminal depends on entries of its own alone.
            dependsOn: till.device.terminalId == "T1" ? [sale.id] : [])
    }

    @Test(
        "Complaint 3: no more money and goods come back than were sold, whichever tills give them",
        arguments: StoreKind.all)
    func capped(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (till, other) = (Till(), Till("T2"))
        let sale = till.sale()
        let first = refund(of: sale, 1000, 600, by: &till)
        #expect(try await store.outcomes(till.push([sale, first])) == ["applied", "applied"])
        let tooMuch = refund(of: sale, 251, 1, by: &other)
        let response = try #require(try await store.take(other.push([tooMuch]))?.results.first)
        #expect(response.outcome == .conflict)
        #expect(response.json["policy"] == "escalate")
        #expect(response.json["serverState"]?["refunded"] == 1000)
        #expect(response.json["serverState"]?["total"] == 1250)
        let tooMany = refund(of: sale, 1, 401, by: &other)
        #expect(try await store.outcomes(other.push([tooMany])) == ["conflict conflict"])
        let rest = refund(of: sale, 250, 400, by: &other)
        #expect(try await store.outcomes(other.push([rest])) == ["applied"])
        let again = refund(of: sale, 1, 0 + 1, by: &till)
        #expect(try await store.outcomes(till.push([again])) == ["conflict conflict"])
    }

    @Test("The same refund under another key is a conflict, not a second one", arguments: StoreKind.all)
    func repeated(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let sale = till.sale()
        let first = refund(of: sale, 100, 100, by: &till, id: "R1")
        let copy = refund(of: sale, 100, 100, by: &till, id: "R1")
        let response = try await store.take(till.push([sale, first, copy]))
        #expect(response?.results.map(\.outcome) == [.applied, .applied, .conflict])
        #expect(response?.results.last?.json["policy"] == "append_only")
    }

    @Test("A voided sale is not refunded and a refunded one not voided", arguments: StoreKind.all)
    func voided(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        try await store.ledger.keepEnrolmentCodes(["d"], storeId: "S1", expiresAt: 10)
        _ = try await store.ledger.enrol(
            EnrolmentApplicant(
                terminalId: "T1", codeDigest: "d", name: "till", publicKey: "k", tokenExpiresAt: 9), at: 1)
        var till = Till()
        let (voidedSale, refundedSale) = (till.sale(), till.sale())
        let orderId = voidedSale.payload["orderId"] ?? .null
        let void = till.minted("order.voided", ["orderId": orderId], dependsOn: [voidedSale.id])
        let late = refund(of: voidedSale, 1, 1, by: &till)
        let back = refund(of: refundedSale, 1, 1, by: &till)
        let otherId = refundedSale.payload["orderId"] ?? .null
        let lateVoid = till.minted("order.voided", ["orderId": otherId], dependsOn: [refundedSale.id])
        let push = try till.push([voidedSale, refundedSale, void, late, back, lateVoid])
        #expect(
            try await store.outcomes(push)
                == ["applied", "applied", "applied", "conflict conflict", "applied", "conflict conflict"])
        let audit = try #require(try await store.ledger.audit(terminal: nil).first).json
        let sums = ["total", "voided", "refunds"].map { audit[$0]?["amount"]?.integer }
        #expect(sums == [2500, 1250, 1])
        #expect(audit["refunds"]?["orders"] == 1)
        #expect(audit["net"] == [["currency": "CNY", "orders": 1, "amount": 1249]])
    }

    @Test(
        "A refund of a sale that the hub does not have is accepted and flagged, goods without a receipt are not",
        arguments: StoreKind.all)
    func unknownSale(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let refund = till.minted("refund.completed", ["orderId": "before-the-hub", "total": 5])
        let response = try await store.take(till.push([refund]))
        #expect(response?.results.first?.json["flags"] == ["order_unknown"])
        let goods = try await store.take(till.push([till.minted("refund.completed", ["total": 5])]))
        #expect(goods?.results.first?.json["flags"] == [])
        let copy = till.minted(
            "refund.completed", ["orderId": "before-the-hub", "total": 5], entityId: refund.entityId)
        #expect(try await store.outcomes(till.push([copy])) == ["conflict conflict"])
    }
}
