import CurlHTTP
import CurlTransport
import FaultRelay
import LinuxRuntime
import MachineRuntime
import OfflineCore
import TestKit
import Testing

@Suite(
    "Curl session over TLS", .timeLimit(.minutes(2)),
    .enabled(if: CertificateFolder.isAvailable, "there is no `openssl` here"))
struct CurlSessionTLSTests {
    private let certificates: CertificateFolder

    init() throws {
        certificates = try CertificateFolder()
    }

    @Test("a certificate of the trusted issuer for the right name is taken")
    func trusted() async throws {
        let server = try certificates.serve("good")
        let session = try session(trusting: certificates.authority)
        let exchange = await session.send(HTTPRequest(url: "https://localhost:\(server.port)/answer"))
        let response = try exchange.result.get()
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self) == "{}")
        #expect(exchange.timings.connectedAt != nil)
    }

    @Test("an unknown issuer, another name and an expired certificate are distinguished")
    func refused() async throws {
        let good = try certificates.serve("good")
        #expect(
            await fault(try session(trusting: nil), "https://localhost:\(good.port)/answer")
                == .certificateRefused(.foreign))
        let session = try session(trusting: certificates.authority)
        #expect(
            await fault(session, "https://127.0.0.1:\(good.port)/answer") == .certificateRefused(.otherName))
        let expired = try certificates.serve("expired")
        #expect(
            await fault(session, "https://localhost:\(expired.port)/answer")
                == .certificateRefused(.outOfValidity))
    }

    @Test("the end of the hub's certificate is read, and there is none without TLS")
    func certificateEnd() async throws {
        let server = try certificates.serve("good")
        let session = try session(trusting: certificates.authority)
        let probe = CurlHubProbe(session: session, hub: try ServerURL("https://localhost:\(server.port)"))
        guard case .ends(let end) = await probe.certificate() else { return #expect(Bool(false)) }
        // It was made for two days, some moments ago.
        let left = end - LinuxSystemTime().wallMilliseconds()
        #expect((86_400_000...2 * 86_400_000).contains(left))
        let plain = CurlHubProbe(session: session, hub: try ServerURL("http://localhost:\(server.port)"))
        #expect(await plain.certificate() == .none)
    }

    @Test("a handshake that fails shows what is wrong with the certificate; without one nothing is known")
    func certificateFaults() async throws {
        let session = try session(trusting: certificates.authority)
        func look(_ url: String) async throws -> CertificateLook {
            await CurlHubProbe(session: session, hub: try ServerURL(url)).certificate()
        }
        let expired = try certificates.serve("expired")
        #expect(try await look("https://localhost:\(expired.port)") == .refused(.outOfValidity))
        let good = try certificates.serve("good")
        #expect(try await look("https://127.0.0.1:\(good.port)") == .refused(.otherName))
        #expect(try await look("https://localhost:1") == .noResponse)
        let plain = try ScriptedServer()
        guard case .handshakeFailed = try await look("https://localhost:\(plain.port)") else {
            return #expect(Bool(false), "a server without TLS")
        }
    }

    @Test("a session that is cut off sends nothing, and sends again once it is not")
    func cutOff() async throws {
        let server = try ScriptedServer()
        server.on("/answer", .json(200, "{}"))
        let session = try session(trusting: certificates.authority)
        let request = HTTPRequest(url: server.url + "/answer")
        session.setCutOff(true)
        #expect(await session.send(request).result == .failure(.cancelled))
        session.setCutOff(false)
        #expect(try await session.send(request).result.get().status == 200)
    }

    @Test("plain HTTP on the TLS port is a failure of TLS")
    func plain() async throws {
        let server = try ScriptedServer()
        server.on("/answer", .json(200, "{}"))
        let session = try session(trusting: certificates.authority)
        guard
            case .tlsFailed? = await fault(session, "https://localhost:\(server.port)/answer", seconds: 3)
        else {
            Issue.record("not a TLS failure")
            return
        }
    }

    @Test("a handshake that hangs is silence, and stalls")
    func silentHandshake() async throws {
        let server = try certificates.serve("good")
        let relay = try FaultRelay(target: server.port)
        relay.setMode(.silentBlackhole)
        let session = try session(trusting: certificates.authority)
        let failure = await fault(session, "https://localhost:\(relay.port)/answer", seconds: 1)
        #expect(failure.map(\.outcome) == .network(.silent))
    }

    @Test("a CA file that cannot be read fails TLS, never trusts")
    func missingAuthority() async throws {
        let server = try certificates.serve("good")
        let session = try session(trusting: certificates.authority + ".missing")
        guard case .tlsFailed? = await fault(session, "https://localhost:\(server.port)/answer") else {
            Issue.record("not a TLS failure")
            return
        }
    }

    private func session(trusting authority: String?) throws -> CurlSession {
        try CurlSession(configuration: CurlSessionConfiguration(caFile: authority))
    }

    private func fault(_ session: CurlSession, _ url: String, seconds: Int64 = 5) async -> TransferFailure? {
        let exchange = await session.send(HTTPRequest(url: url, timeout: .seconds(seconds)))
        guard case .failure(let failure) = exchange.result else { return nil }
        return failure
    }
}
