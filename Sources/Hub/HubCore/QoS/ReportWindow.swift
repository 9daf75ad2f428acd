import OfflineCore
import Base

/// What the terminals reported of one service lately. Its size is bounded by the terminals that report, each
/// of which has one bucket a second for the longest window.
struct ReportWindow: Hashable, Sendable {
    fileprivate struct Bucket: Hashable, Sendable {
        let second: Int64
        var ok: Int
        var failed: Int
    }

    /// A window of the terminal's own that was counted, by when it began there.
    fileprivate struct Counted: Hashable, Sendable {
        let start: Int64
        var ok: Int
        var failed: Int
    }

    fileprivate struct Terminal: Hashable, Sendable {
        var storeId: String
        var lastReport: Instant
        var buckets: [Bucket] = []
        var counted: [Counted] = []
    }

    /// Counts of one report above this are cut to it: a terminal sends some requests a second. A terminal is
    /// one vote whatever it counts, so half or twice of it changes only what operators read.
    static let maximumCount = 100_000
    /// More terminals than this are not remembered; later ones are ignored until some are quiet. As many as
    /// ``RecoveryAdmission`` remembers; more costs memory that forged ids could take.
    static let maximumTerminals = 100_000
    /// The longest window of a rule (``QoSSettings/store``), in seconds: what is older is never looked at.
    private static let longestSeconds: Int64 = 60
    /// Windows of a terminal that are remembered: it reports every 5 s at most and repeats a report for a
    /// minute. With half as many a repeated report could count twice, with twice as many nothing is gained.
    fileprivate static let maximumCounted = 12
    /// The same window begins within so many milliseconds in each report, since a terminal computes it anew
    /// from its clock. With more, two windows that follow each other at once would count as one.
    fileprivate static let sameStart: Int64 = 2
    /// The accepted times of a report, in milliseconds since 1970: up to the end of the year 9999.
    private static let times: ClosedRange<Int64> = 0...253_402_300_799_999

    private var terminals: [String: Terminal] = [:]
    private var byStore: [String: Set<String>] = [:]
    private var lastForgetting: Instant?

    var terminalCount: Int { terminals.count }
    var terminalIds: [String] { terminals.keys.sorted() }

    /// Counts a report. One that was counted before counts by what it holds more: a terminal that got no
    /// response sends the same window again, together with what came since.
    ///
    /// - Parameter windowStart: when the window began at the terminal, in milliseconds since 1970; nil where
    ///   it names no moment, and then the report counts as it is.
    mutating func add(_ reporter: QoSReporter, ok: Int, failed: Int, windowStart: Int64?, at now: Instant) {
        let second = Self.second(of: now)
        guard terminals[reporter.terminalId] != nil || terminals.count < Self.maximumTerminals else { return }
        var terminal =
            terminals[reporter.terminalId] ?? Terminal(storeId: reporter.storeId, lastReport: now)
        move(reporter, from: terminal.storeId)
        terminal.storeId = reporter.storeId
        terminal.lastReport = now
        terminal.buckets.removeAll { $0.second < second - Self.longestSeconds }
        let counts = terminal.uncounted(
            ok: Self.believed(ok), failed: Self.believed(failed), windowStart.map(Self.bounded))
        if terminal.buckets.last?.second == second {
            terminal.buckets[terminal.buckets.count - 1].ok += counts.ok
            terminal.buckets[terminal.buckets.count - 1].failed += counts.failed
        } else {
            terminal.buckets.append(Bucket(second: second, ok: counts.ok, failed: counts.failed))
        }
        terminals[reporter.terminalId] = terminal
    }

    private mutating func move(_ reporter: QoSReporter, from storeId: String) {
        if storeId != reporter.storeId { byStore[storeId]?.remove(reporter.terminalId) }
        byStore[reporter.storeId, default: []].insert(reporter.terminalId)
    }

    /// Forgets terminals that were quiet for `memory`; looked for every ten seconds, since it looks at all.
    mutating func forget(after memory: Duration, at now: Instant) {
        if let lastForgetting, now - lastForgetting < .seconds(10) { return }
        lastForgetting = now
        let start = now - memory
        let quiet = terminals.filter { $0.value.lastReport < start }
        for (id, terminal) in quiet {
            terminals[id] = nil
            byStore[terminal.storeId]?.remove(id)
            if byStore[terminal.storeId]?.isEmpty == true { byStore[terminal.storeId] = nil }
        }
    }

    /// The votes of a scope's terminals since `start`.
    ///
    /// - Parameter isCounted: whether a terminal's vote counts.
    func votes(
        in scope: QoSScope, since start: Instant, _ settings: QoSSettings, isCounted: (String) -> Bool
    ) -> VoteCount {
        let first = Self.second(of: start)
        var votes = VoteCount()
        for (id, terminal) in members(of: scope) where isCounted(id) {
            guard let counts = terminal.counts(of: id, since: first) else { continue }
            votes.add(counts, settings)
        }
        return votes
    }

    /// One terminal's counts since `start`; nil when it reported nothing.
    func counts(of terminalId: String, since start: Instant) -> QoSEvidence.Terminal? {
        terminals[terminalId]?.counts(of: terminalId, since: Self.second(of: start))
    }

    private func members(of scope: QoSScope) -> [(String, Terminal)] {
        switch scope.scope {
        case .global: terminals.map { ($0.key, $0.value) }
        case .store: (byStore[scope.subject] ?? []).compactMap { id in terminals[id].map { (id, $0) } }
        case .terminal: terminals[scope.subject].map { [(scope.subject, $0)] } ?? []
        }
    }

    /// Everybody's reports since `start`, for people: failed and all requests, terminals and stores.
    func totals(since start: Instant) -> (failed: Int, requests: Int, terminals: Int, stores: Int) {
        let first = Self.second(of: start)
        let counts = terminals.compactMap { $0.value.counts(of: $0.key, since: first) }
        let failed = counts.reduce(0) { $0 + $1.failed }
        return (
            failed, counts.reduce(failed) { $0 + $1.ok }, counts.count, Set(counts.map(\.storeId)).count
        )
    }

    private static func second(of moment: Instant) -> Int64 { moment.nanoseconds / 1_000_000_000 }

    private static func believed(_ count: Int) -> Int { min(max(count, 0), maximumCount) }

    private static func bounded(_ time: Int64) -> Int64 {
        min(max(time, times.lowerBound), times.upperBound)
    }
}

extension ReportWindow.Terminal {
    /// What of a report was not counted yet.
    fileprivate mutating func uncounted(
        ok: Int, failed: Int, _ start: Int64?
    ) -> (ok: Int, failed: Int) {
        guard let start else { return (ok, failed) }
        if let index = counted.firstIndex(where: { ($0.start - start).magnitude <= ReportWindow.sameStart }) {
            let before = counted[index]
            counted[index].ok = max(before.ok, ok)
            counted[index].failed = max(before.failed, failed)
            return (counted[index].ok - before.ok, counted[index].failed - before.failed)
        }
        counted = counted.suffix(ReportWindow.maximumCounted - 1)
        counted.append(ReportWindow.Counted(start: start, ok: ok, failed: failed))
        return (ok, failed)
    }

    fileprivate func counts(of id: String, since first: Int64) -> QoSEvidence.Terminal? {
        var (ok, failed, isSilent) = (0, 0, true)
        for bucket in buckets.reversed() {
            guard bucket.second >= first else { break }
            (ok, failed, isSilent) = (ok + bucket.ok, failed + bucket.failed, false)
        }
        return isSilent ? nil : QoSEvidence.Terminal(terminalId: id, storeId: storeId, ok: ok, failed: failed)
    }
}
