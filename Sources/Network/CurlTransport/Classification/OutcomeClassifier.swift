package import CurlHTTP
package import HubProtocol
package import OfflineCore

/// Classifies every exchange by what it is evidence of (section 4, step 1 of the offline mode's design).
///
/// A response counts as the hub's when TLS proved the name (or the hub is on loopback) and it is JSON, as the
/// contract requires. HTML and redirects come from a captive portal. A success without complete JSON is a
/// fault of the service.
package enum OutcomeClassifier {
    /// What an exchange is evidence of, and the response's JSON where it has some.
    ///
    /// - Parameter wallMilliseconds: Unix time of now, for a `Retry-After` with a date.
    package static func classify(
        _ exchange: HTTPExchange, wallMilliseconds: Int64
    ) -> (outcome: OutcomeClass, json: JSONValue?) {
        switch exchange.result {
        case .failure(let failure): (failure.outcome, nil)
        case .success(let response): classify(response, wallMilliseconds: wallMilliseconds)
        }
    }

    private static func classify(
        _ response: HTTPResponse, wallMilliseconds: Int64
    ) -> (outcome: OutcomeClass, json: JSONValue?) {
        let json = response.isJSON ? try? JSONParser.parse(response.body) : nil
        switch response.status {
        case 304: return (.success, nil)
        case 300..<400: return (.portal(.redirect), nil)
        // 511 is the status that RFC 6585 gives to captive portals; other 5xx pages are a gateway's.
        case 500..<600 where response.status != 511:
            return (.service(.status(response.status)), json)
        case _ where response.isHTML || response.status == 511:
            return (.portal(.foreignBody), nil)
        case 204: return (.success, nil)
        case 200..<300: return json.map { (.success, $0) } ?? (.service(.brokenBody), nil)
        case 401...403 where json.flatMap(Problem.init(json:))?.code.refusesAccount == true:
            return (.auth(status: response.status), json)
        case 429:
            return (.throttle(retryAfter: response.retryAfter(wallMilliseconds: wallMilliseconds)), json)
        case 400..<500: return (.business(status: response.status), json)
        default: return (.service(.brokenBody), nil)
        }
    }
}

extension ProblemCode {
    /// Whether the hub itself does not accept the terminal's identity (http.md, section 2). A
    /// 401 or 403 without it may be anybody's, a filter's on the way for example.
    fileprivate var refusesAccount: Bool {
        let codes: Set<ProblemCode> = [
            .tokenExpired, .tokenInvalid, .terminalRevoked, .terminalUnknown, .terminalUnconfirmed,
            .enrolmentRefused, .clockSkew, .hostMismatch,
        ]
        return codes.contains(self)
    }
}

extension HTTPResponse {
    /// The media type in lower case, without parameters.
    var mediaType: String? {
        header("Content-Type").map { $0.prefix { $0 != ";" }.trimmed.lowercased() }
    }

    /// `application/json` or any `+json` type.
    var isJSON: Bool {
        guard let mediaType else { return false }
        return mediaType == "application/json" || mediaType.hasSuffix("+json")
    }

    /// By its type or, since portals lie about it, by its first bytes.
    var isHTML: Bool {
        if let mediaType, mediaType == "text/html" || mediaType == "application/xhtml+xml" { return true }
        let start = body.drop { $0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }.prefix(14)
        let text = String(decoding: start, as: UTF8.self).lowercased()
        return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
    }
}
