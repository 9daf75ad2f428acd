import HubProtocol
import Testing

@testable import AgentAPI

@Suite("Orders between pos and its agent")
struct OrderTests {
    static let refund = """
        "refundId":"R1","orderId":"O1","orderNumber":"T1-1","mode":"offline","madeAt":"2026-11-22T16:00:00.000Z",\
        "total":{"amount":9,"currency":"CNY"},"tax":{"amount":1,"currency":"CNY"},\
        "cashRounding":{"amount":0,"currency":"CNY"},"paid":{"amount":9,"currency":"CNY"},"reason":"torn",\
        "cashierId":"anna","approverId":null,"sync":"pending","lines":[{"sku":"S1","barcode":"690",\
        "name":"Tea","quantityMilli":1000,"total":9,"taxBasisPoints":1300}],"shortCode":"ABCDEFGHIJ"
        """

    static let order = """
        \(SaleTests.sale),"sync":"acknowledged","cashierId":null,"approverId":null,"state":"voided",\
        "voidedAt":"2026-11-22T16:05:00.000Z","refunded":{"amount":9,"currency":"JPY"},\
        "refunds":[{\(refund)}],"madeAt":"2026-11-22T16:00:00.000Z"
        """

    @Test("Orders and refunds are read and written without a change, and miss each member")
    func responses() throws {
        _ = try checkDocument(OrderEntry.self, "{\(Self.order)}", optional: ["state"])
        _ = try checkDocument(
            OrderResponse.self, "{\(Self.order),\"receipt\":\"…\"}", optional: ["state"])
        let list = try checkDocument(
            OrderListResponse.self,
            """
            {"orders":[{\(Self.order)}],"sums":[{"currency":"CNY","sync":"pending","orders":1,"amount":9,\
            "refunded":0}]}
            """)
        #expect(list.orders.first?.state == "voided")
        let refund = try checkDocument(
            RefundResponse.self,
            """
            {\(Self.refund),"receipt":"…","paidByCard":true,"arbiter":"none","unseen":["T2"]}
            """,
            optional: ["paidByCard", "arbiter", "unseen"])
        #expect(refund.isPaidByCard)
    }

