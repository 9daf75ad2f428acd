import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Vouchers at the hub")
struct VoucherTests {
    private func flags(_ store: TemporaryStore, _ push: IntakeRequest) async throws -> [JSONValue?] {
        try await store.take(push)?.results.map { $0.json["flags"] } ?? []
    }

    private func gift(_ number: String, _ amount: Int64 = 1250) -> JSONValue {
        ["method": "gift", "kind": "voucher", "amount": .integer(amount), "reference": .string(number)]
    }

    @Test("The second sale that a number pays is flagged and raises an alarm", arguments: StoreKind.all)
    func repeated(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (till, other) = (Till(), Till("T2", store: "S2"))
        let first = till.paid(till.sale(), by: [gift("GV100")])
        #expect(try await flags(store, till.push([first])) == [[]])
        #expect(try await store.outcomes(till.push([first])) == ["duplicate"])
        // The same tender and number in another spelling; another tender's numbers are its own.
        let second = other.paid(other.sale(), by: [gift("gv 100")])
        #expect(try await flags(store, other.push([second])) == [["voucher_repeated"]])
        let foreign = other.paid(
            other.sale(), by: [["method": "mall", "amount": 1250, "reference": "GV100"]])
        #expect(try await flags(store, other.push([foreign])) == [[]])
        let raised = try await store.ledger.alarms(terminal: "T2", limit: 9)
        #expect(raised.map(\.first.kind) == ["voucher_repeated"])
    }

    @Test("A number twice in one sale is flagged, two numbers are not", arguments: StoreKind.all)
    func twiceInOne(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let twice = till.paid(till.sale(), by: [gift("A", 625), gift("A", 625)])
        #expect(try await flags(store, till.push([twice])) == [["voucher_repeated"]])
        let two = till.paid(till.sale(), by: [gift("B", 625), gift("C", 625)])
        #expect(try await flags(store, till.push([two])) == [[]])
    }

    @Test("A void, or money back to the voucher, makes its number good again", arguments: StoreKind.all)
    func returned(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        for isVoid in [true, false] {
            let number = isVoid ? "V" : "R"
            let sale = till.paid(till.sale(), by: [gift(number)])
            let orderId = sale.payload["orderId"] ?? .null
            let end =
                isVoid
                ? till.minted("order.voided", ["orderId": orderId])
                : till.minted(
                    "refund.completed",
                    [
                        "orderId": orderId, "total": 1250, "currency": "CNY",
                        "lines": [["sku": "tea", "quantityMilli": 1000, "total": 1250]],
                        "payments": [gift(number)],
                    ], dependsOn: [sale.id])
            let again = till.paid(till.sale(), by: [gift(number)])
            let third = till.paid(till.sale(), by: [gift(number)])
            let found = try await flags(store, till.push([sale, end, again, third]))
            #expect(found == [[], [], [], ["voucher_repeated"]])
        }
    }
}
