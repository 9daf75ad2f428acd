internal import HubStore

/// A store that this process serves; a file with the lock that marks it as this process's.
struct OwnedStore<Ledger: Sendable>: Sendable {
    let ledger: Ledger
    /// Where this machine's commands reach the owner; nil for a database, which they reach themselves.
    let socket: String?
    private let lock: StoreLock?

    /// Opens the file at `path`, once nobody else owns it.
    init(path: String, open: (String) throws(LedgerError) -> Ledger) throws {
        let socket = StorePaths.socket(of: path)
        guard socket.utf8.count <= HubStartError.longestSocketPath else {
            throw HubStartError.socketPathTooLong(path: socket)
        }
        guard let lock = try StoreLock.taken(of: path) else {
            throw HubStartError.storeOwned(path: path)
        }
        self.socket = socket
        self.lock = lock
        ledger = try open(path)
    }

    /// A database that other processes serve too.
    init(shared ledger: Ledger) {
        self.ledger = ledger
        socket = nil
        lock = nil
    }
}
