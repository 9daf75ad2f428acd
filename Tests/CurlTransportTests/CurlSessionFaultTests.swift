import Base
import CurlHTTP
import FaultRelay
import Glibc
import OfflineCore
import Synchronization
import TestKit
import Testing

@Suite("Curl session under faults", .timeLimit(.minutes(2)))
struct CurlSessionFaultTests {
    private let server: ScriptedServer
    private let session: CurlSession

    init() throws {
        server = try ScriptedServer()
        server.on("/ok", .json(200, "{}"))
        server.on("/stall", .stall)
        session = try CurlSession(
            configuration: CurlSessionConfiguration(stallAfter: .milliseconds(100)))
    }

    @Test("the deadline counts from the submission, and the failure has the phase of the request")
    func deadlineWaiting() async throws {
        let exchange = await session.send(
            HTTPRequest(url: server.url + "/stall", timeout: .milliseconds(200)))
        #expect(exchange.result == .failure(.deadlinePassed(.waiting)))
        #expect(exchange.timings.connectedAt != nil && exchange.timings.firstByteAt == nil)
        let waited = exchange.timings.finishedAt - exchange.timings.startedAt
        #expect(waited >= .milliseconds(200) && waited < .seconds(5))
        #expect(await server.waitForConnections(atMost: 0))
    }

