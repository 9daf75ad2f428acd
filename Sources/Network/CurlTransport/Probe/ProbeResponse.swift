internal import CurlHTTP
import Base

internal import HubProtocol
internal import OfflineCore

/// Decides who responded to a probe. Only the right nonce proves the hub.
enum ProbeResponse {
    static func hub(_ exchange: HTTPExchange, nonce: String) -> ProbeResult {
        switch exchange.result {
        case .failure(let failure):
            return result(of: failure)
        case .success(let response):
            let (outcome, json) = OutcomeClassifier.classify(exchange, wallMilliseconds: 0)
            switch outcome {
            case .portal where PlantedBug.portalTakenForHub.isPlanted:
                return .good(roundTrip: exchange.roundTrip)
            case .portal(let evidence): return .portal(evidence)
            case .success where json?["nonce"]?.string == nonce: return .good(roundTrip: exchange.roundTrip)
            case .success: return .portal(json?["nonce"] == nil ? .foreignBody : .foreignNonce)
            case .service(.status), .auth, .throttle:
                return .respondedBadly(status: response.status, roundTrip: exchange.roundTrip)
            case .business:
                // A hub sends problem documents; another server's 404 is no hub.
                guard json != nil else { return .portal(.foreignBody) }
                return .respondedBadly(status: response.status, roundTrip: exchange.roundTrip)
            case .service, .network, .cancelled: return .portal(.foreignBody)
            }
        }
    }

    /// Over https the certificate is the proof, whatever the page contains; over http a page or a redirect
    /// comes from a captive portal.
    static func internet(_ exchange: HTTPExchange, isSecure: Bool) -> ProbeResult {
        switch exchange.result {
        case .failure(let failure):
            return result(of: failure)
        case .success(let response):
            if isSecure { return .good(roundTrip: exchange.roundTrip) }
            switch response.status {
            case 300..<400: return .portal(.redirect)
            case 511: return .portal(.foreignBody)
            case 500..<600: return .respondedBadly(status: response.status, roundTrip: exchange.roundTrip)
            case 200..<300 where !response.isHTML: return .good(roundTrip: exchange.roundTrip)
            default: return .portal(.foreignBody)
            }
        }
    }

    private static func result(of failure: TransferFailure) -> ProbeResult {
        switch failure.outcome {
        case .network(let reason): .failed(reason)
        case .portal(let evidence): .portal(evidence)
        // An incomplete response proves nothing about the hub.
        case .service(.timedOutAfterConnect): .failed(.silent)
        case .service, .success, .auth, .throttle, .business: .failed(.reset)
        case .cancelled: .failed(.connect)
        }
    }
}

extension HTTPExchange {
    /// From the submission to the end of the response.
    var roundTrip: Duration { timings.finishedAt - timings.startedAt }
}
