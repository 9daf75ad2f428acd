import Base

internal import Foundation

/// What an honest terminal's push costs beside six connections of one hostile terminal of another store, for
/// each of the ten calls that cost a hub most, beside its cost without them.
///
/// Whatever the call costs, its terminal takes turns like any other, so that the honest push waits for a part
/// of it at most.
struct HostileCalls: RowMeasure {
    private static let connections = 6
    private static let rounds = 2
    /// Pushes of one phase: the 99th percentile is then the second largest.
    private static let pushes = 200
    /// Between two pushes of the honest terminal: a busy shop, and no load of its own.
    private static let pauseMicroseconds: UInt32 = 5_000

    /// The hub's store.
    let store: LoopbackDrain.Store

    /// What the hostile terminal sends.
    private enum Call: String, CaseIterable {
        case longCoupon = "an offer's coupon of 0.7 MiB"
        case longSales = "30 sales of 200 lines"
        case refunds = "200 refunds by codes"
        case tooMany = "0.9 MiB of empty entries"
        case broken = "150 broken entries"
        case sales = "200 sales"
        case members = "200 new members"
        case pull = "a full pull"
        case longBasket = "offers on 500 lines"
        case receipt = "a receipt looked up"
    }

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try self.shop(in: workshop)
        let honest = try ScriptedTill(enrolledAt: shop.address, code: try shop.enrolmentCode())
        let connection = try HubConnection(shop.address)
        _ = try phase(honest, connection)
        let place = store == .sqlite ? "SQLite" : "PostgreSQL"
        var rows: [Row] = []
        for (number, call) in Call.allCases.enumerated() {
            // One for each call, so that none meets the quota of the one before.
            let hostile = try ScriptedTill(
                enrolledAt: shop.address, code: try shop.enrolmentCode(store: "S9"), device: 200 + number)
            let senders = self.senders(of: call, by: hostile)
            var (quiet, beside) = (Samples(), Samples())
            for _ in 0..<Self.rounds {
                quiet.add(Int64(try phase(honest, connection)))
                senders.forEach { $0.start() }
                defer { senders.forEach { $0.stop() } }
                beside.add(Int64(try phase(honest, connection)))
            }
            rows.append(
                Row(
                    name: "push p99, \(call.rawValue), \(place)", figure: beside.median(), unit: .time,
                    yardstick: ("p99 without", quiet.median()), aim: .ratioAtMost(3)))
        }
        return rows
    }

    private func shop(in workshop: Workshop) throws(BenchFailure) -> Shop {
        guard store == .postgresql else { return try Shop("hostile-calls", in: workshop) }
        guard let url = getenv("HOLDFAST_POSTGRESQL").map({ String(cString: $0) }) else {
            throw .notHere("HOLDFAST_POSTGRESQL names no empty database; .ci/with-postgresql makes one")
        }
        return try Shop("hostile-calls-postgresql", in: workshop, store: url)
    }

    private func senders(of call: Call, by till: ScriptedTill) -> [HostileSender] {
        let request = Self.request(call, of: till)
        // The journal is one, whichever connection its next entries go over.
        let journal = NSLock()
        return (0..<Self.connections).map { number in
            HostileSender(to: till.address, first: number) { _ in journal.withLock { request() } }
        }
    }

    /// What never changes is made once.
    private static func request(_ call: Call, of till: ScriptedTill) -> () -> [UInt8] {
        func same(_ method: String, _ path: String, _ body: String) -> () -> [UInt8] {
            let bytes = HubConnection.request(method, path, headers: till.headers, body: Array(body.utf8))
            return { bytes }
        }
        let offers = "/v1/promotions/evaluate"
        let line = #"{"sku":"B1000","quantityMilli":1000,"unitPrice":120,"discount":0}"#
        switch call {
        case .longCoupon:
            let code = String(repeating: "\u{FDFA}", count: 250_000)
            return same("POST", offers, #"{"coupons":["\#(code)"],"lines":[\#(line)]}"#)
        case .longBasket:
            let lines = Array(repeating: line, count: 500).joined(separator: ",")
            return same("POST", offers, #"{"coupons":[],"lines":[\#(lines)]}"#)
        case .tooMany:
            let entries = Array(repeating: "{}", count: 320_000).joined(separator: ",")
            return same("POST", "/v1/mutations/batch", #"{"epoch":1,"mutations":[\#(entries)]}"#)
        case .pull: return same("GET", "/v1/changes?limit=1000", "")
        case .receipt:
            return same("POST", "/v1/receipts/lookup", #"{"receiptCode":"\#(till.receiptCode())"}"#)
        case .longSales: return { till.push(30, of: .sale(lines: 200)) }
        case .refunds: return { till.push(200, of: .refund) }
        case .broken: return { till.push(150, of: .broken) }
        case .sales: return { till.push(200, of: .sale(lines: 1)) }
        case .members: return { till.push(200, of: .member) }
        }
    }

    /// - Returns: the 99th percentile of single-sale pushes, in nanoseconds.
    private func phase(_ till: ScriptedTill, _ connection: HubConnection) throws(BenchFailure) -> Double {
        var samples = try till.timedPushes(
            Self.pushes, on: connection, pause: Self.pauseMicroseconds)
        return samples.percentile(0.99)
    }
}

extension ScriptedTill {
    /// How long pushes of one sale take, one after another, in nanoseconds.
    ///
    /// - Parameter pause: between two of them, in microseconds.
    func timedPushes(
        _ count: Int, on connection: HubConnection, pause: UInt32
    ) throws(BenchFailure) -> Samples {
        var samples = Samples()
        for _ in 0..<count {
            let push = self.push(of: 1)
            let start = Stopwatch.now()
            let status = try connection.query(push).status
            samples.add(Stopwatch.now() - start)
            guard status == 200 else {
                throw .programFailed(
                    name: "pos-hub", detail: "an honest push was answered \(status)", lastErrors: "-")
            }
            usleep(pause)
        }
        return samples
    }
}
