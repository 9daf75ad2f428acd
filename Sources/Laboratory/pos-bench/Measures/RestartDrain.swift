import Base

internal import GRDBSQLite
internal import Glibc

/// From the start of an agent with a full outbox to the first mutation that the hub has on its disk.
struct RestartDrain: RowMeasure {
    private static let pending = 10_000
    private static let rounds = 5

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("restart", in: workshop)
        let till = try shop.anotherTill(0)
        try shop.fill([till], Self.pending)
        var times = Samples()
        for _ in 0..<Self.rounds {
            // The flag goes while nobody responds, so that nothing drains yet.
            shop.stopHub()
            _ = try till.start(["offline", "off"]).finish()
            try shop.startHubAgain()
            let watch = try TableWatch(shop.folder + "/hub.sqlite")
            let before = watch.count()
            let start = Stopwatch.now()
            try till.startAgent()
            while watch.count() == before, Stopwatch.now() - start < 30_000_000_000 { usleep(1_000) }
            times.add(Stopwatch.now() - start)
            _ = try till.start(["offline", "on"]).finish()
            till.stopAgent()
        }
        let version = try shop.timeVersion().wall
        return [
            Row(
                name: "agent's start to the first push, 10,000 pending", figure: times.median(), unit: .time,
                yardstick: ("`pos --version`", Double(version)), aim: .atMost(250e6))
        ]
    }
}

/// Looks at the hub's store from outside.
final class TableWatch {
    private var connection: OpaquePointer?
    private var statement: OpaquePointer?

    init(_ path: String) throws(BenchFailure) {
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
            sqlite3_prepare_v2(
                connection, "SELECT COALESCE(MAX(rowid), 0) FROM mutations", -1, &statement, nil) == SQLITE_OK
        else { throw .sqlite(code: 1, detail: "\(path) cannot be watched") }
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close(connection)
    }

    func count() -> Int64 {
        defer { sqlite3_reset(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1
    }
}
