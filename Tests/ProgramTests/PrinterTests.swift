import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// Receipts on paper, with the real till: the printer is a file, or a port at which nothing listens.
@Suite("The receipt printer", .onStage, .serialized)
struct ReceiptPrinterTests {
    private static let tea = Article.assortment[11]
    private static let pulse: [UInt8] = [0x1B, 0x70, 0, 50, 50]

    private func paper(_ shop: ShopUnderTest) -> ShopSettings {
        ["POS_PRINTER_DEVICE": "file:" + shop.folder.path("paper"), "POS_PRINTER_WIDTH": "58"]
    }

    private func printed(_ shop: ShopUnderTest) -> [UInt8] {
        (try? Data(contentsOf: URL(fileURLWithPath: shop.folder.path("paper")))).map(Array.init) ?? []
    }

    private func count(_ bytes: [UInt8], in stream: [UInt8]) -> Int {
        stream.indices.count { stream[$0...].starts(with: bytes) }
    }

    private func waitUntilPrinted(_ shop: ShopUnderTest) throws {
        let end = ContinuousClock.now + .seconds(30)
        while try shop.query("GET", "/v1/printer")["jobs"]?.array?.isEmpty == false, ContinuousClock.now < end
        {
            usleep(20_000)
        }
    }

    @Test("A cash sale is printed once and opens the drawer; the same key again prints nothing")
    func sale() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent(with: paper(shop))
        let key = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
        let sale = try shop.document("sell", "--line", Self.tea.barcode, "--key", key)
        let number = try #require(sale["orderNumber"]?.string)
        _ = try shop.document("sell", "--line", Self.tea.barcode, "--key", key)
        try waitUntilPrinted(shop)
        let stream = printed(shop)
        #expect(count(Array(number.utf8), in: stream) == 1)
        #expect(count(Self.pulse, in: stream) == 1)
        #expect(stream.starts(with: [0x1B, 0x40]))
        #expect(count([0x1D, 0x56, 1], in: stream) == 1)
        // The bytes again, into a file; the drawer stays shut.
        let file = shop.folder.path("again")
        _ = try shop.document(
            "orders", "receipt", number, "--escpos", file, with: ["POS_PRINTER_WIDTH": "58"])
        let again = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
        #expect(count(Array(number.utf8), in: again) == 1)
        #expect(stream.filter { $0 != 0 }.count - again.filter { $0 != 0 }.count == 4, "the pulse alone")
        #expect(printed(shop) == stream)
    }

    @Test("A reprint is marked as a copy, in the text too, and a refund has its slip and the drawer")
    func copyAndRefund() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent(with: paper(shop))
        let sale = try shop.document("sell", "--line", Self.tea.barcode)
        let number = try #require(sale["orderNumber"]?.string)
        try waitUntilPrinted(shop)
        #expect(count(Array("COPY".utf8), in: printed(shop)) == 0)
        let copy = try shop.document("orders", "receipt", number, "--copy")
        #expect(copy["receipt"]?.string?.contains("COPY 副本") == true)
        #expect(copy["jobId"]?.string != nil)
        try waitUntilPrinted(shop)
        #expect(count(Array("*** COPY ***".utf8), in: printed(shop)) == 1)
        #expect(count(Self.pulse, in: printed(shop)) == 1, "a copy opens no drawer")
        _ = try shop.document("orders", "refund", number)
        try waitUntilPrinted(shop)
        #expect(count(Array("*** REFUND ***".utf8), in: printed(shop)) == 1)
        #expect(count(Self.pulse, in: printed(shop)) == 2)
    }

    @Test("A receipt that waits for a dead printer outlives kill -9 of the agent, and is printed once")
    func kill() throws {
        let shop = try ShopUnderTest()
        // Port 1 of loopback: nobody listens there.
        try shop.startAgent(with: ["POS_PRINTER_DEVICE": "tcp:127.0.0.1:1"])
        let sale = try shop.document("sell", "--line", Self.tea.barcode)
        let number = try #require(sale["orderNumber"]?.string)
        let status = try shop.document("printer", "status")
        #expect(status["jobs"]?.array?.count == 1)
        let end = ContinuousClock.now + .seconds(30)
        let spool = shop.home + "/spool"
        while (try? FileManager.default.contentsOfDirectory(atPath: spool))?
            .contains(where: { $0.hasSuffix(".job") }) != true, ContinuousClock.now < end
        {
            usleep(20_000)
        }
        shop.killAgent()
        let waiting = try shop.document("printer", "status", with: paper(shop))
        #expect(waiting["jobs"]?.array?.map { $0["state"] } == ["waiting"])
        try shop.startAgent(with: paper(shop))
        try waitUntilPrinted(shop)
        shop.killAgent()
        try shop.startAgent(with: paper(shop))
        try waitUntilPrinted(shop)
        #expect(count(Array(number.utf8), in: printed(shop)) == 1)
        #expect(count(Self.pulse, in: printed(shop)) == 0, "the customer has gone; the drawer stays shut")
    }

    @Test("What a kill left without its paper is printed at the next start, once: sale, void, refund and Z")
    func missed() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent(with: paper(shop))
        let first = try shop.document("sell", "--line", Self.tea.barcode)
        let second = try shop.document("sell", "--line", Self.tea.barcode)
        _ = try shop.document("orders", "void", try #require(first["orderNumber"]?.string))
        _ = try shop.document("orders", "refund", try #require(second["orderNumber"]?.string))
        _ = try shop.document("orders", "refund", "--without-receipt", "--line", Self.tea.barcode)
        _ = try shop.document("shift", "open", "--float", "0")
        _ = try shop.document("shift", "close", "--counted", "0")
        try waitUntilPrinted(shop)
        shop.killAgent()
        #expect(papers(shop) == [1, 2, 7])
        try shop.startAgent(with: paper(shop))
        try waitUntilPrinted(shop)
        shop.killAgent()
        #expect(papers(shop) == [1, 2, 7], "all of it is on paper")
        // As a kill before the spool leaves it.
        let spool = shop.home + "/spool"
        for name in try FileManager.default.contentsOfDirectory(atPath: spool) where name.hasSuffix(".done") {
            try FileManager.default.removeItem(atPath: spool + "/" + name)
        }
        let drawers = count(Self.pulse, in: printed(shop))
        for _ in 0..<2 {
            try shop.startAgent(with: paper(shop))
            // The papers are submitted behind the start.
            let end = ContinuousClock.now + .seconds(30)
            while papers(shop) != [3, 4, 13], ContinuousClock.now < end { usleep(20_000) }
            try waitUntilPrinted(shop)
            shop.killAgent()
            // The receipt of a sale that is void by now has its mark, too.
            #expect(papers(shop) == [3, 4, 13])
        }
        #expect(count(Self.pulse, in: printed(shop)) == drawers)
        #expect(count(Array("Z REPORT".utf8), in: printed(shop)) == 2)
    }

    /// Voids, refunds and all papers in what was printed.
    private func papers(_ shop: ShopUnderTest) -> [Int] {
        let stream = printed(shop)
        return [Array("*** VOID ***".utf8), Array("*** REFUND ***".utf8), [0x1D, 0x56, 1]].map {
            count($0, in: stream)
        }
    }

    @Test("Many kills of an agent that prints: no receipt is on paper twice, and none is missing unseen")
    func manyKills() throws {
        let shop = try ShopUnderTest()
        var random = SplitMix64(seed: 58)
        var numbers: [String] = []
        for _ in 0..<8 {
            try shop.startAgent(with: paper(shop))
            let sale = try shop.document("sell", "--line", Self.tea.barcode)
            numbers.append(try #require(sale["orderNumber"]?.string))
            usleep(UInt32(random.below(8_000)))
            shop.killAgent()
        }
        try shop.startAgent(with: paper(shop))
        let end = ContinuousClock.now + .seconds(30)
        var jobs: [JSONValue] = []
        repeat {
            usleep(20_000)
            jobs = try shop.query("GET", "/v1/printer")["jobs"]?.array ?? []
        } while jobs.contains(where: { $0["state"] == "waiting" || $0["state"] == "printing" })
            && ContinuousClock.now < end
        let stream = printed(shop)
        // What was interrupted is shown, and comes as a copy when a person wants it.
        let interrupted = jobs.compactMap { $0["title"]?.string }
        for number in numbers {
            let copies = count(Array(number.utf8), in: stream)
            #expect(copies == 1 || (copies == 0 && interrupted.contains(number)), "\(number)")
        }
        let again = try shop.document("printer", "retry")
        #expect(again["jobs"]?.array?.count == interrupted.count)
        try waitUntilPrinted(shop)
        #expect(count(Array("*** COPY ***".utf8), in: printed(shop)) == interrupted.count)
    }

    @Test("Of a thousand sales in a row each has one paper, over a kill and looks for missing papers, too")
    func thousand() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent(with: paper(shop))
        let line: JSONValue = ["lines": [["barcode": .string(Self.tea.barcode)]]]
        let numbers = try (0..<1_000).map { _ in
            try #require(try shop.query("POST", "/v1/sales", body: line)["orderNumber"]?.string)
        }
        try waitUntilPrinted(shop)
        shop.killAgent()
        #expect(papers(shop) == [0, 0, 1_000])
        for sold in 1...2 {
            try shop.startAgent(with: paper(shop))
            // Its paper comes behind what the start submits for the sales before it.
            _ = try shop.document("sell", "--line", Self.tea.barcode)
            let end = ContinuousClock.now + .seconds(30)
            while papers(shop)[2] < 1_000 + sold, ContinuousClock.now < end { usleep(100_000) }
            try waitUntilPrinted(shop)
            shop.killAgent()
            #expect(papers(shop) == [0, 0, 1_000 + sold])
        }
        let text = String(decoding: printed(shop), as: UTF8.self)
        #expect(numbers.allSatisfy(text.contains))
        // A command that is its own agent looks for missing papers beside its own sale.
        for sold in 1...5 {
            _ = try shop.document("sell", "--line", Self.tea.barcode, with: paper(shop))
            #expect(papers(shop) == [0, 0, 1_002 + sold])
        }
    }

    @Test("A dead printer costs a sale nothing, and is shown with what to do")
    func dead() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent(with: ["POS_PRINTER_DEVICE": "tcp:127.0.0.1:1"])
        let sales = try shop.openSales()
        _ = try sales.sellPieces(20)
        #expect(sales.close() == 0)
        let status = try shop.document("printer", "status")
        #expect(status["state"] == "no_response")
        #expect(status["jobs"]?.array?.count == 20)
        let doctor = try shop.document("doctor")
        let check = doctor["checks"]?.array?.first { $0["name"] == "printer" }
        #expect(check?["ok"] == false)
        let test = try shop.pos("printer", "test", "--json")
        #expect((test.exitCode, test.errorCode) == (1, "printer_not_ready"))
    }

    @Test("A printer that needs seconds for each receipt delays no sale: the papers wait, the sales do not")
    func slow() throws {
        let shop = try ShopUnderTest()
        // It never responds, so that each paper waits for the sensor and for the connection's end.
        let printer = try SilentListener()
        defer { printer.stop() }
        try shop.startAgent(with: ["POS_PRINTER_DEVICE": "tcp:127.0.0.1:\(printer.port)"])
        let sales = try shop.openSales()
        _ = try sales.sellPieces(20)
        #expect(sales.close() == 0)
        let waiting = try shop.document("printer", "status")["jobs"]?.array?.count ?? 0
        #expect(waiting >= 5, "a sale that waited for its paper would leave none")
    }

    @Test("A void prints the receipt with its mark, and opens the drawer for the cash that goes back")
    func void() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent(with: paper(shop))
        let sale = try shop.document("sell", "--line", Self.tea.barcode)
        let number = try #require(sale["orderNumber"]?.string)
        _ = try shop.document("orders", "void", number)
        try waitUntilPrinted(shop)
        #expect(count(Array("*** VOID ***".utf8), in: printed(shop)) == 1)
        #expect(count(Self.pulse, in: printed(shop)) == 2)
    }

    @Test("Without a printer nothing is spooled, and the commands say so")
    func none() throws {
        let shop = try ShopUnderTest()
        let sale = try shop.document("sell", "--line", Self.tea.barcode)
        let number = try #require(sale["orderNumber"]?.string)
        #expect(!FileManager.default.fileExists(atPath: shop.home + "/spool"))
        #expect(try shop.document("printer", "status")["state"] == "none")
        for arguments in [
            ["printer", "test"], ["printer", "retry"], ["orders", "receipt", number, "--copy"],
        ] {
            let end = try shop.pos(arguments + ["--json"])
            #expect((end.exitCode, end.errorCode) == (1, "no_printer"), "\(arguments)")
        }
        let text = try shop.pos("orders", "receipt", number)
        #expect(text.exitCode == 0 && text.text.contains(number))
        let file = try shop.pos(
            "orders", "receipt", number, "--escpos", shop.folder.path("no/folder"), "--json")
        #expect((file.exitCode, file.errorCode) == (3, "file_unwritable"))
    }

    @Test("A command that is its own agent leaves its receipt on paper before it ends")
    func command() throws {
        let shop = try ShopUnderTest()
        let sale = try shop.document("sell", "--line", Self.tea.barcode, with: paper(shop))
        let number = try #require(sale["orderNumber"]?.string)
        #expect(count(Array(number.utf8), in: printed(shop)) == 1)
        #expect(count(Self.pulse, in: printed(shop)) == 1)
        let test = try shop.document("printer", "test", with: paper(shop))
        #expect(test["state"] == "ready")
    }

    @Test("A printer that is none, a width between the two and a third language are refused by name")
    func refused() throws {
        let shop = try ShopUnderTest()
        for (key, value) in [("DEVICE", "usb"), ("WIDTH", "70"), ("WIDTH", "57"), ("LANGUAGE", "fr")] {
            let end = try shop.pos("status", with: ["POS_PRINTER_\(key)": value])
            #expect(end.exitCode == 3)
            #expect(
                end.errors.contains {
                    $0.contains("printer.\(key.lowercased())") || $0.contains("POS_PRINTER")
                })
        }
    }
}
