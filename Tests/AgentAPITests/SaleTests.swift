import HubProtocol
import Testing

@testable import AgentAPI

@Suite("Sales between pos and its agent")
struct SaleTests {
    static let sale = """
        "key":"01J000000000000000000000K1","orderId":"01J000000000000000000000O1","orderNumber":"T1-000001",\
        "mode":"online","total":{"amount":1250,"currency":"JPY"},"tax":{"amount":50,"currency":"JPY"},\
        "paid":[{"method":"cash","kind":"cash","amount":1000,"currency":"JPY"},\
        {"method":"card","kind":"card","amount":250,"currency":"JPY","approvalCode":"A1","simulated":true}],\
        "cashRounding":{"amount":0,"currency":"JPY"},"change":{"amount":0,"currency":"JPY"},\
        "lines":[{"sku":"S1","barcode":"690","name":"Tea","quantityMilli":1500,"unitPrice":900,"discount":100,\
        "total":1250,"taxBasisPoints":1300,"offers":[{"promotionId":"P1","name":"Ten","coupon":null,\
        "amount":100}]}],"shortCode":null
        """

    @Test("A sale's response is read and written without a change, and misses each member")
    func response() throws {
        let response = try checkDocument(
            SaleResponse.self,
            "{\(Self.sale),\"receipt\":\"…\",\"sync\":\"pending\",\"durableMs\":1.234,\"elapsedMs\":2}",
        )
        #expect(response.durableMicroseconds == 1234)
        #expect(response.elapsedMicroseconds == 2000)
        #expect(response.sale.paid.map(\.approvalCode) == [nil, "A1"])
    }

    @Test("A quote's response is read and written without a change")
    func quote() throws {
        let line = """
            {"sku":"S1","barcode":"690","name":"Tea","quantityMilli":1000,"unitPrice":9,"discount":0,"total":9,\
            "taxBasisPoints":0}
            """
        let quote = try checkDocument(
            QuoteResponse.self,
            """
            {"lines":[\(line)],"offers":[],"total":{"amount":9,"currency":"CNY"},\
            "tax":{"amount":0,"currency":"CNY"},"cashRounding":{"amount":1,"currency":"CNY"},\
            "member":{"memberId":"M1","name":null,"known":false},"messages":["member_unknown"],"validUntil":null}
            """, optional: ["offers", "messages", "validUntil"])
        #expect(quote.member?.isKnown == false)
    }

    @Test("A missing or mistyped member of a part is named by its path")
    func path() throws {
        let text = "{\(Self.sale),\"receipt\":\"\",\"sync\":\"\",\"durableMs\":0,\"elapsedMs\":0}"
        let broken = text.replacing(#""unitPrice":900,"#, with: "")
        #expect(throws: ShapeError(path: "lines[0].unitPrice", expected: "present")) {
            try SaleResponse(json: JSONParser.parse(Array(broken.utf8)))
        }
        let mistyped = text.replacing(#""total":{"amount":1250"#, with: #""total":{"amount":"1250""#)
        #expect(throws: ShapeError(path: "total.amount", expected: "an integer")) {
            try SaleResponse(json: JSONParser.parse(Array(mistyped.utf8)))
        }
    }

    @Test("Money has the decimals of its currency")
    func money() {
        #expect(MoneyAmount(1250, "JPY").text == "1250 JPY")
        #expect(MoneyAmount(1250, "KWD").text == "1.250 KWD")
        #expect(MoneyAmount(1250, "CNY").text == "12.50 CNY")
    }

    @Test("A request for a sale arrives as it was sent")
    func sell() throws {
        var line = EnteredLine(barcode: "690", quantityMilli: 1500)
        (line.discountMinor, line.discountReason, line.unitPriceMinor) = (10, "box", 90)
        let call = SellCall(
            key: "01J000000000000000000000K1", lines: [line, EnteredLine(barcode: "691")],
            payments: [SellCall.Tender(method: "cash"), SellCall.Tender(method: "card", amountMinor: 5)],
            memberId: "M1", coupons: ["C1"],
            person: AgentPerson(
                cashierId: "anna", pin: "1234", approver: AgentPerson.Approver(id: "ben", pin: "5678")),
            quotedTotalMinor: 95, isClockConfirmed: true)
        #expect(call.request.path == "/v1/sales")
        #expect(try SellCall(body: received(call)) == call)
    }

    @Test("What is not given is not sent, and a quote sends neither payments nor person")
    func bytes() throws {
        let basket = SellCall(key: "K", lines: [EnteredLine(barcode: "690")])
        #expect(
            QuoteCall(basket).request.body?.canonicalText
                == #"{"coupons":[],"key":"K","lines":[{"barcode":"690"}]}"#)
    }

    @Test("A misspelt member of a sale is refused with its path")
    func unknown() throws {
        let body = try JSONParser.parse(Array(#"{"lines":[{"barcode":"1","unitPrice":5}]}"#.utf8))
        #expect {
            try SellCall(body: body)
        } throws: { error in
            (error as? RequestRefusal)?.kind == .unknownField
                && (error as? RequestRefusal)?.message.hasPrefix(
                    "lines[0].unitPrice is not a field of a sale")
                    == true
        }
        #expect(throws: RequestRefusal(kind: .malformed, message: "lines must be an array; nothing was sold"))
        {
            try SellCall(body: [:])
        }
    }

    @Test("Card sales that nobody saw, and the requests around a sale, arrive as they were sent")
    func unseen() throws {
        _ = try checkDocument(
            UnseenSalesCall.Response.self,
            """
            {"sales":[{"orderId":"O1","orderNumber":"T1-1","total":{"amount":1,"currency":"CNY"},\
            "madeAt":"2026-11-22T16:00:00.000Z"}]}
            """)
        let seen = UnseenSalesCall(seenOrderId: "O1")
        #expect(try UnseenSalesCall(body: received(seen)).seenOrderId == "O1")
        #expect(UnseenSalesCall().request.method == "GET")
        #expect(try GiveUpCall(body: received(GiveUpCall(key: "K"))).key == "K")
        #expect(throws: GiveUpCall.malformed) { try GiveUpCall(body: [:]) }
        _ = try checkDocument(GiveUpCall.Response.self, #"{"key":"K"}"#)
    }
}
