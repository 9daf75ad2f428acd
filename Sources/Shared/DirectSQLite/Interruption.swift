package import GRDB
internal import GRDBSQLite

extension Database {
    /// Runs `body` and interrupts its statement as soon as `isOver` is true, which is checked repeatedly
    /// while a statement runs.
    ///
    /// An interrupted write undoes the complete transaction (sqlite.org/c3ref/interrupt.html), so the caller
    /// begins a new one.
    ///
    /// - Parameter steps: of SQLite's virtual machine between two checks; a thousand take about 50 µs.
    package func interrupted<Value>(
        when isOver: @escaping () -> Bool, every steps: Int32 = 1_000, _ body: () throws -> Value
    ) rethrows -> Value {
        let query = Query(isOver)
        let context = Unmanaged.passUnretained(query).toOpaque()
        sqlite3_progress_handler(
            sqliteConnection, steps,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Query>.fromOpaque(context).takeUnretainedValue().isOver() ? 1 : 0
            }, context)
        defer { sqlite3_progress_handler(sqliteConnection, 0, nil, nil) }
        return try withExtendedLifetime(query) { try body() }
    }
}

private final class Query {
    let isOver: () -> Bool

    init(_ isOver: @escaping () -> Bool) {
        self.isOver = isOver
    }
}
