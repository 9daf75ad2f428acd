import Base

internal import Glibc

/// What the figures of sales and the journal feed cost an intake: eight terminals push batches of the largest
/// size, in turns with the hub's own tables and with triggers that drop every row of some of them.
struct ReadModelCost: RowMeasure {
    private static let terminals = 8
    private static let (rounds, pushes, batch) = (4, 5, 200)

    /// The hub's store.
    let store: LoopbackDrain.Store

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        switch store {
        case .sqlite:
            let shop = try Shop("read-model", in: workshop)
            let path = shop.folder + "/hub.sqlite"
            return try rows("SQLite", shop) { tables, isKept throws(BenchFailure) in
                try RawSQLite.run(Self.sqlite(tables, isKept: isKept), at: path)
            }
        case .postgresql:
            guard let url = getenv("HOLDFAST_POSTGRESQL").map({ String(cString: $0) }) else {
                throw .notHere("HOLDFAST_POSTGRESQL names no empty database; .ci/with-postgresql makes one")
            }
            let shop = try Shop("read-model-postgresql", in: workshop, store: url)
            let connection = try RawPostgresConnection(url: url)
            return try rows("PostgreSQL", shop) { tables, isKept throws(BenchFailure) in
                for sql in Self.postgres(tables, isKept: isKept) { try connection.query(sql) }
            }
        }
    }

    private func rows(
        _ place: String, _ shop: Shop, keep: (_ tables: [String], Bool) throws(BenchFailure) -> Void
    ) throws(BenchFailure) -> [Row] {
        var tills: [ScriptedTill] = []
        for number in 0..<Self.terminals {
            tills.append(
                try ScriptedTill(enrolledAt: shop.address, code: try shop.enrolmentCode(), device: number))
        }
        let parts = [
            ("the figures of sales", ["sales", "flags", "refusals"], 0.8),
            ("the journal feed", ["documents"], 0.95),
        ]
        var rows: [Row] = []
        for (part, tables, aim) in parts {
            rows.append(
                try row("intake with \(part), \(place)", aim, &tills, shop) { isKept throws(BenchFailure) in
                    try keep(tables, isKept)
                })
        }
        return rows
    }

    private func row(
        _ name: String, _ aim: Double, _ tills: inout [ScriptedTill], _ shop: Shop,
        keep: (Bool) throws(BenchFailure) -> Void
    ) throws(BenchFailure) -> Row {
        var (with, without) = (Samples(), Samples())
        for round in 0..<Self.rounds * 2 {
            let isKept = round % 2 == 0
            try keep(isKept)
            var bodies: [[[UInt8]]] = []
            for place in tills.indices {
                bodies.append((0..<Self.pushes).map { _ in tills[place].push(of: Self.batch) })
            }
            let time = try Stopwatch.time { () throws(BenchFailure) in try push(bodies, to: shop.address) }
            // The first of each warms up.
            guard round > 1 else { continue }
            if isKept { with.add(time) } else { without.add(time) }
        }
        try keep(true)
        let count = Double(Self.terminals * Self.pushes * Self.batch)
        return Row(
            name: name, figure: count * 1e9 / with.median(), unit: .perSecond,
            yardstick: ("the same without", count * 1e9 / without.median()), aim: .ratioAtLeast(aim))
    }

    private func push(_ bodies: [[[UInt8]]], to address: String) throws(BenchFailure) {
        let counts = Counts()
        counts.run(bodies) { requests in
            guard let connection = try? HubConnection(address) else { return nil }
            for request in requests {
                guard (try? connection.query(request))?.status == 200 else { return nil }
            }
            return Int64(requests.count)
        }
        guard counts.sum != nil else {
            throw .programFailed(name: "pos-hub", detail: "it refused a push", lastErrors: "-")
        }
    }

    private static func sqlite(_ tables: [String], isKept: Bool) -> String {
        tables.map { table in
            isKept
                ? "DROP TRIGGER IF EXISTS drop_\(table);"
                : "CREATE TRIGGER IF NOT EXISTS drop_\(table) BEFORE INSERT ON \(table) "
                    + "BEGIN SELECT RAISE(IGNORE); END;"
        }.joined()
    }

    private static func postgres(_ tables: [String], isKept: Bool) -> [String] {
        let drops = tables.map { "DROP TRIGGER IF EXISTS drop_rows ON \($0)" }
        guard !isKept else { return drops }
        let function =
            "CREATE OR REPLACE FUNCTION drop_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
        return drops + [function]
            + tables.map {
                "CREATE TRIGGER drop_rows BEFORE INSERT ON \($0) FOR EACH ROW EXECUTE FUNCTION drop_row()"
            }
    }
}
