public import Base

/// How one request ended, and when its steps were passed.
public struct HTTPExchange: Hashable, Sendable {
    /// A response of any status is a success; a failure means that none arrived completely.
    public let result: Result<HTTPResponse, TransferFailure>
    /// Present after a failure, too.
    public let timings: HTTPTimings

    /// The end of one request, with or without a response.
    public init(result: Result<HTTPResponse, TransferFailure>, timings: HTTPTimings) {
        self.result = result
        self.timings = timings
    }
}

/// Moments of one exchange on CLOCK_MONOTONIC.
public struct HTTPTimings: Hashable, Sendable {
    /// The request was handed to the session.
    public var startedAt: Instant
    /// The connection was ready, TLS included, or an idle one was reused; nil when neither happened.
    public var connectedAt: Instant?
    /// The first byte of the response arrived; nil when none did.
    public var firstByteAt: Instant?
    /// The last byte of the response arrived, or the exchange failed.
    public var finishedAt: Instant
    /// Whether an idle connection was reused.
    public var reusedConnection: Bool

    /// By default there was neither a connection nor a byte of a response.
    public init(
        startedAt: Instant, connectedAt: Instant? = nil, firstByteAt: Instant? = nil, finishedAt: Instant,
        reusedConnection: Bool = false
    ) {
        self.startedAt = startedAt
        self.connectedAt = connectedAt
        self.firstByteAt = firstByteAt
        self.finishedAt = finishedAt
        self.reusedConnection = reusedConnection
    }
}
