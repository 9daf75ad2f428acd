import Foundation
import GRDB
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
    ///
    /// - Parameter prepare: while the hub is there, before the sale.
    private func tillsAlone(
        _ prepare: (SwitchedShop, [SeeingTill]) throws -> Void = { _, _ in }
    ) throws -> (SwitchedShop, [SeeingTill], ids: [String], known: String) {
        let switched = try SwitchedShop()
        try switched.open()
        let tills = try (0..<3).map { _ in try switched.till().1 }
        for _ in 0..<2 { for till in tills { _ = try till.document("sync", "now") } }
        for till in tills { try till.sees("two others", within: 40) { $0.neighbours("reachable") == 2 } }
        try prepare(switched, tills)
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
        // In its first seconds a till claims and grants nothing (`NeighbourLimits.startCheck`).
        let cart = try park("first", at: one)
        for till in [two, three] {
            try switched.shop.eventually("rights are granted", within: 40) {
                try till.run("cart", "take", cart, "--json").exitCode == 0
            }
            _ = try till.document("cart", "park", "--key", cart, "--line", Self.tea.barcode + ":1")
        }

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

    @Test("In a store with cashiers an approval is needed as ever, whether the seller decides or is gone")
    func approvals() throws {
        let (switched, tills, ids, known) = try tillsAlone { switched, tills in
            _ = try switched.shop.posHub(
                "store-config", "set", "--store-id", "S1", "account.approvals=void",
                "refund.withoutOrder.perRefund=\(Self.tea.price)")
            try signIn(at: tills, of: switched)
        }
        let (one, two, three) = (tills[0], tills[1], tills[2])
        func refund(_ code: String, _ pieces: Int, at till: SeeingTill, approved: Bool) throws -> JSONValue {
            let words = ["--receipt-code", code, "--line", "\(Self.tea.barcode):\(pieces)", "--json"]
            let approver = approved ? ["--approver", "ben", "--approver-pin-stdin"] : []
            return try till.run(
                ["orders", "refund"] + words + approver, input: approved ? ["48261357"] : []
            ).document()
        }
        // In its first seconds a till claims and grants nothing (`NeighbourLimits.startCheck`).
        let cart = try park("first", at: one)
        try switched.shop.eventually("rights are granted", within: 40) {
            try two.run("cart", "take", cart, "--json").exitCode == 0
        }
        let code = try receipt(at: one)
        let alone = try refund(code, 1, at: two, approved: false)
        #expect(
            alone["error"]?["code"] == "approval_required" && alone["error"]?["action"] == "refund",
            "\(alone)")
        let made = try refund(code, 1, at: two, approved: true)
        #expect(made["arbiter"] == "seller" && made["approverId"] == "ben", "\(made)")
        // What was refused for want of an approval is not spent, and what the store limits is not either.
        let above = try refund(known, 2, at: two, approved: false)
        #expect(
            above["error"]?["code"] == "approval_required" && above["error"]?["action"] == "refundLimit",
            "\(above)")
        #expect(try refund(code, 1, at: three, approved: true)["arbiter"] == "seller")

        one.kill()
        try FileManager.default.removeItem(atPath: one.home)
        for till in [two, three] {
            try till.sees("a silent till", within: 90) { $0.neighbours("silent") == 1 }
        }
        let gone = try refund(known, 1, at: three, approved: false)
        #expect(gone["error"]?["code"] == "approval_required", "\(gone)")
        let paid = try refund(known, 1, at: three, approved: true)
        #expect(paid["arbiter"] == "none" && paid["approverId"] == "ben", "\(paid)")
        #expect(paid["unseen"]?.array?.compactMap(\.string) == [ids[0]], "\(paid)")
    }

    @Test("A till that reaches the hub lets it decide for one that does not")
    func hubDecides() throws {
        let switched = try SwitchedShop()
        try switched.open()
        let tills = try (0..<2).map { _ in try switched.till().1 }
        for _ in 0..<2 { for till in tills { _ = try till.document("sync", "now") } }
        for till in tills { try till.sees("the other", within: 40) { $0.neighbours("reachable") == 1 } }
        let (one, two) = (tills[0], tills[1])
        let sale = try one.document("sell", "--line", Self.tea.barcode + ":30")
        let code = try #require(sale["receiptCode"]?.string)
        try switched.shop.eventually("the sale at the hub", within: 30) {
            try one.document("status")["outbox"]?["pending"] == 0
        }
        // In its first seconds a till claims and grants nothing (`NeighbourLimits.startCheck`).
        let cart = try park("first", at: one)
        try switched.shop.eventually("rights are granted", within: 40) {
            try two.run("cart", "take", cart, "--json").exitCode == 0
        }
        _ = try two.document("offline", "on", "--reason", "the line is repaired")
        // A hub that takes longer than half a claim's time leaves the decision to the seller.
        var made: JSONValue = [:]
        for _ in 0..<20 where made["arbiter"] != "hub" { made = try refund(code, 1, at: two) }
        #expect(made["arbiter"] == "hub", "\(made)")
        #expect(made["unseen"] == nil || made["unseen"] == .null, "\(made)")
    }

    @Test("A void is known to the others without the hub and without the till that made it")
    func voids() throws {
        let (switched, tills, _, _) = try tillsAlone()
        let (one, two) = (tills[0], tills[1])
        let sale = try one.document("sell", "--line", Self.tea.barcode + ":2")
        let number = try #require(sale["orderNumber"]?.string)
        _ = try one.document("orders", "void", number)
        // The note of the second cart is behind that of the void.
        for name in ["first", "second"] { try lists(park(name, at: one), at: two, of: switched) }
        try switched.setIsolated(true)
        try two.sees("nobody", within: 60) { $0.neighbours("reachable") == 0 }
        let code = try #require(sale["receiptCode"]?.string)
        #expect(try refund(code, 1, at: two)["error"]?["code"] == "refund_exceeds_sale")
        #expect(try one.document("orders", "granted")["granted"] == [])
        #expect(try one.document("orders", "take-back", number)["error"]?["code"] == "unknown_grant")
    }

    // MARK: Leases

    /// Points that a till spent of a member; 0 where they are not there.
    private func spend(_ points: Int64, at till: SeeingTill) throws -> Int64 {
        let end = try till.run(
            "sell", "--member", "M1", "--points", "\(points)", "--line", Self.tea.barcode + ":90", "--json")
        let document = try end.document()
        guard end.exitCode == 0 else {
            #expect(document["error"]?["code"] == "points_unavailable", "\(document)")
            return 0
        }
        #expect(document["points"]?["spent"] == .integer(points), "\(document)")
        return points
    }

    private func leases(_ switched: SwitchedShop) throws -> [JSONValue] {
        try switched.shop.posHub("leases", "list")["leases"]?.array ?? []
    }

    @Test("Without the hub a till spends points that were lent to another one, and nobody spends them twice")
    func points() throws {
        let (switched, tills, ids, _) = try tillsAlone { switched, tills in
            _ = try switched.shop.posHub(
                "store-config", "set", "--store-id", "S1", "points.earnEveryMinor=100000",
                "points.valueMinor=1")
            try switched.shop.importRows(.members, "M1,13800138000,Li,1000,")
            for _ in 0..<2 { for till in tills { _ = try till.document("sync", "now") } }
        }
        let (one, two, three) = (tills[0], tills[1], tills[2])
        let lent = try ids.map { id in
            try leases(switched).reduce(Int64(0)) {
                $0 + ($1["terminalId"]?.string == id ? $1["left"]?.integer ?? 0 : 0)
            }
        }
        #expect(lent.allSatisfy { $0 > 100 }, "\(lent)")
        // Two halves: only the first till can give the second one anything.
        try switched.setApart([switched.places[2]])
        try three.sees("nobody", within: 60) { $0.neighbours("reachable") == 0 }
        for till in [one, two] { try till.sees("one other", within: 60) { $0.neighbours("reachable") == 1 } }
        var spent: Int64 = 0
        // In its first seconds a till claims and grants nothing (`NeighbourLimits.startCheck`).
        try switched.shop.eventually("points of another till", within: 40) {
            spent += try spend(lent[1] + 100, at: two)
            return spent > 0
        }
        #expect(try spend(lent[2] + 1, at: three) == 0)
        spent += try spend(lent[2] - 10, at: three)
        one.kill()
        try one.start()
        #expect(try spend(lent[0] - 99, at: one) == 0, "what it gave it does not spend")

        try switched.setApart([])
        for till in tills { try till.sees("two others", within: 90) { $0.neighbours("reachable") == 2 } }
        try switched.shop.eventually("points of the other half", within: 40) {
            let more = try spend(60, at: three)
            spent += more
            return more > 0
        }
        #expect(try spend(lent[0], at: one) == 0)
        let rest = lent.reduce(0, +) - spent
        spent += try spend(rest, at: one)
        #expect(spent == lent.reduce(0, +), "and nothing of it is idle")

        try switched.setHub(there: true)
        try switched.shop.eventually("all of it at the hub", within: 60) {
            try tills.allSatisfy { try $0.document("status")["outbox"]?["pending"] == 0 }
        }
        #expect(try switched.shop.posHub("flags", "list")["flags"] == [])
        let all = try switched.shop.posHub("leases", "list", "--all")["leases"]?.array ?? []
        let parts = all.filter { LeaseRecord.isPart($0["leaseId"]?.string ?? "") }
        #expect(parts.contains { $0["terminalId"]?.string == ids[1] && $0["amount"] == 100 }, "\(parts)")
        // What was given counts with its giver, too.
        let given = parts.reduce(Int64(0)) { $0 + ($1["amount"]?.integer ?? 0) }
        #expect(all.reduce(Int64(0)) { $0 + ($1["used"]?.integer ?? 0) } == spent + given)
    }

    // MARK: Carts

    /// Enrols people at the hub whose tills run, and signs the cashier in at each till.
    private func signIn(at tills: [SeeingTill], of switched: SwitchedShop) throws {
        try switched.shop.importRows(.cashiers, "li,Li,7391,cashier", "ben,Ben,48261357,manager")
        for till in tills {
            _ = try till.document("sync", "now")
            #expect(try till.run("sign-in", "li", "--pin-stdin", input: ["7391"]).exitCode == 0)
        }
    }

    private func park(_ name: String, at till: SeeingTill) throws -> String {
        let parked = try till.document("cart", "park", "--name", name, "--line", Self.tea.barcode + ":2")
        return try #require(parked["cartId"]?.string)
    }

    /// The entry of a cart in a till's list, once `condition` holds of it.
    @discardableResult
    private func lists(
        _ cart: String, at till: SeeingTill, of switched: SwitchedShop,
        _ condition: (JSONValue) -> Bool = { _ in true }
    ) throws -> JSONValue {
        var found: JSONValue?
        try switched.shop.eventually("the cart \(cart) in the list", within: 40) {
            found = try till.document("cart", "list")["carts"]?.array?.first { $0["cartId"]?.string == cart }
            return found.map(condition) ?? false
        }
        return try #require(found)
    }

    private func refusal(_ words: String..., at till: SeeingTill) throws -> JSONValue? {
        try till.run(words + ["--json"]).document()["error"]
    }

    @Test("Without the hub a parked cart is sold at the till that takes it, and not where it was parked")
    func carts() throws {
        let (switched, tills, ids, _) = try tillsAlone()
        let (one, two, three) = (tills[0], tills[1], tills[2])
        let id = try park("red hat", at: one)
        let listed = try lists(id, at: three, of: switched)
        #expect(listed["owner"]?.string == ids[0] && listed["reachable"] == true && listed["count"] == 1)
        #expect(try lists(id, at: one, of: switched)["owner"]?.string == ids[0])
        _ = try one.document("cart", "resume", id)
        #expect(try refusal("cart", "take", id, at: three)?["code"] == "cart_in_use")
        _ = try one.document("cart", "park", "--key", id, "--line", Self.tea.barcode + ":2")

        for _ in 0..<2 {
            let taken = try three.document("cart", "take", id)
            #expect(taken["cartId"]?.string == id && taken["name"] == "red hat", "\(taken)")
            #expect(taken["lines"]?.array?.count == 1)
        }
        // Whatever a power cut takes, the cart is the other till's.
        for isRestarted in [false, true] {
            if isRestarted {
                for till in [one, three] { till.kill() }
                for till in [one, three] { try till.start() }
            }
            for words in [
                ["sell", "--cart", id], ["cart", "resume", id], ["cart", "drop", id, "--reason", "x"],
            ] {
                let error = try one.run(words + ["--json"]).document()["error"]
                #expect(
                    error?["code"] == "cart_granted" && error?["terminalId"]?.string == ids[2], "\(words)")
            }
        }
        let sold = try three.document("sell", "--cart", id)
        #expect(sold["total"]?["amount"]?.integer == Self.tea.price * 2, "\(sold)")
        try switched.shop.eventually("the sale's note", within: 60) {
            try refusal("cart", "take", id, at: two)?["code"] == "cart_sold"
        }
        #expect(try refusal("cart", "take", id, at: three)?["code"] == "cart_sold")
        #expect(try refusal("sell", "--cart", id, at: one)?["code"] == "cart_granted")
    }

    @Test("A cart whose till is silent is copied with an approval; sold at both, all is named")
    func copies() throws {
        let (switched, tills, ids, _) = try tillsAlone { try signIn(at: $1, of: $0) }
        let (one, two, three) = (tills[0], tills[1], tills[2])
        let id = try park("blue coat", at: one)
        try lists(id, at: three, of: switched)
        try switched.shop.eventually("its lines at the other till", within: 20) {
            let kept = try? FileManager.default.contentsOfDirectory(atPath: three.home + "/carts")
            return kept?.contains { $0.hasPrefix(id) } ?? false
        }
        let scarf = try park("red scarf", at: one)
        try lists(scarf, at: two, of: switched)
        // The hub has not said for longer than `neighbours.trustDays` which tills there are.
        two.kill()
        try DatabaseQueue(path: two.home + "/terminal.sqlite").write { database in
            try database.execute(
                sql: "UPDATE facts SET value = ? WHERE name = 'lastPull'",
                arguments: [#"{"lastPullAt":"2026-01-01T00:00:00.000Z"}"#])
        }
        try two.start()
        try two.sees("two others", within: 60) { $0.neighbours("reachable") == 2 }
        #expect(try refusal("cart", "take", scarf, at: two)?["code"] == "approval_required")
        var taken = JSONValue.null
        try switched.shop.eventually("what it gave is known to it", within: 40) {
            taken = try two.run(
                "cart", "copy", scarf, "--approver", "ben", "--approver-pin-stdin", "--json",
                input: ["48261357"]
            ).document()
            return taken["error"]?["code"] != "neighbours_not_ready"
        }
        #expect(taken["cartId"]?.string == scarf, "\(taken)")

        try switched.setIsolated(true)
        for till in tills { try till.sees("nobody", within: 60) { $0.neighbours("reachable") == 0 } }
        let silent = try three.run("cart", "take", id, "--json")
        #expect(silent.exitCode == 75 && silent.errorCode == "owner_silent")
        #expect(try refusal("cart", "copy", id, at: three)?["code"] == "approval_required")
        let copy = try three.run(
            "cart", "copy", id, "--approver", "ben", "--approver-pin-stdin", "--json", input: ["48261357"]
        ).document()
        #expect(copy["copiedFrom"]?.string == id && copy["lines"]?.array?.count == 1, "\(copy)")
        let new = try #require(copy["cartId"]?.string)
        #expect(new != id)
        _ = try three.document("sell", "--cart", new)

        try switched.setIsolated(false)
        for till in tills { try till.sees("two others", within: 90) { $0.neighbours("reachable") == 2 } }
        // Its first till learns of it, and leaves it to a person.
        try switched.shop.eventually("the copy's note", within: 60) {
            let error = try refusal("cart", "resume", id, at: one)
            return error?["code"] == "cart_copied" && error?["terminalId"]?.string == ids[2]
        }
        #expect(try refusal("sell", "--cart", id, at: one)?["code"] == "cart_copied")
        let resumed = try one.run(
            "cart", "resume", id, "--approver", "ben", "--approver-pin-stdin", "--json", input: ["48261357"])
        #expect(resumed.exitCode == 0, "\(resumed.text)")
        _ = try one.document("sell", "--cart", id)
        try switched.setHub(there: true)
        try switched.shop.eventually("the flag of the second sale", within: 60) {
            let flags = try switched.shop.posHub("flags", "list")["flags"]?.array ?? []
            return flags.count { $0["flag"] == "cart_sold_twice" } == 1
        }
    }

    /// Another till's cart, taken onto the screen of a window.
    private func take(_ cart: String, onScreenOf till: SeeingTill) throws -> JSONValue {
        let client = LoopbackClient(.unix(path: till.home + "/agent.sock"))
        return try client.request(
            "POST", "/v1/carts/\(cart)/take",
            headers: ["Pos-Front-End": "01J0000000000000000000000A;counter"]
        ).json()
    }

    @Test("A taker that is killed with the cart on its screen: the cart is copied, and no sale is unnoticed")
    func goneWithTheCart() throws {
        let (switched, tills, ids, _) = try tillsAlone { try signIn(at: $1, of: $0) }
        let (one, two, three) = (tills[0], tills[1], tills[2])
        let id = try park("green hat", at: one)
        try lists(id, at: three, of: switched)
        #expect(try take(id, onScreenOf: three)["cartId"]?.string == id)
        #expect(try three.document("cart", "current")["carts"]?.array?.first?["state"] == "open")
        three.kill()
        // While nobody knows that it is gone, the cart is its own.
        #expect(try refusal("sell", "--cart", id, at: one)?["code"] == "cart_granted")
        for till in [one, two] { try till.sees("a silent till", within: 90) { $0.neighbours("silent") == 1 } }

        #expect(try refusal("cart", "take", id, at: one)?["code"] == "owner_silent")
        let copy = try one.run(
            "cart", "copy", id, "--approver", "ben", "--approver-pin-stdin", "--json", input: ["48261357"]
        ).document()
        #expect(copy["copiedFrom"]?.string == id && copy["lines"]?.array?.count == 1, "\(copy)")
        #expect(try refusal("sell", "--cart", id, at: one)?["code"] == "cart_granted")
        _ = try one.document("sell", "--cart", try #require(copy["cartId"]?.string))

        try three.start()
        try three.sees("two others", within: 90) { $0.neighbours("reachable") == 2 }
        try switched.shop.eventually("the copy's note", within: 60) {
            let error = try refusal("cart", "resume", id, at: three)
            return error?["code"] == "cart_copied" && error?["terminalId"]?.string == ids[0]
        }
        // The window that had it may count as there for some seconds more.
        let unsold = try refusal("sell", "--cart", id, at: three)?["code"]?.string ?? ""
        #expect(["cart_copied", "cart_in_use"].contains(unsold), "\(unsold)")
        let resumed = try three.run(
            "cart", "resume", id, "--approver", "ben", "--approver-pin-stdin", "--json", input: ["48261357"])
        #expect(resumed.exitCode == 0, "\(resumed.text)")
        _ = try three.document("sell", "--cart", id)
        try switched.setHub(there: true)
        try switched.shop.eventually("the flag of the second sale", within: 60) {
            let flags = try switched.shop.posHub("flags", "list")["flags"]?.array ?? []
            return flags.count { $0["flag"] == "cart_sold_twice" } == 1
        }
    }
}
