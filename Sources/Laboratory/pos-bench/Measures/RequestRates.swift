import Base

/// How many requests a second the hub answers: QoS decisions that have not changed, beside its plainest
/// handler. Both are asked over kept connections by the same client, in turns.
struct RequestRates: RowMeasure {
    private static let connections = 8
    private static let rounds = 6
    private static let seconds = 2.0

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("requests", in: workshop)
        // A till for each connection: the calls of one are limited.
        var unchanged: [[UInt8]] = []
        for _ in 0..<Self.connections { unchanged.append(try Self.question(to: shop)) }
        let plain = Array(
            repeating: HubConnection.request("GET", "/healthz?nonce=12345678"), count: Self.connections)
        var (asked, plainest) = (Samples(), Samples())
        for _ in 0..<Self.rounds {
            asked.add(try rate(of: unchanged, answering: 304, at: shop.address))
            plainest.add(try rate(of: plain, answering: 200, at: shop.address))
        }
        return [
            Row(
                name: "QoS decisions, unchanged (304)", figure: asked.median(), unit: .perSecond,
                yardstick: ("healthz", plainest.median()), aim: .ratioAtLeast(0.5))
        ]
    }

    /// A new till's question for decisions that it knows already.
    private static func question(to shop: Shop) throws(BenchFailure) -> [UInt8] {
        let till = try ScriptedTill(enrolledAt: shop.address, code: try shop.enrolmentCode())
        let decisions = "/v1/qos/decisions?services=order,payment"
        let first = try HubConnection(shop.address).ask(
            HubConnection.request("GET", decisions, headers: till.headers))
        guard let tag = first.entityTag else {
            throw .programFailed(name: "pos-hub", detail: "no ETag: \(first.status)", lastErrors: "-")
        }
        return HubConnection.request("GET", decisions, headers: till.headers + ["If-None-Match: \(tag)"])
    }

    /// Answers a second.
    ///
    /// - Parameter requests: what each connection asks again and again.
    private func rate(
        of requests: [[UInt8]], answering status: Int, at address: String
    ) throws(BenchFailure) -> Int64 {
        let counts = Counts()
        let end = Stopwatch.now() + Int64(Self.seconds * 1e9)
        counts.run(requests) { request in
            guard let connection = try? HubConnection(address) else { return nil }
            var count: Int64 = 0
            while Stopwatch.now() < end {
                guard (try? connection.ask(request))?.status == status else { return nil }
                count += 1
            }
            return count
        }
        guard let sum = counts.sum else {
            throw .programFailed(name: "pos-hub", detail: "an answer was not \(status)", lastErrors: "-")
        }
        return Int64(Double(sum) / Self.seconds)
    }
}
