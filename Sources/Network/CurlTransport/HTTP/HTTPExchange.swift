public import Base

/// How one request ended, and when its steps were passed.
public struct HTTPExchange: Hashable, Sendable {
    public let result: Result<HTTPResponse, TransferFailure>
    public let timings: HTTPTimings

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
    public var finishedAt: Instant
    /// Whether an idle connection was reused.
    public var reusedConnection: Bool

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
