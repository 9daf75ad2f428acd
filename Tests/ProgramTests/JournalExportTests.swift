import Foundation
import HubProtocol
import TestKit
import Testing

/// The sales of a till that cannot push any more reach the hub as a file.
@Suite("Export and ingest", .onStage, .serialized)
struct JournalExportTests {
    /// A shop whose till sold three pieces, one of them acknowledged, and died.
    private func deadTill() throws -> ShopUnderTest {
        let shop = try ShopUnderTest()
        _ = try shop.document("sell", "--line", Article.shelf[0].barcode)
        #expect(try shop.document("sync", "now")["pending"] == 0)
        _ = try shop.document("offline", "on")
        let sales = try shop.openSales()
        try sales.sellPieces(2)
        sales.program.kill()
        return shop
    }

    private func export(_ shop: ShopUnderTest) throws -> String {
        let file = shop.folder.path("journal.jsonl")
        let answer = try shop.document("sync", "export", file)
        #expect(answer["entries"] == 3)
        #expect(answer["pending"] == 2)
        return file
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
        #expect(audit.isWhole)
        #expect(try shop.orders().allSatisfy { $0["sync"] == "acknowledged" })
    }

    @Test("While an agent runs it writes the file, and the sales go on")
    func running() throws {
        let shop = try deadTill()
        try shop.startAgent()
        let file = try export(shop)
        #expect(try shop.posHub("ingest", file)["applied"] == 2)
        #expect(try shop.document("sell", "--line", Article.shelf[0].barcode)["sync"] == "pending")
    }

    @Test("A home that can only be read, and of which the database alone is left, is enough")
    func readOnly() throws {
        let shop = try deadTill()
        for name in try FileManager.default.contentsOfDirectory(atPath: shop.home)
        where !name.hasPrefix("terminal.sqlite") {
            try FileManager.default.removeItem(atPath: shop.home + "/" + name)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: shop.home)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: shop.home) }
        let file = try export(shop)
        #expect(try shop.posHub("ingest", file)["applied"] == 2)
        #expect(try shop.audit().isWhole)
    }

    @Test("A file that was changed or cut at any line is refused whole, with the line")
    func damaged() throws {
        let shop = try deadTill()
        let file = try export(shop)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(lines.count == 5)
        var bad = (0..<lines.count).map { Array(lines.prefix($0)) }
        bad.append(lines.map { $0.replacingOccurrences(of: "\"total\":1250", with: "\"total\":1") })
        bad.append([lines[0], lines[1], lines[3], lines[4]])
        bad.append(
            lines.map { $0.replacingOccurrences(of: "\"storeId\":\"S1\",\"terminal", with: "\"terminal") })
        bad.append(lines.map { $0.replacingOccurrences(of: "\"version\":1}", with: "\"version\":3}") })
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
