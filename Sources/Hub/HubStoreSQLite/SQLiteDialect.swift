internal import HubStore

extension Dialect {
    /// One process owns the file and has one writer, and every read is a snapshot: there is nothing to lock.
    static let sqlite = Dialect(
        forUpdate: "", forUpdateOfFree: "", isOne: { "IN (SELECT value FROM json_each(\($0)))" },
        inBytes: { $0 }, locking: { _ in nil })
}
