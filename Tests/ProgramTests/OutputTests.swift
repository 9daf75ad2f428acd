import Foundation
import HubProtocol
import TestKit
import Testing

/// How a command ends whose output is not read, and of one that may open no files.
@Suite("A command and its surroundings", .onStage)
struct OutputTests {
    /// Starts the till's command within bash, whose variable `0` and parameters are the command.
    private func bash(_ script: String) -> [String] { ["/bin/bash", "-c", script] }

    @Test(
        "A watch ends with its reader, though nothing changes", arguments: [["status"], ["qos", "status"]])
    func watch(_ command: [String]) throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        try shop.waitUntilReachable()
        // `timeout` would end it with 124.
        shop.tillWrapper = bash("timeout 30 \"$0\" \"$@\" | head -n 1; exit ${PIPESTATUS[0]}")
        let end = try shop.pos(command + ["--watch", "--json"])
        #expect(end.exitCode == 0)
        #expect(end.output.count == 1)
    }

    @Test(
        "Output that could not be written has its own exit code, and what was done is done",
        arguments: ["\"$0\" \"$@\" | true; exit ${PIPESTATUS[0]}", "\"$0\" \"$@\" > /dev/full"])
    func lostResponse(_ script: String) throws {
        let shop = try ShopUnderTest()
        shop.tillWrapper = bash(script)
        let end = try shop.pos("sell", "--line", Article.assortment[0].barcode, "--json")
        #expect(end.exitCode == 74)
        #expect(end.errors == ["pos: the output could not be written; what the command did is done"])
        shop.tillWrapper = []
        #expect(try shop.orders().count == 1)
    }

    @Test("Where no file can be opened the limit is named, and not the data folder")
    func descriptors() throws {
        let shop = try ShopUnderTest()
        for limit in [12, 16, 31] {
            shop.tillWrapper = ["/usr/bin/prlimit", "--nofile=\(limit):\(limit)"]
            let end = try shop.pos("status")
            #expect(end.exitCode == 75)
            #expect(
                end.errors == [
                    "pos: this process may open \(limit) files and needs 32; raise the limit (`ulimit -n`, "
                        + "LimitNOFILE)"
                ])
        }
        shop.tillWrapper = ["/usr/bin/prlimit", "--nofile=32:32"]
        #expect(try shop.pos("status").exitCode == 0)
    }
}
