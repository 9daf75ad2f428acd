/// The paths of the agent's local socket.
public enum AgentRoutes {
    public static let ping = "/v1/ping"
    public static let status = "/v1/status"
    public static let statusStream = "/v1/status/stream"
    public static let sales = "/v1/sales"
    /// Ends the waiting of a sale for its card.
    public static let giveUp = "/v1/sales/give-up"
    public static let unseenSales = "/v1/sales/unseen"
    public static let seenSales = "/v1/sales/seen"
    public static let quotes = "/v1/quotes"
    public static let products = "/v1/products"
    public static let session = "/v1/session"
    public static let sessionEnd = "/v1/session/end"
    public static let manual = "/v1/manual"
    public static let retry = "/v1/retry"
    public static let orders = "/v1/orders"
    public static let sync = "/v1/sync"
    public static let syncNow = "/v1/sync/now"
    public static let syncExport = "/v1/sync/export"
    public static let syncRejected = "/v1/sync/rejected"
    public static let notes = "/v1/notes"
    public static let qos = "/v1/qos"
    public static let history = "/v1/history"
    public static let doctor = "/v1/doctor"
}

/// What this build calls itself.
public enum TerminalVersion {
    public static let current = "0.1.0"
}
