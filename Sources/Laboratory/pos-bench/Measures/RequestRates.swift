import Base

/// How many requests a second the hub responds: QoS decisions that have not changed, beside its plainest
/// handler. Both are queried over kept connections by the same client, in turns.
struct RequestRates: RowMeasure {
    private static let connections = 8
    private static let rounds = 6
    private static let seconds = 2.0

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("requests", in: workshop)
        // A till for each connection: the calls of one are limited.
        var unchanged: [[UInt8]] = []
        for _ in 0..<Self.connections { unchanged.append(try Self.query(to: shop)) }
        let plain = Array(
            repeating: HubConnection.request("GET", "/healthz?nonce=12345678"), count: Self.connections)
        var (queried, plainest) = (Samples(), Samples())
        for _ in 0..<Self.rounds {
            queried.add(try rate(of: unchanged, responding: 304, at: shop.address))
            plainest.add(try rate(of: plain, responding: 200, at: shop.address))
        }
        return [
            Row(
                name: "QoS decisions, unchanged (304)", figure: queried.median(), unit: .perSecond,
                yardstick: ("healthz", plainest.median()), aim: .ratioAtLeast(0.5))
        ]
    }

    /// A new till's query for decisions that it knows already.
    private static func query(to shop: Shop) throws(BenchFailure) -> [UInt8] {
        let till = try ScriptedTill(enrolledAt: shop.address, code: try shop.enrolmentCode())
        let decisions = "/v1/qos/decisions?services=order,payment"
        let first = try HubConnection(shop.address).query(
            HubConnection.request("GET", decisions, headers: till.headers))
        guard let tag = first.entityTag else {
            throw .programFailed(name: "pos-hub", detail: "no ETag: \(first.status)", lastErrors: "-")
        }
        return HubConnection.request("GET", decisions, headers: till.headers + ["If-None-Match: \(tag)"])
    }

    /// Responses a second.
    ///
    /// - Parameter requests: what each connection queries again and again.
    private func rate(
        of requests: [[UInt8]], responding status: Int, at address: String
    ) throws(BenchFailure) -> Int64 {
        let counts = Counts()
        let end = Stopwatch.now() + Int64(Self.seconds * 1e9)
        counts.run(requests) { request in
            guard let connection = try? HubConnection(address) else { return nil }
            var count: Int64 = 0
            while Stopwatch.now() < end {
                guard (try? connection.query(request))?.status == status else { return nil }
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
