import Foundation
import Glibc
import HubProtocol
import TestKit
import Testing

/// What a person or a program gets wrong: a line, an exit code, and nothing recorded.
@Suite("Bad input", .onStage)
struct BadInputTests {
    private struct Case {
        let arguments: [String]
        let exitCode: Int32
        let code: String?

        init(_ arguments: String..., exit: Int32, code: String? = nil) {
            self.arguments = ["sell"] + arguments
            exitCode = exit
            self.code = code
        }
    }

    private static let tea = Article.assortment[0].barcode
    private static let byWeight = Article.assortment[7].barcode
    private static let cases = [
        Case("--line", "0000", exit: 1, code: "unknown_barcode"),
        Case("--line", tea, "--line", "0000", exit: 1, code: "unknown_barcode"),
        Case("--line", tea + ":0", exit: 1, code: "quantity_out_of_range"),
        Case("--line", tea + ":-1", exit: 1, code: "quantity_out_of_range"),
        Case("--line", tea + ":10001", exit: 1, code: "quantity_out_of_range"),
        Case("--line", tea + ":9000000000000", exit: 1, code: "quantity_out_of_range"),
        Case("--line", tea + ":99999999999999999999", exit: 2, code: "wrong_usage"),
        Case("--line", tea + ":1.5", exit: 1, code: "fraction_of_piece"),
        Case("--line", byWeight, exit: 1, code: "quantity_required"),
        Case("--line", byWeight + ":-0.001", exit: 1, code: "quantity_out_of_range"),
        Case("--line", tea, "--pay", "cash:1249", exit: 1, code: "payment_short"),
        Case("--line", tea, "--pay", "cash:-5", exit: 1, code: "negative_payment"),
        Case("--line", tea, "--pay", "cheque", exit: 2, code: "unknown_payment_method"),
        Case("--line", tea, "--pay", "cash", "--pay", "cash", exit: 2, code: "several_open_payments"),
        Case("--line", tea, "--key", "not-a-key", exit: 2, code: "malformed_request"),
    ]

