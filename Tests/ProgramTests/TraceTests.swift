import Base
import Foundation
import Glibc
import HubProtocol
import TestKit
import Testing

/// What a person finds in the logs of both ends, and how much of it.
@Suite("Logs of agent and hub", .onStage, .serialized)
struct TraceTests {
    private func lines(_ program: ProgramUnderTest?, saying message: String) -> [JSONValue] {
        (program?.errors.lines ?? []).compactMap { try? JSONParser.parse($0.utf8) }.filter {
            $0["message"]?.string == message
        }
    }

    @Test("A sale is found in both logs by its trace, and its push by the name of the request")
    func sale() async throws {
        let shop = try ShopUnderTest(serving: ["--log-format", "json", "--log-level", "info"])
        let agent = try shop.startProgram("agent", "--log-format", "json", "--log-level", "info")
        try agent.line { $0 == "ready" }
        shop.agent = agent
        try shop.waitUntilReachable()
        let sold = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sold["sync"]?.string == "acknowledged")
        let number = try #require(sold["orderNumber"]?.string)
        let sale = try #require(lines(agent, saying: "a sale").first)
        #expect(sale["order"]?.string == number)
        let trace = try #require(sale["trace"]?.string)
        let entry = try #require(sale["entry"]?.string)
        #expect(ULID(entry).map(RequestTrace.trace(of:)) == trace)
        #expect(
            await eventually {
                self.lines(shop.hub, saying: "a push").contains { $0["trace"]?.string == trace }
            })
        let taken = try #require(lines(shop.hub, saying: "a push").first { $0["trace"]?.string == trace })
        #expect(taken["entries"] == .array([.string("\(entry) applied")]))
        #expect(
            await eventually {
                self.lines(agent, saying: "a request to the hub").contains {
                    $0["request"] == taken["request"] && $0["trace"]?.string == trace
                }
            })
    }

    @Test("SIGUSR1 shows more of a running hub, SIGUSR2 as much as before; a wrong level is refused")
    func level() async throws {
        let hub = try HubUnderTest(["--log-format", "json"])
        func ask() throws -> Int {
            _ = try hub.client().request("GET", Routes.health + "?nonce=1")
            return lines(hub.program, saying: "a request").count
        }
        #expect(try ask() == 0)
        for level in ["info", "debug"] {
            hub.program.signal(SIGUSR1)
            #expect(
                await eventually {
                    self.lines(hub.program, saying: "the log level is \(level) now").count == 1
                })
        }
        _ = try ask()
        #expect(await eventually { !self.lines(hub.program, saying: "a request").isEmpty })
        hub.program.signal(SIGUSR2)
        #expect(
            await eventually { self.lines(hub.program, saying: "the log level is notice again").count == 1 })
        for options in [["--log-level", "loud"], ["--log-format", "xml"]] {
            let end = try ProgramUnderTest.run("pos-hub", ["serve", "--store", hub.store] + options)
            #expect(end.exitCode == 2)
            #expect(end.errors.first?.contains(options[0] + " is one of ") == true)
        }
    }

    @Test("pos metrics prints what promtool accepts, and replaces a file that every user may read")
    func metrics() throws {
        let shop = try ShopUnderTest()
        let printed = try shop.pos("metrics")
        #expect(printed.exitCode == 0)
        #expect(printed.output.contains { $0.hasPrefix("holdfast_terminal_offline ") })
        #expect(printed.output.contains("holdfast_terminal_outbox_pending 0"))
        if Promtool.isAvailable { #expect(try Promtool.faults(ofPage: printed.text + "\n") == nil) }
        let file = shop.folder.path("holdfast.prom")
        #expect(try shop.pos("metrics", "--output", file).exitCode == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasSuffix("\n"))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o644)
        #expect(try shop.pos("metrics", "--output", shop.folder.path("none/x")).exitCode == 3)
    }
}
