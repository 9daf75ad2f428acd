import Base
import CurlHTTP
import Foundation
import Glibc
import HubProtocol
import OfflineCore
import Synchronization
import TestKit
import Testing

@Suite("Curl session", .timeLimit(.minutes(2)))
struct CurlSessionTests {
    private let server: ScriptedServer
    private let session: CurlSession

    init() throws {
        server = try ScriptedServer()
        server.on("/ok", .json(200, #"{"ok":true}"#, headers: ["X-Word": " spaced "]))
        session = try CurlSession(
            configuration: CurlSessionConfiguration(userAgent: "pos/1.2.3 (test)"))
    }

    @Test("sends method, headers and body, and brings status, headers and body back")
    func exchange() async throws {
        let exchange = await session.send(
            HTTPRequest(
                method: .post, url: server.url + "/ok?a=b",
                headers: [HTTPHeader("Pos-Schema", String(Schema.current))],
                body: Array("{}".utf8)))
        let response = try exchange.result.get()
        #expect(response.status == 200)
        #expect(response.header("x-word") == "spaced")
        #expect(response.body == Array(#"{"ok":true}"#.utf8))
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/ok?a=b")
        #expect(request.text == "{}")
        #expect(request.headers["pos-schema"] == String(Schema.current))
        #expect(request.headers["user-agent"] == "pos/1.2.3 (test)")
        #expect(request.headers["expect"] == nil)
    }

    @Test(
        "every method goes out as it is, with and without a body",
        arguments: [HTTPRequest.Method.get, .post, .put, .delete, .head])
    func methods(method: HTTPRequest.Method) async throws {
        if method == .head { server.on("/any", .whole(200, type: nil, body: "")) }
        if method != .head { server.on("/any", .json(200, "{}")) }
        let body: [UInt8]? = method == .put || method == .post ? [] : nil
        let exchange = await session.send(HTTPRequest(method: method, url: server.url + "/any", body: body))
        #expect(try exchange.result.get().status == 200)
        #expect(server.requests.first?.method == method.rawValue)
    }

    @Test("the timings are in order, on the monotonic clock")
    func timings() async throws {
        let before = monotonicNow()
        let timings = await session.send(HTTPRequest(url: server.url + "/ok")).timings
        let (connected, first) = (try #require(timings.connectedAt), try #require(timings.firstByteAt))
        #expect(before <= timings.startedAt && timings.startedAt <= connected)
        #expect(connected <= first && first <= timings.finishedAt)
        #expect(timings.finishedAt <= monotonicNow())
    }

    @Test("a connection is reused; a fresh one is separate and is closed")
    func reuse() async throws {
        let kept = HTTPRequest(url: server.url + "/ok")
        var fresh = kept
        fresh.usesFreshConnection = true
        #expect(!(await session.send(kept).timings.reusedConnection))
        #expect(await session.send(kept).timings.reusedConnection)
        #expect(!(await session.send(fresh).timings.reusedConnection))
        #expect(await session.send(kept).timings.reusedConnection)
        #expect(server.requests.map(\.connection) == [1, 1, 2, 1])
    }

    @Test("forgotten connections are not used again, later ones are")
    func forget() async throws {
        let request = HTTPRequest(url: server.url + "/ok")
        _ = await session.send(request)
        session.forgetConnections()
        #expect(!(await session.send(request).timings.reusedConnection))
    }

    @Test("no more idle connections are kept than configured")
    func cap() async throws {
        let session = try CurlSession(configuration: CurlSessionConfiguration(keptConnections: 2))
        server.on("/slow", ScriptedResponse([.pause(0.2)] + ScriptedResponse.json(200, "{}").steps))
        let url = server.url + "/slow"
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { _ = await session.send(HTTPRequest(url: url)) } }
        }
        #expect(await server.waitForConnections(atMost: 2))
        #expect(server.connectionCount == 6)
    }

    @Test("thirty-two requests at a time all end, each with its own response")
    func concurrency() async throws {
        for index in 0..<32 { server.on("/n\(index)", .json(200, "\(index)")) }
        let url = server.url
        let responses = await withTaskGroup(of: (Int, String?).self) { group in
            for index in 0..<320 {
                group.addTask { [session] in
                    let exchange = await session.send(HTTPRequest(url: "\(url)/n\(index % 32)"))
                    let body = try? exchange.result.get().body
                    return (index % 32, body.map { String(decoding: $0, as: UTF8.self) })
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(responses.count == 320)
        #expect(responses.allSatisfy { $0.1 == String($0.0) })
    }

    @Test("a redirect is handed back, not followed")
    func redirect() async throws {
        server.on("/away", .whole(302, type: nil, headers: ["Location": server.url + "/ok"], body: ""))
        let exchange = await session.send(HTTPRequest(url: server.url + "/away"))
        #expect(try exchange.result.get().status == 302)
        #expect(server.requests.count == 1)
    }

    @Test("over a Unix-domain socket")
    func unixSocket() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("hub.sock")
        let server = try ScriptedServer(unixPath: path)
        server.on("/ok", .json(200, "{}"))
        let exchange = await session.send(HTTPRequest(url: "http://hub/ok", unixSocketPath: path))
        #expect(try exchange.result.get().status == 200)
        let missing = await session.send(
            HTTPRequest(url: "http://hub/ok", unixSocketPath: folder.path("none.sock")))
        #expect(missing.result == .failure(.notConnected))
    }

    @Test("a body as long as allowed passes, one byte more does not, announced or in chunks")
    func bodyCap() async throws {
        let chunk = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        server.on("/chunks", ScriptedResponse([.send(Array((chunk + "b\r\n12345678901\r\n0\r\n\r\n").utf8))]))
        server.on("/eleven", .json(200, "12345678901"))
        for path in ["/chunks", "/eleven"] {
            var request = HTTPRequest(url: server.url + path, maximumBodyBytes: 11)
            #expect(try await session.send(request).result.get().body.count == 11)
            request.maximumBodyBytes = 10
            #expect(await session.send(request).result == .failure(.responseTooLarge))
        }
    }

    @Test(
        "what cannot be sent is refused before anything is",
        arguments: [
            HTTPRequest(url: "http://127.0.0.1/a b"), HTTPRequest(url: "ftp://127.0.0.1/"),
            HTTPRequest(url: "nonsense"), HTTPRequest(url: ""), HTTPRequest(url: "http://127.0.0.1:99999/"),
            HTTPRequest(url: "http://127.0.0.1/", headers: [HTTPHeader("A", "b\r\nC: d")]),
            HTTPRequest(url: "http://127.0.0.1/", headers: [HTTPHeader("A:B", "c")]),
            HTTPRequest(url: "http://hub/", unixSocketPath: String(repeating: "x", count: 108)),
        ])
    func notSendable(request: HTTPRequest) async throws {
        guard case .failure(.notSendable) = await session.send(request).result else {
            Issue.record("\(request.url) was sent")
            return
        }
    }

    @Test("a closed session ends what runs and takes nothing more")
    func close() async throws {
        server.on("/stall", .stall)
        async let running = session.send(HTTPRequest(url: server.url + "/stall"))
        #expect(await server.waitForRequests(1))
        session.close()
        #expect(await running.result == .failure(.sessionClosed))
        #expect(await session.send(HTTPRequest(url: server.url + "/ok")).result == .failure(.sessionClosed))
        #expect(await server.waitForConnections(atMost: 0))
        session.close()
    }

    @Test("started and closed a hundred times, no thread stays")
    func noLeaks() async throws {
        let name = CurlSessionConfiguration(threadName: "curl-leak-test")
        for _ in 0..<100 {
            let session = try CurlSession(configuration: name)
            #expect(try await session.send(HTTPRequest(url: server.url + "/ok")).result.get().status == 200)
            session.close()
        }
        #expect(await server.waitForConnections(atMost: 0))
        #expect(try threads(named: name.threadName).isEmpty)
    }

    @Test("an idle session does not wake up")
    func idle() async throws {
        let name = CurlSessionConfiguration(threadName: "curl-idle-test")
        let session = try CurlSession(configuration: name)
        _ = await session.send(HTTPRequest(url: server.url + "/ok"))
        let thread = try #require(try threads(named: name.threadName).first)
        // The kernel's counts of a real thread are what is looked at, so real time has to pass.
        try await Task.sleep(for: .milliseconds(100))
        let rested = try wakeups(of: thread)
        try await Task.sleep(for: .milliseconds(500))
        #expect(try wakeups(of: thread) == rested)
        session.close()
    }

    /// Voluntary context switches of one thread of this process.
    private func wakeups(of thread: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("voluntary") })
        return try #require(line.split(separator: "\t").last.flatMap { Int($0) })
    }
}
