import Foundation
import HubProtocol
import TestKit
import Testing

/// Who may look at the operators' pages, and how people get in.
@Suite("pos-hub lets operators in", .onStage, .serialized)
struct HubOperatorTests {
    private func form(_ fields: [(String, String)]) -> String {
        fields.map { name, value in
            name + "=" + (value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        }.joined(separator: "&")
    }

    private func post(
        _ path: String, _ fields: [(String, String)], on client: LoopbackClient,
        headers: [String: String] = [:]
    ) throws -> LoopbackAnswer {
        try client.request("POST", path, headers: headers, body: form(fields))
    }

    private func cookie(of answer: LoopbackAnswer) throws -> [String: String] {
        let header = try #require(answer.headers["set-cookie"])
        #expect(header.contains("HttpOnly") && header.contains("SameSite=Strict"))
        return ["Cookie": String(header.prefix { $0 != ";" })]
    }

    private func csrfToken(in page: String) throws -> String {
        let mark = try #require(page.range(of: "name=\"csrf\" value=\""))
        return String(page[mark.upperBound...].prefix { $0 != "\"" })
    }

    @Test("On loopback too: the page leads to the login, figures and services require a token")
    func closed() throws {
        let hub = try HubUnderTest()
        let client = try hub.client()
        let page = try client.request("GET", "/")
        #expect(page.status == 303)
        #expect(page.headers["location"] == "/login")
        #expect(try client.request("GET", "/login").status == 200)
        for path in ["/metrics", Routes.qosServices] {
            #expect(try client.request("GET", path).problemCode == "operator_required")
        }
        let forged = ["Authorization": "Bearer op.AAAA", "X-Forwarded-For": "127.0.0.1"]
        #expect(try client.request("GET", "/", headers: forged).problemCode == "operator_required")
        let token = try #require(try hub.json("operator", "add", "kim")["token"]?.string)
        let headers = ["Authorization": "Bearer \(token)"]
        #expect(
            try client.request("GET", "/", headers: headers).text.contains("<td>order</td><td>healthy</td>"))
        #expect(try client.request("GET", "/metrics", headers: headers).status == 200)
    }

