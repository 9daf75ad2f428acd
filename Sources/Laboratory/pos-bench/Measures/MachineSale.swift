import Base

internal import HubProtocol

/// A sale by a card machine that responds at once, beside the same sale for cash: what they differ by is the
/// till's own time and that of `pos-lab card-machine`, which keeps each booking on the same disk. Then the
/// machine is switched off: a sale for cash takes as long as before. At last its response is lost each time:
/// how long the till needs to know what the machine did.
struct MachineSale: RowMeasure {
    private static let rounds = 500
    /// Rounds that are made first and not counted: caches fill and files grow to their size.
    private static let warmUp = 50
    /// Each takes the second after which the till queries the machine.
    private static let lostRounds = 20

    private enum Kind: String, CaseIterable {
        case zvt, nexo

        var options: [String] { self == .zvt ? ["--currency", "156"] : [] }

        /// Has the money moved, and cuts the line in place of the response.
        var losingResponses: [String] { ["--fault", self == .zvt ? "cut:6" : "cut:2"] }

        func settings(port: Substring) -> [String] {
            let address =
                switch self {
                case .zvt: "tcp:127.0.0.1:\(port)"
                case .nexo: "http://127.0.0.1:\(port)/nexo"
                }
            return [
                "POS_CARD_MACHINE_KIND=\(rawValue)", "POS_CARD_MACHINE_ADDRESS=\(address)",
                "POS_CARD_MACHINE_POI_ID=S1F2-000611220400123",
            ]
        }
    }

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        var rows: [Row] = []
        for kind in Kind.allCases { rows += try self.rows(kind, in: workshop) }
        return rows
    }

    private func rows(_ kind: Kind, in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("sale-machine-\(kind.rawValue)", in: workshop)
        try shop.pull()
        shop.stopHub()
        func machine(_ options: [String]) throws(BenchFailure) -> BuiltProgram {
            try BuiltProgram(
                workshop.program("pos-lab"),
                ["card-machine", "--kind", kind.rawValue, "--journal", shop.folder + "/machine.jsonl"]
                    + kind.options + options, log: shop.folder + "/machine.log")
        }
        let good = try machine([])
        let port = try good.readLine().split(separator: ":").last ?? ""
        let stream = try shop.startSelling(with: kind.settings(port: port))
        var (cash, card, dark) = (Samples(), Samples(), Samples())
        for round in -Self.warmUp..<Self.rounds {
            try sell("cash", round, on: stream, &cash)
            try sell("card", round, on: stream, &card)
        }
        good.stop()
        for round in 0..<Self.rounds { try sell("cash", round, on: stream, &dark) }
        let losing = try machine(kind.losingResponses + ["--port", String(port)])
        _ = try losing.readLine()
        var lost = Samples()
        for round in 0..<Self.lostRounds { try sell("card", round, on: stream, &lost) }
        losing.stop()
        try stream.end()
        return [
            Row(
                name: "sale by \(kind.rawValue) less one for cash, p50",
                figure: card.median() - cash.median(), unit: .time,
                yardstick: ("sale for cash, p50", cash.median()), aim: .atMost(20e6)),
            Row(
                name: "the same, p95", figure: card.percentile(0.95) - cash.percentile(0.95), unit: .time,
                yardstick: ("sale for cash, p95", cash.percentile(0.95)), aim: .atMost(20e6)),
            Row(
                name: "sale for cash, the machine is dark, p50", figure: dark.median(), unit: .time,
                yardstick: ("it is there, p50", cash.median()), aim: .ratioAtMost(1.1)),
            Row(
                name: "sale by \(kind.rawValue) whose response is lost, p95", figure: lost.percentile(0.95),
                unit: .time, yardstick: ("sale by card, p50", card.median()), aim: .atMost(5e9)),
        ]
    }

    private func sell(
        _ method: String, _ round: Int, on stream: SaleStream, _ times: inout Samples
    ) throws(BenchFailure) {
        let request: JSONValue = [
            "lines": [["barcode": .string(Baskets.barcode((round + Self.warmUp) * 7))]],
            "payments": [["method": .string(method)]],
        ]
        let start = Stopwatch.now()
        let (_, receipt) = try stream.sell(request)
        let responded = Stopwatch.now() - start
        guard receipt["paid"]?.array?.first?["method"]?.string == method else {
            throw .programFailed(
                name: "pos", detail: "not sold as requested: \(receipt.canonicalText)", lastErrors: "-")
        }
        if round >= 0 { times.add(responded) }
    }
}
