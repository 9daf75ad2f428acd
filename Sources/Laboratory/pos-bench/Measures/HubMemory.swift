import Base

/// What the hub holds in memory while it accepts mutation after mutation: it must not grow with them.
struct HubMemory: RowMeasure {
    let mutations: Int
    private static let batch = 200

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("memory", in: workshop)
        guard let hub = shop.hubProcess else { return [] }
        let till = try ScriptedTill(enrolledAt: shop.address, code: try shop.enrolmentCode())
        let connection = try HubConnection(shop.address)
        var early = 0.0
        let start = Stopwatch.now()
        for batch in 1...(mutations / Self.batch) {
            let response = try connection.query(till.push(of: Self.batch))
            guard response.status == 200 else {
                throw .programFailed(
                    name: "pos-hub", detail: "it answered \(response.status)", lastErrors: "-")
            }
            // Caches and pools have filled by then.
            if batch == mutations / Self.batch / 10 { early = try ResidentMemory.bytes(of: hub) }
        }
        let rate = Double(mutations) * 1e9 / Double(Stopwatch.now() - start)
        let late = try ResidentMemory.bytes(of: hub)
        let received = try shop.receivedOrders()
        guard received == mutations else {
            throw .programFailed(
                name: "pos-hub", detail: "it received \(received) of \(mutations)", lastErrors: "-")
        }
        let slope = (late - early) / (Double(mutations) * 0.9)
        return [
            Row(
                name: "hub's memory after \(mutations) mutations", figure: late, unit: .bytes,
                yardstick: ("after a tenth of them", early), aim: .ratioAtMost(1.1)),
            Row(name: "growth a mutation", figure: slope, unit: .bytes),
            Row(name: "accepted meanwhile, one client", figure: rate, unit: .perSecond),
        ]
    }
}
