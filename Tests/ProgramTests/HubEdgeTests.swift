import Foundation
import Glibc
import HubProtocol
import TestKit
import Testing

/// What anybody on the network can do to the hub's connections, byte by byte.
@Suite("pos-hub's connections", .onStage, .serialized)
struct HubEdgeTests {
    /// More than anybody will ever send.
    private static let endless = "Content-Length: 1000000000000\r\n\r\n"

    private static func head(_ line: String, _ headers: [String: String] = [:]) -> String {
        headers.reduce(into: "\(line) HTTP/1.1\r\nHost: localhost\r\n") { $0 += "\($1.key): \($1.value)\r\n" }
    }

    private func hub(_ configuration: String = "{}", behind wrapper: [String] = []) throws -> HubUnderTest {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        return try HubUnderTest(["--config", file], in: folder, behind: wrapper)
    }

    /// Each refusal of a body that never ends: its status, its code, and the head that earns it.
    private func refusals(of hub: HubUnderTest) throws -> [(status: Int, code: String, head: String)] {
        let till = try hub.enrol()
        let spent = try hub.enrol()
        let client = try hub.client()
        // One call comes back each second.
        for _ in 0..<200 {
            if try client.request("GET", Routes.changes, headers: spent.headers).status == 429 { break }
        }
        let old = till.headers.merging([HeaderNames.schema: "0"]) { $1 }
        let upload = Routes.attachmentContent.replacingOccurrences(of: "{id}", with: TillOverHTTP.ulid())
        return [
            (401, "token_invalid", Self.head("POST \(Routes.mutation)")),
            (404, "not_found", Self.head("POST /v1/nothing")),
            (405, "method_not_allowed", Self.head("PUT \(Routes.mutation)")),
            (426, "upgrade_required", Self.head("POST \(Routes.mutation)", old)),
            (429, "rate_limited", Self.head("POST \(Routes.mutation)", spent.headers)),
            (403, "upload_url_invalid", Self.head("PUT \(upload)?grant=x")),
            (413, "body_too_large", Self.head("POST \(Routes.mutationBatch)", till.headers)),
            (401, "operator_required", Self.head("PUT \(Routes.qosServices)/order/override")),
        ]
    }

    @Test("An import whose file arrives slowly keeps no other person's import out, and gets its own place")
    func slowImport() throws {
        let hub = try hub()
        let file = "sku,listed,store_id\n"
        func headers(_ name: String) throws -> [String: String] {
            let added = try hub.json("operator", "add", name, "--role", "integrator")
            return ["Authorization": "Bearer \(try #require(added["token"]?.string))"]
        }
        let (ann, ben) = (try headers("ann"), try headers("ben"))
        let (slow, client) = (try hub.client(), try hub.client())
        let more = ["Expect": "100-continue", "Content-Length": "\(file.utf8.count)"]
        let head = Self.head("PUT /v1/imports/listings", ann.merging(more) { $1 })
        try slow.send(Array((head + "\r\n").utf8))
        // The hub wants the file: from now on it waits for it.
        #expect(try slow.response(bodyless: true).status == 100)
        #expect(try client.request("PUT", "/v1/imports/listings", headers: ben, body: file).status == 200)
        let second = try client.request("PUT", "/v1/imports/listings", headers: ann, body: file)
        #expect(second.status == 409 && second.problemCode == "import_running")
        try slow.send(Array(file.utf8))
        #expect(try slow.response().status == 200)
        #expect(try client.request("PUT", "/v1/imports/listings", headers: ann, body: file).status == 200)
    }

