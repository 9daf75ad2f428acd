/// Why a request brought no whole answer.
public enum TransferFailure: Error, Hashable, Sendable {
    /// The URL, a header or the socket path cannot be sent; a fault of the caller or of the configuration.
    case notSendable(detail: String)
    /// The task was cancelled.
    case cancelled
    /// The session was closed while the request ran or before it began.
    case sessionClosed
    /// The host's name has no address.
    case nameNotResolved
    /// Nobody listens, no route, or the Unix socket is not there.
    case notConnected
    /// The connection timeout passed.
    case connectTimedOut
    /// The request's own deadline passed; how far it had come.
    case deadlinePassed(DeadlinePhase)
    /// The certificate was refused.
    case certificateRefused(CertificateFault)
    /// TLS failed for another reason.
    case tlsFailed(detail: String)
    /// The connection broke, or was closed without an answer.
    case connectionBroken
    /// The answer began and was closed before its end.
    case answerCutOff
    /// The answer's body is longer than the request allows.
    case answerTooLarge
    /// What came back is not HTTP.
    case answerMalformed(detail: String)
}

extension TransferFailure {
    /// Whether another address of the same name might have brought an answer.
    var mayBeOfAddress: Bool {
        switch self {
        case .notSendable, .cancelled, .sessionClosed, .nameNotResolved, .answerTooLarge: false
        case .notConnected, .connectTimedOut, .deadlinePassed, .certificateRefused, .tlsFailed,
            .connectionBroken, .answerCutOff, .answerMalformed:
            true
        }
    }
}

/// How far a request had come when its deadline passed.
public enum DeadlinePhase: Hashable, Sendable {
    /// The name was still being resolved.
    case resolving
    /// The connection did not stand.
    case connecting
    /// The connection stood and no byte had come.
    case waiting
    /// The answer had begun.
    case receiving
}

/// What is wrong with a certificate.
public enum CertificateFault: Hashable, Sendable {
    /// Made by an issuer that is not trusted.
    case foreign
    /// By a trusted issuer, and made out to another name.
    case otherName
    /// Past its end or before its beginning; the terminal's clock may be what is wrong.
    case outOfValidity
}
