public import OfflineCore

/// An event and its moment.
public struct TapedEvent: Sendable {
    public let at: Instant
    public let event: OfflineEvent

    public init(at: Instant, event: OfflineEvent) {
        self.at = at
        self.event = event
    }
}
