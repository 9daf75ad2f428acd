import Foundation
import HubProtocol
import TestKit
import Testing

/// Members whom tills make without the hub, by the built programs.
@Suite("Members whom tills make", .onStage)
struct NewMemberTests {
    private static let article = Article.assortment[0].barcode

    private func points(of member: String, _ shop: ShopUnderTest) throws -> Int64? {
        let (till, client) = try shop.scriptedTill()
        let response = try client.request("GET", Routes.members + "/" + member, headers: till.headers)
        return response.status == 200 ? try response.json()["points"]?.integer : nil
    }

    @Test("Two tills without the hub make one person; both sell at once, and the hub has one balance")
    func merged() throws {
        let shop = try ShopUnderTest()
        _ = try shop.posHub("store-config", "set", "--store-id", "S1", "points.earnEveryMinor=1")
        _ = try shop.document("sync", "now")
        let other = try OtherTill(shop)
        try other.sync()
        shop.killHub()
        let here = try shop.document("member", "add", "--phone", "+86 139 1234 5678", "--name", "Li")
        let there = try other.document("member", "add", "--phone", "13912345678", "--name", "Li Na")
        #expect(here["created"] == true && there["created"] == true)
        // Once more is the same one.
        let again = try shop.document("member", "add", "--phone", "13912345678", "--name", "L")
        #expect(again["created"] == false && again["memberId"] == here["memberId"])
        let line = Self.article + ":3"
        let first = try shop.document("sell", "--line", line, "--member", "13912345678")
        let second = try other.document("sell", "--line", line, "--member", "13912345678")
        let earned = [first, second].compactMap { $0["points"]?["earned"]?.integer }
        #expect(earned.count == 2 && earned.allSatisfy { $0 > 0 })
        try shop.startHub()
        _ = try shop.document("sync", "now")
        try other.sync()
        let (mine, theirs) = (here["memberId"]?.string ?? "", there["memberId"]?.string ?? "")
        #expect(try points(of: mine, shop) == earned.reduce(0, +))
        #expect(try points(of: theirs, shop) == earned.reduce(0, +))
        let flags = try shop.posHub("flags", "list")["flags"]?.array ?? []
        #expect(flags.map { $0["flag"] } == ["member_merged"])
        // The other till learns who its member is.
        try other.sync()
        shop.killHub()
        let later = try other.document("sell", "--line", line, "--member", theirs)
        let receipt = later["receipt"]?.string ?? ""
        #expect(receipt.contains(mine) && !receipt.contains(theirs))
        try shop.startHub()
        try other.sync()
        #expect(
            try points(of: mine, shop) == earned.reduce(0, +) + (later["points"]?["earned"]?.integer ?? 0))
    }

    @Test("What cannot be a member is refused with what to do, in one line")
    func refused() throws {
        let shop = try ShopUnderTest()
        for (phone, name, code) in [
            ("12", "Li", "phone_invalid"), ("13912345678", " ", "name_invalid"),
            ("13912345678", "4111 1111 1111 1111", "card_number_refused"),
        ] {
            let end = try shop.pos(["member", "add", "--phone", phone, "--name", name, "--json"])
            #expect(end.exitCode == 2 && end.errorCode == code)
        }
        #expect(try shop.document("sync", "status")["pending"] == 0)
    }
}
