import Foundation
import GRDB
import HubProtocol
import TestKit
import Testing

/// What a terminal signed of its journal's end outlives the journal.
@Suite("Signed heads as evidence", .onStage, .serialized)
struct HeadEvidenceTests {
    /// Waits until the audit of the shop's terminal fulfils `condition`: telemetry is kept within a
    /// second.
    private func audit(
        _ shop: ShopUnderTest, _ what: String, _ condition: (JSONValue) -> Bool
    ) throws -> JSONValue {
        var last: JSONValue = .null
        for _ in 0..<100 {
            last = try shop.terminalAudits().first ?? .null
            if condition(last) { return last }
            Thread.sleep(forTimeInterval: 0.1)
        }
        throw ShopError.notReached(what, last: last.canonicalText)
    }

    /// Takes the sales behind the first one out of the terminal's database, as its owner could.
    private func eraseSales(_ shop: ShopUnderTest) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let database = try DatabaseQueue(
            path: shop.home + "/terminal.sqlite", configuration: configuration)
        try database.write { connection in
            try connection.execute(
                sql: """
                    DELETE FROM journal WHERE sequence > 1;
                    DELETE FROM orders WHERE sequence > 1;
                    UPDATE terminal SET sequence = 1, pending = 0, order_counter = 1,
                        hash = (SELECT hash FROM journal WHERE sequence = 1);
                    """)
        }
        try database.close()
        try? FileManager.default.removeItem(atPath: shop.home + "/high-water.json")
    }

    @Test("Sales that are erased after a head was sent raise an alarm and show in the audit for good")
    func erased() throws {
        let shop = try ShopUnderTest(.front)
        let line = ["sell", "--line", Article.assortment[0].barcode]
        let first = try shop.document(line[0], line[1], line[2])
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let whole = try audit(shop, "a signed head") { $0["head"] == "signed" }
        #expect(whole["sold"] == 1)
        #expect(whole["gap"] == 0)
        #expect(whole["trouble"] == false)
        let receipt = try shop.posHub("receipt", try #require(first["orderNumber"]?.string))
        let code = try #require(first["shortCode"]?.string)
        #expect(receipt["receipts"]?.array?.first?["shortCode"]?.string == code)
        #expect(first["receipt"]?.string?.contains("Code \(code)") == true)
        shop.front?.reply { $0.isPush ? .response(status: 503, body: "{}") : .pass }
        let erased = try shop.document(line[0], line[1], line[2])
        _ = try shop.document(line[0], line[1], line[2])
        #expect(try shop.pos("sync", "now").exitCode == 75)
        let open = try audit(shop, "two entries missing") { $0["gap"] == 2 }
        #expect(open["sold"] == 3)
        #expect(open["unexplained"] == [])
        try eraseSales(shop)
        shop.front?.reply { _ in .pass }
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let found = try audit(shop, "the alarm") { $0["unexplained"] != [] }
        // A report between the two sales brought a head of its own, or none did: its moment is the agent's.
        let erasedHeads = try #require(found["unexplained"]?.array)
        #expect([[3], [2, 3]].contains(erasedHeads.compactMap { $0["sequence"]?.integer }))
        #expect(erasedHeads.allSatisfy { $0["reason"] == "regressed" && $0["journalEndedAt"] == 1 })
        let audited = try ProgramUnderTest.run("pos-hub", ["audit"] + shop.storeArguments)
        #expect(audited.exitCode == 4)
        #expect(audited.text.contains("ended at 3"))
        // The journal grows past what was erased, its numbers and links right: it is seen all the same.
        for _ in 0..<3 { _ = try shop.document(line[0], line[1], line[2]) }
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let later = try audit(shop, "four entries") { $0["sold"] == 4 && $0["gap"] == 0 }
        #expect(later["chain"] == "intact")
        #expect(later["missing"] == [])
        #expect(later["trouble"] == true)
        #expect(later["unexplained"]?.array?.last?["reason"] == "contradicted")
        let paper = try ProgramUnderTest.run(
            "pos-hub",
            [
                "receipt", try #require(erased["orderNumber"]?.string), "--code",
                try #require(erased["shortCode"]?.string),
            ] + shop.storeArguments)
        #expect(paper.exitCode == 4)
    }
}
