import Base

internal import Foundation
internal import HubProtocol

/// What terminals cost a hub that only poll its decisions, each on its kept connection, and how long they
/// wait: 2,000 at the pace of a fault, 8 s. One terminal alone is the yardstick.
struct PollingTerminals: RowMeasure {
    private static let terminals = 2_000
    private static let interval: Int64 = 8_000_000_000
    private static let seconds = 40

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        try DescriptorLimit.raise(to: UInt(Self.terminals) + 1_000)
        let shop = try Shop("polling", in: workshop)
        guard let hub = shop.hubProcess else { return [] }
        let tills = try PollingTill.enrolled(Self.terminals, at: shop)
        var alone = Samples()
        let single = try PollingTill(tills[0], at: shop.address)
        for _ in 0..<1_000 {
            alone.add(try Stopwatch.time { () throws(BenchFailure) in _ = try single.poll() })
        }
        let before = try ResidentMemory.bytes(of: hub)
        var connected: [PollingTill] = []
        for till in tills { connected.append(try PollingTill(till, at: shop.address)) }
        let crew = PollingCrew(connected, every: Self.interval)
        let start = try ProcessUse(hub)
        var waits = try crew.work(seconds: Self.seconds)
        let use = try ProcessUse(hub).since(start)
        let after = try ResidentMemory.bytes(of: hub)
        let rate = Double(waits.all.count) / Double(Self.seconds)
        return [
            Row(
                name: "\(Self.terminals) polling terminals: poll p99", figure: waits.percentile(0.99),
                unit: .time, yardstick: ("p99 of one alone", alone.percentile(0.99)), aim: .atMost(100e6)),
            Row(
                name: "the same: poll p50", figure: waits.percentile(0.5), unit: .time,
                yardstick: ("p50 of one alone", alone.percentile(0.5))),
            Row(name: "polls", figure: rate, unit: .perSecond),
            Row(
                name: "hub's processor time a poll",
                figure: Double(use.nanoseconds) / Double(waits.all.count),
                unit: .time),
            Row(
                name: "hub's memory a thousand terminals",
                figure: (after - before) / Double(Self.terminals) * 1_000,
                unit: .bytes),
            Row(name: "hub's memory", figure: after, unit: .bytes, yardstick: ("before", before)),
        ]
    }
}

/// How long a decision takes to 10,000 terminals that poll as rarely as they may: at the hub's interval and a
/// fifth of slack. That interval is the yardstick.
struct DecisionReach: RowMeasure {
    private static let terminals = 10_000
    /// `qos.pollSeconds`, 24 s, and a fifth.
    private static let interval: Int64 = 28_800_000_000

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        try DescriptorLimit.raise(to: UInt(Self.terminals) + 1_000)
        let shop = try Shop("reach", in: workshop)
        guard let hub = shop.hubProcess else { return [] }
        let before = try ResidentMemory.bytes(of: hub)
        var connected: [PollingTill] = []
        for till in try PollingTill.enrolled(Self.terminals, at: shop) {
            connected.append(try PollingTill(till, at: shop.address))
        }
        let crew = PollingCrew(connected, every: Self.interval)
        // A complete round, so that each has its place in the interval and the response of before.
        var quiet = try crew.work(seconds: 30)
        let decided = Stopwatch.now()
        let reached = Counts()
        reached.start {
            do {
                _ = try crew.work(seconds: 40) { $0.hasFaultyOrder }
                return 0
            } catch {
                return nil
            }
        }
        try shop.overrideQoS("order", "faulty")
        reached.finish()
        var times = Samples()
        for till in connected {
            guard let moment = till.faultyAt else {
                throw .programFailed(
                    name: "pos-hub", detail: "a terminal did not get the decision", lastErrors: "-")
            }
            times.add(moment - decided)
        }
        let memory = try ResidentMemory.bytes(of: hub)
        return [
            Row(
                name: "a decision reaches \(Self.terminals) terminals", figure: times.largest(), unit: .time,
                yardstick: ("longest poll interval", Double(Self.interval)), aim: .atMost(30e9)),
            Row(name: "half of them", figure: times.median(), unit: .time),
            Row(name: "poll p99 before it", figure: quiet.percentile(0.99), unit: .time),
            Row(
                name: "hub's memory with \(Self.terminals)", figure: memory, unit: .bytes,
                yardstick: ("before", before)),
        ]
    }
}

/// A terminal that polls the decisions with the tag of the last response.
///
/// Handed to one thread after the other, never to two at once.
private final class PollingTill: @unchecked Sendable {
    private let connection: HubConnection
    private let headers: [String]
    private var tag: String?
    private(set) var faultyAt: Int64?
    var hasFaultyOrder: Bool { faultyAt != nil }

