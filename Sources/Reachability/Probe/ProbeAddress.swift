import CurlTransport

/// An address to ask that was read and found to be one.
struct ProbeAddress: Hashable, Sendable {
    let url: HubURL
    /// As it is requested.
    let text: String
    let expectation: ReachabilityProbe.Expectation
}

extension ReachabilityProbe {
    /// Nil when the address is none.
    var readable: ProbeAddress? {
        guard let url = try? HubURL(address) else { return nil }
        return ProbeAddress(url: url, text: address, expectation: expectation)
    }
}
