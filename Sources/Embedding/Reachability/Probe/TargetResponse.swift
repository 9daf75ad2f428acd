import Base
import CurlHTTP
import OfflineCore

/// Decides who responded to a probe, and what the response means.
enum TargetResponse {
    static func result(of exchange: HTTPExchange, from address: ProbeAddress) -> ProbeResult {
        switch exchange.result {
        case .failure(let failure): return result(of: failure)
        case .success(let response):
            let roundTrip = exchange.timings.finishedAt - exchange.timings.startedAt
            if isExpected(response, from: address) { return .good(roundTrip: roundTrip) }
            if let portal = portal(response, from: address) { return .portal(portal) }
            return .respondedBadly(status: response.status, roundTrip: roundTrip)
        }
    }

    private static func isExpected(_ response: HTTPResponse, from address: ProbeAddress) -> Bool {
        switch address.expectation {
        case .anyResponse: response.status < 500 && portal(response, from: address) == nil
        case .status(let status): response.status == status
        case .body(let start): response.status == 200 && response.body.starts(with: start.utf8)
        }
    }

    /// Over https the certificate has proved the host, whatever the status. 511 is the status that RFC 6585
    /// gives to captive portals.
    private static func portal(_ response: HTTPResponse, from address: ProbeAddress) -> PortalEvidence? {
        if address.url.isSecure { return nil }
        switch response.status {
        case 511: return .foreignBody
        case 500..<600: return nil
        case 300..<400: return leads(response, elsewhereThan: address) ? .redirect : unexpected(address)
        default: return unexpected(address)
        }
    }

    private static func unexpected(_ address: ProbeAddress) -> PortalEvidence? {
        address.expectation == .anyResponse ? nil : .foreignBody
    }

    private static func leads(_ response: HTTPResponse, elsewhereThan address: ProbeAddress) -> Bool {
        guard let location = response.header("Location") else { return false }
        guard location.contains("://") else { return location.hasPrefix("//") }
        let base = location.prefix { $0 != "?" && $0 != "#" }
        guard let url = try? ServerURL(String(base)) else { return true }
        return url.host.lowercased() != address.url.host.lowercased()
    }

    private static func result(of failure: TransferFailure) -> ProbeResult {
        switch failure.outcome {
        case .network(let reason): .failed(reason)
        case .portal(let evidence): .portal(evidence)
        case .service(.timedOutAfterConnect): .failed(.silent)
        // An incomplete response proves nothing about the target.
        case .service, .success, .auth, .throttle, .business: .failed(.reset)
        case .cancelled: .failed(.connect)
        }
    }
}
