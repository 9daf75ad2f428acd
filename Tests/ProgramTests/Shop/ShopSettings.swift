/// Settings of the till by their environment variables.
typealias ShopSettings = [String: String]

extension ShopSettings {
    /// Short times, so that a test sees in seconds what a shop sees in minutes; T1 is 3 s.
    static let hurried: ShopSettings = [
        "POS_NETWORK_DEBOUNCE_SECONDS": "3", "POS_NETWORK_PATH_DEBOUNCE_SECONDS": "3",
        "POS_NETWORK_RECOVERY_HOLD_SECONDS": "1", "POS_NETWORK_PROBE_INTERVAL_SECONDS": "5",
        "POS_NETWORK_PING_INTERVAL_SECONDS": "5", "POS_QOS_POLL_SECONDS": "1",
        "POS_SERVICE_CONSECUTIVE_FAILURES": "3", "POS_SYNC_MAXIMUM_BACKOFF_SECONDS": "1",
        "POS_SYNC_REQUEST_TIMEOUT_SECONDS": "4",
    ]

    func with(_ more: ShopSettings) -> ShopSettings {
        merging(more) { _, new in new }
    }
}
