import AgentAPI
import LinuxRuntime
import MachineRuntime
import Dispatch
import Foundation
import Glibc
import HubProtocol
import Logging
import TestKit
import Testing

@testable import Agent

/// Lets tests with a blocking client wait on threads of their own; the server needs the shared ones.
private struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(WaitingExecutor.shared) { try await function() }
    }
}

@Suite("The agent's socket", BlockingTrait(), .timeLimit(.minutes(2)))
struct AgentSocketTests {
    private struct Echo: AgentHandling {
        func handle(_ request: AgentRequest) async -> AgentResponse {
            var query: JSONObject = [:]
            for (name, value) in request.query { query[name] = .string(value) }
            return AgentResponse([
                "method": .string(request.method), "path": .string(request.path),
                "query": .object(query), "body": request.body ?? .null,
            ])
        }
    }

    /// A server in a folder of its own, until this goes.
    private final class Bench: Sendable {
        let folder: TemporaryFolder
        let path: String
        private let thread: EventLoopThread
        private let serving: Task<Void, Never>

        let server: AgentSocketServer

        init(
            _ limits: AgentSocketServer.Limits = .init(), handler: any AgentHandling = Echo()
        ) throws {
            folder = try TemporaryFolder()
            let home = TerminalHome(path: folder.url.path)
            path = home.socket
            thread = try EventLoopThread(named: "agent-socket")
            let server = try AgentSocketServer(
                home: home, handler: handler, loop: thread.loop, logger: Logger(label: "test"),
                limits: limits)
            self.server = server
            serving = Task { try? await server.run() }
        }

        deinit {
            serving.cancel()
            thread.end()
        }

        func client(timeout: Double = 60) -> LoopbackClient {
            LoopbackClient(.unix(path: path), timeout: timeout)
        }
    }

    @Test("requests get a response over one connection, with query and body, and the socket is its owner's")
    func requests() throws {
        let bench = try Bench()
        var status = stat()
        #expect(stat(bench.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let client = bench.client()
        for number in 1...3 {
            let response = try client.request("POST", "/v1/x?a=b%20c&n=\(number)", body: "{\"k\":[1]}")
            let document = try JSONParser.parse(response.body)
            #expect(document["path"] == "/v1/x")
            #expect(document["query"] == ["a": "b c", "n": .string(String(number))])
            #expect(document["body"] == ["k": [1]])
        }
        #expect(try client.request("GET", "/").status == 200)
    }

    @Test("a head of 16 KiB is taken, one byte more is refused, however long it is")
    func heads() throws {
        // Longer than any client waits, so that what is let go was refused.
        var limits = AgentSocketServer.Limits()
        limits.transfer = .seconds(60)
        let bench = try Bench(limits)
        let frame = "GET / HTTP/1.1\r\nX: \r\n\r\n".utf8.count
        for (size, expected) in [(16 << 10, 200), (16 << 10 + 1, 431), (400_000, 431)] {
            let client = bench.client()
            let text = "GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: size - frame))\r\n\r\n"
            // What is refused may be closed before all of it was sent.
            try? client.send(Array(text.utf8))
            let status = try? client.response().status
            #expect(status == expected || (status == nil && size > 100_000))
        }
        #expect(try bench.client().request("GET", "/").status == 200)
    }

    @Test("a body of 1 MiB is taken, a larger one is refused unread, and what is no request is said so")
    func bodies() throws {
        let bench = try Bench()
        let largest = "\"\(String(repeating: "x", count: 1 << 20 - 2))\""
        #expect(try bench.client().request("POST", "/", body: largest).status == 200)
        let client = bench.client()
        try client.send(Array("POST / HTTP/1.1\r\nContent-Length: \(1 << 20 + 1)\r\n\r\n".utf8))
        #expect(try client.response().status == 413)
        for text in [
            "GET /\r\n\r\n", "garbage\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{]",
        ] {
            let client = bench.client()
            try client.send(Array(text.utf8))
            #expect(try client.response().status == 400, "\(text)")
        }
    }

    @Test("a request that is not whole in time is let go, an idle connection is not")
    func slow() throws {
        var limits = AgentSocketServer.Limits()
        limits.transfer = .milliseconds(200)
        let bench = try Bench(limits)
        let idle = bench.client()
        #expect(try idle.request("GET", "/").status == 200)
        for text in ["GET / HT", "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n{"] {
            let client = bench.client()
            try client.send(Array(text.utf8))
            #expect(throws: LoopbackError.closed) { try client.response() }
        }
        #expect(try idle.request("GET", "/").status == 200)
    }

