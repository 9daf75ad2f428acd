/// Why a monitor was not made. Nothing was started.
public enum ReachabilityError: Error, Hashable, Sendable {
    /// No address that can be probed: mend it. Wanted is a host, or `http://` or `https://` with a host and
    /// optionally a port and a path, without a query.
    case unreadableAddress(String)
    /// The internet needs at least one address to ask.
    case noAddress
    /// A setting is out of its range: mend it. Nothing is clamped.
    case outOfRange(setting: String, allowed: String)
    /// ``ReachabilityMonitor/internet`` was used before it was set up: set it up earlier.
    case sharedMonitorInUse
}
