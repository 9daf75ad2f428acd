import Base

internal import Glibc

/// What the figures of sales cost an intake: eight terminals push batches of the largest size, in turns with
/// the hub's own tables and with triggers on them that drop every row of the figures.
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
            return [
                try row("SQLite", shop) { isKept throws(BenchFailure) in
                    try RawSQLite.run(isKept ? Self.keepingSQLite : Self.droppingSQLite, at: path)
                }
            ]
        case .postgresql:
            guard let url = getenv("HOLDFAST_POSTGRESQL").map({ String(cString: $0) }) else {
                throw .notHere("HOLDFAST_POSTGRESQL names no empty database; .ci/with-postgresql makes one")
            }
            let shop = try Shop("read-model-postgresql", in: workshop, store: url)
            let connection = try RawPostgresConnection(url: url)
            return [
                try row("PostgreSQL", shop) { isKept throws(BenchFailure) in
                    for sql in isKept ? Self.keepingPostgres : Self.droppingPostgres {
                        try connection.query(sql)
                    }
                }
            ]
        }
    }

    private func row(
        _ place: String, _ shop: Shop, keep: (Bool) throws(BenchFailure) -> Void
    ) throws(BenchFailure) -> Row {
        var tills: [ScriptedTill] = []
        for number in 0..<Self.terminals {
            tills.append(
                try ScriptedTill(enrolledAt: shop.address, code: try shop.enrolmentCode(), device: number))
        }
        var (with, without) = (Samples(), Samples())
        for round in 0..<Self.rounds * 2 {
            let isKept = round % 2 == 0
            try keep(isKept)
            let bodies = tills.map { till in (0..<Self.pushes).map { _ in till.push(of: Self.batch) } }
            let time = try Stopwatch.time { () throws(BenchFailure) in try push(bodies, to: shop.address) }
            // The first of each warms up.
            guard round > 1 else { continue }
            if isKept { with.add(time) } else { without.add(time) }
        }
        let count = Double(Self.terminals * Self.pushes * Self.batch)
        return Row(
            name: "intake with the figures of sales, \(place)", figure: count * 1e9 / with.median(),
            unit: .perSecond, yardstick: ("the same without them", count * 1e9 / without.median()),
            aim: .ratioAtLeast(0.8))
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

    private static let tables = ["sales", "flags", "refusals"]
    private static let keepingSQLite = tables.map { "DROP TRIGGER IF EXISTS drop_\($0);" }.joined()
    private static let droppingSQLite = tables.map {
        "CREATE TRIGGER IF NOT EXISTS drop_\($0) BEFORE INSERT ON \($0) BEGIN SELECT RAISE(IGNORE); END;"
    }.joined()
    private static let keepingPostgres = tables.map { "DROP TRIGGER IF EXISTS drop_rows ON \($0)" }
    private static let droppingPostgres =
        [
            "CREATE OR REPLACE FUNCTION drop_row() RETURNS trigger LANGUAGE plpgsql "
                + "AS 'BEGIN RETURN NULL; END'"
        ]
        + tables.map {
            "CREATE TRIGGER drop_rows BEFORE INSERT ON \($0) FOR EACH ROW EXECUTE FUNCTION drop_row()"
        }
}
