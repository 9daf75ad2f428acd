import Base

internal import Glibc
internal import HubProtocol

/// How long the hub takes to lend points to 1,000 terminals and to renew what it lent, beside one sale of
/// each pushed over the same connections.
///
/// A chain of so many terminals gets no shares in advance, so each terminal requests what a sale of a member
/// of its own is about to spend: its share of the points for three days, and for 15 minutes what is lacking.
/// For the renewal the leases are made older in the store, which is what the same request finds once the
/// hub's clock has gone on.
struct LeaseIssue: RowMeasure {
    private static let terminals = 1_000
    private static let connections = 8
    private static let rounds = 3
    private static let (points, wanted): (Int64, Int64) = (1_000, 400)
    /// More than a quarter of their time, after which leases are renewed, and less than all of it.
    private static let older =
        "UPDATE leases SET expires_at = expires_at - CASE brief WHEN 1 THEN 600000 ELSE 72000000 END "
        + "WHERE version = 1"

    /// The hub's store.
    let store: LoopbackDrain.Store

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        switch store {
        case .sqlite:
            let shop = try Shop("leases", in: workshop)
            let path = shop.folder + "/hub.sqlite"
            return try rows(shop, "SQLite") { () throws(BenchFailure) in
                try RawSQLite.run(Self.older, at: path)
            }
        case .postgresql:
            guard let url = getenv("HOLDFAST_POSTGRESQL").map({ String(cString: $0) }) else {
                throw .notHere("HOLDFAST_POSTGRESQL names no empty database; .ci/with-postgresql makes one")
            }
            let shop = try Shop("leases-postgresql", in: workshop, store: url)
            let connection = try RawPostgresConnection(url: url)
            return try rows(shop, "PostgreSQL") { () throws(BenchFailure) in
                try connection.query(Self.older)
            }
        }
    }

    private func rows(
        _ shop: Shop, _ place: String, age: () throws(BenchFailure) -> Void
    ) throws(BenchFailure) -> [Row] {
        try shop.configureStore("points.valueMinor=1")
        let members = (0..<Self.rounds).flatMap { round in
            (0..<Self.terminals).map { Self.member(round, $0) }
        }
        try shop.importMembers(members, points: Self.points)
        var tills: [ScriptedTill] = []
        for number in 0..<Self.terminals {
            tills.append(
                try ScriptedTill(
                    enrolledAt: shop.address, code: try shop.enrolmentCode(), device: number + 1))
        }
        var (issues, renewals, pushes) = (Samples(), Samples(), Samples())
        // Every terminal's first push, which confirms it, is not counted.
        _ = try push(tills, to: shop.address)
        for round in 0..<Self.rounds {
            if round % 2 == 0 { pushes.add(try push(tills, to: shop.address)) }
            let requests = tills.enumerated().map { number, till in
                Self.request(of: till, for: Self.member(round, number))
            }
            issues.add(try time(requests, to: shop.address) { Self.leases(in: $0, areOf: 1) })
            try age()
            renewals.add(try time(requests, to: shop.address) { Self.leases(in: $0, areOf: 2) })
            if round % 2 != 0 { pushes.add(try push(tills, to: shop.address)) }
        }
        let yardstick = ("a sale of each pushed", pushes.median())
        return [
            Row(
                name: "leases for \(Self.terminals) terminals, \(place)", figure: issues.median(),
                unit: .time, yardstick: yardstick, aim: .atMost(10e9)),
            Row(
                name: "the same renewed", figure: renewals.median(), unit: .time, yardstick: yardstick,
                aim: .atMost(10e9)),
        ]
    }

    private static func member(_ round: Int, _ till: Int) -> String { "M\(round)-\(till)" }

    private static func request(of till: ScriptedTill, for member: String) -> [UInt8] {
        let lease = LeaseRequest(kind: .points, subject: member, amount: wanted, epoch: 1)
        return HubConnection.request(
            "POST", Routes.leases, headers: till.headers, body: lease.json.canonicalBytes)
    }

    /// Whether a response has the share and what was lacking, which leave what was wanted, each of `version`.
    private static func leases(in response: HubConnection.Response, areOf version: Int64) -> Bool {
        guard response.status == 200, let document = try? JSONParser.parse(response.body),
            let leases = document["leases"]?.array
        else { return false }
        let records = leases.compactMap { try? LeaseRecord(json: $0) }
        return records.count == 2 && records.allSatisfy { $0.version == version }
            && records.reduce(0) { $0 + $1.amount } == wanted
    }

    private func push(_ tills: [ScriptedTill], to address: String) throws(BenchFailure) -> Int64 {
        try time(tills.map { $0.push(of: 1) }, to: address) { $0.status == 200 }
    }

    /// How long all requests take, those of the terminals in turns on a few connections.
    private func time(
        _ requests: [[UInt8]], to address: String,
        isRight: @escaping @Sendable (HubConnection.Response) -> Bool
    ) throws(BenchFailure) -> Int64 {
        let parts = (0..<Self.connections).map { part in
            stride(from: part, to: requests.count, by: Self.connections).map { requests[$0] }
        }
        let counts = Counts()
        let start = Stopwatch.now()
        counts.run(parts) { part in
            guard let connection = try? HubConnection(address) else { return nil }
            for request in part {
                guard let response = try? connection.query(request), isRight(response) else { return nil }
            }
            return Int64(part.count)
        }
        let took = Stopwatch.now() - start
        guard counts.sum == Int64(requests.count) else {
            throw .programFailed(
                name: "pos-hub", detail: "a response was not as expected", lastErrors: "-")
        }
        return took
    }
}