    @Test(
        "Every refusal of a body that never ends is a problem with `Connection: close`, and closes within seconds"
    )
    func unreadBodies() throws {
        let hub = try hub(#"{"limits":{"requestsPerMinute":60}}"#)
        for refusal in try refusals(of: hub) {
            let connection = try RawConnection(hub.url)
            connection.send(refusal.head + Self.endless)
            let isClosed = connection.wait(5, trickling: "x") { $0.hasEnded }
            #expect(isClosed, "\(refusal.code) stays open")
            #expect(connection.status == refusal.status, "\(refusal.code): \(connection.text)")
            #expect(connection.hasHeader("connection: close"), "\(refusal.code): \(connection.text)")
            #expect(connection.hasHeader("content-type: \(Problem.contentType)"))
            #expect(connection.text.contains("\"code\":\"\(refusal.code)\""), "\(connection.text)")
        }
    }

    @Test("A body of which one byte comes at a time is 408 after its deadline, and the connection ends")
    func slowBody() throws {
        let hub = try hub()
        let till = try hub.enrol()
        let connection = try RawConnection(hub.url)
        connection.send(
            Self.head("POST \(Routes.mutationBatch)", till.headers) + "Content-Length: 1000\r\n\r\n")
        #expect(connection.wait(20, trickling: " ") { $0.hasEnded })
        #expect(connection.status == 408)
        #expect(connection.text.contains("\"code\":\"request_timeout\""))
    }

    @Test("A sender of megabytes that are refused is stopped, and the response reaches it")
    func pushedBody() throws {
        let hub = try hub()
        let connection = try RawConnection(hub.url)
        connection.send(Self.head("POST \(Routes.mutation)") + Self.endless)
        let chunk = String(repeating: "x", count: 65_536)
        #expect(connection.wait(5, trickling: chunk) { $0.hasEnded })
        #expect(connection.status == 401)
    }

    @Test("300 connections with refused bodies block no other: health responds")
    func heldBodies() throws {
        let hub = try hub(behind: ["prlimit", "--nofile=256:256"])
        var held: [RawConnection] = []
        for _ in 0..<300 {
            guard let connection = try? RawConnection(hub.url) else { continue }
            connection.send(Self.head("POST \(Routes.mutation)") + Self.endless)
            held.append(connection)
        }
        let client = try hub.client(timeout: 5)
        #expect(try client.request("GET", Routes.health).status == 200)
        for connection in held {
            #expect(connection.wait(10, trickling: "x") { $0.hasEnded })
        }
        #expect(held.count > 200)
    }

    @Test("A refused request whose body is complete keeps its connection")
    func readBodies() throws {
        let hub = try hub()
        let connection = try RawConnection(hub.url)
        for count in 1...3 {
            connection.send(Self.head("POST \(Routes.mutation)") + "Content-Length: 2\r\n\r\n{}")
            #expect(connection.wait(5) { $0.text.components(separatedBy: "HTTP/1.1 401").count == count + 1 })
        }
        #expect(!connection.hasEnded)
        #expect(!connection.hasHeader("connection: close"))
    }

    @Test("What is not HTTP gets a problem after the responses before it")
    func unparsable() throws {
        let hub = try hub()
        let good = Self.head("GET /healthz?nonce=1") + "\r\n"
        let wrong: [(text: String, status: Int, code: String)] = [
            ("nonsense\r\n\r\n", 400, "malformed_request"),
            ("GET /healthz HTTP/1.1\r\n\r\n", 400, "malformed_request"),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "malformed_request"),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nA b: c\r\n\r\n", 400, "malformed_request"),
            (
                Self.head("GET /healthz", ["A": String(repeating: "x", count: 20_000)]), 431,
                "headers_too_large"
            ),
        ]
        for request in wrong {
            let alone = try RawConnection(hub.url)
            alone.send(request.text)
            #expect(alone.wait(5) { $0.hasEnded }, "\(request.text.prefix(40))")
            #expect(alone.status == request.status, "\(request.text.prefix(40)): \(alone.text)")
            #expect(alone.text.contains("\"code\":\"\(request.code)\""), "\(alone.text)")
            #expect(alone.hasHeader("connection: close"))
            let behind = try RawConnection(hub.url)
            behind.send(good + request.text)
            #expect(behind.wait(5) { $0.hasEnded })
            #expect(behind.status == 200)
            #expect(behind.text.contains("HTTP/1.1 \(request.status) "), "\(behind.text)")
        }
    }

    @Test("A path has one spelling")
    func spelling() throws {
        let hub = try hub()
        let client = try hub.client()
        for path in [
            "//healthz", "/healthz/", "/./healthz", "/v1/../healthz", "/%68ealthz", "//metrics", "//",
        ] {
            #expect(try client.request("GET", path).problemCode == "not_found", "\(path)")
        }
        #expect(try client.request("GET", "/healthz?nonce=//a").status == 200)
    }

