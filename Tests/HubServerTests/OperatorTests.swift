import Base
import Foundation
import HubProtocol
import TestKit
import Testing

@testable import HubServer

/// Who may look at the operators' pages, and how people get in.
@Suite("The hub lets operators in")
struct OperatorTests {
    private func form(_ fields: [(String, String)]) -> String {
        fields.map { name, value in
            name + "=" + (value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        }.joined(separator: "&")
    }

    private func post(
        _ path: String, _ fields: [(String, String)], on hub: HubInProcess,
        headers: [String: String] = [:]
    ) async throws -> LoopbackResponse {
        try await hub.request("POST", path, headers: headers, body: form(fields))
    }

    private func cookie(of response: LoopbackResponse) throws -> [String: String] {
        let header = try #require(response.headers["set-cookie"])
        #expect(header.contains("HttpOnly") && header.contains("SameSite=Strict"))
        return ["Cookie": String(header.prefix { $0 != ";" })]
    }

    private func csrfToken(in page: String) throws -> String {
        let mark = try #require(page.range(of: "name=\"csrf\" value=\""))
        return String(page[mark.upperBound...].prefix { $0 != "\"" })
    }

    /// What `pos-hub operator add` prints.
    private func added(
        _ name: String, _ role: String = "manager", lifetime: Int64 = 3_600_000, on hub: HubInProcess
    ) async throws -> JSONValue {
        try await hub.perform(.addOperator(name: name, role: role, lifetime: lifetime))
    }

    @Test("A token that another hub of the database gave works at once, and guesses cost little")
    func newToken() async throws {
        try #require(PostgresServer.isAvailable)
        let hub = try await HubInProcess(on: .postgresql)
        let other = try await HubInProcess(at: hub.place, clock: hub.clock)
        func status(_ token: String) async throws -> Int {
            try await other.request(
                "GET", Routes.orders, headers: ["Authorization": "Bearer \(token)"]
            ).status
        }
        func token(_ name: String) async throws -> String {
            try #require(try await added(name, "integrator", on: hub)["token"]?.string)
        }
        #expect(try await status(try await token("erp")) == 200)
        for number in 0..<40 { #expect(try await status("guess\(number)") == 401) }
        // Past the limit the list decides alone, a second later the store again.
        let late = try await token("late")
        #expect(try await status(late) == 401)
        hub.clock.advance(by: .seconds(1))
        #expect(try await status(late) == 200)
    }

    @Test("Only the names of this hub pass, not what a lenient reader takes for one")
    func hosts() {
        let check = HostCheck(names: ["Hub.example"])
        for host in [
            "localhost", "localhost:80", "LOCALHOST:8080", "127.0.0.1", "127.9.9.9:1", "[::1]", "[::1]:443",
            "hub.example", "HUB.example:8443", "localhost:",
        ] { #expect(check.allows(host), "\(host)") }
        for host in [
            "localhost:80@evil", "[::1]evil", "[::1]:80@evil", "[::1", "localhost:80:80",
            "localhost:99999999",
            "localhost:8a", "evil@localhost", "localhost/evil", "localhost#", "local host", "", ":80", "[]",
            "evil.example", "hub.example.evil", "localhost\u{0}", "ｌocalhost", "::1", "[127.0.0.1]evil:1",
        ] { #expect(!check.allows(host), "\(host)") }
        #expect(!check.allows(nil))
    }

    @Test("Behind a TLS proxy the session's cookie is for TLS alone, and one of plain http does not count")
    func secureCookies() async throws {
        for isSecure in [true, false] {
            let hub = try await HubInProcess { $0.ops.hasSecureCookies = isSecure }
            let added = try await hub.perform(.addOperator(name: "vic", role: "viewer", lifetime: 3_600_000))
            let login = try await hub.request(
                "POST", "/login", body: "token=\(added["token"]?.string ?? "")")
            let header = try #require(login.headers["set-cookie"])
            #expect(header.contains("; Secure") == isSecure)
            #expect(header.hasPrefix("__Host-holdfast_session=") == isSecure)
            let value = header.drop { $0 != "=" }.dropFirst().prefix { $0 != ";" }
            for name in ["__Host-holdfast_session", "holdfast_session"] {
                let page = try await hub.request("GET", "/orders", headers: ["Cookie": "\(name)=\(value)"])
                #expect(page.status == (name.hasPrefix("__") == isSecure ? 200 : 303), "\(name) \(isSecure)")
            }
        }
    }

    @Test("On loopback too: the page leads to the login, figures and services require a token")
    func closed() async throws {
        let hub = try await HubInProcess()
        let visit = try await hub.request("GET", "/")
        #expect(visit.status == 303)
        #expect(visit.headers["location"] == "/login")
        #expect(try await hub.request("GET", "/login").status == 200)
        for path in ["/metrics", Routes.qosServices] {
            #expect(try await hub.request("GET", path).problemCode == "operator_required")
        }
        let forged = ["Authorization": "Bearer op.AAAA", "X-Forwarded-For": "127.0.0.1"]
        #expect(try await hub.request("GET", "/", headers: forged).problemCode == "operator_required")
        let headers = try await hub.operatorHeaders()
        let page = try await hub.request("GET", "/", headers: headers)
        #expect(page.text.contains("href=\"/services#order\"><span class=\"state healthy\">healthy</span>"))
        #expect(try await hub.request("GET", "/metrics", headers: headers).status == 200)
    }

    @Test("ops.open opens the page and the figures, and nothing else")
    func open() async throws {
        let hub = try await HubInProcess { $0.ops.isOpen = true }
        #expect(try await hub.request("GET", "/").status == 200)
        #expect(try await hub.request("GET", "/metrics").status == 200)
        #expect(try await hub.request("GET", Routes.qosServices).problemCode == "operator_required")
    }

    @Test("A code sets a password once; the session ends with sign-out, password and operator")
    func password() async throws {
        let hub = try await HubInProcess()
        let added = try await added("Kim Lee", "viewer", on: hub)
        #expect(added["role"] == "viewer")
        let code = try #require(added["loginCode"]?.string)
        let setting = [("name", "Kim Lee"), ("loginCode", code), ("newPassword", "correct horse")]
        let short = [("name", "Kim Lee"), ("loginCode", code), ("newPassword", "ninesigns")]
        #expect(try await post("/login", short, on: hub).status == 422)
        let first = try await post("/login", setting, on: hub)
        #expect(first.status == 303)
        #expect(try await post("/login", setting, on: hub).status == 401)
        let session = try cookie(of: first)
        let page = try await hub.request("GET", "/", headers: session)
        #expect(page.text.contains("Kim Lee, viewer"))
        #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
        #expect(try await hub.request("GET", Routes.qosServices, headers: session).status == 200)
        #expect(
            try await post("/login", [("name", "Kim Lee"), ("password", "wrong horse")], on: hub).status
                == 401)
        let again = try await post("/login", [("name", "Kim Lee"), ("password", "correct horse")], on: hub)
        let second = try cookie(of: again)
        #expect(try await post("/logout", [("csrf", "x")], on: hub, headers: second).status == 403)
        let token = try csrfToken(in: page.text)
        let ended = try await post("/logout", [("csrf", token)], on: hub, headers: session)
        #expect(ended.status == 303)
        #expect(ended.headers["set-cookie"]?.contains("Max-Age=0") == true)
        #expect(try await hub.perform(.listOperators)["operators"]?.array?.first?["hasPassword"] == true)
        try await hub.perform(.removeOperator(name: "Kim Lee"))
        #expect(try await hub.request("GET", "/", headers: second).status == 303)
        #expect(try await hub.refusal(.removeOperator(name: "Kim Lee")) == .notFound)
    }

    @Test("Five wrong passwords make the name wait, twice as long after the next, and no other name")
    func guessing() async throws {
        let hub = try await HubInProcess()
        _ = try await added("kim", on: hub)
        func attempt(_ name: String) async throws -> LoopbackResponse {
            try await post("/login", [("name", name), ("password", "x")], on: hub)
        }
        for _ in 1...5 { #expect(try await attempt("kim").status == 401) }
        let waiting = try await attempt("kim")
        #expect(waiting.status == 429)
        #expect(waiting.headers["retry-after"] == "60")
        #expect(try await attempt("lee").status == 401)
        hub.clock.advance(by: .milliseconds(59_999))
        #expect(try await attempt("kim").headers["retry-after"] == "1")
        hub.clock.advance(by: .milliseconds(1))
        #expect(try await attempt("kim").status == 401)
        #expect(try await attempt("kim").headers["retry-after"] == "120")
    }

    @Test("Wrong passwords of a stranger do not block the browser in which the person signed in before")
    func strangers() async throws {
        let hub = try await HubInProcess()
        let code = try #require(try await added("kim", on: hub)["loginCode"]?.string)
        let right = [("name", "kim"), ("password", "correct horse")]
        let first = try await post(
            "/login", [("name", "kim"), ("loginCode", code), ("newPassword", "correct horse")], on: hub)
        let mark = try #require(first.cookies.first { $0.hasPrefix("known_browser_") })
        let known = ["Cookie": "other=1; " + mark]
        for _ in 1...5 {
            let wrong = try await post("/login", [("name", "kim"), ("password", "x")], on: hub)
            #expect(wrong.status == 401)
        }
        #expect(try await post("/login", right, on: hub).status == 429)
        #expect(try await post("/login", right, on: hub, headers: known).status == 303)
        let forged = ["Cookie": String(mark.dropLast(4)) + "AAAA"]
        #expect(try await post("/login", right, on: hub, headers: forged).status == 429)
        // A mark is of its name alone, and it is counted as strictly as a stranger's address.
        for _ in 1...5 {
            let wrong = [("name", "kim"), ("password", "x")]
            #expect(try await post("/login", wrong, on: hub, headers: known).status == 401)
        }
        #expect(try await post("/login", right, on: hub, headers: known).status == 429)
    }

    @Test("Another address and another browser have counts of their own, and invented names take no memory")
    func places() async throws {
        let clock = ClockUnderTest()
        let check = PasswordCheck(now: clock.clocks.monotonic)
        let kept = try #require(await check.hash("correct horse", of: "kim"))
        let stranger = PasswordCheck.Place.peer(.address("c6.33.64.1"))
        for _ in 1...5 { _ = await check.check("x", of: "kim", from: stranger, against: kept) }
        guard case .wait(60) = await check.check("correct horse", of: "kim", from: stranger, against: kept)
        else {
            Issue.record("the sixth attempt of the stranger does not wait")
            return
        }
        for place in [PasswordCheck.Place.peer(.address("c0.0.2.1")), .peer(.shared), .browser("one")] {
            let outcome = await check.check("correct horse", of: "kim", from: place, against: kept)
            guard case .right = outcome else {
                Issue.record("\(place): \(outcome)")
                continue
            }
        }
        var table = WrongPasswords()
        let now = clock.clocks.monotonic()
        for number in 0..<WrongPasswords.capacity + 100 {
            table.note(.init(name: "n\(number)", place: stranger), at: now + .milliseconds(number))
        }
        #expect(table.count == WrongPasswords.capacity)
    }

    @Test("A queue that invented names fill takes an operator's attempt all the same")
    func inventedNames() async throws {
        let check = PasswordCheck(now: ClockUnderTest().clocks.monotonic)
        let kept = try #require(await check.hash("correct horse", of: "kim"))
        await withTaskGroup(of: PasswordCheck.Outcome?.self) { group in
            for number in 0..<200 {
                group.addTask {
                    _ = await check.check("x", of: "n\(number)", from: .peer(.shared), against: nil)
                    return nil
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    await check.check("correct horse", of: "kim", from: .peer(.shared), against: kept)
                }
            }
            for await case let outcome? in group {
                guard case .right = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
            }
        }
    }

    @Test("A login code ends after 24 hours, to the millisecond")
    func loginCodes() async throws {
        let hub = try await HubInProcess()
        for (name, age, status) in [("kim", LoginCode.lifetime - 1, 303), ("lee", LoginCode.lifetime, 401)] {
            let added = try await added(name, lifetime: 3 * LoginCode.lifetime, on: hub)
            #expect(
                added["loginCodeExpiresAt"]?.string
                    == Timestamp.text(milliseconds: hub.clock.now + LoginCode.lifetime))
            let code = try #require(added["loginCode"]?.string)
            hub.clock.advance(by: .milliseconds(age))
            let setting = [("name", name), ("loginCode", code), ("newPassword", "correct horse")]
            #expect(try await post("/login", setting, on: hub).status == status)
        }
    }

    @Test("A role may do what the table lists; a session changes nothing without the page's token")
    func roles() async throws {
        let hub = try await HubInProcess()
        let path = "/v1/qos/services/payment/override"
        let body = #"{"state":"faulty","reason":"works","until":null}"#
        let ofStore = #"{"state":"faulty","reason":"works","storeId":"S1"}"#
        let rows = [
            ("viewer", 403, 403), ("integrator", 403, 403), ("operator", 403, 200), ("manager", 202, 200),
        ]
        for (role, chain, store) in rows {
            let token = try #require(try await added(role, role, on: hub)["token"]?.string)
            let bearer = ["Authorization": "Bearer \(token)"]
            #expect(try await hub.request("PUT", path, headers: bearer, body: body).status == chain)
            #expect(try await hub.request("PUT", path, headers: bearer, body: ofStore).status == store)
            let reads = role == "integrator" ? 403 : 200
            #expect(try await hub.request("GET", Routes.qosServices, headers: bearer).status == reads)
            let session = try cookie(of: try await post("/login", [("token", token)], on: hub))
            let forged = try await hub.request("PUT", path, headers: session, body: body)
            #expect(forged.problemCode == "csrf_refused")
        }
        let origin = ["Origin": "http://evil.example"]
        let foreign = try await post("/login", [("token", "x")], on: hub, headers: origin)
        #expect(foreign.problemCode == "csrf_refused")
    }

    @Test(
        "A token and a session end with their time, to the millisecond; a wrong role or lifetime is refused")
    func tokens() async throws {
        let hub = try await HubInProcess()
        let token = try #require(try await added("kim", lifetime: 60_000, on: hub)["token"]?.string)
        let headers = ["Authorization": "Bearer \(token)"]
        hub.clock.advance(by: .milliseconds(59_999))
        #expect(try await hub.request("GET", "/metrics", headers: headers).status == 200)
        hub.clock.advance(by: .milliseconds(1))
        #expect(try await hub.request("GET", "/metrics", headers: headers).status == 401)
        #expect(try await post("/login", [("token", token)], on: hub).status == 401)
        let lasting = try #require(
            try await added("lee", lifetime: 100 * 86_400_000, on: hub)["token"]?.string)
        let session = try cookie(of: try await post("/login", [("token", lasting)], on: hub))
        hub.clock.advance(by: .milliseconds(OperatorSession.lifetime - 1))
        #expect(try await hub.request("GET", "/", headers: session).status == 200)
        hub.clock.advance(by: .milliseconds(1))
        #expect(try await hub.request("GET", "/", headers: session).status == 303)
        for (name, role, lifetime) in [
            ("kim", "king", 60_000), ("kim", "manager", 400 * 86_400_000),
            ("kim\u{1b}[2J", "manager", 60_000),
        ] as [(String, String, Int64)] {
            let call = AdminCall.addOperator(name: name, role: role, lifetime: lifetime)
            #expect(try await hub.refusal(call) == .malformedRequest, "\(name) \(role)")
        }
    }
}
