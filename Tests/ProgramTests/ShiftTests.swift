import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// The day's money by the built programs: a day without the hub, its report, the hub's statement.
@Suite("Shifts", .onStage)
struct ShiftTests {
    private static let article = Article.assortment[0].barcode

    private func sell(_ lines: Int, in shop: ShopUnderTest) throws -> JSONValue {
        try shop.document("sell", "--line", "\(Self.article):\(lines)")
    }

    private func total(_ sale: JSONValue) throws -> Int64 { try #require(sale["total"]?["amount"]?.integer) }

    private func write(_ json: JSONValue, as name: String, in shop: ShopUnderTest) throws -> String {
        let path = shop.folder.path(name)
        try Data(json.canonicalBytes).write(to: URL(filePath: path))
        return path
    }

    private func exit(_ shop: ShopUnderTest, ofHub arguments: [String]) throws -> FinishedProgram {
        try ProgramUnderTest.run("pos-hub", arguments + ["--json"], environment: shop.settings)
    }

    @Test("A day without the hub: X and Z are the journal's sums, the hub confirms them, anybody checks it")
    func day() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.killHub()
        #expect(try shop.pos("shift", "report", "--json").errorCode == "shift_not_open")
        #expect(
            try shop.pos("shift", "cash", "in", "5", "--reason", "coins", "--json").errorCode
                == "shift_not_open")
        let opened = try shop.document("shift", "open", "--float", "20000")
        #expect(opened["state"] == "open" && opened["cash"]?["expected"] == 20_000)
        #expect(
            try shop.pos("shift", "open", "--float", "1", "--json").errorCode == "shift_open_already")
        let id = try #require(opened["shiftId"]?.string)

        var sold: [JSONValue] = []
        for lines in 1...4 { sold.append(try sell(lines, in: shop)) }
        let orders = sold.compactMap { $0["orderId"]?.string }
        let refund = try shop.document(
            "orders", "refund", orders[0], "--line", "\(Self.article):1", "--reason", "dented")
        let back = try #require(refund["total"]?["amount"]?.integer)
        _ = try shop.document("orders", "void", orders[1], "--reason", "wrong")
        _ = try shop.document("shift", "cash", "in", "500", "--reason", "coins")
        _ = try shop.document("shift", "cash", "out", "300", "--reason", "window")
        _ = try shop.document("shift", "cash", "drop", "1000", "--reason", "safe")
        _ = try shop.document("shift", "no-sale", "--reason", "change")
        // What a kill interrupts goes on in the same shift.
        shop.killAgent()
        try shop.startAgent()
        sold.append(try sell(5, in: shop))

        let totals = try sold.map(total)
        let (sum, voided) = (totals.reduce(0, +), totals[1])
        let x = try shop.document("shift", "report")
        #expect(x["shiftId"] == .string(id) && x["state"] == "open")
        #expect(x["sales"] == ["count": 5, "total": .integer(sum)])
        #expect(x["refunds"] == ["count": 1, "total": .integer(back)])
        #expect(x["voids"] == ["count": 1, "total": .integer(voided)])
        let cash = sum - back - voided
        #expect(
            x["tenders"] == [["method": "cash", "count": 7, "amount": .integer(cash)]],
            "\(x["tenders"] ?? .null)")
        let expected = 20_000 + cash + 500 - 300 - 1_000
        #expect(x["cash"]?["expected"] == .integer(expected))
        let z = try shop.document("shift", "close", "--counted", "\(expected - 7)")
        #expect(z["state"] == "provisional" && (z["statement"] ?? .null) == .null)
        #expect(
            z["cash"] == [
                "expected": .integer(expected), "counted": .integer(expected - 7), "difference": -7,
            ])
        for figure in ["sales", "refunds", "voids", "tenders", "taxes", "points", "cashMoves", "sequence"] {
            #expect(z[figure] == x[figure], "\(figure)")
        }
        #expect(z["report"]?.string?.contains("Z REPORT") == true)
        #expect(try shop.pos("shift", "close", "--counted", "1", "--json").errorCode == "shift_not_open")

        try shop.startHub()
        _ = try shop.document("sync", "now")
        try shop.waitUntil("the shift is confirmed", within: 30) { _ in
            try shop.document("shift", "show", id)["state"] == "confirmed"
        }
        try check(id, against: z, in: shop)
        _ = try shop.document("shift", "open", "--float", "0")
        _ = try shop.document("shift", "cash", "in", "5", "--reason", "coins")
        let list = try shop.document("shift", "list")["shifts"]?.array ?? []
        #expect(list.map { $0["state"] } == ["open", "confirmed"])
        #expect(list.first?["cash"]?["expected"] == 5)
        #expect(list.first?["cashMoves"] == (try shop.document("shift", "report")["cashMoves"]))
    }

    @Test("What cannot be right is refused with what to do, and the shift stays open")
    func refused() throws {
        let shop = try ShopUnderTest()
        _ = try shop.document("sync", "now")
        _ = try shop.document("shift", "open", "--float", "0")
        for others in [["cash:7"], ["gold:5"], [":5"], [String(repeating: "m", count: 5_000) + ":1"]] {
            let arguments = others.flatMap { ["--by", $0] }
            let end = try shop.pos(["shift", "close", "--counted", "0"] + arguments + ["--json"])
            #expect(end.exitCode == 2, "\(others)")
            let codes = ["unknown_payment_method", "text_too_long"]
            #expect(others == [":5"] || codes.contains(end.errorCode ?? ""), "\(others)")
        }
        for id in ["", "../sales", "a b", "nope"] {
            let end = try shop.pos("shift", "show", id, "--json")
            #expect(end.exitCode == 1 && end.errorCode == "unknown_shift", "\(id): \(end.errors)")
        }
        #expect(try shop.pos("orders", "search", "--from", "2026-02-30", "--json").exitCode == 2)
        #expect(try shop.document("shift", "report")["state"] == "open")
    }

    /// The statement of a confirmed shift says what the report says, and holds offline, at till and hub.
    private func check(_ id: String, against z: JSONValue, in shop: ShopUnderTest) throws {
        let shift = try shop.document("shift", "show", id)
        let statement = try #require(shift["statement"])
        #expect(statement["gap"] == 0 && statement["sold"] == statement["received"])
        #expect(statement["head"] == z["head"] && statement["sums"]?["tenders"] == z["tenders"])
        #expect(statement["sums"]?["sales"] == z["sales"])
        let kept = try shop.posHub("shifts", "show", id)
        #expect(kept["state"] == "confirmed" && kept["statements"]?.array?.first == statement)
        #expect(try shop.posHub("shifts", "list")["shifts"]?.array?.count == 1)

        let keys = try write(try shop.posHub("key", "list"), as: "keys.json", in: shop)
        shop.killHub()
        let file = try write(statement, as: "statement.json", in: shop)
        #expect(try shop.document("shift", "verify", file)["keyId"] == statement["keyId"])
        #expect(try exit(shop, ofHub: ["statement", "verify", file, "--public-keys", keys]).exitCode == 0)
        #expect(try exit(shop, ofHub: ["statement", "verify", file] + shop.storeArguments).exitCode == 0)
        var changed = try #require(statement.object)
        changed["received"] = .integer(try #require(statement["received"]?.integer) + 1)
        let forged = try write(.object(changed), as: "forged.json", in: shop)
        let refused = try shop.pos("shift", "verify", forged, "--json")
        #expect(refused.exitCode == 1 && refused.errorCode == "statement_invalid")
        #expect(try exit(shop, ofHub: ["statement", "verify", forged, "--public-keys", keys]).exitCode == 1)
        // A document whose figures were changed to fit each other, and a true statement in another document.
        var document = try #require(shift.object)
        document["report"] = nil
        let whole = try write(.object(document), as: "shift.json", in: shop)
        #expect(try shop.document("shift", "verify", whole)["keyId"] == statement["keyId"])
        var sums = try #require(statement["sums"]?.object)
        let sales: JSONValue = ["count": 5, "total": 1]
        sums["sales"] = sales
        document["sales"] = sales
        changed = try #require(statement.object)
        changed["sums"] = .object(sums)
        document["statement"] = .object(changed)
        let fitted = try write(.object(document), as: "fitted.json", in: shop)
        document = try #require(shift.object)
        document["shiftId"] = "01M855GHNHJ2S0SK29FY3MVTFF"
        let pasted = try write(.object(document), as: "pasted.json", in: shop)
        let other = try ShopUnderTest()
        let strange = try write(try other.posHub("key", "list"), as: "strange.json", in: shop)
        // The key of another name, and those of before and behind a rotation.
        changed = try #require(statement.object)
        changed["keyId"] = "signing-0000000000000000"
        let unknown = try write(.object(changed), as: "unknown.json", in: shop)
        for wrong in [fitted, pasted, unknown] {
            #expect(
                try shop.pos("shift", "verify", wrong, "--json").errorCode == "statement_invalid", "\(wrong)")
            let end = try exit(shop, ofHub: ["statement", "verify", wrong, "--public-keys", keys])
            #expect(end.exitCode == 1, "\(wrong)")
        }
        #expect(
            try exit(shop, ofHub: ["statement", "verify", whole, "--public-keys", strange]).exitCode == 1)
        let rotated = try shop.posHub("key", "rotate", "--kind", "signing")["keys"]?.array ?? []
        let new = try #require(rotated.first { $0["id"]?.string?.hasPrefix("signing-") == true })
        let late = try write(["keys": [new]], as: "late.json", in: shop)
        #expect(try exit(shop, ofHub: ["statement", "verify", whole, "--public-keys", late]).exitCode == 1)
        changed["keyId"] = new["id"]
        let renamed = try write(.object(changed), as: "renamed.json", in: shop)
        let all = try write(try shop.posHub("key", "list"), as: "all.json", in: shop)
        #expect(try exit(shop, ofHub: ["statement", "verify", renamed, "--public-keys", all]).exitCode == 1)
        // What a key signed before its rotation stays true.
        #expect(try exit(shop, ofHub: ["statement", "verify", whole, "--public-keys", all]).exitCode == 0)
        try shop.startHub()
    }

    @Test("Where shifts are required, a till without an open one does not sell")
    func required() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent(with: ["POS_SHIFT_REQUIRED": "on"])
        let refused = try shop.pos("sell", "--line", "\(Self.article):1", "--json")
        #expect(refused.exitCode == 1 && refused.errorCode == "shift_required")
        _ = try shop.document("shift", "open", "--float", "0")
        _ = try sell(1, in: shop)
        _ = try shop.document("shift", "close", "--counted", "0")
        #expect(
            try shop.pos("sell", "--line", "\(Self.article):1", "--json").errorCode == "shift_required")
    }
}
