/// Whose terminals get a row of the change feed, as the stores keep it beside the row: empty for all, a store's
/// id for those of one store, or one terminal.
public enum FeedAudience {
    /// One terminal alone. No store's id has a colon.
    public static func terminal(_ id: String) -> String { "terminal:" + id }

    /// All audiences that a terminal belongs to.
    public static func all(of terminalId: String, in storeId: String) -> [String] {
        ["", storeId, terminal(terminalId)]
    }
}
