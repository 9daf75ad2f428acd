internal import CurlHTTP
internal import Foundation

/// Where the payment gateway of a configuration is.
enum PaymentGatewayAddress {
    /// Whether `text` is https, or http on loopback, where nobody listens in.
    static func isUsable(_ text: String) -> Bool {
        guard let url = URL(string: text), let host = url.host(), !host.isEmpty else { return false }
        return url.scheme == "https"
            || url.scheme == "http" && ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host)
    }

    /// The gateway of `configuration`; nil without a payment service.
    ///
    /// - Throws: ``HubStartError/gateway(reason:)`` when it cannot be used.
    static func gateway(
        _ configuration: HubConfiguration, through session: any HTTPSession
    ) throws(HubStartError) -> (any PaymentGateway)? {
        switch configuration.payments {
        case .none: return nil
        case .simulator(let simulation): return SimulatedGateway(simulation: simulation)
        case .http:
            guard let url = configuration.gatewayURL else {
                throw .gateway(reason: "payments is http, and gateway.url is missing")
            }
            return HTTPGateway(
                url: url, token: try token(in: configuration.gatewayTokenFile),
                timeout: configuration.gatewayTimeout, session: session)
        }
    }

    private static func token(in path: String?) throws(HubStartError) -> String? {
        guard let path else { return nil }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let line = text.split(whereSeparator: \.isNewline).first
        else { throw .gateway(reason: "gateway.tokenFile \(path) has no token") }
        return String(line)
    }
}
