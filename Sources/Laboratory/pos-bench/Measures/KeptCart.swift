internal import HubProtocol

/// A key of the counter while the agent keeps the open cart on its disk, beside a key of the same window
/// while nothing is kept.
///
/// The counter sends the cart 50 ms after it changed; the keys that count are pressed within 120 ms behind a
/// scan, so that the sending, the disk's time and the response are among them.
struct KeptCart: RowMeasure {
    private static let lines = 70
    private static let rounds = 100
    private static let keysOfRound = 6
    /// Between two keys: a key's picture is complete, and six of them go on behind the disk's sync.
    private static let pause: Int32 = 20

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("kept-cart", in: workshop)
        let agent = try shop.startAgent()
        defer { agent.stop() }
        try shop.switchOffline(true)
        let counter = try shop.startCounter()
        defer { counter.stop() }
        try counter.awaitOutput()
        try counter.drain(500)
        for line in 0..<Self.lines { try scan(line, at: counter, quietFor: Self.pause) }
        try counter.drain(500)
        var (keeping, idle) = (Samples(), Samples())
        for round in 0..<Self.rounds {
            try scan(Self.lines + round, at: counter, quietFor: 10)
            try press(at: counter, into: &keeping)
            try counter.drain(300)
            try press(at: counter, into: &idle)
        }
        let (figure, yardstick) = (keeping.percentile(0.99), idle.percentile(0.99))
        return [
            Row(
                name: "key while a cart of 70 lines is kept, p99", figure: figure, unit: .time,
                yardstick: ("nothing kept, p99", yardstick), aim: .atMost(yardstick + 2e6)),
            Row(
                name: "the same, p50", figure: keeping.median(), unit: .time,
                yardstick: ("nothing kept, p50", idle.median())),
        ]
    }

    private func scan(
        _ article: Int, at counter: BuiltProgram, quietFor milliseconds: Int32
    ) throws(BenchFailure) {
        try counter.press(Baskets.barcode(article) + "\r")
        try counter.awaitOutput()
        try counter.drain(milliseconds)
    }

    /// A digit into the scan field and back out of it, again and again.
    private func press(at counter: BuiltProgram, into samples: inout Samples) throws(BenchFailure) {
        for number in 0..<Self.keysOfRound {
            let start = Stopwatch.now()
            try counter.press(number % 2 == 0 ? "7" : "\u{7F}")
            try counter.awaitOutput()
            samples.add(Stopwatch.now() - start)
            try counter.drain(Self.pause)
        }
    }
}
