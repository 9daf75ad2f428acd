import HubProtocol
import Testing

@testable import AgentAPI

@Suite("Carts and articles between pos and its agent")
struct CartTests {
    private static let cart = """
        {"cartId":"01J000000000000000000000K1","name":"red hat","parkedAt":"2026-11-21T04:05:06.789Z",\
        "resumedAt":null,"lines":[{"barcode":"690","sku":"S1","name":"Tea","quantityMilli":1500,\
        "unitPriceMinor":800,"discountMinor":null,"discountReason":null,"total":{"amount":1200,"currency":"CNY"}}],\
        "total":{"amount":1200,"currency":"CNY"},"memberId":"M1","coupons":["A"],"state":"parked"}
        """

    @Test("A cart is read and written without a change, and becomes a sale of the same content and key")
    func cart() throws {
        let cart = try checkDocument(CartRecord.self, Self.cart)
        let sale = cart.basket
        #expect(sale.key == cart.cartId)
        #expect(sale.lines.map(\.barcode) == ["690"])
        #expect(sale.lines.first?.quantityMilli == 1500)
        #expect(sale.lines.first?.unitPriceMinor == 800)
        #expect(sale.memberId == "M1" && sale.coupons == ["A"])
    }

    @Test("The list of carts is read and written without a change")
    func list() throws {
        let list = try checkDocument(CartListCall.Response.self, "{\"carts\":[\(Self.cart)]}")
        #expect(list.carts.count == 1)
    }

    @Test("What is parked arrives with its name, and a name alone is no cart")
    func park() throws {
        let call = ParkCartCall(
            name: "red hat", basket: SellCall(lines: [EnteredLine(barcode: "690")], memberId: "M1"))
        let read = try ParkCartCall(body: try received(call))
        #expect(read.name == "red hat" && read.basket.memberId == "M1")
        #expect(read.basket.lines.map(\.barcode) == ["690"])
        #expect(throws: RequestRefusal.self) { try ParkCartCall(body: ["name": "x"]) }
        #expect(throws: RequestRefusal.self) { try ParkCartCall(body: nil) }
    }

    @Test("A cart is dropped with a reason that says something")
    func drop() throws {
        let call = CartCall(id: "01J000000000000000000000K1", .drop(reason: "left"))
        #expect(try CartCall.reason(in: try received(call)) == "left")
        #expect(throws: RequestRefusal.self) { try CartCall.reason(in: ["reason": "  "]) }
        #expect(throws: RequestRefusal.self) { try CartCall.reason(in: nil) }
    }

    @Test("A search needs a character and a limit of 1 to 500", arguments: ["0", "501", "-1", "ten", ""])
    func search(limit: String) throws {
        #expect(throws: RequestRefusal.self) {
            try ProductSearchCall(query: ["text": "tea", "limit": limit])
        }
        #expect(throws: RequestRefusal.self) { try ProductSearchCall(query: ["text": " "]) }
        let call = try ProductSearchCall(query: ProductSearchCall("茶", limit: 500).request.query)
        #expect(call.text == "茶" && call.limit == 500)
        #expect(try ProductSearchCall(query: ["text": "a"]).limit == 50)
    }

    @Test("The articles found are read and written without a change")
    func found() throws {
        _ = try checkDocument(
            ProductSearchCall.Response.self,
            #"{"products":[{"sku":"S1","barcode":"690","name":"Tea","priceMinor":900,"currency":"CNY"}]}"#)
    }
}