    @Test("Expect: 100-continue gets its leave where the body is read, and none where it is refused")
    func expectation() throws {
        let hub = try hub()
        let till = try hub.enrol()
        let body = #"{"mutations":[]}"#
        let more = ["Expect": "100-continue", "Content-Length": "\(body.utf8.count)"]
        let welcome = try RawConnection(hub.url)
        welcome.send(Self.head("POST \(Routes.mutationBatch)", till.headers.merging(more) { $1 }) + "\r\n")
        #expect(welcome.wait(5) { $0.text == "HTTP/1.1 100 Continue\r\n\r\n" }, "\(welcome.text)")
        welcome.send(body)
        #expect(welcome.wait(5) { $0.text.contains("HTTP/1.1 200 OK") }, "\(welcome.text)")
        let refused = try RawConnection(hub.url)
        refused.send(Self.head("POST \(Routes.mutationBatch)", more) + "\r\n")
        #expect(refused.wait(5) { $0.hasEnded })
        #expect(refused.status == 401)
    }

    @Test("HTTP/1.0 without Host gets its response and is closed; a requested close is immediate")
    func oneRequest() throws {
        let hub = try hub()
        for text in [
            "GET /healthz HTTP/1.0\r\n\r\n", Self.head("GET /healthz", ["Connection": "close"]) + "\r\n",
        ] {
            let connection = try RawConnection(hub.url)
            connection.send(text)
            #expect(connection.wait(0.9) { $0.hasEnded }, "\(text)")
            #expect(connection.text.contains(" 200 OK"))
        }
    }

    @Test("Whoever pipelines 200 pages and reads none is closed after 10 s; a slow reader is not")
    func unreadResponses() throws {
        let hub = try hub()
        let till = try hub.enrol()
        let header = "sku,barcode,name,department,price_minor,currency,tax_basis_points,unit\n"
        let name = String(repeating: "tea", count: 60)
        let file = hub.folder.path("products.csv")
        try (header + (0..<1_000).map { "s\($0),\(100_000 + $0),\(name),,1250,CNY,0,each\n" }.joined())
            .write(toFile: file, atomically: true, encoding: .utf8)
        _ = try hub.json("import", "products", file)
        let page = Self.head("GET \(Routes.changes)?limit=1000", till.headers) + "\r\n"
        let greedy = try RawConnection(hub.url)
        greedy.send(String(repeating: page, count: 200))
        let slow = try RawConnection(hub.url)
        slow.send(page)
        let start = ContinuousClock.now
        usleep(500_000)
        // The end cannot reach a client that reads nothing: the hub's own sockets are counted.
        let open = try sockets(of: hub)
        while try sockets(of: hub) >= open, ContinuousClock.now - start < .seconds(30) { usleep(100_000) }
        let took = ContinuousClock.now - start
        withExtendedLifetime(greedy) {}
        #expect(took >= .seconds(9) && took <= .seconds(20), "\(took)")
        #expect(slow.wait(5) { $0.received.count > 200_000 })
    }

    private func sockets(of hub: HubUnderTest) throws -> Int {
        let folder = "/proc/\(hub.program.processIdentifier)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))?
                .hasPrefix("socket:") == true
        }
    }

    @Test("With 1,024 descriptors and 1,300 idle connections pushes, commands and new tills go on")
    func descriptors() throws {
        try OpenFiles.raiseLimit(toAtLeast: 4_096)
        let hub = try hub(behind: ["prlimit", "--nofile=512:1024"])
        var till = try hub.enrol()
        let client = try hub.client()
        #expect(try till.push(till.sale(), on: client).status == 201)
        let idle = (0..<1_300).compactMap { _ in try? RawConnection(hub.url) }
        let end = ContinuousClock.now + .seconds(6)
        var count = 1
        while ContinuousClock.now < end {
            let response = try till.push([till.sale(), till.sale()], on: client)
            #expect(response.status == 200)
            count += 2
        }
        #expect(idle.count == 1_300)
        let late = try hub.enrol()
        #expect(try hub.client().request("GET", Routes.changes, headers: late.headers).status == 200)
        let audit = HubAudit(
            try #require(
                hub.json("audit")["terminals"]?.array?.first {
                    $0["terminalId"]?.string == till.grant.terminalId
                }))
        #expect(audit.orders == Int64(count))
        #expect(audit.isComplete)
    }
}
