import Glibc
import OfflineMode
import TestKit
import Testing

@testable import CurlHTTP

@Suite("The segments of connections to the hub")
struct SegmentTests {
    private let server: ScriptedServer
    private let session: CurlSession

    init() throws {
        server = try ScriptedServer()
        server.on("/ok", .json(200, "{}"))
        session = try CurlSession()
    }

    private func send(_ segments: TCPSegments? = nil) async throws {
        var request = HTTPRequest(url: server.url + "/ok")
        request.segments = segments
        request.usesFreshConnection = segments != nil
        #expect(try await session.send(request).result.get().status == 200)
    }

    @Test("They are full by default and small from the next request on; open connections are not used again")
    func session() async throws {
        try await send()
        try await send()
        #expect(server.connectionCount == 1)
        session.useSmallSegments(true)
        try await send()
        #expect(server.connectionCount == 2)
        #expect(server.acceptedSegments.first ?? 0 > 1_000)
        #expect(server.acceptedSegments.last ?? 0 <= 536)
        session.useSmallSegments(false)
        try await send()
        #expect(server.acceptedSegments.last ?? 0 > 1_000)
    }

    @Test("A request with segments of its own opens a connection, whatever the session's are")
    func own() async throws {
        try await send(.small)
        #expect(server.acceptedSegments.last ?? 0 <= 536)
        session.useSmallSegments(true)
        try await send(.full)
        #expect(server.acceptedSegments.last ?? 0 > 1_000)
    }
}
