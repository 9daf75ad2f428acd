package import HubCore

/// How many requests a terminal may send to this process, and how much it may store at the hub.
package struct LimitsConfiguration: Hashable, Sendable {
    /// Key `limits.requestsPerMinute`: calls a minute of one terminal, 60 to 10,000,000; a minute's worth may
    /// come at once. Default 60,000, a thousand a second: a till that drains in batches of 200 never meets
    /// it, one that runs wild does.
    package var requestsPerMinute: Int64
    /// Key `limits.bytesPerMinute`: bodies of one terminal's requests at this process, 2 MiB to 1 TiB; a
    /// minute's worth may come at once. Default 256 MiB: a month of 2,000 sales a day drains in one minute.
    /// Doubled, a terminal that sends megabytes to be refused costs twice as much.
    package var bytesPerMinute: Int64
    /// Key `limits.memberReadsPerMinute`: look-ups of members a minute by one terminal at this process, 1 to
    /// 1,000,000; a minute's worth may come at once. Default 120, more than anybody sells: a terminal that
    /// reads the chain's members number by number tries 172,800 numbers a day. Half of it holds up a counter
    /// that sells a piece a second to members, double it halves the time for such a reader.
    package var memberReadsPerMinute: Int64
    /// Key `limits.connectionsPerAddress`: connections of one address that have not shown a valid token, 10
    /// to 1,000,000. Past it the oldest of them is closed for each new one. Default 2,000: a chain behind one
    /// address that starts all its tills at once.
    package var connectionsPerAddress: Int64
    /// Key `limits.openRequestsPerAddressPerSecond`: calls a second of one address to routes that need no
    /// token, 1 to 100,000. Default 200: 200 tills of one address that renew in the same second.
    package var openRequestsPerAddressPerSecond: Int64
    /// Key `limits.trustedAddresses`: addresses, or ranges with `/` and their bits, that the two limits by
    /// address do not count: proxies, and the shops' own exits. Their open calls share one limit with
    /// this machine's. Default: none.
    package var trustedAddresses: [AddressRange]

    /// Keys `limits.mutationsPerDay`, `limits.bytesPerDay` and so on.
    package var intake = IntakeLimits()

    /// The defaults of all limits; no address is trusted.
    package init() {
        requestsPerMinute = 60_000
        bytesPerMinute = 256 << 20
        memberReadsPerMinute = 120
        connectionsPerAddress = 2_000
        openRequestsPerAddressPerSecond = 200
        trustedAddresses = []
    }
}