    @Test("A wrong sale from the command line ends with its code and one line, and records nothing")
    func oneShots() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        for wrong in Self.cases {
            let end = try shop.pos(wrong.arguments + ["--json"])
            #expect(end.exitCode == wrong.exitCode, "\(wrong.arguments): \(end.errors)")
            #expect(end.errors.count == 1, "\(wrong.arguments): \(end.errors)")
            #expect(end.errors.first?.hasPrefix("pos: ") == true, "\(wrong.arguments)")
            if let code = wrong.code { #expect(end.errorCode == code, "\(wrong.arguments)") }
        }
        #expect(try shop.orders() == [])
        #expect(try shop.status().pending == 0)
        #expect(
            try shop.document("sell", "--line", Self.tea)["orderNumber"]?.string?.hasSuffix("-0001") == true)
    }

    @Test("A refused line of the stream gets its error in its place, and the next one is sold")
    func stream() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let piece = SaleRequests.piece().canonicalText
        let key = SaleRequests.key()
        let wrong: [(line: String, code: String)] = [
            (#"{"key":"\#(key)","lines":[{"barcode":"0000"}]}"#, "unknown_barcode"),
            (#"{"lines":[{"barcode":"\#(Self.tea)","quantityMilli":0}]}"#, "quantity_out_of_range"),
            (#"{"lines":[{"barcode":"\#(Self.tea)","quantityMilli":-1000}]}"#, "quantity_out_of_range"),
            (#"{"lines":[{"barcode":"\#(Self.tea)","quantityMilli":1000.5}]}"#, "malformed_request"),
            (#"{"lines":[{"barcode":"\#(Self.tea)","quantityMilli":"1"}]}"#, "malformed_request"),
            (
                #"{"lines":[{"barcode":"\#(Self.tea)","unitPriceMinor":9007199254740993}]}"#,
                "amount_too_large"
            ),
            (#"{"lines":[{"barcode":"\#(Self.tea)","discountMinor":1251}]}"#, "discount_above_line"),
            (#"{"lines":[{"barcode":"\#(Self.tea)","discountMinor":-1}]}"#, "negative_discount"),
            (#"{"lines":[{"barcode":"\#(Self.tea)","price":1}]}"#, "unknown_field"),
            (#"{"lines":[]}"#, "no_lines"),
            (#"{"lines":[{"barcode":"\#(Self.tea)"}],"lines":[]}"#, "malformed_request"),
            (#"{"lines":[{"barcode":"#, "malformed_request"),
            ("hello", "malformed_request"), ("[]", "malformed_request"), ("null", "malformed_request"),
            (String(repeating: "[", count: 5000), "malformed_request"),
        ]
        let input = wrong.flatMap { [$0.line, piece.replacing(#""key":"#, with: #""key":"#)] }
        let end = try shop.pos("sell", "--stdin", "--json", input: input)
        #expect(end.exitCode == 0)
        let responses = try end.output.map { try JSONParser.parse($0.utf8) }
        #expect(responses.count == wrong.count * 2)
        for (index, expected) in wrong.enumerated() where responses.count == wrong.count * 2 {
            #expect(
                responses[2 * index]["error"]?["code"]?.string == expected.code, "\(expected.line.prefix(80))"
            )
            #expect(responses[2 * index + 1]["orderId"] != nil)
        }
        #expect(responses.first?["key"]?.string == key)
        #expect(try shop.orders().count == 1)
    }

    @Test("A wrong configuration is refused with 3, the key, its unit and its range")
    func configuration() throws {
        let shop = try ShopUnderTest()
        let hub = #""hub":{"url":"\#(shop.hubURL)"}"#
        let wrong: [(text: String, words: [String])] = [
            (
                #"{\#(hub),"network":{"debounceSecond":3}}"#,
                ["network.debounceSecond", "network.debounceSeconds"]
            ),
            (#"{\#(hub),"network":{"debounceSeconds":0}}"#, ["network.debounceSeconds", "from 1 to", " s"]),
            (#"{\#(hub),"network":{"debounceSeconds":"3"}}"#, ["network.debounceSeconds"]),
            (
                #"{\#(hub),"checkout":{"onlineBudgetMilliseconds":99}}"#,
                ["checkout.onlineBudgetMilliseconds", "ms"]
            ),
            (#"{\#(hub)"#, ["terminal.json"]), ("", ["terminal.json"]), ("[]", ["object"]),
            (#"{"hub":{"url":"http://hub.example"}}"#, ["hub.url"]),
        ]
        let home = try shop.homeContents()
        for (text, words) in wrong {
            try shop.writeConfiguration(text)
            for command in [["agent"], ["sell", "--line", Self.tea], ["status"]] {
                let end = try shop.pos(command)
                #expect(end.exitCode == 3, "\(command) with \(text)")
                // The agent may log first that others could read the file, and that it closed it.
                let lines = end.errors.filter { $0.hasPrefix("pos: ") }
                #expect(lines.count == 1, "\(command) with \(text): \(end.errors)")
                for word in words { #expect(lines.first?.contains(word) == true, "\(end.errors)") }
            }
        }
        let configuration = try #require(home["terminal.json"])
        try shop.writeConfiguration(String(decoding: configuration, as: UTF8.self))
        #expect(try shop.orders() == [])
    }

    @Test("A wrong value in the environment is refused with 3 too")
    func environment() throws {
        let shop = try ShopUnderTest()
        for value in ["0", "-1", "121", "three", "3.5", ""] {
            let end = try shop.pos(
                "sell", "--line", Self.tea, with: ["POS_NETWORK_DEBOUNCE_SECONDS": value])
            #expect(end.exitCode == 3, "\(value)")
            #expect(end.errors.first?.contains("from 1 to 120 s") == true, "\(value): \(end.errors)")
        }
        #expect(try shop.orders() == [])
    }

    @Test("A data folder that is missing, a file or empty is refused with 3 and the remedy")
    func unusableHomes() throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        try "a file".write(toFile: shop.folder.path("file"), atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(
            atPath: shop.folder.path("empty"), withIntermediateDirectories: false)
        for name in ["missing", "file", "file/below", "empty"] {
            for command in [["agent"], ["sell", "--line", Self.tea], ["status"], ["orders", "list"]] {
                let end = try ProgramUnderTest.run("pos", command + ["--home", shop.folder.path(name)])
                #expect(end.exitCode == 3, "\(command) in \(name): \(end.errors)")
                #expect(end.errors.count == 1, "\(command) in \(name): \(end.errors)")
                #expect(end.errors.first?.contains("pos init") == true, "\(command) in \(name)")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: shop.folder.path("missing")))
    }

    @Test(
        "A data folder that cannot be written sells nothing and reports it",
        .enabled(if: OtherUser.isUsable, OtherUser.need))
    func unwritableHome() throws {
        let shop = try ShopUnderTest()
        try OtherUser.lend(shop.folder.url.path, readingOnly: shop.home)
        shop.tillWrapper = OtherUser.wrapper
        let end = try shop.pos("sell", "--line", Self.tea, "--json")
        #expect(end.exitCode == 3)
        #expect(end.errors.count == 1)
        #expect(try shop.pos("agent").exitCode == 3)
        shop.tillWrapper = []
        #expect(try shop.orders() == [])
    }

    @Test(
        "An unreachable hub or a wrong code makes no terminal, and the data folder can be initialised afterwards"
    )
    func failedInit() throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        let refused = try shop.pos("init", "--hub", shop.hubURL, "--enrol", "WRONG-CODE", "--json")
        #expect(refused.exitCode == 4)
        let dead = try shop.pos("init", "--hub", "http://127.0.0.1:1", "--enrol", "X", "--json")
        #expect(dead.exitCode == 75)
        let notAllowed = try shop.pos("init", "--hub", "http://192.0.2.1", "--enrol", "X", "--json")
        #expect(notAllowed.exitCode == 2 || notAllowed.exitCode == 3)
        for end in [refused, dead, notAllowed] {
            // Beside the warning that the code could be seen in the process list.
            let lines = end.errors.filter { !$0.contains("warning") }
            #expect(lines.count == 1, "\(end.errors)")
        }
        #expect(try shop.pos("status").exitCode == 3)
        #expect(try shop.initialiseTill()["products"]?.integer == Int64(Article.assortment.count))
    }

    @Test(
        "A data folder without its device key is still a terminal: it is reported, and enrolling again keeps every sale"
    )
    func lostKey() throws {
        let shop = try ShopUnderTest()
        _ = try shop.document("sell", "--line", Self.tea)
        try FileManager.default.removeItem(atPath: shop.home + "/device.key")
        let end = try shop.pos("orders", "list", "--json")
        #expect((end.exitCode, end.errorCode) == (3, "home_incomplete"))
        #expect(end.errors.last?.contains("device.key is missing") == true)
        try shop.initialiseTill()
        #expect(try shop.orders().count == 1)
        #expect(try shop.terminalAudits().count == 2)
    }

    @Test(
        "Another user's folder is called that, and not an empty one",
        .enabled(if: OtherUser.isUsable, OtherUser.need))
    func strangersHome() throws {
        let shop = try ShopUnderTest()
        let program = ProgramUnderTest.directory.appendingPathComponent("pos").path
        let run = try ProgramUnderTest(
            command: OtherUser.wrapper + [program, "orders", "list", "--home", shop.home])
        run.closeInput()
        #expect(run.exitCode(within: 20) == 3)
        #expect(run.errors.lines.last?.contains("belongs to the user") == true, "\(run.errors.lines)")
    }
}
