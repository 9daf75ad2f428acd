import Base

internal import GRDBSQLite
internal import HubProtocol

/// How long sales wait while a till takes a whole catalogue anew, after a cursor that the hub could not serve
/// (410): 100,000 rows into a fresh generation that takes the old one's place.
///
/// A sale counts from its request to its receipt: its look-ups wait for the rows that are written, too.
struct CatalogueRefresh: RowMeasure {
    private static let articles = 100_000

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("refresh", in: workshop, articles: Self.articles)
        let till = try shop.anotherTill(0)
        try till.startAgent()
        try shop.waitUntilReachable([till])
        _ = try till.start(["sync", "now"]).finish()
        let stream = SaleStream(try till.start(["sell", "--stdin"]))
        var (quiet, refreshing) = (Samples(), Samples())
        // The first waits for its program to start.
        _ = try stream.sell()
        for _ in 0..<300 { quiet.add(try Self.timeOfSale(stream)) }
        shop.stopHub()
        try Self.forgetFeed(shop.folder + "/hub.sqlite")
        try shop.startHubAgain()
        try shop.waitUntilReachable([till])
        let pull = try till.start(["sync", "now"])
        let start = Stopwatch.now()
        while !pull.hasEnded { refreshing.add(try Self.timeOfSale(stream)) }
        let took = Stopwatch.now() - start
        try stream.end()
        till.stopAgent()
        return [
            Row(
                name: "longest sale during a 410 refresh of 100,000 rows", figure: refreshing.largest(),
                unit: .time, yardstick: ("longest of 300 before it", quiet.largest()), aim: .atMost(50e6)),
            Row(
                name: "median sale meanwhile", figure: refreshing.median(), unit: .time,
                yardstick: ("before it", quiet.median())),
            Row(name: "the refresh", figure: Double(took), unit: .time),
        ]
    }

    private static func timeOfSale(_ stream: SaleStream) throws(BenchFailure) -> Int64 {
        try Stopwatch.time { () throws(BenchFailure) in _ = try stream.sell() }
    }

    /// Gives the feed another name, so that no cursor of before can be served.
    private static func forgetFeed(_ path: String) throws(BenchFailure) {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        guard sqlite3_open(path, &connection) == SQLITE_OK,
            sqlite3_exec(
                connection, "UPDATE meta SET value = 'ffffffffffffffff' WHERE key = 'feed'", nil, nil, nil)
                == SQLITE_OK
        else { throw .sqlite(code: 1, detail: "the feed cannot be renamed") }
    }
}
