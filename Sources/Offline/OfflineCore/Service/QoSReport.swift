public import Base

/// Counts of one service's outcomes over a window, as reported to QoS.
public struct ServiceCounts: Hashable, Codable, Sendable {
    /// For example `order` or `payment`.
    public let service: String
    /// Calls that succeeded.
    public var ok: Int
    /// Calls that got no connection, or no response, in time.
    public var timeout: Int
    /// Responses with a 5xx, and responses that break the contract: a malformed body, a page, a redirect.
    public var http5xx: Int
    /// Calls whose connection was refused, had no route or was reset.
    public var connect: Int
    /// Calls whose TLS handshake failed or showed a wrong certificate.
    public var tls: Int
    /// Calls whose host name was not resolved.
    public var dns: Int

    /// Counts of 0 by default.
    public init(
        service: String, ok: Int = 0, timeout: Int = 0, http5xx: Int = 0,
        connect: Int = 0, tls: Int = 0, dns: Int = 0
    ) {
        self.service = service
        self.ok = ok
        self.timeout = timeout
        self.http5xx = http5xx
        self.connect = connect
        self.tls = tls
        self.dns = dns
    }

    /// The sum of the five kinds of failure.
    public var failed: Int { timeout + http5xx + connect + tls + dns }
}

/// What one report to QoS holds.
public struct QoSReport: Hashable, Sendable {
    /// When the oldest outcome was counted.
    public let windowStart: Instant
    /// When the report was made; later outcomes go into the next one.
    public let windowEnd: Instant
    /// Only services with counts, each once.
    public let services: [ServiceCounts]
    /// The generation of the last applied decision per service.
    public let knownGeneration: [String: Int64]

    /// The counts from `windowStart` to `windowEnd`, both on the terminal's monotonic clock.
    public init(
        windowStart: Instant, windowEnd: Instant, services: [ServiceCounts], knownGeneration: [String: Int64]
    ) {
        self.windowStart = windowStart
        self.windowEnd = windowEnd
        self.services = services
        self.knownGeneration = knownGeneration
    }
}
