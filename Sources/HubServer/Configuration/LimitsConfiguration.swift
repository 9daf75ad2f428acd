public import HubCore

/// What a terminal may ask of this process, and leave at the hub.
public struct LimitsConfiguration: Hashable, Sendable {
    /// Key `limits.requestsPerMinute`: calls a minute of one terminal, 60 to 10,000,000; a minute's worth may
    /// come at once. Default 60,000, a thousand a second: a till that drains in batches of 200 never meets
    /// it, one that runs wild does.
    public var requestsPerMinute: Int64
    /// Key `limits.memberReadsPerMinute`: look-ups of members a minute by one terminal at this process, 1 to
    /// 1,000,000; a minute's worth may come at once. Default 120, more than anybody sells: a terminal that
    /// reads the chain's members number by number tries 172,800 numbers a day. Half of it holds up a counter
    /// that sells a piece a second to members, double it halves the time for such a reader.
    public var memberReadsPerMinute: Int64

    /// Keys `limits.mutationsPerDay`, `limits.bytesPerDay` and so on.
    public var intake = IntakeLimits()

    public init() {
        requestsPerMinute = 60_000
        memberReadsPerMinute = 120
    }
}
