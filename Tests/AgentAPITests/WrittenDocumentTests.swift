import HubProtocol
import Testing

@testable import AgentAPI

/// Documents with every member that they can have.
@Suite("Documents with all their members are read and written without a change")
struct WrittenDocumentTests {
    private static let money = #"{"amount":1200,"currency":"CNY"}"#
    private static let taken = """
        [{"method":"card","amount":700,"currency":"CNY","inHand":false},\
        {"method":"voucher","amount":5,"currency":"CNY","inHand":true,"reference":"V1"}]
        """
    private static let attachment = """
        {"id":"A1","name":"slip.png","sha256":"00","size":9,"contentType":"image/png","urgent":true}
        """
    private static let returned = """
        {"refundId":"R1","total":900,"quantities":{"S1":1000},"storeId":"S1","terminalNumber":2,\
        "at":"2026-11-22T16:00:00.000Z","kind":"refund"}
        """
    private static let returns = """
        {"orderId":"O1","lines":[{"barcode":"690","quantityMilli":1000,"unitPriceMinor":5}],"reason":"torn"}
        """

    @Test("A cart with an open item, what was taken for it and goods that come back")
    func cart() throws {
        let text = """
            {"cartId":"01J000000000000000000000K1","name":null,"parkedAt":"2026-11-21T04:05:06.789Z",\
            "resumedAt":"2026-11-21T05:05:06.789Z","lines":[{"barcode":"690","sku":"","name":"Mug",\
            "quantityMilli":1000,"unitPriceMinor":800,"discountMinor":5,"discountReason":"dented",\
            "department":"kitchen","taxBasisPoints":1300,"total":\(Self.money)}],"total":\(Self.money),\
            "memberId":null,"coupons":[],"points":3,"state":"open","taken":\(Self.taken),\
            "returns":\(Self.returns)}
            """
        let cart = try checkDocument(
            CartRecord.self, text, optional: ["points", "taken", "returns"])
        #expect(cart.returns?.origin == .order("O1") && cart.points == 3 && cart.state == .open)
        let missing = text.replacing(#""sku":"","#, with: "")
        #expect(throws: ShapeError(path: "lines[0].sku", expected: "present")) {
            try CartRecord(json: JSONParser.parse(missing.utf8))
        }
        let twice = text.replacing(#""orderId":"O1","#, with: #""orderId":"O1","receiptCode":"HF1.x","#)
        let refusal = "returns.orderId must be missing where receiptCode is given; nothing was sold"
        #expect(
            throws: ShapeError(path: "returns", expected: "goods that come back: \(refusal)")
        ) { try CartRecord(json: JSONParser.parse(twice.utf8)) }
    }

    @Test("A cart in short, with and without what is left out of it")
    func summary() throws {
        let least = """
            "cartId":"01J000000000000000000000K1","frontEnd":null,"state":"parked","lines":2,\
            "total":\(Self.money),"taken":[],"cashierId":null,"memberId":null,"coupons":["A"],\
            "since":"2026-11-21T04:05:06.789Z","name":null
            """
        _ = try checkDocument(CartSummary.self, "{\(least)}")
        let cart = try checkDocument(
            CartSummary.self, "{\(least),\"wantedBy\":\"01J;counter\",\"returnedLines\":0}",
            optional: ["wantedBy", "returnedLines"])
        #expect(cart.wantedBy == "01J;counter" && cart.returnedLines == 0)
        _ = try checkDocument(KeepCartCall.Response.self, "{\"cart\":{\(least)}}")
        _ = try checkDocument(OpenCartsCall.Response.self, "{\"carts\":[{\(least)}],\"revision\":4}")
    }

    @Test("An article with its stock")
    func stock() throws {
        for counted in ["null", #""2026-11-21T04:05:06.789Z""#] {
            let article = try checkDocument(
                ProductCall.Response.self,
                """
                {"sku":"S1","barcode":"690","name":"Tea","priceMinor":900,"currency":"CNY",\
                "stock":{"milli":1500,"countedAt":\(counted)}}
                """, optional: ["stock"])
            #expect(article.stock?.milli == 1500)
        }
    }

    @Test("A note with attachments, and the tombstone of one")
    func notes() throws {
        let note = try checkDocument(
            NoteRecord.self,
            """
            {"id":"N1","text":"a","author":"anna","version":null,"state":"pending","deletedAt":null,\
            "value":{"text":"a","author":"anna"},"attachments":[\(Self.attachment)]}
            """, optional: ["attachments", "text", "author"])
        #expect(note.attachments.map(\.isUrgent) == [true])
        _ = try checkDocument(
            NoteRecord.self,
            """
            {"id":"N1","text":null,"author":null,"version":2,"state":"synced",\
            "deletedAt":"2026-11-22T16:00:00.000Z","value":null}
            """, optional: ["text", "author"])
    }

    @Test("An upload that is on its way and one that waits")
    func upload() throws {
        let text = """
            {\(Self.attachment.dropFirst().dropLast()),"state":"waiting","heldBy":[],"received":4,\
            "nextAttemptAt":"2026-11-22T16:00:00.000Z","problem":"refused"}
            """
        let upload = try checkDocument(AttachmentState.self, text)
        #expect(upload.attachment.size == 9 && upload.received == 4)
    }

