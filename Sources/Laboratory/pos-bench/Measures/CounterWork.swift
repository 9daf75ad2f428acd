/// What a cashier waits for between the sales: a price, a search, a key on the screen; and the memory of an
/// agent with 100,000 articles.
///
/// Quotes and searches are requests on one connection to the agent's socket, beside the smallest request that
/// the agent has. A key is timed from the write to the pseudo-terminal until the screen sends its first
/// byte, beside `cat` in the same kind of terminal.
struct CounterWork: RowMeasure {
    private static let articles = 100_000
    private static let rounds = 1_000
    /// Rounds that are made first and not counted.
    private static let warmUp = 50

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("counter", in: workshop, articles: Self.articles)
        try shop.importPromotions(Baskets.promotions(200))
        let agent = try shop.startAgent()
        try shop.waitUntilReachable()
        try shop.pull()
        let memory = try ResidentMemory.bytes(of: agent.processIdentifier)
        let line = try HubConnection(socketAt: shop.home + "/agent.sock")
        var rows = try requests(on: line, isOnline: true)
        try shop.switchOffline(true)
        rows += try requests(on: line, isOnline: false)
        rows += try keys(at: shop)
        let searched = try ResidentMemory.bytes(of: agent.processIdentifier)
        agent.stop()
        rows += [
            Row(name: "agent with 100,000 articles, memory", figure: memory, unit: .bytes),
            Row(
                name: "the same behind quotes and searches", figure: searched, unit: .bytes,
                aim: .atMost(60 * 1_048_576)),
        ]
        return rows
    }

    private func requests(on line: HubConnection, isOnline: Bool) throws(BenchFailure) -> [Row] {
        var (quotes, searches, pings) = (Samples(), Samples(), Samples())
        let ping = HubConnection.request("GET", "/v1/ping")
        for round in -Self.warmUp..<Self.rounds {
            let index = round + Self.warmUp
            let quote = HubConnection.request("POST", "/v1/quotes", body: Array(Baskets.quote(index).utf8))
            // From one digit, which is in most articles, to five, which are in one.
            let text = String(index * 7_919 % 100_000).suffix(1 + index % 5)
            let search = HubConnection.request("GET", "/v1/products/search?limit=50&text=\(text)")
            let times = (
                try time(ping, on: line), try time(quote, on: line), try time(search, on: line)
            )
            guard round >= 0 else { continue }
            pings.add(times.0)
            quotes.add(times.1)
            searches.add(times.2)
        }
        let nothing = "GET /v1/ping"
        guard !isOnline else {
            return [
                Row(
                    name: "quote of 20 lines, 200 promotions, by the hub, p50", figure: quotes.median(),
                    unit: .time, yardstick: (nothing + ", p50", pings.median()))
            ]
        }
        return [
            Row(
                name: "quote of 20 lines, 200 promotions, p50", figure: quotes.median(), unit: .time,
                yardstick: (nothing + ", p50", pings.median()), aim: .atMost(1e6)),
            Row(
                name: "search in 100,000 articles, p99", figure: searches.percentile(0.99), unit: .time,
                yardstick: (nothing + ", p99", pings.percentile(0.99)), aim: .atMost(5e6)),
        ]
    }

    private func time(_ request: [UInt8], on line: HubConnection) throws(BenchFailure) -> Int64 {
        let start = Stopwatch.now()
        let response = try line.query(request)
        guard response.status == 200 else {
            throw .programFailed(
                name: "pos agent", detail: "it responded with \(response.status)",
                lastErrors: String(decoding: response.body, as: UTF8.self))
        }
        return Stopwatch.now() - start
    }

    private func keys(at shop: Shop) throws(BenchFailure) -> [Row] {
        let counter = try shop.startCounter()
        let echo = try shop.inTerminal("stty raw -echo; exec cat")
        try counter.awaitOutput()
        // The first picture, and what the agent reports at the start.
        try counter.drain(500)
        try echo.drain(100)
        var (shown, echoed) = (Samples(), Samples())
        for round in -Self.warmUp..<Self.rounds {
            // A digit into the scan field, and back out of it.
            let key = round % 2 == 0 ? "7" : "\u{7F}"
            let times = (try time(key, counter), try time(key, echo))
            guard round >= 0 else { continue }
            shown.add(times.0)
            echoed.add(times.1)
        }
        counter.stop()
        echo.stop()
        return [
            Row(
                name: "key to screen, p99", figure: shown.percentile(0.99), unit: .time,
                yardstick: ("cat, p99", echoed.percentile(0.99)), aim: .atMost(16e6)),
            Row(
                name: "key to screen, p50", figure: shown.median(), unit: .time,
                yardstick: ("cat, p50", echoed.median())),
        ]
    }

    private func time(_ key: String, _ program: BuiltProgram) throws(BenchFailure) -> Int64 {
        let start = Stopwatch.now()
        try program.press(key)
        try program.awaitOutput()
        let end = Stopwatch.now()
        try program.drain(2)
        return end - start
    }
}
