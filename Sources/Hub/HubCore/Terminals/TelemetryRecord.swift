package import HubProtocol

/// What the hub keeps of one terminal under one version of its program: the last report, and sums over all.
///
/// A terminal counts from its own start. So a report that arrives twice, late or never leaves the sums right:
/// the hub adds the increase since the last report of the same run, and all of the first report of a new run.
package struct TelemetryRecord: Hashable, Sendable {
    /// The last report of this version, with every value in its range.
    package private(set) var report: TelemetryReport
    /// Milliseconds since 1970.
    package private(set) var receivedAt: Int64
    /// Pushes over all runs, and those that were successful.
    package private(set) var attempts: Int64
    /// Pushes of ``attempts`` that were successful.
    package private(set) var successes: Int64
    /// Over all runs, at most ``TelemetryReport/maximumConflictKinds`` kinds, in the order of their coming.
    package private(set) var conflicts: [TelemetryReport.ConflictCount]

    package init(_ report: TelemetryReport, at now: Int64) {
        self.report = report
        receivedAt = now
        attempts = report.attempts
        successes = report.successes
        conflicts = report.conflicts
    }

    /// Adds the next report. One that was received a little before the last, and handled after it, adds
    /// nothing. Further back it is the hub's clock that was set.
    package mutating func take(_ next: TelemetryReport, at now: Int64) {
        guard !(receivedAt - Self.lateness..<receivedAt).contains(now) else { return }
        let goesOn = next.countedSince == report.countedSince && next.attempts >= report.attempts
        let before = goesOn ? report : nil
        attempts = Self.sum(attempts, next.attempts - (before?.attempts ?? 0))
        successes = min(attempts, Self.sum(successes, next.successes - (before?.successes ?? 0)))
        for conflict in next.conflicts {
            let known = before?.conflicts.first { $0.isOfKind(conflict) }?.count ?? 0
            add(conflict, conflict.count - known)
        }
        report = next
        receivedAt = now
    }

    /// How far one that was overtaken can be behind, in milliseconds: a request lives for 10 s and is sent
    /// again for as long, three times that. With half of it a slow proxy makes a report count twice; with
    /// twice as much a hub whose clock was set back ignores reports for two minutes.
    private static let lateness: Int64 = 60_000

    private mutating func add(_ conflict: TelemetryReport.ConflictCount, _ more: Int64) {
        guard let index = conflicts.firstIndex(where: { $0.isOfKind(conflict) }) else {
            if conflicts.count < TelemetryReport.maximumConflictKinds {
                conflicts.append(conflict.counting(Self.sum(0, more)))
            }
            return
        }
        conflicts[index] = conflict.counting(Self.sum(conflicts[index].count, more))
    }

    private static func sum(_ value: Int64, _ more: Int64) -> Int64 {
        min(value + max(0, more), TelemetryReport.maximumCount)
    }

    /// Thousandths of the pushes that were successful; nil before the first.
    package var successPerMille: Int64? { attempts > 0 ? successes * 1000 / attempts : nil }

    /// Conflicts and rejections a thousand pushes; nil before the first push.
    package var conflictsPerMille: Int64? {
        attempts > 0 ? conflicts.reduce(0) { Self.sum($0, $1.count) } * 1000 / attempts : nil
    }

    /// The record as stores keep it; ``init(json:)`` reads it.
    package var json: JSONValue {
        [
            "report": report.json, "receivedAt": .integer(receivedAt), "attempts": .integer(attempts),
            "successes": .integer(successes), "conflicts": .array(conflicts.map(\.json)),
        ]
    }

    /// Reads what ``json`` wrote; a malformed document reads as empty.
    package init(json: JSONValue) {
        report = TelemetryReport(lenient: json["report"] ?? .null)
        receivedAt = json["receivedAt"]?.integer ?? 0
        let sums = TelemetryReport(
            lenient: [
                "sync": ["attempts": json["attempts"] ?? 0, "successes": json["successes"] ?? 0],
                "conflicts": json["conflicts"] ?? [],
            ])
        attempts = sums.attempts
        successes = sums.successes
        conflicts = sums.conflicts
    }
}

extension TelemetryReport.ConflictCount {
    fileprivate func isOfKind(_ other: Self) -> Bool {
        endpoint == other.endpoint && category == other.category
    }

    fileprivate func counting(_ count: Int64) -> Self {
        Self(endpoint: endpoint, category: category, count: count)
    }
}

extension TelemetryRecord {
    /// The next state of what is kept under a version; nil behind nothing.
    package init(keeping report: TelemetryReport, at now: Int64, behind kept: JSONValue?) {
        guard let kept else {
            self.init(report, at: now)
            return
        }
        var record = TelemetryRecord(json: kept)
        record.take(report, at: now)
        self = record
    }
}
