import FaultRelay
import Foundation
import Glibc
import TestKit
import Testing

@Suite("Fault relay", .timeLimit(.minutes(2)))
struct FaultRelayTests {
    private let server: ScriptedServer
    private let relay: FaultRelay

    init() throws {
        server = try ScriptedServer()
        server.on("/", .json(200, #"{"ok":true}"#))
        relay = try FaultRelay(target: server.port)
    }

    @Test("open, it forwards both ways and counts")
    func open() throws {
        let client = LoopbackClient(.tcp(port: relay.port))
        for _ in 0..<3 { #expect(try client.request("GET", "/").status == 200) }
        #expect(server.connectionCount == 1)
        #expect(relay.counters.connections == 1)
        #expect(relay.counters.bytesToClient > 0)
    }

    @Test("a large body is forwarded completely, each way")
    func large() throws {
        let body = String(repeating: "x", count: 3 << 20)
        server.on("/large", .json(200, "\"\(body)\""))
        let client = LoopbackClient(.tcp(port: relay.port))
        #expect(try client.request("POST", "/large", body: body).body.count == body.utf8.count + 2)
        #expect(server.requests.first?.body.count == body.utf8.count)
    }

    @Test("a thin line carries a long body completely, and so does the same connection without the limit")
    func thin() throws {
        relay.setThroughput(bytesPerSecond: 256 << 10)
        let body = String(repeating: "x", count: 128 << 10)
        let client = LoopbackClient(.tcp(port: relay.port))
        #expect(try client.request("POST", "/", body: body).status == 200)
        #expect(server.requests.first?.body.count == body.utf8.count)
        relay.setThroughput(bytesPerSecond: nil)
        #expect(try client.request("POST", "/", body: body).status == 200)
    }

    @Test("in a silent blackhole a connection stays and no byte comes back; what was sent never arrives")
    func blackholeOnOpenConnection() throws {
        let client = LoopbackClient(.tcp(port: relay.port), timeout: 0.3)
        #expect(try client.request("GET", "/").status == 200)
        relay.setMode(.silentBlackhole)
        #expect(throws: LoopbackError.timedOut) { try client.request("GET", "/") }
        #expect(server.requests.count == 1)
        relay.setMode(.open)
        #expect(try LoopbackClient(.tcp(port: relay.port)).request("GET", "/").status == 200)
        #expect(server.requests.count == 2)
    }

    @Test("in a silent blackhole a new connection gets nothing, and its request is lost for good")
    func blackholeOnNewConnection() throws {
        relay.setMode(.silentBlackhole)
        let client = LoopbackClient(.tcp(port: relay.port), timeout: 0.3)
        #expect(throws: LoopbackError.timedOut) { try client.request("GET", "/") }
        relay.setMode(.open)
        #expect(try LoopbackClient(.tcp(port: relay.port)).request("GET", "/").status == 200)
        #expect(server.requests.count == 1)
    }

    @Test("a connection that lost nothing continues after the blackhole")
    func idleConnectionSurvives() throws {
        let client = LoopbackClient(.tcp(port: relay.port))
        #expect(try client.request("GET", "/").status == 200)
        relay.setMode(.silentBlackhole)
        relay.setMode(.open)
        #expect(try client.request("GET", "/").status == 200)
        #expect(server.connectionCount == 1)
    }

    @Test("bytes that are delayed when the blackhole begins are lost as well")
    func bytesOnTheirWay() throws {
        relay.setLatency(.milliseconds(1200))
        let client = LoopbackClient(.tcp(port: relay.port))
        try client.send(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        // Each change waits for the relay's next round: it has accepted the connection then, and read it.
        for _ in 0..<3 { relay.setLatency(.milliseconds(1200)) }
        relay.setMode(.silentBlackhole)
        relay.setMode(.open)
        #expect(throws: LoopbackError.broken(errno: ECONNRESET)) { try client.response() }
        #expect(server.requests.isEmpty)
    }

    @Test("a connection with a hole in it is reset when the blackhole ends")
    func tornConnectionEnds() async throws {
        let client = LoopbackClient(.tcp(port: relay.port))
        #expect(try client.request("GET", "/").status == 200)
        relay.setMode(.silentBlackhole)
        try client.send(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        // The relay has to take the request in before it opens, and nothing outside shows when it has.
        try await Task.sleep(for: .milliseconds(100))
        relay.setMode(.open)
        #expect(throws: LoopbackError.broken(errno: ECONNRESET)) { try client.response() }
        #expect(await server.waitForConnections(atMost: 0))
    }

    @Test("refusing, it resets open connections and refuses new ones, on the same port, and opens again")
    func refusing() throws {
        let status = LoopbackClient(.tcp(port: relay.port))
        #expect(try status.request("GET", "/").status == 200)
        relay.setMode(.refusing)
        #expect(throws: LoopbackError.self) { try status.response() }
        #expect(throws: LoopbackError.notConnected(errno: ECONNREFUSED)) {
            try LoopbackClient(.tcp(port: relay.port)).request("GET", "/")
        }
        relay.setMode(.open)
        #expect(try LoopbackClient(.tcp(port: relay.port)).request("GET", "/").status == 200)
    }

    @Test("reset-all accepts and resets at once")
    func resetAll() throws {
        let status = LoopbackClient(.tcp(port: relay.port))
        #expect(try status.request("GET", "/").status == 200)
        relay.setMode(.resetAll)
        #expect(throws: LoopbackError.broken(errno: ECONNRESET)) { try status.response() }
        #expect(throws: LoopbackError.self) {
            try LoopbackClient(.tcp(port: relay.port)).request("GET", "/")
        }
        #expect(server.requests.count == 1)
    }

    @Test(
        "a cut response: the request arrives, so many bytes come back, then the end", arguments: [0, 1, 40])
    func cut(bytes: Int) throws {
        relay.setMode(.cutResponseAfter(bytes: bytes))
        let client = LoopbackClient(.tcp(port: relay.port))
        #expect(throws: LoopbackError.closed) { try client.request("GET", "/") }
        #expect(server.requests.count == 1)
        #expect(relay.counters.bytesToClient == bytes)
    }

    @Test("latency delays every chunk, each way")
    func latency() throws {
        relay.setLatency(.milliseconds(60))
        let clock = ContinuousClock()
        let start = clock.now
        #expect(try LoopbackClient(.tcp(port: relay.port)).request("GET", "/").status == 200)
        #expect(clock.now - start >= .milliseconds(120))
    }

    @Test("without a target every connection is reset")
    func noTarget() async throws {
        server.stop()
        await eventually { (try? LoopbackClient(.tcp(port: relay.port)).request("GET", "/")) == nil }
    }

    @Test("stopping closes everything; stopping twice is harmless")
    func stop() async throws {
        let client = LoopbackClient(.tcp(port: relay.port))
        #expect(try client.request("GET", "/").status == 200)
        relay.stop()
        relay.stop()
        #expect(throws: LoopbackError.self) { try client.request("GET", "/") }
        #expect(await server.waitForConnections(atMost: 0))
    }
}
