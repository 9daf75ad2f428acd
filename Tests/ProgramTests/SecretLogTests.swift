import Foundation
import HubProtocol
import TestKit
import Testing

@Suite("Secrets and the log", .onStage)
struct SecretLogTests {
    @Test("With everything logged, no secret of a run stands in the log of the hub")
    func trace() throws {
        let folder = try TemporaryFolder()
        let gatewayToken = "gw-" + String(repeating: "7q", count: 12)
        try gatewayToken.write(toFile: folder.path("gateway"), atomically: true, encoding: .utf8)
        chmod(folder.path("gateway"), 0o600)
        // Nothing listens there: what the hub writes about the attempts is in the log.
        let configuration: JSONValue = [
            "payments": "http",
            "gateway": ["url": "http://127.0.0.1:9", "tokenFile": .string(folder.path("gateway"))],
        ]
        try configuration.canonicalText.write(
            toFile: folder.path("hub.json"), atomically: true, encoding: .utf8)
        let hub = try HubUnderTest(["--log-level", "trace", "--config", folder.path("hub.json")], in: folder)
        let code = try #require(try hub.json("enrol-code", "--store-id", "S1")["code"]?.string)
        _ = try hub.run("store-config", "set", "--store-id", "S1", "members.names=on")
        var till = try hub.enrol()
        let added = try hub.json("operator", "add", "vic", "--role", "manager")
        let token = try #require(added["token"]?.string)
        let client = try hub.client()
        let wrong = try client.request("POST", Routes.terminals, body: "{\"enrolmentCode\":\"\(code)\"}")
        #expect(wrong.status == 400)
        let login = try client.request("POST", "/login", body: "token=\(token)")
        let session = try #require(login.headers["set-cookie"]).drop { $0 != "=" }.dropFirst().prefix {
            $0 != ";"
        }
        _ = try client.request("POST", "/login", body: "name=vic&password=pass-word-739155")
        _ = try client.request(
            "POST", Routes.sessions, headers: till.headers,
            body: "{\"cashierId\":\"c\",\"pin\":\"739155\"}")
        _ = try till.push(till.sale(), on: client)
        let body: JSONValue = ["orderId": "o", "amount": ["amount": 100, "currency": "CNY"]]
        _ = try client.request(
            "POST", Routes.authorizations,
            headers: till.headers.merging([HeaderNames.idempotencyKey: "\"K1\""]) { $1 },
            body: body.canonicalText)
        let schema = [HeaderNames.schema: "\(Schema.current)"]
        let pulled = try client.request(
            "GET", Routes.changes, headers: till.headers.merging(schema) { $1 }
        ).json()
        let storeKeys = (pulled["changes"]?.array ?? []).flatMap { change in
            ["couponKey", "phoneKey"].compactMap { change["value"]?[$0]?.string }
        }
        #expect(storeKeys.count >= 2)
        hub.program.signal(SIGUSR1)
        hub.stop()
        let log = hub.program.errors.lines.joined(separator: "\n")
        #expect(log.contains("trace") || log.contains("debug"))
        let secrets = [
            gatewayToken, code, till.grant.token, token, added["loginCode"]?.string ?? token, String(session),
            "pass-word-739155", "739155",
        ]
        let keyFile = try Data(contentsOf: URL(fileURLWithPath: folder.path("hub.sqlite-key")))
        let keys = try JSONParser.parse(Array(keyFile))["keys"]?.array ?? []
        let privateKeys = keys.compactMap { $0["privateKey"]?.string }
        #expect(privateKeys.count >= 4)
        for secret in privateKeys + storeKeys { #expect(!log.contains(secret), "\(secret.prefix(6))…") }
        for secret in secrets { #expect(!log.contains(secret), "\(secret.prefix(6))…") }
    }

    @Test("With everything logged, no token and no PIN stands in the log of a till's agent")
    func agent() throws {
        let shop = try ShopUnderTest()
        try shop.importRows(.cashiers, "c1,Li,739155,cashier", "m1,Wu,98765432,manager")
        let agent = try shop.startProgram("agent", "--log-level", "trace")
        try agent.line { $0 == "ready" }
        defer { agent.kill() }
        _ = try shop.document("sync", "now")
        _ = try shop.pos("sign-in", "c1", "--pin-stdin", "--json", input: ["739155"]).document()
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        let price: JSONValue = [
            "lines": [["barcode": .string(Article.assortment[0].barcode), "price": 1]],
            "person": ["approver": ["id": "m1", "pin": "98765432"]],
        ]
        _ = try shop.query("POST", "/v1/sales", body: price)
        _ = try shop.document("sync", "now")
        agent.signal(SIGUSR1)
        _ = try shop.document("status")
        agent.terminate()
        _ = agent.exitCode()
        let log = agent.errors.lines.joined(separator: "\n")
        #expect(log.contains("trace") || log.contains("debug"))
        let database = try Data(contentsOf: URL(fileURLWithPath: shop.home + "/terminal.sqlite"))
        let start = try #require(database.range(of: Data("pos2.".utf8)))
        let token = String(
            decoding: database[start.lowerBound...].prefix { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
        // Its signature alone is the secret, the eighth part; terminal and store in it are not.
        let signature = String(try #require(token.split(separator: ".").dropFirst(7).first).prefix(60))
        #expect(signature.utf8.count == 60)
        var secrets = [signature, "739155", "98765432"]
        for file in ["device.key", "device.secret"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: shop.home + "/" + file))
            secrets += [bytes.base64EncodedString(), bytes.map { String(format: "%02x", $0) }.joined()]
            if let text = String(bytes: bytes, encoding: .utf8) {
                secrets.append(text.trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }
        for secret in secrets { #expect(secret.utf8.count >= 6 && !log.contains(secret)) }
    }
}
