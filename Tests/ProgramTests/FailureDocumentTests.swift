import Foundation
import HubProtocol
import TestKit
import Testing

/// With `--json` every failure is one document on standard output, beside one line on standard error.
@Suite("Failures as documents", .onStage)
struct FailureDocumentTests {
    private static let missing = ["--home", "/nonexistent/home"]

    @Test(
        "pos: wrong usage, a missing data folder and a bad configuration are documents, in every command",
        arguments: [
            (["status", "--bogus"], 2, "wrong_usage"),
            (["status"] + missing, 3, "home_missing"), (["doctor"] + missing, 3, "home_missing"),
            (["orders", "list"] + missing, 3, "home_missing"),
            (["sync", "now"] + missing, 3, "home_missing"),
            (["offline", "on"] + missing, 3, "home_missing"),
            (["note", "list"] + missing, 3, "home_missing"),
            (["qos", "status"] + missing, 3, "home_missing"), (["history"] + missing, 3, "home_missing"),
            (["whoami"] + missing, 3, "home_missing"),
            (["sell", "--line", "1"] + missing, 3, "home_missing"),
            (["repair"] + missing, 3, "home_missing"),
            (["sync", "export", "/tmp/x"] + missing, 3, "home_missing"),
            (["replay", "/nonexistent"], 2, nil),
        ] as [([String], Int32, String?)])
    func terminal(arguments: [String], exitCode: Int32, code: String?) throws {
        let end = try ProgramUnderTest.run("pos", arguments + ["--json"])
        #expect(end.exitCode == exitCode, "\(end.errors)")
        #expect(end.errors.count == 1, "\(end.errors)")
        let error = try end.document()["error"]
        #expect(error?["message"]?.string?.isEmpty == false)
        if let code {
            #expect(error?["code"]?.string == code)
        } else {
            #expect(error?["code"]?.string != nil)
        }
    }

    @Test(
        "pos-hub: wrong usage, a bad configuration and a refusal are documents, in every command",
        arguments: [
            (["nothing"], 2, "wrong_usage"), (["terminals", "revoke"], 2, "wrong_usage"),
            (["serve", "--roles", "till"], 2, "wrong_usage"),
            (["config", "--config", "/nonexistent.json"], 3, "unusable"),
            (["audit", "--store", "mysql:x"], 2, "wrong_usage"),
            (["import", "products", "/nonexistent.csv"], 3, nil),
        ] as [([String], Int32, String?)])
    func hub(arguments: [String], exitCode: Int32, code: String?) throws {
        let folder = try TemporaryFolder()
        let end = try ProgramUnderTest.run(
            "pos-hub", arguments + ["--json"], environment: ["XDG_DATA_HOME": folder.url.path])
        #expect(end.exitCode == exitCode, "\(end.errors)")
        #expect(end.errors.count == 1, "\(end.errors)")
        let error = try end.document()["error"]
        #expect(error?["message"]?.string?.isEmpty == false)
        if let code {
            #expect(error?["code"]?.string == code)
        } else {
            #expect(error?["code"]?.string != nil)
        }
    }

    @Test("The hub's refusal keeps its problem code, and without --json there is no document")
    func refusal() throws {
        let hub = try HubUnderTest()
        let refused = try hub.run("terminals", "revoke", "nobody", "--json")
        #expect(refused.exitCode == 4)
        #expect(refused.errorCode == "not_found")
        let silent = try hub.run("terminals", "revoke", "nobody")
        #expect(silent.output.isEmpty)
        #expect(silent.errors.count == 1)
    }

    @Test("doctor ends with 1 when something is not ready, and its document names it")
    func doctor() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        let end = try shop.pos("doctor", "--json")
        let document = try end.document()
        let isReady = document["ready"]?.bool == true
        #expect(end.exitCode == (isReady ? 0 : 1))
        #expect(document["score"]?.integer.map { (0...100).contains($0) } == true)
        let zone = document["checks"]?.array?.first { $0["name"] == "time zone" }
        #expect(zone?["detail"]?.string?.hasPrefix("UTC, since store.timeZone is not set") == true)
        shop.killHub()
        _ = try shop.pos("sync", "now", "--json")
        let later = try shop.pos("doctor", "--json")
        #expect(later.exitCode == 1)
        #expect(try later.document()["ready"] == false)
        #expect((try later.document()["score"]?.integer ?? 0) < 100)
        for check in try later.document()["checks"]?.array ?? [] where check["ok"] == false {
            #expect(check["fix"]?.string?.isEmpty == false, "\(check)")
        }
    }
}
