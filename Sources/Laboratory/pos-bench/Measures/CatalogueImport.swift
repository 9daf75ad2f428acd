import Base

internal import Glibc

/// How long a running hub takes for a file of 100,000 articles, and how long a till's push waits meanwhile.
struct CatalogueImport: RowMeasure {
    private static let articles = 100_000

    /// The hub's store.
    let store: LoopbackDrain.Store

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        switch store {
        case .sqlite:
            let shop = try Shop("import", in: workshop)
            return try rows(shop, "SQLite") + remains(of: shop)
        case .postgresql:
            guard let url = getenv("HOLDFAST_POSTGRESQL").map({ String(cString: $0) }) else {
                throw .notHere("HOLDFAST_POSTGRESQL names no empty database; .ci/with-postgresql makes one")
            }
            return try rows(Shop("import-postgresql", in: workshop, store: url), "PostgreSQL")
        }
    }

    private func rows(_ shop: Shop, _ place: String) throws(BenchFailure) -> [Row] {
        let till = try ScriptedTill(enrolledAt: shop.address, code: try shop.enrolmentCode())
        let connection = try HubConnection(shop.address)
        var quiet = Samples()
        for _ in 0..<300 { quiet.add(try Self.push(of: till, on: connection)) }
        let new = try meanwhile(shop.startImport(of: Self.articles), till, connection)
        var known = try meanwhile(shop.startImport(of: Self.articles), till, connection)
        var pushes = new.pushes
        return [
            Row(
                name: "import of \(Self.articles) articles to \(place)", figure: Double(new.took),
                unit: .time,
                aim: .atMost(10e9)),
            Row(
                name: "longest push meanwhile", figure: pushes.largest(), unit: .time,
                yardstick: ("longest of 300 before it", quiet.largest()), aim: .atMost(1e9)),
            Row(
                name: "the same file again", figure: Double(known.took), unit: .time, aim: .atMost(10e9)),
            Row(
                name: "longest push meanwhile", figure: known.pushes.largest(), unit: .time,
                yardstick: ("longest of 300 before it", quiet.largest()), aim: .atMost(1e9)),
        ]
    }

    /// What such an import leaves behind in memory and beside the database, once the hub has worked on.
    private func remains(of shop: Shop) throws(BenchFailure) -> [Row] {
        guard let hub = shop.hubProcess else { return [] }
        let log = shop.folder + "/hub.sqlite-wal"
        let peak = try TextFile.bytes(of: log)
        // The hub gives memory back a second after an import, and writes at its next probe.
        sleep(Self.calmSeconds)
        return [
            Row(
                name: "hub's memory \(Self.calmSeconds) s after both",
                figure: try ResidentMemory.bytes(of: hub),
                unit: .bytes, aim: .atMost(150 * 1_048_576)),
            Row(
                name: "write-ahead log then", figure: try TextFile.bytes(of: log), unit: .bytes,
                yardstick: ("right after them", peak), aim: .atMost(32 * 1_048_576)),
        ]
    }

    private static let calmSeconds: UInt32 = 15

    private func meanwhile(
        _ program: BuiltProgram, _ till: ScriptedTill, _ connection: HubConnection
    ) throws(BenchFailure) -> (took: Int64, pushes: Samples) {
        var pushes = Samples()
        let start = Stopwatch.now()
        while !program.hasEnded { pushes.add(try Self.push(of: till, on: connection)) }
        let took = Stopwatch.now() - start
        _ = try program.finish()
        return (took, pushes)
    }

    private static func push(
        of till: ScriptedTill, on connection: HubConnection
    ) throws(BenchFailure) -> Int64 {
        let request = till.push(of: 1)
        return try Stopwatch.time { () throws(BenchFailure) in
            let response = try connection.query(request)
            guard response.status == 200 else {
                throw .programFailed(
                    name: "pos-hub", detail: "it answered \(response.status)", lastErrors: "-")
            }
        }
    }
}
