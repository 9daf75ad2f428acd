import Foundation
import HubProtocol
import TestKit
import Testing

/// The sales of a till that cannot push any more reach the hub as a file.
@Suite("Export and ingest", .onStage, .serialized)
struct JournalExportTests {
    /// A shop whose till made three sales, one of them acknowledged, and was killed.
    private func deadTill() throws -> ShopUnderTest {
        let shop = try ShopUnderTest()
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(try shop.document("sync", "now")["pending"] == 0)
        _ = try shop.document("offline", "on")
        let sales = try shop.openSales()
        try sales.sellPieces(2)
        sales.program.kill()
        return shop
    }

    private func export(_ shop: ShopUnderTest) throws -> String {
        let file = shop.folder.path("journal.jsonl")
        let response = try shop.document("sync", "export", file)
        #expect(response["entries"] == 3)
        #expect(response["pending"] == 2)
        #expect(response["sealedTo"] != nil)
        return file
    }

    private func plainExport(_ shop: ShopUnderTest) throws -> [String] {
        let file = shop.folder.path("plain.jsonl")
        let response = try shop.document("sync", "export", file, "--plain", "--reason", "a test")
        #expect(response["signed"] == true)
        #expect(response["sealedTo"] == nil)
        return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func ingest(
        _ lines: [String], at shop: ShopUnderTest, _ options: String...
    ) throws -> FinishedProgram {
        let path = shop.folder.path("changed.jsonl")
        try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        return try ProgramUnderTest.run("pos-hub", ["ingest", path] + options + shop.storeArguments)
    }

    @Test("A dead till's sales arrive once, also when it comes back to life and pushes them itself")
    func whole() throws {
        let shop = try deadTill()
        let before = try shop.homeContents()
        let file = try export(shop)
        #expect(try shop.homeContents() == before)
        let first = try shop.posHub("ingest", file)
        #expect(first["applied"] == 2)
        #expect(first["duplicate"] == 1)
        let again = try shop.posHub("ingest", file)
        #expect(again["applied"] == 0)
        #expect(again["duplicate"] == 3)
        _ = try shop.document("offline", "off")
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let audit = try shop.audit()
        #expect(audit.orders == 3)
        #expect(audit.isComplete)
        #expect(try shop.orders().allSatisfy { $0["sync"] == "acknowledged" })
    }

    @Test("While an agent runs it writes the file, and the sales go on")
    func running() throws {
        let shop = try deadTill()
        try shop.startAgent()
        let file = try export(shop)
        #expect(try shop.posHub("ingest", file)["applied"] == 2)
        #expect(try shop.document("sell", "--line", Article.assortment[0].barcode)["sync"] == "pending")
    }

    @Test("A read-only data folder of which only the database is left is enough")
    func readOnly() throws {
        let shop = try deadTill()
        for name in try FileManager.default.contentsOfDirectory(atPath: shop.home)
        where !name.hasPrefix("terminal.sqlite") {
            try FileManager.default.removeItem(atPath: shop.home + "/" + name)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: shop.home)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: shop.home) }
        let file = try export(shop)
        let refused = try ProgramUnderTest.run("pos-hub", ["ingest", file] + shop.storeArguments)
        #expect(refused.exitCode == 4)
        #expect(refused.errors.first?.contains("export_unsigned") == true)
        #expect(try shop.posHub("ingest", file, "--unsigned", "--reason", "key lost")["applied"] == 2)
        #expect(try shop.audit().isComplete)
        #expect(try shop.audit().json["unsignedIngests"]?.array?.first?["reason"] == "key lost")
    }

    @Test(
        "An export cannot be read without the hub's key, and its folder has nothing else, also after a kill")
    func sealed() throws {
        let shop = try deadTill()
        let number = try #require(try shop.orders().first?["orderNumber"]?.string)
        let folder = shop.folder.path("stick")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = folder + "/journal.jsonl"
        for delay in 0..<25 {
            let program = try shop.startProgram("sync", "export", file)
            Thread.sleep(forTimeInterval: Double(delay) * 0.01)
            program.kill()
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left.isEmpty || left == ["journal.jsonl"])
        }
        _ = try shop.document("sync", "export", file)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["journal.jsonl"])
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(!text.contains(number))
        #expect(!text.contains("order.completed"))
        #expect(text.contains("fingerprint"))
        #expect(try shop.posHub("ingest", file)["applied"] == 2)
    }

    @Test("A forged or changed file is refused although its hashes are right; an unsigned one needs a reason")
    func forged() throws {
        let shop = try deadTill()
        let lines = try plainExport(shop)
        #expect(lines.count == 5)
        var entries: [Mutation] = []
        for line in lines[1...3] {
            var members = try #require(try Mutation(json: JSONParser.parse(line.utf8)).payload.object)
            let orderId = TillOverHTTP.ulid()
            members["memberId"] = "somebody"
            members["orderId"] = .string(orderId)
            let entry = try Mutation(json: JSONParser.parse(line.utf8))
            entries.append(
                Mutation(
                    id: TillOverHTTP.ulid(), sequence: entry.sequence, type: entry.type, entity: entry.entity,
                    entityId: orderId, clientGeneratedAt: entry.clientGeneratedAt,
                    previousHash: entries.last?.hash ?? Mutation.genesisHash, payload: .object(members)))
        }
        var heading = try #require(try JSONParser.parse(lines[0].utf8).object)
        var end = try #require(try JSONParser.parse(lines[4].utf8).object)
        end["lastHash"] = .string(try #require(entries.last?.hash))
        let forged = entries.map(\.json.canonicalText)
        let stale = try ingest([lines[0]] + forged + [JSONValue.object(end).canonicalText], at: shop)
        #expect(stale.exitCode == 4)
        #expect(stale.errors.first?.contains("export_signature_invalid") == true)
        let anyway = try ingest(
            [lines[0]] + forged + [JSONValue.object(end).canonicalText], at: shop, "--unsigned", "--reason",
            "x")
        #expect(anyway.exitCode == 4)
        // The format of before, with any epoch, as hole 05 had it.
        heading["version"] = 1
        heading["epoch"] = 7
        let old: JSONValue = ["end": true, "entries": 3, "lastHash": end["lastHash"] ?? .null]
        let file = [JSONValue.object(heading).canonicalText] + forged + [old.canonicalText]
        let unsigned = try ingest(file, at: shop)
        #expect(unsigned.exitCode == 4)
        #expect(unsigned.errors.first?.contains("export_unsigned") == true)
        #expect(try ingest(file, at: shop, "--unsigned").exitCode == 2)
        #expect(try shop.audit().orders == 1)
        let allowed = try ingest(file, at: shop, "--unsigned", "--reason", "the court asks")
        #expect(allowed.exitCode == 0, "\(allowed.errors)")
        let audit = try shop.audit().json
        #expect(audit["unsignedIngests"]?.array?.first?["reason"] == "the court asks")
        // The hub saw a fork, so the file went into the next epoch and into no other; the real till goes on.
        _ = try shop.document("offline", "off")
        #expect(try shop.pos("sync", "now").exitCode != 0)
        #expect(try shop.document("status").pending == 2)
    }

    @Test("A file of the format before is ingested with a reason, and its epoch counts only up to the hub's")
    func oldFormat() throws {
        let shop = try deadTill()
        let lines = try plainExport(shop)
        var heading = try #require(try JSONParser.parse(lines[0].utf8).object)
        heading["version"] = 1
        heading["epoch"] = 7
        let end = try JSONParser.parse(lines[4].utf8)
        let old: JSONValue = ["end": true, "entries": 3, "lastHash": end["lastHash"] ?? .null]
        let file = [JSONValue.object(heading).canonicalText] + lines[1...3] + [old.canonicalText]
        #expect(try ingest(Array(file), at: shop, "--unsigned", "--reason", "old release").exitCode == 0)
        _ = try shop.document("offline", "off")
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let audit = try shop.audit()
        #expect(audit.orders == 3)
        #expect(audit.isComplete)
    }

    @Test(
        "A hub without the sealing key names the one that it needs; with it the unknown terminal is registered"
    )
    func otherHub() throws {
        let shop = try deadTill()
        let file = try export(shop)
        let other = try ShopUnderTest()
        let unknown = try ProgramUnderTest.run(
            "pos-hub", ["ingest", file, "--register"] + other.storeArguments)
        #expect(unknown.exitCode == 4)
        #expect(unknown.errors.first?.contains("export_key_unknown") == true)
        let keys = shop.folder.path("keys.json")
        let heading = try JSONParser.parse(
            try #require(
                try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").first
            ).utf8)
        let id = try #require(heading["sealed"]?["keyId"]?.string)
        try shop.posHub("key", "export", id, "--output", keys)
        try other.posHub("key", "import", keys)
        let unregistered = try ProgramUnderTest.run("pos-hub", ["ingest", file] + other.storeArguments)
        #expect(unregistered.exitCode == 4)
        #expect(unregistered.errors.first?.contains("--register") == true)
        #expect(try other.posHub("ingest", file, "--register")["applied"] == 3)
        let terminals = try #require(try other.posHub("terminals", "list")["terminals"]?.array)
        #expect(terminals.count == 2)
        #expect(try other.terminalAudits().compactMap { $0["orders"]?.integer }.reduce(0, +) == 3)
    }

    @Test("A file that was changed or cut at any line is refused completely, with the line")
    func damaged() throws {
        let shop = try deadTill()
        let lines = try plainExport(shop)
        #expect(lines.count == 5)
        var bad = (0..<lines.count).map { Array(lines.prefix($0)) }
        bad.append(lines.map { $0.replacingOccurrences(of: "\"total\":1250", with: "\"total\":1") })
        bad.append([lines[0], lines[1], lines[3], lines[4]])
        bad.append(
            lines.map { $0.replacingOccurrences(of: "\"storeId\":\"S1\",\"terminal", with: "\"terminal") })
        bad.append(lines.map { $0.replacingOccurrences(of: "\"version\":3}", with: "\"version\":5}") })
        for content in bad {
            let path = shop.folder.path("bad.jsonl")
            try content.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
            let end = try ProgramUnderTest.run("pos-hub", ["ingest", path] + shop.storeArguments)
            #expect(end.exitCode == 4)
            #expect(end.errors.first?.contains("line ") == true)
        }
        #expect(try shop.audit().orders == 1)
    }

    @Test("The journal of a till that another hub enrolled is refused")
    func stranger() throws {
        let shop = try deadTill()
        let file = try export(shop)
        let other = try ShopUnderTest()
        let end = try ProgramUnderTest.run("pos-hub", ["ingest", file] + other.storeArguments)
        #expect(end.exitCode == 4)
    }
}
