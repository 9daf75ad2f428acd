internal import HubProtocol
public import OfflineCore
public import OfflineMode

/// Probes the hub's `/healthz` and an independent internet address, each time on a connection of its own.
public struct CurlHubProbe: HubProbing {
    private let session: CurlSession
    private let hub: HubURL
    private let internetURL: String?
    private let makeNonce: @Sendable () -> String
    private let onHubTime: @Sendable (Int64) -> Void

    /// - Parameters:
    ///   - internetURL: `network.internetProbeURL`; without it a probe of the internet fails as not resolved.
    ///   - makeNonce: something new for every probe; 128 random bits in hexadecimal by default.
    ///   - onHubTime: gets the hub's time with each good response of the hub, in Unix milliseconds, from its
    ///     `Date`.
    public init(
        session: CurlSession, hub: HubURL, internetURL: String? = nil,
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
    public func probe(_ target: ProbeTarget, timeout: Duration) async -> ProbeResult {
        switch target {
        case .hub:
            let nonce = makeNonce()
            let url = "\(hub.base)\(Routes.health)?nonce=\(nonce.percentEncoded)"
            let exchange = await exchange(url, timeout: timeout)
            let result = ProbeResponse.hub(exchange, nonce: nonce)
            if case .good = result, let date = (try? exchange.result.get())?.date { onHubTime(date) }
            return result
        case .internet:
            guard let internetURL else { return .failed(.dns) }
            let isSecure = internetURL.lowercased().hasPrefix("https:")
            return ProbeResponse.internet(await exchange(internetURL, timeout: timeout), isSecure: isSecure)
        }
    }

    /// When the certificate of an https hub ends, in Unix milliseconds.
    ///
    /// - Returns: nil for an http hub, for one that does not respond within 3 s, and for a text that is no
    ///   time.
    public func certificateEnd() async -> Int64? {
        guard hub.isSecure else { return nil }
        var request = HTTPRequest(
            url: "\(hub.base)\(Routes.health)?nonce=\(makeNonce().percentEncoded)", timeout: .seconds(3),
            connectTimeout: .seconds(3), maximumBodyBytes: 64 << 10, usesFreshConnection: true)
        request.readsCertificate = true
        return await session.send(request).timings.certificateEnd.flatMap(CertificateTime.milliseconds)
    }

    /// 128 bits of the system's generator.
    public static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        let (high, low): (UInt64, UInt64) = (generator.next(), generator.next())
        return String(high, radix: 16) + String(low, radix: 16)
    }

    private func exchange(_ url: String, timeout: Duration) async -> HTTPExchange {
        await session.send(
            HTTPRequest(
                url: url, headers: [HTTPHeader("Cache-Control", "no-cache")], timeout: timeout,
                connectTimeout: timeout, maximumBodyBytes: 64 << 10, usesFreshConnection: true))
    }
}
