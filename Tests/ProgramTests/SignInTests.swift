import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// Who acts at the till: signed in, for one command, with an approver; through the built programs.
@Suite("Signing in and approving", .onStage)
struct SignInTests {
    private static let tea = Article.assortment[0].barcode

    private func shop() throws -> ShopUnderTest {
        let shop = try ShopUnderTest()
        try shop.importRows(.cashiers, "c1,Li,1234,cashier", "c2,Xu,4321,cashier", "m1,Wu,98765432,manager")
        _ = try shop.document("sync", "now")
        return shop
    }

    private func signIn(_ shop: ShopUnderTest, _ id: String, _ pin: String) throws -> FinishedProgram {
        try shop.pos("sign-in", id, "--pin-stdin", "--json", input: [pin])
    }

    private func code(_ shop: ShopUnderTest, _ arguments: [String], input: [String] = []) throws -> String? {
        let end = try shop.pos(arguments + ["--json"], input: input)
        #expect(end.exitCode == (end.errorCode == nil ? 0 : 1), "\(arguments): \(end.errors)")
        return end.errorCode
    }

    private func sell(_ shop: ShopUnderTest, _ more: String...) throws -> JSONValue {
        try shop.pos(["sell", "--line", Self.tea, "--json"] + more).document()
    }

    @Test("A person is signed in until they sign out, over a kill of the agent and without a hub")
    func session() throws {
        let shop = try shop()
        try shop.startAgent()
        #expect(try shop.document("whoami") == ["cashierId": nil])
        #expect(try signIn(shop, "c1", "0000").errorCode == "wrong_pin")
        let response = try signIn(shop, "c1", "1234").document()
        #expect(response["cashierId"] == "c1" && response["name"] == "Li" && response["role"] == "cashier")
        let times = try ["signedInAt", "expiresAt"].map {
            try #require(response[$0]?.string.flatMap(Timestamp.milliseconds(of:)))
        }
        #expect(times[1] - times[0] == 900_000)
        #expect(try sell(shop)["receipt"]?.string?.contains("Cashier c1") == true)
        #expect(try sell(shop, "--cashier", "c2")["error"]?["code"] == "pin_required")
        let other = try sell(shop, "--cashier", "c2", "--pin", "4321")
        #expect(other["receipt"]?.string?.contains("Cashier c2") == true)
        shop.killAgent()
        shop.killHub()
        // No agent runs, then another one.
        #expect(try shop.document("whoami")["cashierId"] == "c1")
        #expect(try sell(shop)["receipt"]?.string?.contains("Cashier c1") == true)
        try shop.startAgent()
        #expect(try shop.document("whoami")["cashierId"] == "c1")
        #expect(try shop.document("sign-out") == ["cashierId": nil])
        #expect(try sell(shop)["error"]?["code"] == "sign_in_required")
        #expect(try signIn(shop, "m1", "98765432").document()["role"] == "manager")
    }

    @Test("Nothing that moves money or the switch goes without a sign-in, not over the socket either")
    func required() throws {
        let shop = try shop()
        let sale = try sell(shop, "--cashier", "c1", "--pin", "1234")
        let id = try #require(sale["orderId"]?.string)
        try shop.startAgent()
        let commands = [
            ["sell", "--line", Self.tea], ["orders", "refund", id], ["orders", "void", id],
            ["orders", "refund", id, "--cashier", "m1"], ["note", "add", "x"], ["offline", "on"],
            ["offline", "off"], ["sync", "discard", "none", "--reason", "x"],
            ["sync", "resolve", "none", "--keep", "server"], ["sync", "edit", "none", "--set", "a=1"],
        ]
        for command in commands {
            // An edit reads the entry first, and there is none.
            let expected = command[1] == "edit" ? "unknown_mutation" : "sign_in_required"
            #expect(try code(shop, command) == expected, "\(command)")
        }
        for (path, body) in [
            ("/v1/manual", ["on": true]), ("/v1/orders/\(id)/void", [:]), ("/v1/orders/\(id)/refund", [:]),
            ("/v1/notes", ["text": "x"]), ("/v1/sales", ["lines": [["barcode": .string(Self.tea)]]]),
        ] as [(String, JSONValue)] {
            let response = try shop.query("POST", path, body: body)
            #expect(response["error"]?["code"] == "sign_in_required", "\(path)")
        }
        #expect(try shop.orders().count == 1)
        #expect(try shop.status()["manual"]?["on"] == false)
    }

