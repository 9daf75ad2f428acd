import Base

internal import HubProtocol

/// A sale with three tenders of a member who earns and spends points under a lease, beside a plain one: the
/// same line for exact cash. Both offline through one `pos sell --stdin`, in turns.
///
/// The tenders are two vouchers and cash: a card would add the time of a payment service or card machine,
/// which is not the till's own.
struct TenderedSale: RowMeasure {
    private static let rounds = 2_000
    /// Rounds that are made first and not counted: caches fill and files grow to their size.
    private static let warmUp = 100
    private static let spent: Int64 = 100

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("sale-tenders", in: workshop, articles: 20_000)
        try shop.configureStore(
            "points.earnEveryMinor=100", "points.valueMinor=1",
            #"tenders=[{"method":"cash","kind":"cash"},{"method":"gift","kind":"voucher"},"#
                + #"{"method":"meal","kind":"voucher"}]"#)
        // A quarter of them is lent to the till, and suffices for all rounds.
        try shop.importMembers(["M1"], points: 10_000_000)
        // The first pull brings the member, the second whatever was lent during the first.
        for _ in 0..<2 { try shop.pull() }
        shop.stopHub()
        try shop.switchOffline(true)
        let stream = try shop.startSelling()
        var (plain, tendered) = (Times(), Times())
        for round in -Self.warmUp..<Self.rounds {
            if round % 2 != 0 { try sell(Self.plain(round), 1, on: stream, round, &plain) }
            try sell(Self.tendered(round), 3, on: stream, round, &tendered)
            if round % 2 == 0 { try sell(Self.plain(round), 1, on: stream, round, &plain) }
        }
        try stream.end()
        return table(&tendered, &plain)
    }

    private struct Times {
        var durable = Samples()
        var responses = Samples()
    }

    private func sell(
        _ request: JSONValue, _ tenders: Int, on stream: SaleStream, _ round: Int, _ times: inout Times
    ) throws(BenchFailure) {
        let start = Stopwatch.now()
        let (durable, receipt) = try stream.sell(request)
        let responded = Stopwatch.now() - start
        let spent = tenders == 1 ? nil : Self.spent
        guard receipt["paid"]?.array?.count == tenders, receipt["points"]?["spent"]?.integer == spent else {
            throw .programFailed(
                name: "pos", detail: "not sold as requested: \(receipt.canonicalText)", lastErrors: "-")
        }
        guard round >= 0 else { return }
        times.durable.add(durable)
        times.responses.add(responded)
    }

    /// At least 600 minor units.
    private static func plain(_ round: Int) -> JSONValue {
        let line: JSONValue = [
            "barcode": .string(Baskets.barcode((round + warmUp) * 7)), "quantityMilli": 5_000,
        ]
        return ["lines": [line]]
    }

    private static func tendered(_ round: Int) -> JSONValue {
        var members = plain(round).object ?? [:]
        members["memberId"] = "M1"
        members["points"] = .integer(spent)
        members["payments"] = [
            ["method": "gift", "amountMinor": 100, "reference": .string("G-\(round + warmUp)")],
            ["method": "meal", "amountMinor": 100, "reference": .string("L-\(round + warmUp)")],
            ["method": "cash"],
        ]
        return .object(members)
    }

    private func table(_ tendered: inout Times, _ plain: inout Times) -> [Row] {
        [
            Row(
                name: "durable sale, three tenders and points, p50", figure: tendered.durable.median(),
                unit: .time, yardstick: ("plain sale, p50", plain.durable.median()), aim: .ratioAtMost(1.4)),
            Row(
                name: "the same, p99", figure: tendered.durable.percentile(0.99), unit: .time,
                yardstick: ("plain sale, p99", plain.durable.percentile(0.99))),
            Row(
                name: "its request written to answer read, p50", figure: tendered.responses.median(),
                unit: .time, yardstick: ("plain sale, p50", plain.responses.median()),
                aim: .ratioAtMost(1.4)),
        ]
    }
}
