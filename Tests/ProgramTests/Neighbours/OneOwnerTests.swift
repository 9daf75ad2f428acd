import Foundation
import HubProtocol
import TestKit
import Testing

/// Tills whose hub is away, and rights that one of them has.
@Suite(
    "The right with one owner, played", .onStage,
    .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
struct OneOwnerTests {
    private static let tea = Article.assortment[0]

    /// Three tills that see each other, a receipt of the first one whose sale the hub has, and no hub.
    private func tillsAlone() throws -> (SwitchedShop, [SeeingTill], ids: [String], known: String) {
        let switched = try SwitchedShop()
        try switched.open()
        let tills = try (0..<3).map { _ in try switched.till().1 }
        for _ in 0..<2 { for till in tills { _ = try till.document("sync", "now") } }
        for till in tills { try till.sees("two others", within: 40) { $0.neighbours("reachable") == 2 } }
        let known = try receipt(at: tills[0])
        try switched.shop.eventually("the sale at the hub", within: 30) {
            try tills[0].document("status")["outbox"]?["pending"] == 0
        }
        try switched.setHub(there: false)
        let ids = try tills.map { try #require(try $0.document("status")["terminalId"]?.string) }
        return (switched, tills, ids, known)
    }

    private func receipt(at till: SeeingTill) throws -> String {
        let sale = try till.document("sell", "--line", Self.tea.barcode + ":2")
        return try #require(sale["receiptCode"]?.string)
    }

    private func refund(_ code: String, _ pieces: Int, at till: SeeingTill) throws -> JSONValue {
        try till.document(
            "orders", "refund", "--receipt-code", code, "--line", "\(Self.tea.barcode):\(pieces)")
    }

    @Test("Without the hub a receipt is paid back at one till and refused at the next; apart, all is named")
    func refunds() throws {
        let (switched, tills, ids, known) = try tillsAlone()
        let (one, two, three) = (tills[0], tills[1], tills[2])

        // The till that sold it decides, and subtracts what it granted.
        let code = try receipt(at: one)
        let made = try refund(code, 1, at: two)
        #expect(made["total"]?["amount"]?.integer == Self.tea.price, "\(made)")
        #expect(made["arbiter"] == "seller" && made["unseen"] == [], "\(made)")
        #expect(try refund(code, 2, at: three)["error"]?["code"] == "refund_exceeds_sale")
        let number = try #require(made["orderNumber"]?.string)
        #expect(try one.document("orders", "void", number)["error"]?["code"] == "refunded_already")
        #expect(try refund(code, 1, at: three)["arbiter"] == "seller")
        let again = try refund(code, 1, at: one)["error"]?["code"]?.string ?? ""
        #expect(["nothing_left", "more_than_left"].contains(again), "\(again)")

        // Each by itself goes on by its own rules, and names what it did not reach.
        try switched.setIsolated(true)
        for till in tills { try till.sees("nobody", within: 60) { $0.neighbours("reachable") == 0 } }
        for till in [two, three] {
            let alone = try refund(known, 2, at: till)
            let unseen = Set(alone["unseen"]?.array?.compactMap(\.string) ?? [])
            let others = Set(ids.filter { $0 != ids[till === two ? 1 : 2] })
            #expect(alone["arbiter"] == "none" && unseen == others, "\(alone)")
        }
        try switched.setIsolated(false)
        for till in tills { try till.sees("two others", within: 90) { $0.neighbours("reachable") == 2 } }
        try switched.setHub(there: true)
        try switched.shop.eventually("the second refund's flag", within: 60) {
            let flags = try switched.shop.posHub("flags", "list")["flags"]?.array ?? []
            return flags.count { $0["flag"] == "refund_repeated" } == 1
        }
    }
}
