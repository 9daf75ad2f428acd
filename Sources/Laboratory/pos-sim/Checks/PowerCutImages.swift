import Base
import CVirtualTime
import Foundation
import GRDBSQLite

/// Images of what a power cut could leave: at writes of a till's database and of the hub's store one is made,
/// opened and looked at, while the world goes on.
///
/// It has no actor: it is called within a write of SQLite, on the one thread that there is.
final class PowerCutImages {
    /// Those of this process's world; nil: none are made.
    nonisolated(unsafe) private(set) static var current: PowerCutImages?

    private let limit: Int
    private let scratch: String
    private var draw: SplitMix64
    private(set) var made = 0
    private(set) var failures: [String] = []
    /// What each store has to have: sales that a till confirmed, by the name of its folder.
    private var sold: [String: Int] = [:]
    /// Sales that the hub acknowledged.
    private var acknowledged: Set<String> = []

    private init(_ limit: Int, _ scratch: String, seed: UInt64) {
        (self.limit, self.scratch) = (limit, scratch)
        draw = SplitMix64(seed: seed &* 41)
    }

    /// Begins with them.
    ///
    /// - Parameters:
    ///   - limit: how many are made.
    ///   - scratch: where each lies while it is looked at.
    static func begin(_ limit: Int, in scratch: String, seed: UInt64) {
        current = PowerCutImages(limit, scratch, seed: seed)
        virtual_time_before_writes { path in
            guard let path, let images = PowerCutImages.current, strstr(path, ".sqlite") != nil else {
                return
            }
            images.look(at: String(cString: path))
        }
    }

    /// Makes no more of them.
    static func end() {
        virtual_time_before_writes(nil)
        guard let images = current else { return }
        for ending in ["", "-wal", "-shm"] { unlink(images.scratch + ending) }
    }

    func sells(_ till: String) { sold[till, default: 0] += 1 }
    func acknowledges(_ sale: String) { acknowledged.insert(sale) }

    private func look(at path: String) {
        guard made < limit, failures.isEmpty else { return }
        let store = path.hasSuffix("-wal") ? String(path.dropLast(4)) : path
        let isTill = store.hasSuffix("/terminal.sqlite")
        guard isTill || store.hasSuffix("/hub.sqlite") else { return }
        // Where everything is durable each image would be the same.
        guard ["", "-wal"].contains(where: { virtual_time_unsynced(store + $0, nil, 0) > 0 }) else { return }
        var cut = PowerCut(draw.next())
        for ending in ["", "-wal"] {
            let bytes = FileManager.default.contents(atPath: store + ending)
            unlink(scratch + ending)
            guard let bytes else { continue }
            let left = cut.leaves(of: store + ending, bytes)
            guard FileManager.default.createFile(atPath: scratch + ending, contents: left) else { return }
        }
        made += 1
        let folder = store.split(separator: "/").dropLast().last.map(String.init) ?? ""
        let least = isTill ? sold[folder, default: 0] : acknowledged.count
        if let problem = problem(isTill: isTill, least: least) {
            failures.append("image \(made) of \(folder), \(cut.lost) writes lost: \(problem)")
        }
    }

    /// What is wrong with the image; nil: nothing.
    private func problem(isTill: Bool, least: Int) -> String? {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open_v2(scratch, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            return "it cannot be opened"
        }
        // Without an index of the log in a file of its own.
        _ = first("PRAGMA locking_mode = EXCLUSIVE", database)
        let check = first("PRAGMA quick_check(1)", database)
        if check != "ok" { return "its check says \(check)" }
        let orders = first("SELECT count(*) FROM orders", database)
        guard let count = Int(orders), count >= least else {
            return "it has \(orders) sales, and \(least) were confirmed"
        }
        guard isTill else { return nil }
        let journal = first(
            "SELECT max(sequence) = (SELECT sequence FROM terminal) AND max(sequence) - min(sequence) + 1 = count(*)"
                + " FROM journal", database)
        return journal == "1" || journal.isEmpty ? nil : "its journal has a hole, or another end"
    }

    /// The first column of the first row, or what went wrong; empty for none and for NULL.
    private func first(_ sql: String, _ database: OpaquePointer?) -> String {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
            return String(cString: sqlite3_errmsg(database))
        }
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? ""
        case SQLITE_DONE: return ""
        case _: return String(cString: sqlite3_errmsg(database))
        }
    }
}
