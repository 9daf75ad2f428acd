/// A place in the change feed. Whoever hands it out signs its text, so that it cannot be made up.
public struct ChangeCursor: Hashable, Sendable {
    /// The id of the feed's life: another one after a restore or a new database.
    public let feed: String
    /// Everything up to this position was delivered; 0 is the beginning.
    public let position: Int64

    public init(feed: String, position: Int64) {
        self.feed = feed
        self.position = position
    }

    /// Reads what ``text`` wrote; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let position = Int64(parts[1]), position >= 0 else {
            return nil
        }
        feed = String(parts[0])
        self.position = position
    }

    public var text: String { "\(feed).\(position)" }
}
