import Base

/// Whether the path to the hub loses large packets, as far as a measurement has shown.
///
/// A path whose MTU is smaller than announced, with the ICMP messages about it filtered, carries small
/// requests and drops large ones (RFC 2923, section 2.1). Two calls that are lost without a response, and no
/// push between them that is not, start a measurement: a health request that fills full-size packets beside
/// one with small segments.
struct LargePackets: Hashable, Sendable {
    /// The last measurement lost only the large request.
    private(set) var areLost = false
    private var lostInARow = 0
    private var isMeasuring = false
    private var measuredAt: Instant?

    /// Calls lost in a row before the path is measured: one is an accident, and each takes the request's
    /// complete deadline, so that three would double the time to the result.
    private static let threshold = 2
    /// Between two measurements while pushes are lost: a measurement takes up to 6 s, and a path seldom
    /// changes under it.
    private static let gap = Duration.seconds(60)
    /// After this time a path that lost large packets is measured again while pushes succeed. Halved, there
    /// are twice as many measurements; doubled, small segments are used for longer than necessary.
    private static let validity = Duration.seconds(600)

    /// Notes the end of a push, or of another call that was lost.
    ///
    /// - Returns: whether the path must be measured now.
    mutating func note(wasLost: Bool, at now: Instant) -> Bool {
        lostInARow = wasLost ? min(lostInARow + 1, Self.threshold) : 0
        guard !isMeasuring else { return false }
        if let measuredAt, now < measuredAt + (wasLost ? Self.gap : Self.validity) { return false }
        isMeasuring = wasLost ? lostInARow == Self.threshold : areLost
        return isMeasuring
    }

    /// - Parameter largePass: nil when the measurement had no result about sizes.
    mutating func measured(largePass: Bool?, at now: Instant) {
        isMeasuring = false
        measuredAt = now
        if let largePass { areLost = !largePass }
    }
}

extension OutcomeClass {
    /// Whether nothing came back, as when large packets are lost: those of a TLS handshake end as a
    /// connection that was not ready in time.
    package var isLost: Bool {
        switch self {
        case .network(.silent), .network(.reset), .network(.connectTimeout), .service(.timedOutAfterConnect):
            true
        case .network(.dns), .network(.connect), .network(.tls),
            .service(.status), .service(.brokenBody), .success, .auth, .throttle, .business, .portal,
            .cancelled:
            false
        }
    }
}