    @Test("Texts that do not fit into a line are refused before anything is recorded")
    func longTexts() throws {
        let (fits, long) = (String(repeating: "é", count: 100), String(repeating: "é", count: 101))
        for name in ["reason", "cashierId"] {
            _ = try VoidOrderCall(id: "O1", body: [name: .string(fits)])
            #expect(throws: RequestRefusal.self) { try VoidOrderCall(id: "O1", body: [name: .string(long)]) }
        }
        for name in ["reason", "by"] {
            _ = try ResolveRefusalCall(id: "M1", verb: "discard", body: [name: .string(fits)])
            #expect(throws: RequestRefusal.self) {
                try ResolveRefusalCall(id: "M1", verb: "discard", body: [name: .string(long)])
            }
        }
        _ = try ChangeNoteCall(steps: [], body: ["text": "a", "author": .string(fits)])
        #expect(throws: RequestRefusal.self) {
            try ChangeNoteCall(steps: [], body: ["text": "a", "author": .string(long)])
        }
    }

    @Test(
        "An id is one step of a path, whatever is in it",
        arguments: [
            ("O1-2_x", "O1-2_x"), ("a.b c", "a%2Eb%20c"), ("../sales", "%2E%2E%2Fsales"),
            ("a?b#c", "a%3Fb%23c"),
            ("", "%22%22"), ("..", "%22%2E%2E%22"), ("班", "%E7%8F%AD"),
        ])
    func steps(id: String, step: String) {
        #expect(PathStep.decoded(step) == (id.allSatisfy { $0 == "." } ? "\"\(id)\"" : id))
        #expect(ShowOrderCall(id: id).request.path == "/v1/orders/" + step)
        #expect(ShowShiftCall(id: id).request.path == "/v1/shifts/" + step)
        #expect(CartCall(id: id, .resume).request.path == "/v1/carts/" + step + "/resume")
    }

    @Test("What goes back to cards is read and written without a change, beside its refund and its void")
    func cardReturns() throws {
        let card = """
            {"refundId":"R1","orderId":"O1","orderNumber":"T1-1","method":"card",\
            "amount":{"amount":9,"currency":"CNY"},"madeAt":"2026-11-22T16:00:00.000Z","state":"refused",\
            "reason":"expired"}
            """
        let list = try checkDocument(CardReturnsCall.Response.self, "{\"returns\":[\(card)]}")
        #expect(list.returns.map(\.state) == [.refused])
        let refund = try checkDocument(
            RefundRecord.self, "{\(Self.refund),\"cardReturns\":[\(card)]}", optional: ["cardReturns"])
        #expect(refund.cardReturns == list.returns)
        let order = try checkDocument(
            OrderEntry.self, "{\(Self.order),\"cardReturns\":[\(card)]}",
            optional: ["state", "cardReturns"])
        #expect(order.cardReturns == list.returns)
        let call = PayCardReturnCall(refundId: "R1", person: AgentPerson(cashierId: "anna", pin: "1"))
        #expect(call.request.path == "/v1/card-returns/R1/cash")
        #expect(try PayCardReturnCall(refundId: "R1", body: received(call)).person == call.person)
        #expect(throws: RequestRefusal.self) {
            try PayCardReturnCall(refundId: "R1", body: ["amount": 9])
        }
    }

    @Test("Requests for orders arrive as they were sent")
    func calls() throws {
        let list = OrderListCall(limit: 7, before: "O1")
        #expect(OrderListCall(query: list.request.query).before == "O1")
        #expect(OrderListCall(query: list.request.query).limit == 7)
        #expect(OrderListCall(query: [:]).limit == 50)
        #expect(OrderListCall(query: ["limit": "0"]).limit == 1)
        #expect(OrderListCall(query: ["limit": "1000001"]).limit == 1_000_000)
        let person = AgentPerson(cashierId: "anna", pin: "1")
        let void = VoidOrderCall(
            id: "T1-1", reason: "torn", person: person, files: AttachedFiles(paths: ["/a"]))
        #expect(void.request.path == "/v1/orders/T1-1/void")
        let received = try VoidOrderCall(id: "T1-1", body: received(void))
        #expect(received.reason == "torn" && received.person == person && received.files?.paths == ["/a"])
    }

    @Test("Pages of orders become one list with the sums of all, which goes on where the last one does")
    func pages() {
        func page(_ amounts: [(String, Int64)], next: String?) -> OrderListResponse {
            OrderListResponse(
                orders: [],
                sums: amounts.map {
                    OrderListResponse.Sum(currency: "CNY", sync: $0, orders: 1, amount: $1, refunded: 2)
                }, next: next)
        }
        let list = page([("pending", 100)], next: "O1").followed(
            by: page([("acknowledged", 30), ("pending", 5)], next: nil))
        #expect(list.sums.map(\.sync) == ["acknowledged", "pending"])
        #expect(list.sums.map(\.amount) == [30, 105])
        #expect(list.sums.map(\.orders) == [1, 2] && list.sums.map(\.refunded) == [2, 4])
        #expect(list.next == nil && list.json["next"] == nil)
        #expect(page([], next: "O1").json["next"] == "O1")
    }

    @Test("A search arrives as it was sent, and a condition that there is not is refused")
    func search() throws {
        var call = OrderSearchCall()
        (call.number, call.from, call.to, call.amount) = ("0007", "2026-11-01", "2026-11-22", 650)
        (call.member, call.article, call.limit, call.before) = ("M1", "tea", 3, "O1")
        let received = try OrderSearchCall(query: call.request.query)
        #expect(received.request == call.request)
        #expect(OrderSearchCall.isSearch(call.request.query))
        #expect(!OrderSearchCall.isSearch(["limit": "3", "before": "O1"]))
        #expect(throws: RequestRefusal.self) { try OrderSearchCall(query: ["customer": "M1"]) }
        #expect(throws: RequestRefusal.self) { try OrderSearchCall(query: ["amount": "6.50"]) }
    }

    @Test("A request for a refund arrives as it was sent, and refuses what it does not know")
    func refund() throws {
        let call = RefundOrderCall(
            of: .order("T1-1"),
            lines: [.init(article: "690", quantityMilli: 500), .init(article: "S2", quantityMilli: nil)],
            reason: nil, key: "K", person: AgentPerson(), files: AttachedFiles(paths: [], isUrgent: true))
        let read = try RefundOrderCall(id: "T1-1", body: received(call))
        #expect(read.lines == call.lines && read.key == "K" && read.reason == nil && read.files == call.files)
        #expect(try RefundOrderCall(id: "1", body: ["reason": .string(text(200))]).reason?.utf8.count == 200)
        #expect(
            throws: RequestRefusal(
                kind: .malformed, message: "reason must be at most 200 bytes long; nothing was refunded")
        ) { try RefundOrderCall(id: "1", body: ["reason": .string(text(201))]) }
        #expect(throws: RequestRefusal.self) { try RefundOrderCall(id: "1", body: ["line": []]) }
    }

    @Test("A refund by a receipt and one without arrive at a path of their own as they were sent")
    func refundOfAbsent() throws {
        for origin in [RefundOrderCall.Origin.receipt("HF1.x"), .nothing] {
            let call = RefundOrderCall(
                of: origin, lines: [.init(article: "690", quantityMilli: nil)], reason: "dented", key: nil,
                person: AgentPerson(), files: AttachedFiles(paths: []))
            #expect(call.request.path == "/v1/refunds")
            let read = try RefundOrderCall(body: received(call))
            #expect(read.origin == origin && read.lines == call.lines && read.reason == "dented")
        }
        // At an order's own path a receipt would be a second name of the sale.
        #expect(throws: RequestRefusal.self) {
            try RefundOrderCall(id: "1", body: ["receiptCode": "HF1.x"])
        }
    }

    private func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }
}
