/// The yardstick of a drain to PostgreSQL: the rows that the hub has just written, written again through
/// libpq into a copy of its tables, with its indexes.
///
/// One transaction a batch, in one round trip; one `unnest` a table and one update of the articles that the
/// batch sold. The rows wait in memory in the format of the connection.
final class RawIntakePostgres: RawIntake {
    private let connection: RawPostgresConnection
    private let batch: Int
    private var tables: [Table] = []
    /// Statements of each batch, each with its parameters.
    private var batches: [[(name: String, values: [[UInt8]])]] = []
    private var loaded = 0

    private struct Table {
        let name: String
        let columns: [(name: String, type: String)]
        /// The column that names the mutation.
        let key: String

        var insert: String {
            let parameters = columns.indices.map { "$\($0 + 1)::\(columns[$0].type)[]" }
            return "INSERT INTO raw.\(name) (\(columns.map(\.name).joined(separator: ","))) "
                + "SELECT * FROM unnest(\(parameters.joined(separator: ",")))"
        }
    }

    private static let sold =
        "UPDATE raw.products p SET sold_milli = p.sold_milli + s.milli "
        + "FROM unnest($1::text[], $2::bigint[]) s (sku, milli) WHERE p.sku = s.sku"
    private static let epochs =
        "INSERT INTO raw.epochs SELECT * FROM epochs ON CONFLICT (terminal_id, epoch) DO UPDATE "
        + "SET acknowledged_through = excluded.acknowledged_through, highest = excluded.highest"

    /// - Parameter url: the hub's database, its catalogue imported.
    init(url: String, batch: Int) throws(BenchFailure) {
        connection = try RawPostgresConnection(url: url)
        self.batch = batch
        // That the first table of places is not there yet is no news.
        try connection.query("SET client_min_messages = warning")
        try connection.query("CREATE SCHEMA raw")
        for table in ["mutations", "journal", "orders", "epochs", "products"] {
            try connection.query("CREATE TABLE raw.\(table) (LIKE \(table) INCLUDING ALL)")
        }
        try connection.query("INSERT INTO raw.products SELECT * FROM products")
        for (name, key) in [("mutations", "id"), ("journal", "mutation_id"), ("orders", "mutation_id")] {
            let columns = try connection.query(
                "SELECT column_name, data_type FROM information_schema.columns "
                    + "WHERE table_schema = 'raw' AND table_name = '\(name)' ORDER BY ordinal_position")
            let table = Table(
                name: name, columns: columns.map { ($0[0] ?? "", $0[1] ?? "") }, key: key)
            try connection.prepare(table.insert, as: name)
            tables.append(table)
        }
        try connection.prepare(Self.sold, as: "sold")
        try connection.prepare(Self.epochs, as: "epochs")
        for statement in ["BEGIN", "COMMIT"] { try connection.prepare(statement, as: statement) }
    }

    func load() throws(BenchFailure) {
        batches = []
        try connection.query("DROP TABLE IF EXISTS pg_temp.places")
        try connection.query(
            "CREATE TEMP TABLE places AS SELECT row_number() OVER (ORDER BY hlc) - 1 AS place, id FROM mutations"
        )
        try connection.query("CREATE INDEX ON pg_temp.places (place)")
        try connection.query("ANALYZE pg_temp.places")
        while true {
            let page =
                "(SELECT id, document FROM pg_temp.places JOIN mutations USING (id) "
                + "WHERE place >= \(loaded) AND place < \(loaded + batch)) page"
            let count = try connection.query("SELECT id FROM \(page)").count
            guard count > 0 else { return }
            loaded += count
            var statements: [(String, [[UInt8]])] = [("BEGIN", [])]
            for table in tables {
                let columns = table.columns.map { "t.\($0.name)" }.joined(separator: ",")
                let rows = try connection.query(
                    "SELECT \(columns) FROM \(table.name) t JOIN \(page) ON page.id = t.\(table.key) "
                        + "ORDER BY page.id")
                statements.append(
                    (table.name, table.columns.indices.map { Self.array(rows, $0, table.columns[$0].type) }))
            }
            let sold = try connection.query(
                "SELECT line->>'sku' AS sku, SUM((line->>'quantityMilli')::bigint) FROM \(page), "
                    + "json_array_elements(page.document::json->'payload'->'lines') line GROUP BY sku")
            statements.append(("sold", [Self.array(sold, 0, "text"), Self.array(sold, 1, "bigint")]))
            batches.append(statements + [("epochs", []), ("COMMIT", [])])
        }
    }

    func insert() throws(BenchFailure) {
        for batch in batches { try connection.execute(batch) }
    }

    private static func array(_ rows: [[String?]], _ column: Int, _ type: String) -> [UInt8] {
        type == "bigint"
            ? RawArray.integers(rows.map { $0[column].flatMap { Int64($0) } })
            : RawArray.texts(rows.map { $0[column] })
    }
}

/// Arrays in PostgreSQL's binary format: dimensions, a flag for NULLs, the element's type, its count and
/// lower bound; then each element behind its length.
private enum RawArray {
    static func texts(_ texts: [String?]) -> [UInt8] {
        array(texts.map { $0.map { Array($0.utf8) } }, type: 25)
    }

    static func integers(_ numbers: [Int64?]) -> [UInt8] {
        array(numbers.map { $0.map { bytes($0) } }, type: 20)
    }

    private static func array(_ elements: [[UInt8]?], type: Int32) -> [UInt8] {
        var all: [UInt8] = []
        for number in [1, 1, type, Int32(elements.count), 1] { all += bytes(number) }
        for element in elements {
            all += bytes(element.map { Int32($0.count) } ?? -1)
            all += element ?? []
        }
        return all
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
