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
