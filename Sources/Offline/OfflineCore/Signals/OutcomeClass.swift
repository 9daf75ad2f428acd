/// How one request to the hub ended, in the terms the detectors decide by.
///
/// The network layer classifies every outcome; none is left out, a local cancellation included.
public enum OutcomeClass: Hashable, Codable, Sendable {
    /// A verified 2xx or 3xx-free success of the hub.
    case success
    /// The hub was not reached or the connection broke: the network failed.
    case network(NetworkFailure)
    /// The verified hub or its gateway responded that it cannot serve, or with a broken body.
    case service(ServiceFailure)
    /// 401 or 403 of the hub with a code of the contract: it does not accept the terminal's identity.
    case auth(status: Int)
    /// 429, with the hub's `Retry-After` if it named one.
    case throttle(retryAfter: Duration?)
    /// Any other 4xx: a fault of the request itself, ignored by the detectors.
    case business(status: Int)
    /// Somebody other than the hub responded: a login page, a redirect, a foreign certificate.
    case portal(PortalEvidence)
    /// Cancelled on this side before an outcome was known; neutral.
    case cancelled

    /// Whether a response of the verified hub arrived, with whatever status: evidence that the network works.
    public var isVerifiedResponse: Bool {
        switch self {
        case .success, .auth, .throttle, .business: true
        case .service(let failure): failure != .timedOutAfterConnect
        case .network, .portal, .cancelled: false
        }
    }
}

/// Why the hub was not reached.
public enum NetworkFailure: String, Hashable, Codable, Sendable {
    case dns
    case connect
    /// No connection within the time the request had.
    case connectTimeout
    case reset
    /// The connection was open, or an old one was reused, and no byte came back before the deadline.
    case silent
    /// TLS failed for another reason than a foreign certificate (an aborted handshake, the protocol).
    case tls
}

/// What the verified hub failed with.
public enum ServiceFailure: Hashable, Codable, Sendable {
    /// A 5xx of the hub or of the gateway before it.
    case status(Int)
    /// The response began and did not end, or does not match the contract.
    case brokenBody
    /// Bytes came, the complete response did not within the request's deadline.
    case timedOutAfterConnect
}

/// What showed that somebody else responded.
public enum PortalEvidence: String, Hashable, Codable, Sendable {
    case redirect
    case foreignBody
    case foreignNonce
    /// A certificate of an unknown issuer.
    case foreignCertificate
    /// A certificate of a trusted issuer, made out to another name.
    case foreignName
    /// Expired or not yet valid: more often the hub's own certificate than a portal's, or a wrong clock.
    case expiredCertificate

    /// Whether it suggests a login page between the till and the hub.
    public var suggestsCaptivePortal: Bool {
        switch self {
        case .redirect, .foreignBody, .foreignNonce, .foreignCertificate, .foreignName: true
        case .expiredCertificate: false
        }
    }
}

extension OutcomeClass {
    /// For people, in a message behind a colon or in brackets.
    public var words: String {
        switch self {
        case .success: "it succeeded"
        case .network(.dns): "its name was not found"
        case .network(.connect): "the connection was refused or there is no way to it"
        case .network(.connectTimeout): "no connection in time"
        case .network(.reset): "the connection broke"
        case .network(.silent): "no response in time"
        case .network(.tls): "TLS failed"
        case .service(.status(let status)): "status \(status)"
        case .service(.brokenBody): "a broken response"
        case .service(.timedOutAfterConnect): "the response did not end in time"
        case .auth(let status): "this terminal was not accepted, status \(status)"
        case .throttle: "it is busy"
        case .business(let status): "it was refused, status \(status)"
        case .portal(.foreignCertificate): "its certificate is from an unknown authority"
        case .portal(.foreignName): "its certificate is made out to another name"
        case .portal(.expiredCertificate): "its certificate has expired, or a clock is wrong"
        case .portal(.redirect), .portal(.foreignBody), .portal(.foreignNonce):
            "somebody else responds in its place"
        case .cancelled: "it was given up"
        }
    }
}
