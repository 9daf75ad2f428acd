import CurlTransport

/// A parsed and valid address of a probe.
struct ProbeAddress: Hashable, Sendable {
    let url: HubURL
    /// The URL of the request.
    let text: String
    let expectation: ReachabilityProbe.Expectation
}

extension ReachabilityProbe {
    /// Nil when the text is no address.
    var readable: ProbeAddress? {
        guard let url = try? HubURL(address) else { return nil }
        return ProbeAddress(url: url, text: address, expectation: expectation)
    }
}
