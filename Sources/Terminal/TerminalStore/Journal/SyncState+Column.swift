internal import OfflineMode

/// The journal's column `verdict`. Its texts are part of the file format, and older versions read them.
extension SyncState {
    /// - Parameter column: NULL, or a text of a newer version, is ``pending``.
    init(column: String?) {
        self =
            switch column {
            case "applied": .acknowledged
            case "rejected": .rejected
            case "conflicted": .conflicted
            case "superseded": .superseded
            case "discarded": .discarded
            default: .pending
            }
    }

    /// NULL while the entry is in the outbox.
    var column: String? {
        switch self {
        case .pending: nil
        case .acknowledged: "applied"
        case .rejected, .conflicted, .superseded, .discarded: rawValue
        }
    }

    /// The state as orders and refunds show it. The edit that replaces a refused entry is in the outbox.
    var ofOrder: SyncState { self == .superseded ? .pending : self }
}
