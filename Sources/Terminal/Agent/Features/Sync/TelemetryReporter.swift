import Base

internal import AgentAPI
internal import Foundation
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import Synchronization
internal import TerminalStore
internal import MachineRuntime

/// Makes the terminal's telemetry (http.md section 8), while the sync policy allows it.
final class TelemetryReporter: Sendable {
    /// The last report, and when it was made.
    private struct Reported {
        let report: TelemetryReport
        let at: Instant
    }

    private let tally: SyncTally
    private let outbox: SQLiteOutbox
    private let history: any OfflineHistory
    private let facts: SQLiteTerminalFacts
    private let time: any SystemTime
    private let offline: OfflineService
    private let permissions: SyncPermissions
    private let neighbours: NeighboursFeature
    private let reported = Mutex<Reported?>(nil)

    init(
        tally: SyncTally, outbox: SQLiteOutbox, history: any OfflineHistory, facts: SQLiteTerminalFacts,
        offline: OfflineService, permissions: SyncPermissions,
        neighbours: NeighboursFeature, time: any SystemTime
    ) {
        self.neighbours = neighbours
        self.facts = facts
        self.offline = offline
        self.permissions = permissions
        self.tally = tally
        self.outbox = outbox
        self.history = history
        self.time = time
    }

    /// What rides on a batch; nil on a path that is too narrow for it.
    func rider() async -> JSONValue? {
        guard permissions.current.letsTelemetryRide else { return nil }
        return await report()?.json
    }

    /// A report to send on its own. Nil when the policy forbids it, or when the same report was made within
    /// `interval`.
    ///
    /// - Parameter isRequested: a person requested it.
    func news(within interval: Duration, isRequested: Bool = false) async -> JSONValue? {
        guard permissions.current.allows(.telemetry, isRequested: isRequested) else { return nil }
        let last = reported.withLock { $0 }
        guard let report = await report() else { return nil }
        if let last, last.report.hasOutbox(of: report), time.now() - last.at < interval { return nil }
        return report.json
    }

    private func report() async -> TelemetryReport? {
        guard let depth = try? await outbox.depth() else { return nil }
        let wall = time.wallMilliseconds()
        let counts = tally.current
        let connectivity = ConnectivityState(
            offline.status.connectivity, wall: offline.wallMilliseconds(of:))
        var report = TelemetryReport(
            appVersion: TerminalVersion.current, osVersion: OperatingSystem.name,
            pending: Int64(depth.pending),
            oldestAgeMilliseconds: depth.oldestMadeAt.map { max(0, wall - $0) },
            rejected: Int64(depth.rejected), conflicted: Int64(depth.conflicted), attempts: counts.attempts,
            successes: counts.successes, countedSince: tally.since,
            conflicts: await storeFindings() + Self.conflicts(counts),
            connectivity: connectivity.json.object ?? [:], offlinePeriods: await recentPeriods())
        report.neighbours = neighbours.place()
        report.copied = neighbours.copied(depth)
        let made = report
        reported.withLock { $0 = Reported(report: made, at: time.now()) }
        return report
    }

    /// What the disk has that the hub raises as alarms.
    private func storeFindings() async -> [TelemetryReport.ConflictCount] {
        var findings: [TelemetryReport.ConflictCount] = []
        if let loss = (try? await facts.journalLoss()) ?? nil, await !SeenLosses.read(facts).includes(loss) {
            findings.append(StoreFinding.journalLoss.counted(1))
        }
        let held = outbox.heldBackCount
        if held > 0 { findings.append(StoreFinding.entriesHeldBack.counted(Int64(held))) }
        let overdue = await neighbours.keptOverdue()
        if overdue > 0 { findings.append(StoreFinding.keptOverdue.counted(Int64(overdue))) }
        return findings
    }

    private static func conflicts(_ counts: SyncTally.Counts) -> [TelemetryReport.ConflictCount] {
        counts.conflicts.sorted { $0.key < $1.key }.flatMap { endpoint, categories in
            categories.sorted { $0.key < $1.key }.map { category, count in
                TelemetryReport.ConflictCount(endpoint: endpoint, category: category, count: count)
            }
        }
    }

    private func recentPeriods() async -> [JSONValue] {
        let recent = (try? await history.newestCauses(limit: TelemetryReport.mostPeriods)) ?? []
        return recent.map { period in
            [
                "start": .string(Timestamp.text(milliseconds: period.startedAt)),
                "end": JSONValue(period.endedAt.map(Timestamp.text(milliseconds:))),
                "causes": .array(period.causes.map(JSONValue.string)),
                "evidence": .array(
                    period.evidence.prefix(TelemetryReport.mostEvidence).map(JSONValue.string)),
            ]
        }
    }
}

extension TelemetryReport {
    /// Whether both describe the same outbox, whose age is not compared, at the same place.
    fileprivate func hasOutbox(of other: TelemetryReport) -> Bool {
        pending == other.pending && rejected == other.rejected && conflicted == other.conflicted
            && neighbours == other.neighbours
    }
}

/// What this machine runs on.
enum OperatingSystem {
    /// `PRETTY_NAME` of os-release(5), for example `Debian GNU/Linux 12 (bookworm)`; `Linux` without one.
    static let name: String = {
        for path in ["/etc/os-release", "/usr/lib/os-release"] {
            let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
            let line = text?.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
            guard let line else { continue }
            return line.dropFirst("PRETTY_NAME=".count).trimmingCharacters(
                in: CharacterSet(charactersIn: "\"'"))
        }
        return "Linux"
    }()
}
