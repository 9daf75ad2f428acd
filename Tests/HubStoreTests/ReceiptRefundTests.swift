import Crypto
import Foundation
import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Refunds by receipt codes in the store")
struct ReceiptRefundTests {
    private let key = Curve25519.Signing.PrivateKey()
    private let foreignKey = Curve25519.Signing.PrivateKey()

    private func opened(_ kind: StoreKind) async throws -> TemporaryStore {
        let store = try TemporaryStore(kind)
        try await store.enrol("T1", key: key.publicKey.rawRepresentation.base64EncodedString())
        try await store.enrol("T2")
        try await store.enrol(
            "T9", in: "S9", key: foreignKey.publicKey.rawRepresentation.base64EncodedString())
        _ = try await store.ledger.importProducts(
            [
                ProductRecord(
                    sku: "tea", barcode: "111", name: "Tea", department: "d", priceMinor: 1250,
                    currency: "CNY", taxBasisPoints: 0, unit: .each, stockMilli: 5000)
            ], withdrawing: [], at: 1)
        return store
    }

    private func code(
        of sale: Mutation, by key: Curve25519.Signing.PrivateKey, as terminalId: String = "T1"
    ) throws -> ReceiptCode {
        try #require(
            ReceiptCode(
                terminalId: terminalId, orderNumber: sale.payload["orderNumber"]?.string ?? "", soldAt: 1,
                currency: "CNY", total: 1250,
                lines: [.init(barcode: "111", quantityMilli: 1000, amount: 1250)]
            ) { try? key.signature(for: $0).base64EncodedString() })
    }

    private func refund(_ code: ReceiptCode, _ total: Int64, _ milli: Int64, by till: inout Till) -> Mutation
    {
        till.minted(
            "refund.completed",
            [
                "receiptCode": .string(code.text), "orderNumber": .string(code.orderNumber),
                "currency": "CNY", "total": .integer(total),
                "lines": [["sku": "tea", "barcode": "111", "quantityMilli": .integer(milli)]],
            ])
    }

    private func flags(_ store: TemporaryStore, _ push: IntakeRequest) async throws -> [JSONValue?] {
        try #require(try await store.take(push)).results.map {
            $0.outcome == .applied ? $0.json["flags"] : .string($0.outcome.rawValue)
        }
    }

    private func refunded(_ store: TemporaryStore) async throws -> Int64? {
        let audit = try await store.ledger.audit(terminal: "T2").first?.json
        return audit?["refunds"]?["amount"]?.integer
    }

    @Test(
        "A refund before its sale is accepted and unmatched; the sale's own refunds count it afterwards",
        arguments: StoreKind.all)
    func before(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, other) = (Till(), Till("T2"))
        let sale = till.sale()
        let code = try code(of: sale, by: key)
        #expect(
            try await flags(store, other.push([refund(code, 600, 480, by: &other)])) == [["refund_unmatched"]]
        )
        #expect(try await store.ledger.receipt(code).order.receiptSale == nil)
        #expect(try await store.outcomes(till.push([sale])) == ["applied"])
        // What came back by the code is part of the cap of the sale's own terminal.
        let own = till.minted(
            "refund.completed",
            [
                "orderId": sale.payload["orderId"] ?? .null, "total": 651,
                "lines": [["sku": "tea", "quantityMilli": 500]],
            ], dependsOn: [sale.id])
        #expect(try await store.outcomes(till.push([own])) == ["conflict conflict"])
        #expect(
            try await flags(store, other.push([refund(code, 651, 500, by: &other)])) == [["refund_repeated"]])
        #expect(
            try await flags(store, other.push([refund(code, 1251, 500, by: &other)]))
                == [["refund_exceeds_sale"]])
        // In the refund's own currency, although no sale of the order was there for the first one.
        #expect(try await refunded(store) == 600 + 651 + 1251)
    }

    @Test(
        "The points of a sale come back by a refund that was here before it, and once",
        arguments: StoreKind.all)
    func points(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, other) = (Till(), Till("T2"))
        func points() async throws -> Int64? {
            let key = EntityKey("member", "M")
            return try await store.ledger.entities([key])[key]?["points"]?.integer
        }
        let created = other.minted("member.created", ["name": "Li"], entityId: "M")
        let opening = other.minted("points.adjusted", ["memberId": "M", "delta": 100], entityId: "x")
        _ = try await store.take(other.push([created, opening]))
        let sale = SalePointsTests.sale(by: &till, earned: 9, spent: 5)
        let number = sale.payload["orderNumber"]?.string ?? ""
        let code = try #require(
            ReceiptCode(
                terminalId: "T1", orderNumber: number, soldAt: 1, currency: "CNY", total: 1000,
                lines: ["a", "b"].map { .init(barcode: $0, quantityMilli: 1000, amount: 500) }
            ) { try? key.signature(for: $0).base64EncodedString() })
        func refund(_ sku: String) -> Mutation {
            other.minted(
                "refund.completed",
                [
                    "receiptCode": .string(code.text), "orderNumber": .string(number), "currency": "CNY",
                    "total": 500,
                    "lines": [["sku": .string(sku), "barcode": .string(sku), "quantityMilli": 1000]],
                ])
        }
        #expect(try await flags(store, other.push([refund("a")])) == [["refund_unmatched"]])
        #expect(try await points() == 100)
        // Half of what it earned and spent comes back with the sale itself: 4 and 2.
        #expect(try await flags(store, till.push([sale])) == [["lease_exceeded"]])
        #expect(try await points() == 100 + 9 - 5 - 4 + 2)
        #expect(try await store.outcomes(till.push([sale])) == ["duplicate"])
        #expect(try await points() == 102)
        // The rest follows with the second article.
        #expect(try await flags(store, other.push([refund("b")])) == [[]])
        #expect(try await points() == 100)
        // A sale that has the number of another one has none of its refunds.
        var copied = Till("T3")
        var payload = SalePointsTests.sale(by: &copied, earned: 9, spent: 0).payload.object ?? [:]
        payload["orderNumber"] = .string(number)
        let second = copied.minted("order.completed", .object(payload))
        let raised = try await flags(store, copied.push([second])).first??.array ?? []
        #expect(raised.contains("order_number_repeated") || raised.contains("order_number_foreign"))
        #expect(try await points() == 109)
    }

    @Test(
        "A code that a terminal signs about the next sale of another one counts against nothing",
        arguments: StoreKind.all, [("T2", "S1"), ("T9", "S9")])
    func ahead(_ kind: StoreKind, _ hostile: (id: String, store: String)) async throws {
        let store = try await opened(kind)
        // Of a device in the seller's own store, or of one elsewhere.
        let signing = hostile.store == "S1" ? Curve25519.Signing.PrivateKey() : foreignKey
        if hostile.store == "S1" {
            try await store.enrol("T3", key: signing.publicKey.rawRepresentation.base64EncodedString())
        }
        var (till, other) = (Till(), Till(hostile.id, store: hostile.store))
        let sale = till.sale()
        let forged = try code(of: sale, by: signing, as: hostile.store == "S1" ? "T3" : "T9")
        #expect(
            try await flags(store, other.push([refund(forged, 1250, 1000, by: &other)]))
                == [["receipt_code_foreign", "refund_unmatched"]])
        let raised = try await store.ledger.alarms(terminal: hostile.id, limit: 9)
        #expect(raised.map(\.first.kind) == ["receipt_code_foreign"])
        #expect(try await store.ledger.alarms(terminal: "T1", limit: 9) == [])
        // The sale, its refund and its void are as if nothing had been.
        #expect(try await flags(store, till.push([sale])) == [[]])
        let orderId = sale.payload["orderId"] ?? .null
        let own = till.minted(
            "refund.completed",
            ["orderId": orderId, "total": 1250, "lines": [["sku": "tea", "quantityMilli": 1000]]],
            dependsOn: [sale.id])
        #expect(try await flags(store, till.push([own])) == [[]])
        let second = till.sale()
        let again = try code(of: second, by: signing, as: hostile.store == "S1" ? "T3" : "T9")
        _ = try await store.take(other.push([refund(again, 1250, 1000, by: &other)]))
        let void = till.minted(
            "order.voided", ["orderId": second.payload["orderId"] ?? .null], dependsOn: [second.id])
        #expect(try await flags(store, till.push([second, void])) == [[], []])
    }

    @Test("The same refund twice is a conflict, also by a code", arguments: StoreKind.all)
    func twice(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, other) = (Till(), Till("T2"))
        let sale = till.sale()
        let code = try code(of: sale, by: key)
        #expect(try await store.outcomes(till.push([sale])) == ["applied"])
        let first = refund(code, 100, 100, by: &other)
        let copy = other.minted(first.type, first.payload, entityId: first.entityId)
        #expect(try await store.outcomes(other.push([first, copy])) == ["applied", "conflict conflict"])
    }

    @Test(
        "Another store's terminal refunds by the signed code alone, and an unreadable code is rejected",
        arguments: StoreKind.all)
    func foreign(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, foreign) = (Till(), Till("T9", store: "S9"))
        let sale = till.sale()
        #expect(try await store.outcomes(till.push([sale])) == ["applied"])
        let forged = try code(of: sale, by: Curve25519.Signing.PrivateKey())
        let signed = try code(of: sale, by: key)
        let byId = foreign.minted(
            "refund.completed", ["orderId": sale.payload["orderId"] ?? .null, "total": 1])
        // Its own signature under the number of another's sale.
        let borrowed = try code(of: sale, by: foreignKey, as: "T9")
        #expect(try await !store.ledger.receipt(borrowed).isSigned)
        let unreadable = foreign.minted("refund.completed", ["receiptCode": "HF1.AAAA", "total": 1])
        let push = try foreign.push([
            byId, unreadable, refund(forged, 1, 1, by: &foreign), refund(signed, 1, 1, by: &foreign),
            refund(borrowed, 1, 1, by: &foreign),
        ])
        #expect(
            try await store.outcomes(push) == [
                "rejected order_foreign_store", "rejected invalid_mutation", "rejected order_foreign_store",
                "applied", "rejected order_foreign_store",
            ])
    }

    @Test(
        "A look-up shows the lines, what came back and whether the code is signed", arguments: StoreKind.all)
    func lookedUp(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, other) = (Till(), Till("T2"))
        let line: JSONValue = [
            "sku": "tea", "barcode": "111", "name": "Tea", "quantityMilli": 1000, "unitPrice": 1250,
            "discount": 0, "total": 1250, "taxBasisPoints": 0,
        ]
        let sale = till.minted(
            "order.completed",
            [
                "orderId": "O1", "orderNumber": "S1-1-19700101-1", "currency": "CNY", "taxIncluded": true,
                "lines": [line],
                "payments": [
                    ["method": "cash", "amount": 250], ["method": "visa", "kind": "card", "amount": 1000],
                ], "total": 1250, "tax": 0,
                "change": 0,
            ])
        let code = try code(of: sale, by: key)
        #expect(try await store.outcomes(till.push([sale])) == ["applied"])
        let back = refund(code, 250, 200, by: &other)
        #expect(try await flags(store, other.push([back])) == [[]])
        let found = try await store.ledger.receipt(code)
        #expect(found.isSigned)
        let described = try #require(found.order.receiptSale)
        #expect(described.orderId == "O1" && described.storeId == "S1" && !described.isVoided)
        #expect(described.lines.map(\.name) == ["Tea"])
        #expect(
            described.refunds == [
                .init(
                    refundId: back.entityId, total: 250, quantities: ["tea": 200],
                    place: .init(storeId: "S1", terminalNumber: 2, at: "2026-11-21T00:00:00.000Z"))
            ])
        #expect(described.payments?.map(\.kind) == [.cash, .card])
        #expect(described.payments?.map(\.amount) == [250, 1000])
        #expect(try ReceiptSale(json: described.json) == described)
        var older = try #require(described.json.object)
        older["payments"] = nil
        #expect(try ReceiptSale(json: .object(older)).payments == nil)
        let forged = try self.code(of: sale, by: Curve25519.Signing.PrivateKey())
        #expect(try await store.ledger.receipt(forged).isSigned == false)
    }
}
