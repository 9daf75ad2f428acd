/// What a monitor watches.
public enum ReachabilityTarget: Hashable, Sendable {
    /// The internet in general: reachable when one of these answers. The first is asked; the others only
    /// when it fails or takes longer than half the time it has.
    case internet([ReachabilityProbe])
    /// One host.
    case host(ReachabilityProbe)

    /// Where monitors of the internet in general ask unless told otherwise: three addresses of independent
    /// operators, over https, so that the certificate proves who answers.
    ///
    /// A program that is used much does well to ask an address of its own; see
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
    public var description: String {
        switch self {
        case .internet: "internet"
        case .host(let probe): probe.address
        }
    }
}

/// One address to ask, and what counts as its answer.
public struct ReachabilityProbe: Hashable, Sendable {
    /// What proves that the right one answered.
    public enum Expectation: Hashable, Sendable {
        /// Any answer below 500. Over https the certificate is the proof. Over http anyone can answer, so a
        /// redirect to another host counts as a captive portal's; expect a body where that is not enough.
        case anyAnswer
        /// An answer with this status.
        case status(Int)
        /// A 200 with a body that begins so.
        case body(String)
    }

    /// A host, asked over https, or a whole `http://` or `https://` address.
    public let address: String
    public let expectation: Expectation

    /// - Parameters:
    ///   - address: a host, which is asked over https, or a whole address.
    ///   - expectation: default ``Expectation/anyAnswer``.
    public init(_ address: String, expecting expectation: Expectation = .anyAnswer) {
        self.address = address.contains("://") ? address : "https://" + address
        self.expectation = expectation
    }
}