    @Test("What is left of a receipt's sale, with what came back at another terminal")
    func left() throws {
        let left = try checkDocument(
            ReceiptLeftResponse.self,
            """
            {"orderNumber":"T1-1","currency":"CNY","lines":[{"sku":"S1","barcode":"690","name":"Tea",\
            "quantityMilli":2000,"total":1800,"left":1000}],"leftBy":"hub",\
            "returnedElsewhere":[\(Self.returned)]}
            """, optional: ["returnedElsewhere"])
        #expect(left.returnedElsewhere.map(\.total) == [900] && left.leftBy == .hub)
    }

    @Test("An order with what is left of it, by line, and what came back at another terminal")
    func order() throws {
        let order = try checkDocument(
            OrderEntry.self,
            """
            {\(OrderTests.order),"left":[{"sku":"S1","barcode":"690","quantityMilli":500}],"leftBy":"till",\
            "returnedElsewhere":[\(Self.returned)]}
            """, optional: ["state", "left", "leftBy", "returnedElsewhere"])
        #expect(order.left == [500] && order.leftBy == .till)
    }

    private static let exchange = """
        {\(SaleTests.sale),"receipt":"…","sync":"pending","durableMs":1.234,"elapsedMs":2,\
        "refund":{\(OrderTests.refund)},"refundReceipt":"slip","due":\(money),"repeated":true,\
        "soldAt":"2026-11-22T16:00:00.000Z"}
        """

    @Test("A sale with the refund that paid a part of it")
    func exchange() throws {
        let sale = try checkDocument(
            SaleResponse.self, Self.exchange, optional: ["refund", "repeated", "soldAt"])
        #expect(sale.exchange?.receipt == "slip" && sale.exchange?.due.amount == 1200)
    }

