import Base
import Foundation
import Glibc
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

    @Test("0.1.0 is on record, with both kinds of store")
    func isOnRecord() {
        for kind in HubStoreKind.allCases {
            let release = Self.releases.first { $0.version == "0.1.0" && $0.kind == kind }
            for name in ["expected.json", "till/terminal.sqlite", kind == .sqlite ? "hub.sqlite" : "hub.sql"]
            {
                let path = release?.folder.appendingPathComponent(name).path ?? ""
                #expect(FileManager.default.fileExists(atPath: path), "\(kind): \(name)")
            }
        }
    }

    @Test("opens, drains once, and goes on", .enabled(if: written == nil), arguments: releases)
    func opens(_ release: Release) throws {
        guard release.kind == .sqlite || PostgresServer.isAvailable else { return }
        let expected = try JSONParser.parse(
            [UInt8](Data(contentsOf: release.folder.appendingPathComponent("expected.json"))))
        let shop = try restored(release, at: try #require(expected["at"]?.integer))
        let till = ReleaseContent.differences(try ReleaseContent.till(of: shop), from: expected["till"])
        let hub = ReleaseContent.differences(try ReleaseContent.hub(of: shop), from: expected["hub"])
        #expect(till + hub == [], "\(till + hub)")

        try shop.startAgent()
        try shop.waitUntilDrained(within: 40)
        let orders = try #require(expected["till"]?["orders"]?.array)
        #expect(try shop.audit().orders == Int64(orders.count))
        #expect(try shop.audit().missing == [] && shop.audit().chain == "intact")
        #expect(try shop.audit().json["refused"]?["orders"] == 0, "the hub has the edited sale")
        #expect(try shop.posHub("attachments", "list")["attachments"]?.array?.count == 2)
        try goOn(in: shop, after: expected, orders: orders)
    }

    /// A sale of the morning comes back, the cart is sold under the number that follows, and the drawer is
    /// counted by all of it.
    private func goOn(in shop: ShopUnderTest, after expected: JSONValue, orders: [JSONValue]) throws {
        #expect(try shop.pos("sign-in", "c1", "--pin-stdin", "--json", input: ["1234"]).exitCode == 0)
        let open = try #require(expected["till"]?["shifts"]?.array?.first { $0["state"] == "open" })
        let sold = try #require(open["sales"]?["count"]?.integer)
        // The newest sales are the open shift's, and the oldest of these was made with the hub.
        let first = try #require(orders[Int(sold) - 1]["orderId"]?.string)
        try Self.approved(shop, "orders", "refund", first, "--line", "\(Self.tea):1", "--reason", "dented")
        let carts = try #require(expected["till"]?["carts"]?.array)
        let cart = try #require(carts.first?["cartId"]?.string)
        let sale = try shop.document("sell", "--cart", cart)
        #expect(sale["total"] == carts.first?["total"])
        // `S1-1-20261126-0007`.
        func number(_ sale: JSONValue?) throws -> (day: Substring, counter: Int) {
            let parts = try #require(sale?["orderNumber"]?.string).split(separator: "-")
            return (parts[2], try #require(Int(parts[3])))
        }
        let (last, next) = (try number(orders.first), try number(sale))
        #expect(
            next.counter == (next.day == last.day ? last.counter + 1 : 1),
            "an upgrade in place skips no number")
        let z = try shop.document("shift", "close", "--counted", "1")
        #expect(z["sales"]?["count"] == .integer(sold + 1))
        func points(_ document: JSONValue?) -> Int64? { document?["points"]?["earned"]?.integer }
        #expect(points(z) == (points(open) ?? 0) + (points(sale) ?? 0))
        #expect(z["points"]?["spent"] == open["points"]?["spent"])
        try shop.waitUntilDrained(within: 40)
        #expect(try shop.audit().missing == [] && shop.audit().chain == "intact")
        #expect(try shop.audit().orders == Int64(orders.count) + 1)
        try shop.waitUntil("the shift is confirmed", within: 40) { _ in
            try shop.document("shift", "show", z["shiftId"]?.string ?? "")["state"] == "confirmed"
        }
    }

    @Test("is recorded", .enabled(if: written != nil), arguments: HubStoreKind.allCases)
    func record(_ kind: HubStoreKind) throws {
        let release = Release(version: try #require(Self.written), kind: kind)
        let place = kind == .sqlite ? nil : try PostgresServer.shared.get().freshSchema()
        let shop = try ShopUnderTest(.front, serving: ["--payments", "simulator:approve"], store: place)
        try trade(in: shop)
        let expected: JSONValue = [
            "at": .integer(Int64(Date().timeIntervalSince1970 * 1000)),
            "till": try ReleaseContent.till(of: shop), "hub": try ReleaseContent.hub(of: shop),
        ]
        let files = FileManager.default
        try? files.removeItem(at: release.folder)
        try files.createDirectory(at: release.folder, withIntermediateDirectories: true)
        try expected.canonicalText.write(
            to: release.folder.appendingPathComponent("expected.json"), atomically: true, encoding: .utf8)
        for (name, data) in try shop.homeContents() where name != "reserve" {
            let file = release.folder.appendingPathComponent("till/" + name)
            try files.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file)
        }
        for name in try files.contentsOfDirectory(atPath: shop.folder.url.path).sorted()
        where name.hasPrefix("hub.sqlite") && !["lock", "sock", "shm"].contains(where: name.hasSuffix) {
            try files.copyItem(
                atPath: shop.folder.path(name), toPath: release.folder.appendingPathComponent(name).path)
        }
        guard let place, let name = place.split(separator: "D").last else { return }
        let dump = try Command.run(["pg_dump", "--inserts", "--no-owner", "--schema=\(name)", place])
        // What only the dump's own version of the server understands.
        let lines = dump.split(separator: "\n").filter { !$0.hasPrefix("SET ") && !$0.hasPrefix("\\") }
        try lines.joined(separator: "\n").replacing(String(name), with: Self.schema)
            .write(to: release.folder.appendingPathComponent("hub.sql"), atomically: true, encoding: .utf8)
    }

    /// A command of the till that the manager approves.
    @discardableResult
    private static func approved(_ shop: ShopUnderTest, _ arguments: String...) throws -> JSONValue {
        let end = try shop.pos(
            arguments + ["--approver", "m1", "--approver-pin-stdin", "--json"], input: [Self.manager])
        guard end.exitCode == 0 else { throw ShopError.commandFailed(arguments, end) }
        return try end.document()
    }

    /// A shift with the hub, and another one in which the hub goes away; all programs have ended.
    private func trade(in shop: ShopUnderTest) throws {
        try shop.importRows(.cashiers, "c1,Li,1234,cashier", "m1,Wu,\(Self.manager),manager")
        try shop.importRows(.members, "M1,13800138000,Li,1000,")
        try shop.posHub(
            "store-config", "set", "--store-id", "S1", "points.earnEveryMinor=100", "points.valueMinor=1",
            "offlineCard.perSale=9000", "offlineCard.perShift=90000", "offlineCard.perTerminal=90000",
            "offlineCard.perStore=90000",
            #"tenders=[{"method":"cash","kind":"cash"},{"method":"card","kind":"card"},"#
                + #"{"method":"gift","kind":"voucher","refundable":false}]"#)
        _ = try shop.document("sync", "now")
        try shop.startAgent()
        try shop.waitUntilReachable()
        #expect(try shop.pos("sign-in", "c1", "--pin-stdin", "--json", input: ["1234"]).exitCode == 0)
        try tradeOnline(in: shop)
        try tradeOffline(in: shop)
        shop.agent?.terminate()
        _ = shop.agent?.exitCode()
    }

    /// Every tender, goods that come back to cash and card, a void, a note with a file, an alarm of the hub,
    /// and a shift that is closed.
    private func tradeOnline(in shop: ShopUnderTest) throws {
        _ = try shop.document("shift", "open", "--float", "20000")
        let cash = try shop.document("sell", "--line", "\(Self.tea):3", "--pay", "cash:5000")
        let card = try shop.document("sell", "--line", "\(Self.tea):2", "--pay", "card")
        let wrong = try shop.document("sell", "--line", Self.tea, "--member", "M1")
        _ = try shop.document(
            "sell", "--line", "\(Self.tea):4", "--member", "M1", "--points", "100", "--pay", "gift:500:V-1",
            "--pay", "cash")
        _ = try shop.document(
            "sell", "--line", Self.tea, "--pay", "gift:1250:V-1", "--voucher-confirmed")
        for sale in [cash, card] {
            try Self.approved(
                shop, "orders", "refund", try #require(sale["orderId"]?.string), "--line",
                "\(Self.tea):1", "--reason", "dented")
        }
        try Self.approved(
            shop, "orders", "void", try #require(wrong["orderId"]?.string), "--reason", "wrong article")
        // A text: the front before the hub reads bodies as texts.
        let photo = shop.folder.path("lamp.txt")
        try String(repeating: "a photo ", count: 300).write(toFile: photo, atomically: true, encoding: .utf8)
        _ = try shop.document("note", "add", "the lamp at the door", "--attach", photo)
        _ = try shop.document("shift", "close", "--counted", "1")
        try shop.waitUntilDrained()
        _ = try shop.document("shift", "open", "--float", "20000")
        _ = try shop.document("sell", "--line", "\(Self.tea):2", "--pay", "card")
        try shop.waitUntilDrained()
    }

    /// A sale that the hub refuses and that is edited without it, a stored card, points of a lease, a file
    /// that waits, and a cart.
    private func tradeOffline(in shop: ShopUnderTest) throws {
        shop.front?.reply { request in
            guard request.isPush, let id = request.mutationIds.first else { return .pass }
            let problem: JSONValue = [
                "type": "urn:pos:problem:x", "title": "No", "status": 422, "code": "invalid_mutation",
                "detail": "The sku is not sold here.", "id": .string(id), "outcome": "rejected",
            ]
            return .response(
                status: 422, headers: ["Content-Type": Problem.contentType], body: problem.canonicalText)
        }
        _ = try shop.document("sell", "--line", Self.tea)
        try shop.waitUntil("a refused sale", within: 20) { $0["outbox"]?["rejected"] == 1 }
        shop.hub?.terminate()
        _ = shop.hub?.exitCode()
        try shop.waitUntil("offline", within: 30) { $0["mode"] == "offline" }
        let refused = try shop.document("sync", "rejected")["items"]?.array?.first
        try Self.approved(
            shop, "sync", "edit", try #require(refused?["id"]?.string), "--set", "lines.0.name=Corrected")
        _ = try shop.document("sell", "--line", Self.tea)
        let card = try shop.document("sell", "--line", Self.tea, "--pay", "card")
        #expect(card["paid"]?.array?.first?["state"] == "storedOffline")
        _ = try shop.document("sell", "--line", "\(Self.tea):2", "--member", "M1", "--points", "50")
        let slip = shop.folder.path("slip.txt")
        try String(repeating: "a slip ", count: 300).write(toFile: slip, atomically: true, encoding: .utf8)
        _ = try shop.document("note", "add", "the slip of the parcel", "--attach", slip)
        _ = try shop.document(
            "cart", "park", "--name", "wallet", "--line", "\(Self.tea):3", "--member", "M1")
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
        try HighWaterMark.settle(in: shop.home)
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
}

/// The number of the till's file of order numbers is that of the folder that was recorded: with another one
/// the till takes its folder for a copy. Here the programs are replaced in the place of the folder.
private enum HighWaterMark {
    static func settle(in home: String) throws {
        let path = home + "/high-water.json"
        var members = try #require(
            try JSONParser.parse([UInt8](Data(contentsOf: URL(fileURLWithPath: path)))).object)
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        var status = stat()
        var generation = 0
        try #require(descriptor >= 0 && fstat(descriptor, &status) == 0)
        // `FS_IOC_GETVERSION`; a file system without it leaves 0.
        _ = ioctl(descriptor, 0x8008_7601 as UInt, &generation)
        members["file"] = .string("\(status.st_ino).\(generation)")
        let bytes = JSONValue.object(members).canonicalBytes
        try #require(
            ftruncate(descriptor, 0) == 0 && pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
    }
}

/// What a till's folder and a hub's store have, of what no later version may change.
private enum ReleaseContent {
    /// Of a till without its agent.
    static func till(of shop: ShopUnderTest) throws -> JSONValue {
        let orders = try shop.orders().map { order in
            let shown = try shop.document("orders", "show", try #require(order["orderId"]?.string))
            var members = try #require(shown.object)
            // The hub says what is left, and the words of a receipt are of the version that prints it.
            for key in ["left", "leftBy", "returnedElsewhere"] { members[key] = nil }
            members["receipt"] = figures(of: shown["receipt"])
            return JSONValue.object(members)
        }
        return [
            "orders": .array(orders), "carts": try shop.document("cart", "list")["carts"] ?? .null,
            "notes": try shop.document("note", "list")["notes"] ?? .null,
            "shifts": try shop.document("shift", "list")["shifts"] ?? .null,
            "rejected": try shop.document("sync", "rejected")["items"] ?? .null,
        ]
    }

    static func hub(of shop: ShopUnderTest) throws -> JSONValue {
        let audit = try shop.audit().json
        var sums: JSONObject = [:]
        for key in ["orders", "received", "sold", "totals", "net", "refunds", "voided", "refused", "sums"] {
            sums[key] = audit[key]
        }
        return [
            "audit": .object(sums), "orders": try shop.posHub("orders", "list")["orders"] ?? .null,
            "flags": try shop.posHub("flags", "list")["flags"] ?? .null,
            "alarms": try shop.posHub("alarms", "list")["alarms"] ?? .null,
            "shifts": try shop.posHub("shifts", "list")["shifts"] ?? .null,
            "leases": try shop.posHub("leases", "list", "--all")["leases"] ?? .null,
            "attachments": try shop.posHub("attachments", "list")["attachments"] ?? .null,
        ]
    }

    /// The words with a digit: numbers, times, amounts and codes.
    private static func figures(of receipt: JSONValue?) -> JSONValue {
        let words = (receipt?.string ?? "").split { $0.isWhitespace }.filter {
            $0.contains(where: \.isNumber)
        }
        return .array(words.map { .string(String($0)) })
    }

    /// Where `shown` has not what was recorded. A later version may show more members.
    static func differences(
        _ shown: JSONValue?, from recorded: JSONValue?, at place: String = ""
    ) -> [String] {
        if let recorded = recorded?.object {
            return recorded.flatMap { differences(shown?[$0.key], from: $0.value, at: place + "." + $0.key) }
        }
        if let recorded = recorded?.array, let shown = shown?.array, shown.count == recorded.count {
            return recorded.indices.flatMap {
                differences(shown[$0], from: recorded[$0], at: place + "[\($0)]")
            }
        }
        // A member that is null is read as none.
        return shown == (recorded == .null ? nil : recorded)
            ? [] : ["\(place): \(shown?.canonicalText ?? "-"), not \(recorded?.canonicalText ?? "-")"]
    }
}
