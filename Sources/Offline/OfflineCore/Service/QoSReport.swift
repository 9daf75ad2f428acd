public import Base

/// Counts of one service's outcomes over a window, as reported to QoS.
public struct ServiceCounts: Hashable, Codable, Sendable {
    public let service: String
    public var ok: Int
    public var timeout: Int
    public var http5xx: Int
    public var connect: Int
    public var tls: Int
    public var dns: Int

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

    public var failed: Int { timeout + http5xx + connect + tls + dns }
}

/// What one report to QoS holds.
public struct QoSReport: Hashable, Sendable {
    public let windowStart: Instant
    public let windowEnd: Instant
    public let services: [ServiceCounts]
    /// The generation of the last applied decision per service.
    public let knownGeneration: [String: Int64]

    public init(
        windowStart: Instant, windowEnd: Instant, services: [ServiceCounts], knownGeneration: [String: Int64]
    ) {
        self.windowStart = windowStart
        self.windowEnd = windowEnd
        self.services = services
        self.knownGeneration = knownGeneration
    }
}