    @Test("a response that began and does not end is cut by the deadline")
    func deadlineReceiving() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"
        server.on("/half", ScriptedResponse([.send(Array(head.utf8)), .stall]))
        let exchange = await session.send(HTTPRequest(url: server.url + "/half", timeout: .milliseconds(200)))
        #expect(exchange.result == .failure(.deadlinePassed(.receiving)))
        #expect(exchange.timings.firstByteAt != nil)
    }

    @Test("a trickle of bytes does not delay the deadline")
    func trickle() async throws {
        let steps = (0..<50).flatMap { _ in [ScriptedResponse.Step.send([0x20]), .pause(0.05)] }
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
        server.on("/trickle", ScriptedResponse([.send(Array(head.utf8))] + steps))
        let exchange = await session.send(
            HTTPRequest(url: server.url + "/trickle", timeout: .milliseconds(300)))
        #expect(exchange.result == .failure(.deadlinePassed(.receiving)))
        #expect(exchange.timings.finishedAt - exchange.timings.startedAt < .seconds(2))
    }

    @Test("a stall is reported once while the request continues to its response")
    func stall() async throws {
        server.on("/late", ScriptedResponse([.pause(0.4)] + ScriptedResponse.json(200, "{}").steps))
        let stalls = Mutex<[Instant]>([])
        let exchange = await session.send(
            HTTPRequest(url: server.url + "/late"),
            onStall: { startedAt in stalls.withLock { $0.append(startedAt) } }, onMove: nil)
        #expect(try exchange.result.get().status == 200)
        #expect(stalls.withLock { $0 } == [exchange.timings.startedAt])
    }

    @Test("a response in time is no stall")
    func noStall() async throws {
        let stalls = Mutex(0)
        _ = await session.send(
            HTTPRequest(url: server.url + "/ok"), onStall: { _ in stalls.withLock { $0 += 1 } }, onMove: nil)
        // curl's own timer would report a stall, so it has to run past its time without one.
        try await Task.sleep(for: .milliseconds(150))
        #expect(stalls.withLock { $0 } == 0)
    }

    @Test("a connection used again that has gone dead stalls and then ends as waiting")
    func deadReusedConnection() async throws {
        let relay = try FaultRelay(target: server.port)
        let request = HTTPRequest(url: "http://127.0.0.1:\(relay.port)/ok", timeout: .milliseconds(400))
        #expect(try await session.send(request).result.get().status == 200)
        relay.setMode(.silentBlackhole)
        let stalls = Mutex(0)
        let exchange = await session.send(
            request, onStall: { _ in stalls.withLock { $0 += 1 } }, onMove: nil)
        #expect(exchange.result == .failure(.deadlinePassed(.waiting)))
        #expect(exchange.timings.reusedConnection)
        #expect(stalls.withLock { $0 } == 1)
        relay.setMode(.open)
        #expect(try await session.send(request).result.get().status == 200)
    }

    @Test("a cancelled task takes its request off the wire at once")
    func cancellation() async throws {
        let url = server.url + "/stall"
        let task = Task { [session] in await session.send(HTTPRequest(url: url, timeout: .seconds(60))) }
        #expect(await server.waitForRequests(1))
        task.cancel()
        #expect(await task.value.result == .failure(.cancelled))
        #expect(await server.waitForConnections(atMost: 0))
    }

    @Test("a task cancelled before it sends sends nothing")
    func cancelledBefore() async throws {
        let url = server.url + "/ok"
        let task = Task { [session] in
            while !Task.isCancelled { await Task.yield() }
            return await session.send(HTTPRequest(url: url))
        }
        task.cancel()
        #expect(await task.value.result == .failure(.cancelled))
        #expect(server.requests.isEmpty)
    }

    @Test("without a listener the request is not connected")
    func refused() async throws {
        let relay = try FaultRelay(target: server.port)
        relay.setMode(.refusing)
        let exchange = await session.send(HTTPRequest(url: "http://127.0.0.1:\(relay.port)/ok"))
        #expect(exchange.result == .failure(.notConnected))
    }

    @Test("a name that cannot be has no address")
    func unresolvable() async throws {
        let name = String(repeating: "x", count: 70) + ".invalid"
        let exchange = await session.send(HTTPRequest(url: "http://\(name)/ok", timeout: .seconds(5)))
        #expect(exchange.result == .failure(.nameNotResolved))
    }

    @Test("a reset, and a close without a response, are a broken connection")
    func broken() async throws {
        server.on("/reset", .reset)
        server.on("/close", .close)
        for path in ["/reset", "/close"] {
            let request = HTTPRequest(url: server.url + path, usesFreshConnection: true)
            #expect(await session.send(request).result == .failure(.connectionBroken), "\(path)")
        }
    }

    @Test(
        "half a response is truncated; in the middle of its headers it is malformed", arguments: [10, 60, 85])
    func half(bytes: Int) async throws {
        server.on("/half", .cut(200, #"{"results":[1,2,3]}"#, after: bytes))
        let exchange = await session.send(HTTPRequest(url: server.url + "/half"))
        guard case .failure(let failure) = exchange.result else {
            Issue.record("accepted as complete")
            return
        }
        #expect([.responseCutOff, .connectionBroken].contains(failure))
    }

    @Test("what is no HTTP is malformed, however it begins")
    func garbage() async throws {
        server.on("/garbage", ScriptedResponse([.send(Array("\u{0}\u{1}garbage\r\n\r\n".utf8)), .close]))
        server.on("/ssh", ScriptedResponse([.send(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)), .close]))
        for path in ["/garbage", "/ssh"] {
            let exchange = await session.send(HTTPRequest(url: server.url + path))
            guard case .failure(.responseMalformed) = exchange.result else {
                Issue.record("\(path): \(exchange.result)")
                continue
            }
        }
    }

    @Test("headers without end are cut")
    func headers() async throws {
        let head = "HTTP/1.1 200 OK\r\n" + String(repeating: "X-Filler: 0123456789\r\n", count: 10_000)
        server.on("/headers", ScriptedResponse([.send(Array(head.utf8)), .stall]))
        let exchange = await session.send(HTTPRequest(url: server.url + "/headers"))
        guard case .failure(.responseMalformed) = exchange.result else {
            Issue.record("\(exchange.result)")
            return
        }
    }

    @Test("a kept connection that the server closed is replaced without the caller's notice")
    func closedWhileIdle() async throws {
        let response = ScriptedResponse.json(200, "{}").steps + [.close]
        server.on("/once", ScriptedResponse(response))
        for _ in 0..<3 {
            let exchange = await session.send(
                HTTPRequest(method: .post, url: server.url + "/once", body: [1]))
            #expect(try exchange.result.get().status == 200)
        }
        #expect(server.requests.count == 3)
    }
}
