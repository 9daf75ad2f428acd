import Base

internal import Glibc

/// What an honest terminal's push costs beside ten hostile terminals of another store at full speed, beside
/// its cost without them in the same run.
///
/// The hostile terminals send without a pause what the contract allows and what it refuses: the largest
/// batches with every dependency, reports of 100,000 failures, profiles of a megabyte, sign-ins of cashiers
/// that do not exist, and pulls of the whole feed. Hostile terminals are other machines, so their own work
/// here has the lowest priority: otherwise the figure would be that of ten busy threads on the hub's cores.
struct HostileNeighbours: RowMeasure {
    private static let hostile = 10
    private static let rounds = 3
    /// Pushes of one phase: the 99th percentile is then the fourth largest.
    private static let pushes = 400
    /// Between two pushes of the honest terminal: a busy shop, and no load of its own.
    private static let pauseMicroseconds: UInt32 = 5_000

    /// The hub's store.
    let store: LoopbackDrain.Store

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop: Shop
        switch store {
        case .sqlite: shop = try Shop("hostile", in: workshop)
        case .postgresql:
            guard let url = getenv("HOLDFAST_POSTGRESQL").map({ String(cString: $0) }) else {
                throw .notHere("HOLDFAST_POSTGRESQL names no empty database; .ci/with-postgresql makes one")
            }
            shop = try Shop("hostile-postgresql", in: workshop, store: url)
        }
        let honest = try ScriptedTill(enrolledAt: shop.address, code: try shop.enrolmentCode())
        let connection = try HubConnection(shop.address)
        var attackers: [HostileSender] = []
        for index in 0..<Self.hostile {
            // The honest terminal's key is in its own store alone.
            let till = try ScriptedTill(
                enrolledAt: shop.address, code: try shop.enrolmentCode(store: "S9"), device: 100 + index)
            let mix = HostileMix(till: till)
            attackers.append(HostileSender(to: shop.address, first: index) { mix.request($0) })
        }
        _ = try phase(honest, connection)
        var (quiet, attacked) = (Samples(), Samples())
        for _ in 0..<Self.rounds {
            quiet.add(Int64(try phase(honest, connection)))
            attackers.forEach { $0.start() }
            defer { attackers.forEach { $0.stop() } }
            attacked.add(Int64(try phase(honest, connection)))
        }
        let place = store == .sqlite ? "SQLite" : "PostgreSQL"
        return [
            Row(
                name: "push p99 beside \(Self.hostile) hostile terminals, \(place)",
                figure: attacked.median(), unit: .time, yardstick: ("p99 without them", quiet.median()),
                aim: .ratioAtMost(5))
        ]
    }

    /// - Returns: the 99th percentile of single-sale pushes, in nanoseconds.
    private func phase(_ till: ScriptedTill, _ connection: HubConnection) throws(BenchFailure) -> Double {
        var samples = try till.timedPushes(
            Self.pushes, on: connection, pause: Self.pauseMicroseconds)
        return samples.percentile(0.99)
    }
}

/// What the ten terminals send in rotation.
private struct HostileMix {
    let till: ScriptedTill

    func request(_ index: Int) -> [UInt8] {
        func post(_ path: String, _ body: String) -> [UInt8] {
            HubConnection.request("POST", path, headers: till.headers, body: Array(body.utf8))
        }
        switch index % 6 {
        case 0: return till.expensivePush(of: 200)
        case 1: return till.push(of: 200)
        case 2:
            return post(
                "/v1/qos/reports",
                #"{"windowStart":"2026-11-22T00:00:00.000Z","windowEnd":"2026-11-22T00:00:01.000Z","#
                    + #""services":[{"service":"order","ok":0,"failed":{"timeout":100000}}]}"#)
        case 3: return post("/v1/sessions", #"{"cashierId":"ghost\#(index)","pin":"0000"}"#)
        case 4: return HubConnection.request("GET", "/v1/changes?limit=1000", headers: till.headers)
        default:
            let junk = String(repeating: "z", count: 1_000_000)
            return post("/v1/mutations", #"{"id":"x","payload":{"name":"\#(junk)"}}"#)
        }
    }
}
