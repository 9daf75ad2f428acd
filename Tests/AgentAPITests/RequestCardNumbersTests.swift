import AgentAPI
import HubProtocol
import Testing

@Suite("Card numbers in requests")
struct RequestCardNumbersTests {
    private static let number = "4111111111111111"

    private func isRefused(_ body: JSONValue?, _ path: String = "/v1/sales") -> Bool {
        let refusal = RequestCardNumbers.refusal(of: AgentRequest("POST", path, body: body))
        if let refusal { #expect(refusal.kind == .cardNumber && !refusal.message.contains("4111")) }
        return refusal != nil
    }

    @Test("are refused in every text, number and name, at every depth")
    func everywhere() {
        for text in [Self.number, "4111 1111 1111 1111 1227", "paid with 4111-1111-1111-1111 today"] {
            let value = JSONValue.string(text)
            let bodies: [JSONValue] = [
                ["memberId": value], ["coupons": ["A", value]], ["cashierId": value], ["pin": value],
                ["approver": ["id": value]], ["approver": ["id": "m1", "pin": value]], ["key": value],
                ["name": value], ["reason": value], ["text": value], ["files": [value]],
                ["lines": [["barcode": "1", "discountReason": value]]],
                ["lines": [["barcode": value, "department": "food"]]],
                ["lines": [["barcode": "1", "department": value]]],
                ["payments": [["method": value]]], ["payments": [["method": "gift", "reference": value]]],
                ["returns": ["orderId": "O", "reason": value]], .object([text: true]), [value], value,
            ]
            for body in bodies { #expect(isRefused(body), "\(body.canonicalText)") }
        }
        #expect(isRefused(["payments": [["method": "card", "amountMinor": 4_111_111_111_111_111]]]))
        #expect(isRefused(["lines": [["barcode": "1", "unitPriceMinor": 4_111_111_111_111_111]]]))
        #expect(isRefused(nil, "/v1/orders/\(Self.number)/void"))
        #expect(isRefused(nil, "/v1/orders/4111%201111%201111%2d1111/void"))
        for name in ["number", "member", "from"] {
            let search = AgentRequest("GET", "/v1/orders/search", query: [name: Self.number])
            #expect(RequestCardNumbers.refusal(of: search) != nil)
        }
    }

    @Test("texts that have as many digits by their nature pass")
    func passing() {
        let ean: JSONValue = "6901234567892"
        let gtin: JSONValue = "0100000096385074"
        let bodies: [JSONValue?] = [
            nil, ["lines": [["barcode": ean], ["barcode": gtin]]],
            ["lines": [["barcode": .string(Self.number)]]],
            ["lines": [["barcode": ean, "department": "food"]]], ["coupons": [ean]], ["memberId": ean],
            ["memberId": "+86 138 0013 8000"], ["memberId": "86 13800138000"],
            ["receiptCode": .string("HF1." + Self.number)], ["key": "01K1Z5T9W0ABCDEFGHJKMNPQRS"],
            ["reason": "goods of S1-1-20261124-0001"], ["quotedTotalMinor": 999_999_999_999],
        ]
        for body in bodies { #expect(!isRefused(body), "\(body?.canonicalText ?? "")") }
        #expect(!isRefused(nil, "/v1/orders/S1-1-20261124-0001/void"))
        // A key that has the digits of a card by chance, and what only looks like a key.
        let key = "01M8AQX" + Self.number + "ABC"
        #expect(!isRefused(["key": .string(key), "returns": ["orderId": .string(key)]]))
        #expect(!isRefused(nil, "/v1/carts/\(key)/resume"))
        #expect(isRefused(["key": .string(Self.number + "0123456789")]))
        #expect(isRefused(["key": .string(key + "A")]))
        // A digest in the hub's statement, and what only looks like one.
        let digest = String(repeating: "e", count: 24) + Self.number + String(repeating: "a", count: 24)
        #expect(!isRefused(["statement": ["head": .string(digest)]]))
        #expect(isRefused(["head": .string(digest + "0")]))
        #expect(isRefused(["head": .string(String(repeating: Self.number, count: 4))]))
        // What a nexo machine prints as its number, and what only looks like it.
        #expect(!isRefused(["text": .string("9c5d" + Self.number + ".HHT7PWW7NGTHJ7D6")]))
        for text in [
            Self.number + ".1234567890123456", Self.number + ".Visa", Self.number + " A.HHT7PWW7NGTHJ7D6",
        ] {
            #expect(isRefused(["text": .string(text)]), "\(text)")
        }
        for name in ["barcode", "text", "article"] {
            let search = AgentRequest("GET", "/v1/products/search", query: [name: Self.number])
            #expect(RequestCardNumbers.refusal(of: search) == nil)
        }
    }

    @Test("the line of a refused request does not repeat a key that looks like one")
    func streamLine() {
        let failure = AgentFailure(code: "card_number_refused", message: "m", exit: 2)
        #expect(failure.streamLine(of: ["key": .string(Self.number)])["key"] == nil)
        #expect(failure.streamLine(of: ["key": "K"])["key"] == "K")
    }
}
