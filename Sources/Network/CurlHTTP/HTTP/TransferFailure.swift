package import OfflineCore

/// Why a request got no complete response.
package enum TransferFailure: Error, Hashable, Sendable {
    /// The URL, a header or the socket path cannot be sent; a fault of the caller or of the configuration.
    case notSendable(detail: String)
    /// The task was cancelled.
    case cancelled
    /// The session was closed while the request ran or before it began.
    case sessionClosed
    /// The host's name has no address.
    case nameNotResolved
    /// No server listens, there is no route, or the Unix socket does not exist.
    case notConnected
    /// The connection timeout passed.
    case connectTimedOut
    /// The request's own deadline passed in this phase.
    case deadlinePassed(DeadlinePhase)
    case certificateRefused(CertificateFault)
    /// TLS failed for another reason.
    case tlsFailed(detail: String)
    /// The connection broke, or was closed without a response.
    case connectionBroken
    /// The response began, and the connection was closed before its end.
    case responseCutOff
    /// The response's body is longer than the request allows.
    case responseTooLarge
    /// The response is not HTTP.
    case responseMalformed(detail: String)
}

extension TransferFailure {
    /// What it is evidence of.
    package var outcome: OutcomeClass {
        switch self {
        case .cancelled, .sessionClosed: .cancelled
        // Nothing was sent, so it is no evidence about the network; the caller finds the detail in the
        // exchange.
        case .notSendable: .cancelled
        case .nameNotResolved, .deadlinePassed(.resolving): .network(.dns)
        case .notConnected: .network(.connect)
        case .connectTimedOut, .deadlinePassed(.connecting): .network(.connectTimeout)
        case .deadlinePassed(.waiting): .network(.silent)
        case .deadlinePassed(.receiving): .service(.timedOutAfterConnect)
        case .certificateRefused(.foreign): .portal(.foreignCertificate)
        case .certificateRefused(.otherName): .portal(.foreignName)
        case .certificateRefused(.outOfValidity): .portal(.expiredCertificate)
        case .tlsFailed: .network(.tls)
        case .connectionBroken: .network(.reset)
        case .responseCutOff, .responseTooLarge, .responseMalformed: .service(.brokenBody)
        }
    }

    /// Whether another address of the same name might have responded.
    var mayBeOfAddress: Bool {
        switch self {
        case .notSendable, .cancelled, .sessionClosed, .nameNotResolved, .responseTooLarge: false
        case .notConnected, .connectTimedOut, .deadlinePassed, .certificateRefused, .tlsFailed,
            .connectionBroken, .responseCutOff, .responseMalformed:
            true
        }
    }
}

/// The phase of a request when its deadline passed.
package enum DeadlinePhase: Hashable, Sendable {
    /// The name was still being resolved.
    case resolving
    /// The connection was not ready.
    case connecting
    /// The connection was ready and no byte had arrived.
    case waiting
    /// The response had begun.
    case receiving
}

/// What is wrong with a certificate.
package enum CertificateFault: Hashable, Sendable {
    /// Issued by an issuer that is not trusted.
    case foreign
    /// From a trusted issuer, for another name.
    case otherName
    /// Past its end or before its beginning; the terminal's clock may be what is wrong.
    case outOfValidity
}
