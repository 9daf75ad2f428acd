import Foundation
import HubProtocol
import TestKit
import Testing

/// What operators and integrators get wrong most easily. Each slip is refused, changes nothing, and ends in a
/// sentence that says what to do.
@Suite("Slips of operators and integrators", .onStage)
struct TenSlipsTests {
    @Test("At a command: no store named, a wrong option, word, column, day, key, setting or file")
    func commands() throws {
        let hub = try HubUnderTest()
        let folder = hub.folder
        func file(_ name: String, _ text: String) throws -> String {
            try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
            return folder.path(name)
        }
        let configuration = try file("hub.json", #"{"lissten":"127.0.0.1:0"}"#)
        let goods = try file("goods.csv", "sku,nme\ntea,Tea\n")
        let slips: [(arguments: [String], exitCode: Int32, sentence: String)] = [
            (["terminals", "list"], 3, "name the hub with --config or --store"),
            (["doctor"], 3, "name the hub with --config or --store"),
            (["backup", folder.path("x")], 3, "name the hub with --config or --store"),
            (["serve", "--config", configuration], 3, "the key lissten is not known; did you mean listen?"),
            (["terminals", "lst"], 2, "did you mean `pos-hub terminals list`?"),
            (
                ["operator", "add", "lee", "--rol", "viewer", "--store", hub.store], 2,
                "Did you mean '--role'?"
            ),
            (
                ["operator", "add", "lee", "--role", "vewer", "--store", hub.store], 4,
                "A role is one of viewer"
            ),
            (
                ["import", "products", goods, "--store", hub.store], 4,
                "the column \"nme\" is not known; known are"
            ),
            (["sales", "--from", "yesterday", "--store", hub.store], 2, "--from is a day, YYYY-MM-DD"),
            (
                ["qos", "set", "ordr", "faulty", "--reason", "x", "--store", hub.store], 4,
                "No service is named \"ordr\"; there are account"
            ),
            (
                ["store-config", "set", "--store-id", "S1", "cash.roundingMinr=5", "--store", hub.store], 4,
                "cash.roundingMinr is not tuned from the hub; did you mean cash.roundingMinor?"
            ),
            (["enrol-code", "--store-id", "S1", "--count", "0", "--store", hub.store], 4, "1 to 1000 codes"),
            (
                ["backup", folder.path("none/x"), "--store", hub.store], 3,
                "mount its disk, or make the folder"
            ),
        ]
        let home = ["HOME": folder.path("home"), "XDG_DATA_HOME": ""]
        for slip in slips {
            let end = try ProgramUnderTest.run("pos-hub", slip.arguments, environment: home)
            #expect(end.exitCode == slip.exitCode, "\(slip.arguments): \(end.errors)")
            #expect(
                end.errors.joined(separator: " ").contains(slip.sentence), "\(slip.arguments): \(end.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("home")))
        let lists = [["orders", "list"], ["sales"], ["alarms", "list"]]
        for list in lists {
            let end = try ProgramUnderTest.run("pos-hub", list + ["--from", "2999-01-01", "--store", hub.store])
            #expect(end.output.joined().contains("2999-01-01 has not begun; today is 2"), "\(list): \(end.output)")
        }
        // A hub that is made is called new, and only then up to date.
        let other = ["migrate", "--store", "sqlite:" + folder.path("new.sqlite")]
        #expect(try ProgramUnderTest.run("pos-hub", other).output.joined().contains("new, empty one is made"))
        #expect(try ProgramUnderTest.run("pos-hub", other).output.joined().contains("is up to date"))
        #expect(try hub.json("operator", "list")["operators"]?.array?.isEmpty == true)
        #expect(try hub.json("enrol-code", "list")["codes"]?.array?.isEmpty == true)
    }

    @Test(
        "A key that is not the certificate's is named when the hub starts",
        .enabled(if: TestCertificate.isPossible, TestCertificate.need))
    func wrongKey() throws {
        let folder = try TemporaryFolder()
        let (one, other) = (
            try TestCertificate("one", in: folder), try TestCertificate("other", in: folder)
        )
        let end = try ProgramUnderTest.run(
            "pos-hub",
            [
                "serve", "--listen", "127.0.0.1:0", "--store", HubUnderTest.store(in: folder),
                "--tls-certificate", one.file, "--tls-key", other.key,
            ])
        #expect(end.exitCode == 3)
        let noticed =
            "the TLS key \(other.key) does not belong to the certificate \(one.file); put both of one pair there"
        #expect(end.errors.contains { $0.contains(noticed) }, "\(end.errors)")
    }

    @Test("Over HTTP: a misspelt parameter or member, a wrong type, day, order of days, kind or cursor")
    func requests() throws {
        let hub = try HubUnderTest()
        let token = try #require(try hub.json("operator", "add", "kim", "--role", "manager")["token"]?.string)
        let client = try hub.client()
        let override = "/v1/qos/services/marketing/override"
        let slips: [(method: String, path: String, body: String?, sentence: String)] = [
            (
                "GET", "/v1/orders?storeid=S1", nil,
                "There is no parameter `storeid` here; did you mean `storeId`?"
            ),
            ("GET", "/v1/sales?from=2026-13-01", nil, "\"2026-13-01\" is no day; write YYYY-MM-DD."),
            ("GET", "/v1/sales?from=2026-11-20&to=2026-11-10", nil, "name the earlier one first"),
            ("GET", "/v1/sales?by=dya", nil, "by is one of day, store"),
            (
                "GET", "/v1/journal?after=x", nil,
                "\"x\" is no cursor of the journal; start again without one."
            ),
            (
                "PUT", "/v1/imports/product", "sku\n",
                "No kind of import is called product; there are products"
            ),
            (
                "PUT", override, #"{"state":"faulty","reason":"x","storeId":5}"#,
                "In the body, `storeId` must be a string or null."
            ),
            (
                "PUT", override, #"{"state":"faulty","reason":"x","storeid":"S1"}"#,
                "There is no member `storeid` here; did you mean `storeId`?"
            ),
            (
                "PUT", override, #"{"state":"fauly","reason":"x","storeId":"S1"}"#,
                "A state is healthy, faulty or recovering, not \"fauly\"."
            ),
            (
                "POST", Routes.enrolmentCodes, #"{"storeId":"S1","count":"3"}"#,
                "In the body, `count` must be an integer from 1 to 1000."
            ),
        ]
        for slip in slips {
            let response = try client.request(
                slip.method, slip.path, headers: ["Authorization": "Bearer \(token)"], body: slip.body)
            #expect((400..<500).contains(response.status), "\(slip.path)")
            #expect(
                try response.json()["detail"]?.string?.contains(slip.sentence) == true, "\(response.text)")
        }
        let services = try client.request(
            "GET", Routes.qosServices, headers: ["Authorization": "Bearer \(token)"]
        ).json()["services"]?.array
        let overridden = services?.contains { service in
            service["override"]?.object != nil || service["proposal"]?.object != nil
                || service["storeOverrides"]?.array?.isEmpty == false
        }
        #expect(overridden == false)
    }

    @Test("On a page: a wrong day, a misspelt filter, a form that is old, what another has done meanwhile")
    func pages() throws {
        let hub = try HubUnderTest()
        let token = try #require(try hub.json("operator", "add", "kim", "--role", "manager")["token"]?.string)
        let client = try hub.client()
        let login = try client.request("POST", "/login", body: "token=\(token)")
        let cookie = try #require(login.headers["set-cookie"]?.prefix { $0 != ";" })
        let browser = ["Cookie": String(cookie), "Accept": "text/html,*/*;q=0.8"]
        let page = try client.request("GET", "/overrides", headers: browser).text
        let mark = try #require(page.range(of: "name=\"csrf\" value=\""))
        let csrf = page[mark.upperBound...].prefix { $0 != "\"" }
        let slips: [(method: String, path: String, body: String?, sentence: String)] = [
            ("GET", "/sales?day=20261127", nil, "is no day; write YYYY-MM-DD."),
            ("GET", "/stores?awey=1", nil, "There is no parameter `awey` here; did you mean `away`?"),
            ("GET", "/stores?mode=offline", nil, "There is no parameter `mode` here; there are `q`, `away`"),
            ("GET", "/terminals/nobody", nil, "No terminal has the id nobody; `pos-hub terminals list`"),
            ("GET", "/stores/nowhere", nil, "No store has the id nowhere: check it"),
            ("GET", "/terminal", nil, "Nothing is at this path: check it."),
            ("POST", "/debts/settle", "csrf=old&id=1&reason=paid", "load the page again"),
            ("POST", "/debts/settle", "csrf=\(csrf)&id=1&reason=paid", "No debt has the id 1;"),
            (
                "POST", "/overrides/confirm", "csrf=\(csrf)&service=order&id=gone",
                "Load the page again, and propose the override anew"
            ),
            (
                "POST", "/overrides", "csrf=\(csrf)&service=order&state=faulty&storeId=S1&reason=+%20+",
                "A reason of 1 to 500 characters"
            ),
        ]
        for slip in slips {
            let response = try client.request(slip.method, slip.path, headers: browser, body: slip.body)
            #expect((400..<500).contains(response.status), "\(slip.path)")
            #expect(response.headers["content-type"]?.hasPrefix("text/html") == true, "\(slip.path)")
            #expect(response.text.contains(slip.sentence), "\(slip.path): \(response.text)")
            #expect(response.text.contains("href=\"/\""))
            // A reload would show a page that is none, or take the sentence away.
            #expect(!response.text.contains("id=\"live\""), "\(slip.path)")
            let chinese = browser.merging(["Accept-Language": "zh"]) { $1 }
            let other = try client.request(slip.method, slip.path, headers: chinese, body: slip.body).text
            #expect(other.contains("<html lang=\"zh\">"), "\(slip.path)")
            #expect(!other.contains(slip.sentence), "\(slip.path): \(other)")
        }
    }
}