    @Test("What a cashier may not do alone needs a manager's PIN; a manager needs no other PIN")
    func approvals() throws {
        let shop = try shop()
        try shop.startAgent()
        var orders: [String] = []
        for _ in 0..<4 {
            let sale = try sell(shop, "--cashier", "c1", "--pin", "1234")
            orders.append(try #require(sale["orderId"]?.string))
        }
        _ = try signIn(shop, "c1", "1234")
        let refused = try shop.pos("orders", "refund", orders[0], "--json").document()["error"]
        #expect(refused?["code"] == "approval_required" && refused?["action"] == "refund")
        let approved = ["--approver", "m1", "--approver-pin-stdin"]
        #expect(try code(shop, ["orders", "refund", orders[0]] + approved, input: ["1"]) == "wrong_pin")
        let own = ["--approver", "c1", "--approver-pin-stdin"]
        #expect(
            try code(shop, ["orders", "refund", orders[0]] + own, input: ["1234"]) == "approval_required")
        #expect(try code(shop, ["orders", "refund", orders[0]] + approved, input: ["98765432"]) == nil)
        #expect(try code(shop, ["orders", "void", orders[1]] + approved, input: ["98765432"]) == nil)
        let both = ["--cashier", "c2", "--pin-stdin"] + approved
        #expect(try code(shop, ["orders", "void", orders[2]] + both, input: ["4321", "98765432"]) == nil)
        let shown = try shop.document("orders", "show", orders[0])
        #expect(shown["refunds"]?.array?.first?["approverId"] == "m1")
        #expect(shown["refunds"]?.array?.first?["cashierId"] == "c1")
        // The switch needs a sign-in by default, and no approver.
        #expect(try shop.document("offline", "on")["by"] == "c1")
        #expect(try shop.document("offline", "off")["on"] == false)
        _ = try signIn(shop, "m1", "98765432")
        #expect(try code(shop, ["orders", "void", orders[3]]) == nil)
        let price: JSONValue = [
            "lines": [["barcode": .string(Self.tea), "unitPriceMinor": 1]], "cashierId": "c1", "pin": "1234",
        ]
        #expect(try shop.query("POST", "/v1/sales", body: price)["error"]?["action"] == "priceOverride")
        var members = price.object ?? [:]
        members["approver"] = ["id": "m1", "pin": "98765432"]
        #expect(try shop.query("POST", "/v1/sales", body: .object(members))["orderId"] != nil)
    }

    @Test("The store lists what needs an approver, and the till's file adds to it")
    func configured() throws {
        let shop = try shop()
        try shop.posHub(
            "store-config", "set", "--store-id", "S1", "account.approvals=void", "account.idleMinutes=30")
        _ = try shop.document("sync", "now")
        let sale = try sell(shop, "--cashier", "c1", "--pin", "1234")
        let id = try #require(sale["orderId"]?.string)
        _ = try signIn(shop, "c1", "1234")
        #expect(try code(shop, ["orders", "void", id]) == "approval_required")
        let more: ShopSettings = ["POS_ACCOUNT_APPROVALS": "refund,manualOffline"]
        for command in [["orders", "refund", id], ["orders", "void", id], ["offline", "on"]] {
            #expect(try shop.pos(command + ["--json"], with: more).errorCode == "approval_required")
        }
        #expect(try code(shop, ["orders", "refund", id]) == nil)
    }

    @Test(
        "A sign-in ends by the idle time, also while no agent runs; pending sales stay",
        .enabled(if: ShiftedClock.compiler != nil))
    func idle() throws {
        let shop = try shop()
        shop.killHub()
        _ = try signIn(shop, "c1", "1234")
        #expect(try sell(shop)["sync"] == "pending")
        let clock = try ShiftedClock(in: shop.folder)
        let late = clock.settings(shiftedBy: 900)
        #expect(try shop.pos("whoami", "--json", with: late).document() == ["cashierId": nil])
        let refused = try shop.pos(["sell", "--line", Self.tea, "--json"], with: late)
        #expect(refused.errorCode == "sign_in_required")
        let early = clock.settings(shiftedBy: 600)
        #expect(try shop.pos(["sell", "--line", Self.tea, "--json"], with: early).exitCode == 0)
        #expect(try shop.orders().count == 2)
        #expect(try shop.document("sync", "status")["pending"] == 2)
    }

    @Test(
        "No PIN and no enrolment code is in the process list, as another user reads it",
        .enabled(if: OtherUser.isUsable, OtherUser.need))
    func processList() throws {
        let shop = try shop()
        let till = try shop.startProgram("sell", "--cashier", "c1", "--pin", "1234")
        try till.line { $0.hasPrefix("barcode") }
        let list = try Command.run(
            OtherUser.wrapper + ["/usr/bin/cat", "/proc/\(till.processIdentifier)/cmdline"])
        #expect(list.contains("--pin") && list.contains("xxxx") && !list.contains("1234"))
        #expect(till.errors.firstLine(within: 5) { $0.contains("--pin-stdin") } != nil)
        till.kill()
        let code = try shop.enrolmentCode()
        let folder = try TemporaryFolder()
        let end = try ProgramUnderTest.run(
            "pos", ["init", "--hub", shop.hubURL, "--enrol-stdin", "--home", folder.path("till"), "--json"],
            environment: shop.settings, input: [code])
        #expect(end.exitCode == 0 && end.errors.isEmpty)
    }
}