    private static let faulty = Array("\"state\":\"faulty\"".utf8)

    init(_ till: ScriptedTill, at address: String) throws(BenchFailure) {
        connection = try HubConnection(address)
        headers = till.headers
        try poll()
    }

    func poll() throws(BenchFailure) {
        let request = HubConnection.request(
            "GET", "/v1/qos/decisions?services=order,payment",
            headers: headers + (tag.map { ["If-None-Match: \($0)"] } ?? []))
        let response = try connection.query(request)
        guard [200, 304].contains(response.status) else {
            throw .programFailed(
                name: "pos-hub", detail: "it answered a poll with \(response.status)", lastErrors: "-")
        }
        tag = response.entityTag
        if faultyAt == nil, response.body.firstRange(of: Self.faulty) != nil { faultyAt = Stopwatch.now() }
    }

    /// Enrols so many, as fast as the hub lets one address do it.
    static func enrolled(_ count: Int, at shop: Shop) throws(BenchFailure) -> [ScriptedTill] {
        let local = try HubConnection(socketAt: shop.hubSocket)
        var tills: [ScriptedTill] = []
        var next = Stopwatch.now()
        for number in 0..<count {
            let request = #"{"storeId":"S\#(number % 1_000)","lifetimeMs":600000}"#
            let minted = try local.query(
                HubConnection.request("POST", "/admin/mint-code", body: Array(request.utf8)))
            guard let code = (try? JSONParser.parse(minted.body))?["code"]?.string else {
                throw .programFailed(
                    name: "pos-hub", detail: "it minted no code: \(minted.status)", lastErrors: "-")
            }
            tills.append(try ScriptedTill(enrolledAt: shop.address, code: code, device: number))
            next += Self.enrolmentInterval
            let left = next - Stopwatch.now()
            if left > 0 { usleep(UInt32(left / 1_000)) }
        }
        return tills
    }

    /// Below `limits.openRequestsPerAddressPerSecond`, 200.
    private static let enrolmentInterval: Int64 = 5_500_000
}

/// Terminals that poll at one interval, their polls spread evenly over it. Each poll has its time, and its
/// wait counts from that time: a hub that falls behind is seen.
private final class PollingCrew: @unchecked Sendable {
    private let groups: [[(place: Int64, till: PollingTill)]]
    private let interval: Int64

    /// Enough that a few slow responses delay no other poll's start.
    private static let threads = 40

    init(_ tills: [PollingTill], every interval: Int64) {
        self.interval = interval
        var groups = [[(place: Int64, till: PollingTill)]](repeating: [], count: Self.threads)
        for (number, till) in tills.enumerated() {
            groups[number % Self.threads].append((interval * Int64(number) / Int64(tills.count), till))
        }
        self.groups = groups
    }

    /// Polls for so long.
    ///
    /// - Parameter isDone: a terminal that polls no more.
    func work(
        seconds: Int, isDone: @escaping @Sendable (PollingTill) -> Bool = { _ in false }
    ) throws(BenchFailure) -> Samples {
        let results = SharedSamples()
        let counts = Counts()
        let start = Stopwatch.now() + 100_000_000
        let end = start + Int64(seconds) * 1_000_000_000
        counts.run(Array(groups.indices)) { [groups, interval] index in
            var waits = Samples()
            var round = start
            while round < end {
                for (place, till) in groups[index] where !isDone(till) && round + place < end {
                    let due = round + place
                    let left = due - Stopwatch.now()
                    if left > 0 { usleep(UInt32(left / 1_000)) }
                    do throws(BenchFailure) {
                        try till.poll()
                    } catch {
                        results.fail(error)
                        return nil
                    }
                    waits.add(Stopwatch.now() - due)
                }
                round += interval
            }
            results.add(waits)
            return 0
        }
        return try results.get()
    }
}

/// What several threads measured.
private final class SharedSamples: @unchecked Sendable {
    // Guarded by `lock`.
    private let lock = NSLock()
    private var samples = Samples()
    private var failure: BenchFailure?

    func add(_ some: Samples) {
        lock.withLock {
            for sample in some.all { samples.add(sample) }
        }
    }

    func fail(_ error: BenchFailure) { lock.withLock { failure = failure ?? error } }

    func get() throws(BenchFailure) -> Samples {
        let (samples, failure) = lock.withLock { (self.samples, self.failure) }
        if let failure { throw failure }
        return samples
    }
}
