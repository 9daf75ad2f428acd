import AgentAPI
import MachineRuntime
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

        init(_ limits: AgentSocketServer.Limits = .init()) throws {
            folder = try TemporaryFolder()
            let home = TerminalHome(path: folder.url.path)
            path = home.socket
            thread = try EventLoopThread(named: "agent-socket")
            let server = try AgentSocketServer(
                home: home, handler: Echo(), loop: thread.loop, logger: Logger(label: "test"), limits: limits)
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
}