    @Test("ops.open opens the page and the figures, and nothing else")
    func open() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try #"{"ops":{"open":true,"hosts":["hub.example"]}}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        let hub = try HubUnderTest(["--config", file], in: folder)
        let client = try hub.client()
        #expect(try client.request("GET", "/").status == 200)
        #expect(try client.request("GET", "/metrics").status == 200)
        #expect(try client.request("GET", Routes.qosServices).problemCode == "operator_required")
    }

    @Test("A name that is not this hub's is refused, whoever sends it")
    func hosts() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try #"{"ops":{"open":true,"hosts":["hub.example"]}}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        let hub = try HubUnderTest(["--config", file], in: folder)
        func statuses(_ name: String) throws -> [Int] {
            try ["/", "/metrics", "/login"].map { path in
                let client = try hub.client()
                try client.send(Array("GET \(path) HTTP/1.1\r\nHost: \(name)\r\n\r\n".utf8))
                return try client.answer().status
            }
        }
        for name in ["hub.example", "HUB.example:8080", "localhost:1", "127.9.9.9", "[::1]:80"] {
            #expect(try statuses(name) == [200, 200, 200], "\(name)")
        }
        let strange = ["evil.example", "127.0.0.1.evil.example", "hub.example.evil", "127.0.0.999"]
        for name in strange { #expect(try statuses(name) == [421, 421, 421], "\(name)") }
    }

    @Test("A code sets a password once; the session ends with sign-out, password and operator")
    func password() throws {
        let hub = try HubUnderTest()
        let client = try hub.client(timeout: 30)
        let added = try hub.json("operator", "add", "Kim Lee", "--role", "viewer")
        #expect(added["role"] == "viewer")
        let code = try #require(added["loginCode"]?.string)
        let setting = [("name", "Kim Lee"), ("loginCode", code), ("newPassword", "correct horse")]
        let short = [("name", "Kim Lee"), ("loginCode", code), ("newPassword", "ninesigns")]
        #expect(try post("/login", short, on: client).status == 422)
        let first = try post("/login", setting, on: client)
        #expect(first.status == 303)
        #expect(try post("/login", setting, on: client).status == 401)
        let session = try cookie(of: first)
        let page = try client.request("GET", "/", headers: session)
        #expect(page.text.contains("Kim Lee, viewer"))
        #expect(!page.text.contains("<script"))
        #expect(try client.request("GET", Routes.qosServices, headers: session).status == 200)
        #expect(
            try post("/login", [("name", "Kim Lee"), ("password", "wrong horse")], on: client).status == 401)
        let again = try post("/login", [("name", "Kim Lee"), ("password", "correct horse")], on: client)
        let second = try cookie(of: again)
        #expect(try post("/logout", [("csrf", "x")], on: client, headers: second).status == 403)
        let token = try csrfToken(in: page.text)
        let ended = try post("/logout", [("csrf", token)], on: client, headers: session)
        #expect(ended.status == 303)
        #expect(ended.headers["set-cookie"]?.contains("Max-Age=0") == true)
        #expect(try hub.json("operator", "list")["operators"]?.array?.first?["hasPassword"] == true)
        #expect(try hub.run("operator", "remove", "Kim Lee").exitCode == 0)
        #expect(try client.request("GET", "/", headers: second).status == 303)
        #expect(try hub.run("operator", "remove", "Kim Lee").exitCode == 4)
    }

    @Test("Five wrong passwords make the name wait, and no other name")
    func guessing() throws {
        let hub = try HubUnderTest()
        let client = try hub.client(timeout: 30)
        _ = try hub.json("operator", "add", "kim")
        for _ in 1...5 {
            #expect(try post("/login", [("name", "kim"), ("password", "x")], on: client).status == 401)
        }
        let waiting = try post("/login", [("name", "kim"), ("password", "x")], on: client)
        #expect(waiting.status == 429)
        #expect((Int(waiting.headers["retry-after"] ?? "") ?? 0) > 50)
        #expect(try post("/login", [("name", "lee"), ("password", "x")], on: client).status == 401)
    }

    @Test("A role may do what the table lists; a session changes nothing without the page's token")
    func roles() throws {
        let hub = try HubUnderTest()
        let client = try hub.client()
        let path = "/v1/qos/services/payment/override"
        let body = #"{"state":"faulty","reason":"works","until":null}"#
        for (role, status) in [("viewer", 403), ("integrator", 403), ("operator", 200), ("manager", 200)] {
            let added = try hub.json("operator", "add", role, "--role", role)
            let token = try #require(added["token"]?.string)
            let bearer = ["Authorization": "Bearer \(token)"]
            #expect(try client.request("PUT", path, headers: bearer, body: body).status == status)
            let reads = role == "integrator" ? 403 : 200
            #expect(try client.request("GET", Routes.qosServices, headers: bearer).status == reads)
            let session = try cookie(of: post("/login", [("token", token)], on: client))
            let forged = try client.request("PUT", path, headers: session, body: body)
            #expect(forged.problemCode == "csrf_refused")
        }
        let origin = ["Origin": "http://evil.example"]
        #expect(
            try post("/login", [("token", "x")], on: client, headers: origin).problemCode == "csrf_refused")
    }

    @Test("A token ends, and a wrong role or lifetime is refused")
    func tokens() throws {
        let hub = try HubUnderTest()
        let token = try #require(
            try hub.json("operator", "add", "kim", "--expires", "1s")["token"]?.string)
        let client = try hub.client()
        let headers = ["Authorization": "Bearer \(token)"]
        let end = ContinuousClock.now + .seconds(20)
        var status = 200
        while status != 401, ContinuousClock.now < end {
            status = try client.request("GET", "/metrics", headers: headers).status
        }
        #expect(status == 401)
        #expect(try hub.run("operator", "add", "kim", "--role", "king").exitCode == 4)
        #expect(try hub.run("operator", "add", "kim", "--expires", "400d").exitCode == 4)
        #expect(try hub.run("operator", "add", "kim", "--expires", "soon").exitCode == 2)
        #expect(try hub.run("operator", "add", "kim\u{1b}[2J").exitCode == 4)
    }

    @Test(
        "Beyond loopback without TLS, and a far database without a verified certificate, only when accepted")
    func insecure() throws {
        let folder = try TemporaryFolder()
        func serve(_ arguments: String...) throws -> FinishedProgram {
            try ProgramUnderTest.run(
                "pos-hub", ["serve", "--store", HubUnderTest.store(in: folder)] + arguments)
        }
        let plain = try serve("--listen", "0.0.0.0:0")
        #expect(plain.exitCode == 3)
        #expect(plain.errors.first?.contains("--allow-insecure") == true)
        for url in [
            "postgresql://u@db.example/x", "postgresql:///x?host=10.0.0.9", "postgresql://u@127.0.0.1,db/x",
            "postgresql://u@db.example/x?sslmode=require", "postgresql://%64b.example/x",
        ] {
            let far = try ProgramUnderTest.run("pos-hub", ["operator", "list", "--store", url])
            #expect(far.exitCode == 3, "\(url)")
            #expect(far.errors.first?.contains("sslmode=verify-full") == true, "\(url) \(far.errors)")
        }
        let move = try ProgramUnderTest.run(
            "pos-hub",
            ["migrate", "--from", HubUnderTest.store(in: folder), "--to", "postgresql://u@db.example/x"])
        #expect(move.exitCode == 3)
    }

    @Test("A key file that every user may read is refused")
    func readableKey() throws {
        let folder = try TemporaryFolder()
        try Command.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/CN=localhost", "-keyout", folder.path("key.pem"), "-out",
            folder.path("certificate.pem"),
        ])
        try Command.run(["chmod", "644", folder.path("key.pem")])
        let end = try ProgramUnderTest.run(
            "pos-hub",
            [
                "serve", "--listen", "127.0.0.1:0", "--store", HubUnderTest.store(in: folder),
                "--tls-certificate", folder.path("certificate.pem"), "--tls-key", folder.path("key.pem"),
            ])
        #expect(end.exitCode == 3)
        #expect(end.errors.first?.contains("chmod o-rwx") == true, "\(end.errors)")
    }

    @Test(
        "TLS 1.1 and RSA key exchange are refused, 1.2 and 1.3 served; a renewed certificate is used at once")
    func tls() throws {
        let folder = try TemporaryFolder()
        func certificate(_ name: String) throws {
            try Command.run([
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=\(name)", "-keyout", folder.path("key.pem"), "-out", folder.path("certificate.pem"),
            ])
            try Command.run(["chmod", "600", folder.path("key.pem")])
        }
        try certificate("first")
        let hub = try HubUnderTest(
            [
                "--tls-certificate", folder.path("certificate.pem"), "--tls-key", folder.path("key.pem"),
            ], in: folder)
        let address = String(hub.url.dropFirst("https://".count))
        func handshake(_ options: String...) -> String {
            let command =
                ["openssl", "s_client", "-connect", address, "-servername", "localhost"] + options
            let quoted = command.map { "'\($0)'" }.joined(separator: " ")
            return (try? Command.run(["sh", "-c", "echo Q | \(quoted) 2>&1 || true"])) ?? ""
        }
        #expect(handshake("-tls1_2").contains("CN = first"))
        #expect(handshake("-tls1_3").contains("TLSv1.3"))
        #expect(!handshake("-tls1_1", "-cipher", "ALL:@SECLEVEL=0").contains("CN = first"))
        #expect(!handshake("-tls1", "-cipher", "ALL:@SECLEVEL=0").contains("CN = first"))
        #expect(!handshake("-tls1_2", "-cipher", "AES128-SHA").contains("CN = first"))
        #expect(!handshake("-tls1_2", "-cipher", "ECDHE-RSA-AES128-SHA").contains("CN = first"))
        try certificate("second")
        let end = ContinuousClock.now + .seconds(20)
        var shown = ""
        while !shown.contains("CN = second"), ContinuousClock.now < end { shown = handshake("-tls1_2") }
        #expect(shown.contains("CN = second"))
    }
}
