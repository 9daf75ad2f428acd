internal import Foundation
internal import HubStore
internal import HubStorePostgres
internal import HubStoreSQLite

/// Brings a store's tables up to date, or moves a hub into a database.
package enum StoreMigration {
    /// Opens `location` as `serve` would, which makes or migrates its tables.
    ///
    /// - Returns: whether there was no store, so that a new, empty one was made.
    /// - Throws: ``HubStartError/storeOwned(path:)`` while a hub serves the file.
    package static func run(on location: StoreLocation) throws -> Bool {
        switch location {
        case .sqlite(let path):
            let paths = StorePaths(ledger: path)
            let isNew = !FileManager.default.fileExists(atPath: paths.ledger)
            let locks = try [paths.ledger, paths.qos].map(owned)
            try SQLiteLedger(path: paths.ledger).close()
            _ = try SQLiteQoSLedger(path: paths.qos)
            withExtendedLifetime(locks) {}
            return isNew
        case .postgresql(let url):
            let isNew = try PostgresStoreSummary.schema(of: url) == nil
            try PostgresLedger(url: url).close()
            _ = try PostgresQoSLedger(url: url)
            return isNew
        }
    }

    /// Moves everything of the hub at `path` into the empty database at `url`; the files stay as they are.
    ///
    /// - Parameter reported: called with the share that is moved, from 0 to 1.
    /// - Returns: how many rows were moved.
    /// - Throws: ``HubStartError/storeOwned(path:)`` while a hub serves the files.
    package static func move(
        path: String, keysFolder: String?, to url: String, reported: (Double) -> Void
    ) throws -> Int {
        let paths = StorePaths(ledger: path)
        guard FileManager.default.fileExists(atPath: path) else {
            throw LedgerError.notOpened(path: path, reason: "there is no such file")
        }
        let locks = try [paths.ledger, paths.qos].map(owned)
        defer { withExtendedLifetime(locks) {} }
        let qos = FileManager.default.fileExists(atPath: paths.qos) ? paths.qos : nil
        let keys = try HubKeyFile(configured: keysFolder, beside: paths).record()
        return try StoreMove(keys: keys).run(
            from: SQLiteMoveSource(ledger: path, qos: qos), to: PostgresMoveTarget(url: url),
            reported: reported)
    }

    static func owned(_ path: String) throws -> StoreLock {
        guard let lock = try StoreLock.taken(of: path) else { throw HubStartError.storeOwned(path: path) }
        return lock
    }
}
