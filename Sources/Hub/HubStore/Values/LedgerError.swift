/// Why a store did not perform an operation. Unless a case says otherwise nothing was applied; a client of
/// the hub gets 503.
package enum LedgerError: Error, Equatable, Sendable {
    /// Another process holds the store. Try again in a moment.
    case busy
    /// The push took longer than it may keep others waiting. It was undone; send less at once, later.
    case tooCostly
    /// The database cannot be reached, or went away before its response. Try again; the operation may have
    /// been done, and the same key gets the same response.
    case unavailable(String)
    /// The disk is full. Make room; nothing is lost.
    case full
    /// The store cannot be read or written; the message is for the operator's log, never for a client.
    case failed(String)
    /// There is no store at `path` that could be opened or made.
    case notOpened(path: String, reason: String)
    /// The store at `path` is damaged; it was left as it is. Restore a backup, or repair it.
    case damaged(path: String, detail: String)
    /// The store at `path` was written by a newer hub and was left untouched. Use that version.
    case newerSchema(path: String, found: Int, known: Int)
    /// The store at `path` holds something already and was left as it is. Name an empty one.
    case notEmpty(path: String)
    /// The store at `path` does not sync every commit. Nothing may be acknowledged on it.
    case notDurable(path: String)
}

extension LedgerError: CustomStringConvertible {
    /// One line for the operator, with the path and what to do next; not for a client.
    package var description: String {
        switch self {
        case .busy: "the store is held by another process; try again"
        case .tooCostly: "the push took too long and was undone"
        case .unavailable(let message): "the database cannot be reached: \(message)"
        case .full: "the disk of the store is full; make room and try again"
        case .failed(let message): "the store failed: \(message)"
        case .notOpened(let path, let reason): "the store \(path) cannot be opened: \(reason)"
        case .damaged(let path, let detail):
            "the store \(path) is damaged (\(detail)); nothing was changed: stop the hub, keep a copy of the file "
                + "with its -wal, restore the last backup, and every terminal sends what that lacks"
        case .newerSchema(let path, let found, let known):
            "the store \(path) has schema \(found), this hub knows up to \(known); use the newer hub"
        case .notEmpty(let path): "the store \(path) is not empty; nothing was moved"
        case .notDurable(let path): "the store \(path) does not sync its commits; nothing was started"
        }
    }
}
