package import CurlHTTP
internal import HubProtocol
package import OfflineCore
import OfflineMode

/// Probes the hub's `/healthz` and an independent internet address, each time on a connection of its own.
package struct CurlHubProbe: HubProbing {
    private let session: any HTTPSession
    private let hub: ServerURL
    private let internetURL: String?
    private let makeNonce: @Sendable () -> String
    private let onHubTime: @Sendable (Int64) -> Void

    /// - Parameters:
    ///   - internetURL: `network.internetProbeURL`; without it a probe of the internet fails as not resolved.
    ///   - makeNonce: something new for every probe; 128 random bits in hexadecimal by default.
    ///   - onHubTime: gets the hub's time with each good response of the hub, in Unix milliseconds, from its
    ///     `Date`.
    package init(
        session: any HTTPSession, hub: ServerURL, internetURL: String? = nil,
        makeNonce: @escaping @Sendable () -> String = CurlHubProbe.randomNonce,
        onHubTime: @escaping @Sendable (Int64) -> Void = { _ in }
    ) {
        self.onHubTime = onHubTime
        self.session = session
        self.hub = hub
        self.internetURL = internetURL
        self.makeNonce = makeNonce
    }

    /// Each call opens a connection; `timeout` is the limit of the connection, too. At most 64 KiB of the
    /// body are read.
    package func probe(_ target: ProbeTarget, timeout: Duration) async -> ProbeResult {
        switch target {
        case .hub: return await probe(over: nil, timeout: timeout)
        case .internet:
            guard let internetURL else { return .failed(.dns) }
            let isSecure = internetURL.lowercased().hasPrefix("https:")
            return ProbeResponse.internet(await exchange(internetURL, timeout: timeout), isSecure: isSecure)
        }
    }

    /// Probes the hub over a path that the session does not use, or not yet.
    package func probe(_ path: HubPath, timeout: Duration) async -> ProbeResult {
        await probe(over: path.binding, timeout: timeout)
    }

    private func probe(over binding: PathBinding?, timeout: Duration) async -> ProbeResult {
        let nonce = makeNonce()
        let url = "\(hub.base)\(Routes.health)?nonce=\(nonce.percentEncoded)"
        let exchange = await exchange(url, over: binding, timeout: timeout)
        let result = ProbeResponse.hub(exchange, nonce: nonce)
        if case .good = result, let date = (try? exchange.result.get())?.date { onHubTime(date) }
        return result
    }

    /// Whether the hub has a certificate: it is reached by https.
    package var isSecure: Bool { hub.isSecure }

    /// Looks at the certificate of the hub, on a connection of its own and within 3 s.
    package func certificate() async -> CertificateLook {
        guard hub.isSecure else { return .none }
        var request = HTTPRequest(
            url: "\(hub.base)\(Routes.health)?nonce=\(makeNonce().percentEncoded)", timeout: .seconds(3),
            connectTimeout: .seconds(3), maximumBodyBytes: 64 << 10, usesFreshConnection: true)
        request.readsCertificate = true
        request.segments = .small
        let exchange = await session.send(request)
        switch exchange.result {
        // Its end can be read of one that is made out to another name, too.
        case .failure(.certificateRefused(let fault)): return .refused(fault)
        case .failure(.tlsFailed(let detail)): return .handshakeFailed(detail: detail)
        case .failure, .success: break
        }
        let end = exchange.timings.certificateEnd.flatMap(CertificateTime.milliseconds)
        return end.map { .ends(at: $0) } ?? .noResponse
    }

    /// 128 bits of the system's generator.
    package static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        let (high, low): (UInt64, UInt64) = (generator.next(), generator.next())
        return String(high, radix: 16) + String(low, radix: 16)
    }

    /// With small segments, so that a path that loses large packets is not taken for a dark one: the
    /// certificates of a TLS handshake fill several.
    private func exchange(
        _ url: String, over binding: PathBinding? = nil, timeout: Duration
    ) async -> HTTPExchange {
        var request = HTTPRequest(
            url: url, headers: [HTTPHeader("Cache-Control", "no-cache")], timeout: timeout,
            connectTimeout: timeout, maximumBodyBytes: 64 << 10, usesFreshConnection: true)
        request.segments = .small
        request.binding = binding
        return await session.send(request)
    }
}

/// What a handshake with the hub showed of its certificate.
package enum CertificateLook: Hashable, Sendable {
    /// The hub is reached by http and has none.
    case none
    /// It is good until `at`, in Unix milliseconds.
    case ends(at: Int64)
    /// It is not good, so that no new connection is made.
    case refused(CertificateFault)
    /// The handshake failed for another reason.
    case handshakeFailed(detail: String)
    /// There was no handshake: the hub was not reached.
    case noResponse
}
