import OfflineCore
import OfflineMode
import TestKit
import Testing

@testable import CurlHTTP
@testable import CurlTransport

@Suite("The path that requests go over", .timeLimit(.minutes(2)))
struct PathBindingTests {
    private let server: ScriptedServer
    private let session: CurlSession
    /// Over loopback, to the server at a name that no resolver knows.
    private let pin = PathBinding.pinned(interface: "lo", host: "hub.invalid", address: "127.0.0.1")

    init() throws {
        server = try ScriptedServer()
        server.on("/ok", .json(200, "{}"))
        session = try CurlSession()
    }

    private func send(to host: String = "hub.invalid") async -> HTTPExchange {
        await session.send(HTTPRequest(url: "http://\(host):\(server.port)/ok"))
    }

    @Test("Pinned requests need no resolver for the hub's name, and later ones resolve it again")
    func resolved() async throws {
        #expect(await send().result == .failure(.nameNotResolved))
        session.use(pin)
        #expect(try await send().result.get().status == 200)
        session.use(.routed)
        #expect(await send().result == .failure(.nameNotResolved))
    }

    @Test("Other hosts than the hub are resolved as ever")
    func otherHost() async throws {
        session.use(.pinned(interface: "lo", host: "hub.invalid", address: "192.0.2.1"))
        #expect(try await send(to: "127.0.0.1").result.get().status == 200)
    }

    @Test("A connection of before is not used again, either way")
    func connections() async throws {
        #expect(try await send(to: "127.0.0.1").result.get().status == 200)
        session.use(pin)
        #expect(try await send(to: "127.0.0.1").result.get().status == 200)
        #expect(server.connectionCount == 2)
        session.use(.routed)
        #expect(try await send(to: "127.0.0.1").result.get().status == 200)
        #expect(server.connectionCount == 3)
    }

    @Test("An interface that does not exist sends nothing, and is a failed connection")
    func noInterface() async throws {
        session.use(.pinned(interface: "gone0", host: "hub.invalid", address: "127.0.0.1"))
        #expect(await send().result == .failure(.notConnected))
        #expect(server.connectionCount == 0)
    }

    @Test("A probe over another path leaves the session's as it is")
    func probe() async throws {
        server.on("/healthz", .json(200, #"{"status":"ok","nonce":"n1"}"#))
        let probe = CurlHubProbe(
            session: session, hub: try ServerURL("http://hub.invalid:\(server.port)"), makeNonce: { "n1" })
        let status = PathStatus(
            isUsable: true, interface: "lo", transport: .unknown, isMetered: false, isConstrained: false,
            route: "lo")
        guard case .good = await probe.probe(HubPath(status: status, binding: pin), timeout: .seconds(5))
        else {
            Issue.record("not good over the pinned path")
            return
        }
        #expect(await probe.probe(.hub, timeout: .seconds(5)) == .failed(.dns))
        session.use(pin)
        #expect(await probe.probe(HubPath(status: status), timeout: .seconds(5)) == .failed(.dns))
    }
}
