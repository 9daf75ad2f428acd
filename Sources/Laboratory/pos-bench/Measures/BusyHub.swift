import Base

internal import Foundation

/// How long a chain's terminals wait for the hub at their everyday work: polls of the decisions and pushes of
/// two sales with telemetry, each terminal on its kept connection; then the same beside connections that send
/// nothing.
///
/// Every request has its time in a fixed plan, and its wait counts from that time. So a hub that falls behind
/// is seen, however few requests it has in hand.
struct BusyHub: RowMeasure {
    private static let terminals = 2_400
    private static let shops = 300
    private static let pushesPerSecond = 600
    private static let pollsPerSecond = 340
    private static let seconds = 30
    private static let idle = 5_000
    /// Enough that a few slow responses delay no other request's start.
    private static let threads = 60
    private static let limit: Double = 60_000_000

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        try DescriptorLimit.raise(to: 10_000)
        let shop = try Shop("busy", in: workshop)
        var groups = Array(repeating: [BusyTerminal](), count: Self.threads)
        var tills: [ScriptedTill] = []
        for number in 0..<Self.terminals {
            let code = try shop.enrolmentCode(store: "S\(number % Self.shops)")
            let till = try ScriptedTill(enrolledAt: shop.address, code: code)
            tills.append(till)
        }
        for (number, till) in tills.enumerated() {
            let terminal = BusyTerminal(connection: try HubConnection(shop.address), till: till)
            // A connection that shows no token is not kept for long.
            _ = try terminal.connection.query(BusyGroup.poll(of: till))
            groups[number % Self.threads].append(terminal)
        }
        var alone = try Self.waits(of: groups)
        var strangers: [HubConnection] = []
        for _ in 0..<Self.idle { strangers.append(try HubConnection(shop.address)) }
        var beside = try Self.waits(of: groups)
        withExtendedLifetime(strangers) {}
        let rate = Self.pushesPerSecond + Self.pollsPerSecond
        let name = "\(Self.terminals) terminals, \(rate) requests/s"
        return [
            Row(
                name: name + ": push p99", figure: alone.pushes.percentile(0.99), unit: .time,
                yardstick: ("push p50", alone.pushes.median()), aim: .atMost(Self.limit)),
            Row(
                name: name + ": poll p99", figure: alone.polls.percentile(0.99), unit: .time,
                yardstick: ("poll p50", alone.polls.median()), aim: .atMost(Self.limit)),
            Row(
                name: "push p99, \(Self.idle) idle connections", figure: beside.pushes.percentile(0.99),
                unit: .time, yardstick: ("without", alone.pushes.percentile(0.99)), aim: .atMost(Self.limit)),
            Row(
                name: "poll p99, \(Self.idle) idle connections", figure: beside.polls.percentile(0.99),
                unit: .time, yardstick: ("without", alone.polls.percentile(0.99)), aim: .atMost(Self.limit)),
        ]
    }

    private static func waits(of groups: [[BusyTerminal]]) throws(BenchFailure) -> Waits {
        let counts = Counts()
        let results = SharedWaits()
        let start = Stopwatch.now() + 500_000_000
        for (index, group) in groups.enumerated() {
            let plan = BusyPlan(
                pushEvery: 1_000_000_000 * Int64(groups.count) / Int64(pushesPerSecond),
                pollEvery: 1_000_000_000 * Int64(groups.count) / Int64(pollsPerSecond),
                start: start, end: start + Int64(seconds) * 1_000_000_000,
                offset: Double(index) / Double(groups.count))
            let work = BusyGroup(terminals: group)
            counts.start {
                results.add(work, following: plan)
                return 0
            }
        }
        counts.finish()
        return try results.get()
    }
}

private struct BusyTerminal {
    let connection: HubConnection
    let till: ScriptedTill
}

/// When one thread sends what, in nanoseconds of ``Stopwatch``.
private struct BusyPlan {
    let pushEvery: Int64
    let pollEvery: Int64
    let start: Int64
    let end: Int64
    /// A thread's place among all, 0 to 1, so that they do not send at the same time.
    let offset: Double
}

private struct Waits {
    var pushes = Samples()
    var polls = Samples()
}

/// The waits of all threads.
private final class SharedWaits: @unchecked Sendable {
    // Guarded by `lock`.
    private let lock = NSLock()
    private var waits = Waits()
    private var failure: BenchFailure?

    func get() throws(BenchFailure) -> Waits {
        let (waits, failure) = lock.withLock { (self.waits, self.failure) }
        if let failure { throw failure }
        return waits
    }

    /// Lets a group work through its plan and takes what it waited.
    func add(_ work: BusyGroup, following plan: BusyPlan) {
        do throws(BenchFailure) {
            add(try work.run(plan))
        } catch {
            lock.withLock { failure = failure ?? error }
        }
    }

    private func add(_ some: Waits) {
        lock.withLock {
            for wait in some.pushes.all { waits.pushes.add(wait) }
            for wait in some.polls.all { waits.polls.add(wait) }
        }
    }
}

/// The terminals of one thread, which take turns.
private struct BusyGroup: @unchecked Sendable {
    // Handed to one thread, which alone uses it from then on.
    let terminals: [BusyTerminal]

    /// Sends what is due until the plan's end.
    func run(_ plan: BusyPlan) throws(BenchFailure) -> Waits {
        var waits = Waits()
        var push = plan.start + Int64(plan.offset * Double(plan.pushEvery))
        var poll = plan.start + Int64(plan.offset * Double(plan.pollEvery))
        var (nextPush, nextPoll) = (0, 0)
        while min(push, poll) < plan.end {
            let isPush = push <= poll
            let due = isPush ? push : poll
            let left = due - Stopwatch.now()
            if left > 0 { usleep(UInt32(left / 1_000)) }
            let terminal = terminals[(isPush ? nextPush : nextPoll) % terminals.count]
            let request =
                isPush ? terminal.till.push(of: 2, withTelemetry: true) : Self.poll(of: terminal.till)
            let status = try terminal.connection.query(request).status
            guard status == 200 else {
                throw .programFailed(
                    name: "pos-hub", detail: "it answered \(isPush ? "a push" : "a poll") with \(status)",
                    lastErrors: "-")
            }
            let wait = Stopwatch.now() - due
            if isPush {
                waits.pushes.add(wait)
                push += plan.pushEvery
                nextPush += 1
            } else {
                waits.polls.add(wait)
                poll += plan.pollEvery
                nextPoll += 1
            }
        }
        return waits
    }

    static func poll(of till: ScriptedTill) -> [UInt8] {
        HubConnection.request("GET", "/v1/qos/decisions?services=order,payment", headers: till.headers)
    }
}
