/// What a monitor watches.
public enum ReachabilityTarget: Hashable, Sendable {
    /// The internet in general: reachable when one of these responds. The first is probed; the others only
    /// when it fails or takes longer than half of its time.
    case internet([ReachabilityProbe])
    /// One host.
    case host(ReachabilityProbe)

    /// What monitors of the internet in general probe by default: three addresses of independent operators,
    /// over https, so that the certificate proves who responds.
    ///
    /// A program with many users should probe an address of its own; see
    /// ``ReachabilityMonitor/setUpInternet(probing:settings:)``.
    public static let standardInternet = ReachabilityTarget.internet([
        ReachabilityProbe("https://detectportal.firefox.com/success.txt"),
        ReachabilityProbe("https://www.apple.com/library/test/success.html"),
        ReachabilityProbe("https://www.gstatic.com/generate_204"),
    ])

    var probes: [ReachabilityProbe] {
        switch self {
        case .internet(let probes): probes
        case .host(let probe): [probe]
        }
    }
}

extension ReachabilityTarget: CustomStringConvertible {
    /// `internet`, or the address of the host's probe, for example `https://example.com`.
    public var description: String {
        switch self {
        case .internet: "internet"
        case .host(let probe): probe.address
        }
    }
}

/// One address to probe, and what counts as its response.
public struct ReachabilityProbe: Hashable, Sendable {
    /// What proves that the target itself responded.
    public enum Expectation: Hashable, Sendable {
        /// Any status below 500. Over https the certificate is the proof. Over http anyone can respond, so a
        /// redirect to another host counts as a captive portal's; expect a body where that is not enough.
        case anyResponse
        /// A response with this status.
        case status(Int)
        /// A 200 with a body that begins with this text.
        case body(String)
    }

    /// A host, probed over https, or a complete `http://` or `https://` address.
    public let address: String
    /// Over https another response means ``ReachabilityStatus/State/targetDown``; over http it may be a
    /// captive portal's.
    public let expectation: Expectation

    /// - Parameters:
    ///   - address: a host, which is probed over https, or a complete address.
    ///   - expectation: default ``Expectation/anyResponse``.
    public init(_ address: String, expecting expectation: Expectation = .anyResponse) {
        self.address = address.contains("://") ? address : "https://" + address
        self.expectation = expectation
    }
}

/// Why a monitor was not made. No monitor was started.
public enum ReachabilityError: Error, Hashable, Sendable {
    /// No address that can be probed: correct it. It must be a host, or `http://` or `https://` with a host
    /// and optionally a port and a path, without a query.
    case unreadableAddress(String)
    /// The internet needs at least one address to probe.
    case noAddress
    /// A setting is out of its range: correct it. No value is clamped.
    case outOfRange(setting: String, allowed: String)
    /// ``ReachabilityMonitor/internet`` was used before it was set up: set it up earlier.
    case sharedMonitorInUse
}