    @Test("past the limit the connection that was idle longest makes room")
    func connections() throws {
        var limits = AgentSocketServer.Limits()
        limits.connections = 3
        let bench = try Bench(limits)
        let clients = (0..<4).map { _ in bench.client() }
        for client in clients { #expect(try client.request("GET", "/").status == 200) }
        #expect(throws: LoopbackError.self) { try clients[0].request("GET", "/") }
        for client in clients[1...] { #expect(try client.request("GET", "/").status == 200) }
    }

    /// Responds to `/list` and to watchers in the background, and to `/held` once it is let go.
    private final class Shop: AgentHandling {
        let list = DispatchSemaphore(value: 0)
        private let (held, letGo) = AsyncStream.makeStream(of: Void.self)

        func place(of request: AgentRequest) -> AgentPlace {
            request.path == "/list" || request.path == AgentRoutes.statusStream ? .background : .loop
        }

        func handle(_ request: AgentRequest) async -> AgentResponse {
            switch request.path {
            case "/list": list.wait()
            case "/held", AgentRoutes.statusStream: for await _ in held { break }
            case "/long": return AgentResponse(.string(String(repeating: "x", count: 1 << 20)))
            default: break
            }
            let niceness = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
            return AgentResponse(["niceness": .integer(Int64(niceness))])
        }

        func release() { letGo.yield() }
    }

    private static func get(_ path: String) -> [UInt8] { Array("GET \(path) HTTP/1.1\r\n\r\n".utf8) }

    @Test("a list holds up no other request: it is made on a thread of its own, behind everything else")
    func lists() throws {
        let shop = Shop()
        let bench = try Bench(handler: shop)
        let front = bench.client()
        try front.send(Self.get("/list"))
        for _ in 1...3 {
            let response = try bench.client().request("GET", "/")
            #expect(try JSONParser.parse(response.body)["niceness"]?.integer ?? 99 < 10)
        }
        shop.list.signal()
        #expect(try JSONParser.parse(front.response().body)["niceness"] == 10)
    }

    @Test("a request that is being handled is answered; who comes while all are waits until one is")
    func full() throws {
        var limits = AgentSocketServer.Limits()
        (limits.connections, limits.pause) = (2, .milliseconds(1))
        let shop = Shop()
        let bench = try Bench(limits, handler: shop)
        let clients = (1...4).map { _ in bench.client() }
        for client in clients { try client.send(Self.get("/held")) }
        for _ in clients { shop.release() }
        for client in clients {
            #expect(try client.response().status == 200)
            client.disconnect()
        }
    }

    @Test("a connection that has just come, and one with a request that nobody has read, make no room")
    func newcomers() throws {
        var limits = AgentSocketServer.Limits()
        (limits.connections, limits.pause, limits.grace) = (1, .milliseconds(1), .seconds(60))
        let bench = try Bench(limits)
        let (first, second) = (bench.client(), bench.client())
        try first.send(Self.get("/a").dropLast(2))
        try second.send(Self.get("/b"))
        try first.send(Array("\r\n".utf8))
        #expect(try first.response().status == 200)
        // Served and silent, it is the one that makes room.
        #expect(try second.response().status == 200)
        #expect(throws: LoopbackError.self) { try first.response() }
    }

    @Test("half of the connections may wait for the next status, one more is refused")
    func watchers() throws {
        var limits = AgentSocketServer.Limits()
        limits.connections = 4
        let shop = Shop()
        let bench = try Bench(limits, handler: shop)
        let watchers = (1...3).map { _ in bench.client() }
        for watcher in watchers { try watcher.send(Self.get(AgentRoutes.statusStream)) }
        // Whichever came last.
        var refused: [String?] = []
        for _ in 1...2 { shop.release() }
        for watcher in watchers {
            let response = try watcher.response()
            guard response.status != 200 else { continue }
            #expect(response.status == 503)
            refused.append(try JSONParser.parse(response.body)["error"]?["code"]?.string)
        }
        #expect(refused == ["too_many_watchers"])
    }

    @Test("of responses that nobody reads the agent keeps so many bytes, then the oldest gets no more")
    func unread() throws {
        var limits = AgentSocketServer.Limits()
        (limits.transfer, limits.unread) = (.seconds(60), 5 << 19)
        let bench = try Bench(limits, handler: Shop())
        let clients = (1...3).map { _ in bench.client() }
        for client in clients {
            try client.send(Self.get("/long"))
            try client.awaitFirstByte()
        }
        #expect(throws: LoopbackError.closed) { try clients[0].response() }
        for client in clients[1...] { #expect(try client.response().body.count == 1 << 20 + 2) }
    }

    @Test("a socket whose name was removed or replaced is made anew; connections that stand go on")
    func name() throws {
        let bench = try Bench()
        let before = bench.client()
        #expect(try before.request("GET", "/").status == 200)
        unlink(bench.path)
        try bench.server.lookAfterName()
        #expect(try bench.client().request("GET", "/").status == 200)
        unlink(bench.path)
        try Data("nothing".utf8).write(to: URL(fileURLWithPath: bench.path))
        try bench.server.lookAfterName()
        try bench.server.lookAfterName()
        #expect(try bench.client().request("GET", "/").status == 200)
        #expect(try before.request("GET", "/").status == 200)
    }

    @Test(
        "there are as many connections as the process has descriptors for besides its own",
        arguments: [(64, 22, 18), (40, 22, 2), (32, 22, 2), (1_024, 30, 512), (65_536, 30, 512)])
    func descriptors(all: Int, open: Int, connections: Int) {
        let limits = AgentSocketServer.Limits.fitting(descriptors: all, open: open)
        #expect(limits.connections == connections)
        #expect(limits.watchers == connections / 2)
    }
}
