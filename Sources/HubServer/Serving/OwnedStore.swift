internal import HubStore

/// A store with the lock that says it is this process's.
struct OwnedStore<Ledger: Sendable>: Sendable {
    let path: String
    let ledger: Ledger
    private let lock: StoreLock

    init(_ path: String, open: (String) throws(LedgerError) -> Ledger) throws {
        let socket = StorePaths.socket(of: path)
        guard socket.utf8.count <= HubStartError.longestSocketPath else {
            throw HubStartError.socketPathTooLong(path: socket)
        }
        guard let lock = try StoreLock.taken(of: path) else {
            throw HubStartError.storeOwned(path: path)
        }
        self.path = path
        self.lock = lock
        ledger = try open(path)
    }
}