    @Test("A sale with a refund misses the slip and what is due", arguments: ["refundReceipt", "due"])
    func exchange(without member: String) throws {
        var members = try #require(JSONParser.parse(Self.exchange.utf8).object)
        members[member] = nil
        #expect(throws: ShapeError(path: member, expected: "present")) {
            try SaleResponse(json: .object(members))
        }
    }

    @Test("What came back at another terminal is not left out where it cannot be read")
    func returnedElsewhere() throws {
        let order = try JSONParser.parse(
            "{\(OrderTests.order),\"returnedElsewhere\":[\(Self.returned),{\"refundId\":\"R2\"}]}".utf8)
        #expect {
            try OrderEntry(json: order)
        } throws: { error in
            (error as? ShapeError)?.path.hasPrefix("returnedElsewhere[1].") == true
        }
    }

    // MARK: - Shifts

    private static func statement(epoch: Int64) -> ShiftStatement {
        var statement = ShiftStatement(
            terminalId: "T1", epoch: epoch, shiftId: "s", from: 1, to: 4, head: "h", received: 3,
            currency: "CNY", sums: ShiftSums(), issuedAt: 1_795_363_200_000)
        (statement.keyId, statement.signature) = ("k1", "c2ln")
        return statement
    }

    private static func closed(_ statements: [ShiftStatement]) -> String {
        let several =
            statements.count > 1
            ? "\"statements\":[\(statements.map(\.json.canonicalText).joined(separator: ","))]," : ""
        return """
            {"businessDay":"2026-11-21","cash":{"counted":20100,"difference":100,"expected":20000},\
            "cashMoves":{"drop":0,"in":0,"noSale":1,"out":0},"closedAt":"2026-11-21T18:00:00.000Z",\
            "closedBy":"c2","currency":"CNY","float":20000,"head":"h","openedAt":"2026-11-21T09:00:00.000Z",\
            "openedBy":null,"points":{"earned":3,"spent":1},"refunds":{"count":1,"total":9},\
            "sales":{"count":2,"total":90},"sequence":{"from":1,"to":4},"shiftId":"s","state":"disputed",\
            "statement":\(statements.last?.json.canonicalText ?? "null"),\(several)\
            "taxes":[{"paid":81,"tax":9,"taxBasisPoints":1300}],\
            "tenders":[{"amount":81,"count":3,"method":"cash"}],"uncounted":{"count":1,"ids":["M1"]},\
            "voids":{"count":0,"total":0},"differences":[{"figure":"sales","terminal":2,"hub":1}],\
            "debts":[],"debtTotal":0,"report":"Z"}
            """
    }

    private static let counted: Set = [
        "debts", "debtTotal", "points", "sales", "refunds", "voids", "cashMoves", "tenders", "taxes",
        "uncounted", "differences", "report",
    ]

    @Test("A closed shift with the statements of the hub", arguments: 0...2)
    func shift(count: Int) throws {
        let statements = (0..<count).map { Self.statement(epoch: Int64($0) + 1) }
        let shift = try checkDocument(
            ShiftRecord.self, Self.closed(statements),
            optional: Self.counted.union(count > 1 ? ["statement", "statements"] : []))
        #expect(shift.statements == statements && shift.difference == 100 && shift.report == "Z")
        #expect(shift.sums.uncounted.ids == ["M1"] && shift.differences.count == 1)
    }

    @Test("A shift that is counted blind has counts without totals and points")
    func blind() throws {
        let text = """
            {"businessDay":"2026-11-21","cash":{"counted":null,"difference":null,"expected":null},\
            "cashMoves":{"drop":0,"in":0,"noSale":1,"out":0},"closedAt":null,"closedBy":null,\
            "currency":"CNY","float":20000,"head":"h","openedAt":"2026-11-21T09:00:00.000Z","openedBy":"c1",\
            "points":null,"refunds":{"count":1,"total":null},"sales":{"count":2,"total":null},\
            "sequence":{"from":1,"to":4},"shiftId":"s","state":"open","statement":null,"taxes":[],\
            "tenders":[],"voids":{"count":0,"total":null},"debts":[],"debtTotal":0}
            """
        let shift = try checkDocument(ShiftRecord.self, text, optional: Self.counted)
        #expect(shift.isBlind && shift.sums.sales.count == 2)
        let broken = text.replacing(#""expected":null"#, with: #""expected":"1""#)
        #expect(throws: ShapeError(path: "cash.expected", expected: "an integer")) {
            try ShiftRecord(json: JSONParser.parse(broken.utf8))
        }
        let less = text.replacing(#","to":4"#, with: "")
        #expect(throws: ShapeError(path: "shifts[0].sequence.to", expected: "present")) {
            try ShiftListCall.Response(json: JSONParser.parse("{\"shifts\":[\(less)]}".utf8))
        }
    }

    @Test("Statements whose signatures hold, one and several")
    func verified() throws {
        let (first, last) = (Self.statement(epoch: 1), Self.statement(epoch: 2))
        let one = try checkDocument(
            VerifyStatementCall.Response.self,
            "{\"valid\":true,\"keyId\":\"k1\",\"statement\":\(first.json.canonicalText)}",
            optional: ["valid"])
        #expect(one.statements == [first])
        let several = try checkDocument(
            VerifyStatementCall.Response.self,
            """
            {"valid":true,"keyId":"k1","statement":\(last.json.canonicalText),\
            "statements":[\(first.json.canonicalText),\(last.json.canonicalText)]}
            """, optional: ["valid", "statement", "statements"])
        #expect(several.statements == [first, last])
    }

    // MARK: - The status

    @Test("The till of a status with a cashier who is signed in")
    func till() throws {
        let till = try checkDocument(
            TillState.self,
            """
            {"storeName":"Tea","number":null,"timeZone":"Asia/Shanghai","cashier":{"cashierId":"anna",\
            "name":"Anna","role":"manager","signedInAt":"2026-11-22T16:00:00.000Z",\
            "expiresAt":"2026-11-22T20:00:00.000Z"},"shiftId":"s","joinsEqualScans":true,"smallestCoin":5}
            """, optional: ["joinsEqualScans", "smallestCoin"])
        #expect(till.cashier?.name == "Anna" && till.joinsEqualScans && till.smallestCoin == 5)
    }

    @Test(
        "A missing or mistyped member inside a part of the status is named by its path",
        arguments: [
            (#""hubAheadMs":-4,"#, "", "clock.hubAheadMs", "present"),
            (
                #""leap":{"at":"2026-11-22T16:00:00.000Z","#, #""leap":{"at":1,"#, "orderNumbers.leap.at",
                "a string"
            ),
            (#""samples":4,"#, "", "quality.samples", "present"),
            (#""rateLimitEndsAt":null,"#, "", "connectivity.rateLimitEndsAt", "present"),
            (
                #""heldBy":[]"#, #""heldBy":[1]"#, "policy.telemetry.heldBy[0]",
                "a word that this version knows"
            ),
            (
                #""capabilities":{"checkout""#, #""capabilities":{"parking""#, "capabilities.parking",
                "a name that this version knows"
            ),
            (#""mode":"offline""#, #""mode":"away""#, "mode", "a word that this version knows"),
            (#""storeName":"Tea","#, "", "till.storeName", "present"),
        ])
    func path(member: String, replacement: String, path: String, expected: String) throws {
        let text = StatusTests.status.replacing(member, with: replacement)
        #expect(throws: ShapeError(path: path, expected: expected)) {
            try StatusResponse(json: JSONParser.parse(text.utf8))
        }
    }

    @Test("A status without the part of a running agent is one of a damaged database alone")
    func unopened() throws {
        let text = StatusTests.status.replacing(#""policy":{"mutations""#, with: #""former":{"mutations""#)
        #expect(throws: ShapeError(path: "policy", expected: "present")) {
            try StatusResponse(json: JSONParser.parse(text.utf8))
        }
        let damaged = text.replacing(#""store":{"state":"ok""#, with: #""store":{"state":"damaged""#)
        #expect(try StatusResponse(json: JSONParser.parse(damaged.utf8)).running == nil)
    }
}
