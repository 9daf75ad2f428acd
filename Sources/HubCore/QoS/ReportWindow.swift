import OfflineCore

/// What the terminals reported of one service lately. Its size is bounded by the terminals that report, each
/// of which has one bucket a second for the longest window.
struct ReportWindow: Hashable, Sendable {
    private struct Bucket: Hashable, Sendable {
        let second: Int64
        var ok: Int
        var failed: Int
    }

    private struct Terminal: Hashable, Sendable {
        var storeId: String
        var lastReport: Instant
        var buckets: [Bucket]
    }

    /// What was seen in a window, as the rules ask for it.
    struct Sum: Hashable, Sendable {
        var ok = 0
        var failed = 0
        var terminals: Set<String> = []
        var stores: Set<String> = []
    }

    /// Counts of one report above this are not believed.
    static let maximumCount = 100_000
    /// More terminals than this are not remembered; whoever comes later is passed over until some are quiet.
    static let maximumTerminals = 100_000
    private static let longestSeconds: Int64 = 60

    private var terminals: [String: Terminal] = [:]
    private var lastForgetting: Instant?

    var terminalCount: Int { terminals.count }
    var terminalIds: [String] { terminals.keys.sorted() }

    mutating func add(_ reporter: QoSReporter, ok: Int, failed: Int, at now: Instant) {
        let second = now.nanoseconds / 1_000_000_000
        guard terminals[reporter.terminalId] != nil || terminals.count < Self.maximumTerminals else { return }
        var terminal =
            terminals[reporter.terminalId]
            ?? Terminal(storeId: reporter.storeId, lastReport: now, buckets: [])
        terminal.storeId = reporter.storeId
        terminal.lastReport = now
        terminal.buckets.removeAll { $0.second < second - Self.longestSeconds }
        let (ok, failed) = (Self.believed(ok), Self.believed(failed))
        if terminal.buckets.last?.second == second {
            terminal.buckets[terminal.buckets.count - 1].ok += ok
            terminal.buckets[terminal.buckets.count - 1].failed += failed
        } else {
            terminal.buckets.append(Bucket(second: second, ok: ok, failed: failed))
        }
        terminals[reporter.terminalId] = terminal
    }

    /// Forgets terminals that were quiet for `memory`; looked for every ten seconds, since it looks at all.
    mutating func forget(after memory: Duration, at now: Instant) {
        if let lastForgetting, now - lastForgetting < .seconds(10) { return }
        lastForgetting = now
        let start = now - memory
        terminals = terminals.filter { $0.value.lastReport >= start }
    }

    /// Everybody's reports since `start`.
    func sum(since start: Instant) -> Sum {
        sum(terminals, since: start)
    }

    /// One store's reports since `start`.
    func sum(store: String, since start: Instant) -> Sum {
        sum(terminals.filter { $0.value.storeId == store }, since: start)
    }

    /// One terminal's reports since `start`.
    func sum(terminal: String, since start: Instant) -> Sum {
        sum(terminals.filter { $0.key == terminal }, since: start)
    }

    private func sum(_ terminals: [String: Terminal], since start: Instant) -> Sum {
        let first = start.nanoseconds / 1_000_000_000
        var sum = Sum()
        for (id, terminal) in terminals {
            let recent = terminal.buckets.filter { $0.second >= first }
            guard !recent.isEmpty else { continue }
            sum.ok += recent.reduce(0) { $0 + $1.ok }
            sum.failed += recent.reduce(0) { $0 + $1.failed }
            sum.terminals.insert(id)
            sum.stores.insert(terminal.storeId)
        }
        return sum
    }

    private static func believed(_ count: Int) -> Int { min(max(count, 0), maximumCount) }
}

extension QoSSettings.Rule {
    /// The evidence in words when the rule convicts; nil otherwise.
    func conviction(by sum: ReportWindow.Sum) -> String? {
        let requests = sum.ok + sum.failed
        guard requests >= self.requests, sum.failed * 100 >= requests * failedPercent,
            sum.terminals.count >= terminals, sum.stores.count >= stores
        else { return nil }
        return "\(sum.failed) of \(requests) requests failed in \(window.components.seconds) s, "
            + "terminals \(sum.terminals.count), stores \(sum.stores.count)"
    }
}
