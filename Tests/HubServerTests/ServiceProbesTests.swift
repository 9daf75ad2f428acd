import CurlHTTP
import TestKit
import Testing

@testable import HubServer

@Suite("Probes of services", .timeLimit(.minutes(1)))
struct ServiceProbesTests {
    private let server: ScriptedServer
    private let session: CurlSession

    init() throws {
        server = try ScriptedServer()
        session = try CurlSession()
    }

    private func isWell(_ path: String, port: UInt16? = nil) async -> Bool {
        let url = "http://127.0.0.1:\(port ?? server.port)\(path)"
        return await ServiceProbes.get("order", url, through: session).isWell()
    }

    @Test("Only the status 200 is good")
    func statuses() async {
        for status in [200, 204, 301, 404, 500, 503] {
            server.on("/\(status)", .json(status, "{}"))
            #expect(await isWell("/\(status)") == (status == 200), "\(status)")
        }
        server.on("/moved", ScriptedResponse([.send(Self.moved), .close]))
        #expect(await !isWell("/moved"))
        #expect(await !isWell("/", port: 1))
    }

    @Test("A response that ends after any byte is not good, and ends no more than its probe")
    func cut() async {
        let bytes = ScriptedResponse.bytes(200, type: "text/plain", headers: [:], body: "well")
        for count in bytes.indices {
            server.on("/cut", ScriptedResponse([.send(Array(bytes.prefix(count))), .close]))
            #expect(await !isWell("/cut"), "\(count)")
        }
        server.on("/cut", ScriptedResponse([.send(bytes), .close]))
        #expect(await isWell("/cut"))
    }

    private static let moved = Array(
        "HTTP/1.1 302 Found\r\nLocation: /200\r\nContent-Length: 0\r\n\r\n".utf8)
}
