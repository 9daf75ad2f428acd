internal import Glibc

/// The yardstick of a drain to PostgreSQL: as many rows written by `psql`, in statements of one batch each,
/// every one a commit. The start of `psql` is in it.
struct RawPostgres {
    private let url: String
    private let script: String
    private let log: String

    /// - Parameter folder: where the script lies.
    init(url: String, folder: String, rows: Int, batch: Int, rowBytes: Int) throws(BenchFailure) {
        self.url = url
        script = folder + "/raw.sql"
        log = folder + "/raw.log"
        let row = "('" + String(repeating: "x", count: rowBytes) + "')"
        let values = Array(repeating: row, count: batch).joined(separator: ",")
        let statement = "INSERT INTO raw_rows (text) VALUES \(values);\n"
        try TextFile.write(String(repeating: statement, count: rows / batch), to: script)
        try run([
            "-c", "CREATE TABLE raw_rows (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text TEXT)",
        ])
    }

    /// Writes all of them.
    func insert() throws(BenchFailure) {
        try run(["-f", script])
    }

    private func run(_ arguments: [String]) throws(BenchFailure) {
        let fixed = ["-X", "-q", "-v", "ON_ERROR_STOP=1"]
        _ = try BuiltProgram("/usr/bin/psql", fixed + arguments + [url], log: log).finish()
    }
}
