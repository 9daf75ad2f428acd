/// What a terminal may ask of this process.
public struct LimitsConfiguration: Hashable, Sendable {
    /// Key `limits.requestsPerMinute`: calls a minute of one terminal, 60 to 10,000,000; a minute's worth may
    /// come at once. Default 60,000, a thousand a second: a till that drains in batches of 200 never meets
    /// it, one that runs wild does.
    public var requestsPerMinute: Int64

    public init() {
        requestsPerMinute = 60_000
    }
}
