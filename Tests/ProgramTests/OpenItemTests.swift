import HubProtocol
import TestKit
import Testing

/// What the catalogue does not have is sold by department, and comes back, through the built programs.
@Suite("Sales by department", .onStage)
struct OpenItemTests {
    private static let approver = ["--approver", "m1", "--approver-pin-stdin"]
    private static let person = ["--cashier", "c1", "--pin", "1234", "--json"]

    @Test("A sale of an unknown article needs an approver, is parked and sold, drains, and comes back")
    func soldByDepartment() throws {
        let shop = try ShopUnderTest()
        try shop.importRows(.cashiers, "c1,Li,1234,cashier", "m1,Wu,98765432,manager")
        try shop.importRows(
            .products, "MILK,690,Milk,food,650,CNY,900,each,,,", "RICE,691,Rice,food,1000,CNY,1300,each,,,",
            "WORK,695,Sewing,work,0,CNY,600,each,,true,695001 695002")
        try shop.startAgent()
        _ = try shop.document("sync", "now")
        let departments = try shop.document("products", "departments")["departments"]?.array ?? []
        #expect(departments.suffix(3).map { $0["department"] } == ["food", "food", "work"])
        let line = ["--line", "4711:2@500#food/9", "--line", "690"]
        #expect(
            try shop.pos(["sell", "--line", "4711@500#food"] + Self.person).errorCode
                == "department_rate_required")
        let alone = try shop.pos(["sell"] + line + Self.person)
        #expect(alone.errorCode == "approval_required")
        #expect(try alone.document()["error"]?["action"] == "openItem")
        // A parked cart keeps it.
        let parked = try shop.document("cart", "park", "--line", "4711:2@500#food/9", "--line", "690")
        let id = try #require(parked["cartId"]?.string)
        let sale = try shop.pos(
            ["sell", "--cart", id] + Self.person + Self.approver, input: ["98765432"]
        ).document()
        #expect(sale["total"]?["amount"] == 1650)
        let orderId = try #require(sale["orderId"]?.string)
        // It comes back by the code that was scanned; an article by any of its codes.
        let sewn = try shop.pos(["sell", "--line", "695@800"] + Self.person).document()
        #expect(sewn["total"]?["amount"] == 800)
        func refund(_ arguments: String...) throws -> JSONValue {
            try shop.pos(["orders", "refund"] + arguments + Self.person + Self.approver, input: ["98765432"])
                .document()
        }
        #expect(try refund(orderId, "--line", "4711:1")["total"]?["amount"] == 500)
        #expect(try refund(orderId, "--line", "4711:1@400")["error"]?["code"] == "price_of_receipt")
        let number = try #require(sewn["orderNumber"]?.string)
        #expect(try refund(number, "--line", "695002")["total"]?["amount"] == 800)
        // Without a receipt: what was paid for it, and no more than the catalogue's price.
        #expect(try refund("--without-receipt", "--line", "695")["error"]?["code"] == "price_required")
        #expect(try refund("--without-receipt", "--line", "695001:2@300")["total"]?["amount"] == 600)
        #expect(try refund("--without-receipt", "--line", "690@600")["total"]?["amount"] == 600)
        #expect(
            try refund("--without-receipt", "--line", "690@651")["error"]?["code"] == "price_above_catalogue")
        try shop.waitUntilDrained()
        let audit = try #require(try shop.terminalAudits().first)
        #expect(audit["gap"] == 0 && audit["rejected"]?["count"] ?? 0 == 0)
    }
}
