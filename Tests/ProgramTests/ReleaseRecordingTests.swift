import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// Every version opens what the programs of each release wrote: a till's data folder from the middle of an
/// outage, and the hub's store, of both kinds.
///
/// `REGENERATE_RELEASE=0.1.0` writes `Tests/Recordings/0.1.0` by the programs of today. It is done once, with
/// the release; what a release wrote does not change afterwards.
@Suite("What a release wrote", .onStage, .serialized, .enabled(if: ShiftedClock.compiler != nil))
struct ReleaseRecordingTests {
    private static let recordings = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Recordings")
    private static let written = ProcessInfo.processInfo.environment["REGENERATE_RELEASE"]
    /// The schema's name in a dump.
    private static let schema = "holdfast_recorded_schema"
    private static let tea = Article.assortment[0].barcode
    private static let manager = "98765432"

    /// A release with a kind of store.
    struct Release: CustomStringConvertible {
        let version: String
        let kind: HubStoreKind

        var description: String { "\(version) \(kind)" }
        var folder: URL {
            recordings.appendingPathComponent(version).appendingPathComponent(kind.rawValue.lowercased())
        }
    }

    private static let releases: [Release] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: recordings.path)) ?? []
        return names.filter { $0.first?.isNumber == true }.sorted().flatMap { version in
            HubStoreKind.allCases.map { Release(version: version, kind: $0) }
        }
    }()

    @Test("opens, drains once, and goes on", arguments: releases)
    func opens(_ release: Release) throws {
        guard release.kind == .sqlite || PostgresServer.isAvailable else { return }
        let expected = try JSONParser.parse(
            [UInt8](Data(contentsOf: release.folder.appendingPathComponent("expected.json"))))
        let shop = try restored(release, at: try #require(expected["at"]?.integer))
        #expect(try Self.orders(of: shop) == expected["orders"]?.array)
        #expect(try shop.document("note", "list")["notes"]?.array?.count == 1)
        #expect(try shop.audit().orders == expected["received"]?.integer)
        let cart = try #require(
            try shop.document("cart", "list")["carts"]?.array?.first?["cartId"]?.string)

        try shop.startAgent()
        try shop.waitUntilDrained(within: 40)
        let orders = try #require(expected["orders"]?.array)
        #expect(try shop.audit().orders == Int64(orders.count))
        #expect(try shop.audit().isComplete)
        #expect(try shop.pos("sign-in", "c1", "--pin-stdin", "--json", input: ["1234"]).exitCode == 0)
        // A sale of the morning comes back, the cart is sold, and the drawer is counted by all of it.
        let approval = ["--approver", "m1", "--approver-pin-stdin", "--json"]
        let first = try #require(orders.last?["orderId"]?.string)
        let refund = try shop.pos(
            ["orders", "refund", first, "--line", "\(Self.tea):1", "--reason", "dented"] + approval,
            input: [Self.manager])
        #expect(refund.exitCode == 0, "\(refund)")
        _ = try shop.document("sell", "--cart", cart)
        let z = try shop.document("shift", "close", "--counted", "1")
        #expect(z["sales"]?["count"] == .integer(Int64(orders.count) + 1))
        try shop.waitUntilDrained(within: 40)
        #expect(try shop.audit().isComplete)
        #expect(try shop.audit().orders == Int64(orders.count) + 1)
    }

    @Test("is recorded", .enabled(if: written != nil), arguments: HubStoreKind.allCases)
    func record(_ kind: HubStoreKind) throws {
        let release = Release(version: try #require(Self.written), kind: kind)
        let place = kind == .sqlite ? nil : try PostgresServer.shared.get().freshSchema()
        let shop = try ShopUnderTest(serving: ["--payments", "simulator:approve"], store: place)
        try trade(in: shop)
        let expected: JSONValue = [
            "at": .integer(Int64(Date().timeIntervalSince1970 * 1000)),
            "orders": .array(try Self.orders(of: shop)), "received": .integer(4),
        ]
        let files = FileManager.default
        try? files.removeItem(at: release.folder)
        try files.createDirectory(
            at: release.folder.appendingPathComponent("till"), withIntermediateDirectories: true)
        try expected.canonicalText.write(
            to: release.folder.appendingPathComponent("expected.json"), atomically: true, encoding: .utf8)
        for (name, data) in try shop.homeContents() where name != "reserve" && !name.contains("/") {
            try data.write(to: release.folder.appendingPathComponent("till/" + name))
        }
        for name in try files.contentsOfDirectory(atPath: shop.folder.url.path).sorted()
        where name.hasPrefix("hub.sqlite") && !["lock", "sock", "shm"].contains(where: name.hasSuffix) {
            try Data(contentsOf: URL(fileURLWithPath: shop.folder.path(name)))
                .write(to: release.folder.appendingPathComponent(name))
        }
        guard let place, let name = place.split(separator: "D").last else { return }
        let dump = try Command.run(["pg_dump", "--inserts", "--no-owner", "--schema=\(name)", place])
        // What only the dump's own version of the server understands.
        let lines = dump.split(separator: "\n").filter { !$0.hasPrefix("SET ") && !$0.hasPrefix("\\") }
        try lines.joined(separator: "\n").replacing(String(name), with: Self.schema)
            .write(to: release.folder.appendingPathComponent("hub.sql"), atomically: true, encoding: .utf8)
    }

    /// A morning with the hub, then an outage with two sales, a note and a cart; all programs have ended.
    private func trade(in shop: ShopUnderTest) throws {
        try shop.importRows(.cashiers, "c1,Li,1234,cashier", "m1,Wu,\(Self.manager),manager")
        try shop.importRows(.members, "M1,13800138000,Li,1000,")
        try shop.posHub(
            "store-config", "set", "--store-id", "S1", "points.earnEveryMinor=100", "points.valueMinor=1")
        _ = try shop.document("sync", "now")
        try shop.startAgent()
        try shop.waitUntilReachable()
        #expect(try shop.pos("sign-in", "c1", "--pin-stdin", "--json", input: ["1234"]).exitCode == 0)
        _ = try shop.document("shift", "open", "--float", "20000")
        _ = try shop.document("sell", "--line", "\(Self.tea):3", "--pay", "cash:5000")
        _ = try shop.document("sell", "--line", Self.tea, "--pay", "card")
        _ = try shop.document("sell", "--line", Self.tea, "--member", "M1")
        _ = try shop.document("sell", "--line", "\(Self.tea):2")
        try shop.waitUntilDrained()
        shop.hub?.terminate()
        _ = shop.hub?.exitCode()
        _ = try shop.document("sell", "--line", Self.tea)
        _ = try shop.document("sell", "--line", "\(Self.tea):2", "--member", "M1")
        _ = try shop.document("note", "add", "the lamp at the door")
        _ = try shop.document("cart", "park", "--name", "wallet", "--line", Self.tea)
        shop.agent?.terminate()
        _ = shop.agent?.exitCode()
    }

    /// A shop of the recorded files, an hour after they were written.
    private func restored(_ release: Release, at moment: Int64) throws -> ShopUnderTest {
        let shop = try ShopUnderTest(unstarted: .hurried)
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: release.folder.path)
        where name == "till" || name.hasPrefix("hub.sqlite") {
            try files.copyItem(
                atPath: release.folder.appendingPathComponent(name).path, toPath: shop.folder.path(name))
        }
        // A checkout of the repository gives everybody the right to read.
        try Command.run(["chmod", "-R", "go=", shop.folder.url.path])
        if release.kind == .postgresql {
            let place = try PostgresServer.shared.get().freshSchema()
            let name = try #require(place.split(separator: "D").last.map(String.init))
            let dump = try String(
                contentsOf: release.folder.appendingPathComponent("hub.sql"), encoding: .utf8)
            try PostgresServer.shared.get().sql("DROP SCHEMA \(name)")
            let file = shop.folder.path("hub.sql")
            try dump.replacing(Self.schema, with: name).write(
                toFile: file, atomically: true, encoding: .utf8)
            try Command.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", file, place])
            shop.store = place
        }
        let later = Int(moment / 1000) + 3600 - Int(Date().timeIntervalSince1970)
        let clock = try ShiftedClock(in: shop.folder).settings(shiftedBy: later)
        shop.serveArguments = ["--payments", "simulator:approve"]
        try shop.startHub(with: clock)
        shop.settings = shop.settings.with(clock).with([
            "POS_HUB_URL": shop.hubURL, "POS_HUB_ALLOW_INSECURE": "true",
        ])
        return shop
    }

    private static func orders(of shop: ShopUnderTest) throws -> [JSONValue] {
        try shop.orders().map { order in
            [
                "orderId": order["orderId"] ?? .null, "orderNumber": order["orderNumber"] ?? .null,
                "total": order["total"] ?? .null,
            ]
        }
    }
}
