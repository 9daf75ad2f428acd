/// Where the hub is and how this terminal presents itself.
public struct HubClientConfiguration: Hashable, Sendable {
    /// Every call goes there, except those to QoS.
    public let hub: HubURL
    /// Where QoS decisions are requested; the hub itself by default.
    public let qos: HubURL
    /// For one business call. Default 10 s (`sync.requestTimeoutSeconds`).
    public let requestTimeout: Duration

    /// `qos` is nil where the hub itself decides; the timeout is not checked here.
    public init(hub: HubURL, qos: HubURL? = nil, requestTimeout: Duration = .seconds(10)) {
        self.hub = hub
        self.qos = qos ?? hub
        self.requestTimeout = requestTimeout
    }

    /// The `User-Agent` of the contract, for ``CurlSessionConfiguration/userAgent``: `pos/1.2.3 (Debian 12)`.
    public static func userAgent(version: String, system: String) -> String {
        "pos/\(version) (\(system.filter { $0 != "(" && $0 != ")" }))"
    }
}
