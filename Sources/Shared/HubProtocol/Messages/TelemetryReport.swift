/// What a terminal found on its own disk. It travels among the conflicts of the telemetry, with `store`
/// in the place of a route, so that hubs and terminals of before go on working.
package enum StoreFinding: String, Hashable, Sendable, CaseIterable {
    /// The database holds less than was recorded: its log was gone, or it is an older copy.
    case journalLoss = "journal_loss"
    /// Entries are not sent, since their content is not what was written.
    case entriesHeldBack = "entries_held_back"
    /// It keeps sales of other tills that the hub has not had for ``NeighbourLimits/pieceAlarm``.
    case keptOverdue = "kept_overdue"

    private static let endpoint = "store"

    /// The finding as it travels: `store` in the place of a route. A `count` of 0 is no finding.
    package func counted(_ count: Int64) -> TelemetryReport.ConflictCount {
        TelemetryReport.ConflictCount(endpoint: Self.endpoint, category: rawValue, count: count)
    }

    /// What `report` found, each kind once.
    package static func found(in report: TelemetryReport) -> [StoreFinding] {
        allCases.filter { finding in
            report.conflicts.contains {
                $0.endpoint == endpoint && $0.category == finding.rawValue && $0.count > 0
            }
        }
    }
}

/// A terminal's report about itself (http.md section 8).
///
/// Read leniently, since nothing hangs on it: what is missing is 0 or empty, what is unknown is left out,
/// what is out of range is clamped, and all of it stays below some kilobytes, whatever a peer sends.
package struct TelemetryReport: Hashable, Sendable {
    /// Offline periods that a terminal reports, the newest; of what was before the hub knows nothing. Each
    /// report has them anew, and more than five outages within the week that people look at are rare.
    package static let mostPeriods = 5

    /// How often one kind of refusal was met.
    package struct ConflictCount: Hashable, Sendable {
        /// The route, for example `/v1/mutations`.
        package let endpoint: String
        /// The merge policy of a conflict, or the code of a rejection.
        package let category: String
        /// Since ``TelemetryReport/countedSince``; from 0 to ``TelemetryReport/maximumCount``.
        package let count: Int64

        /// Makes a count without a check; reading a report clamps it.
        package init(endpoint: String, category: String, count: Int64) {
            self.endpoint = endpoint
            self.category = category
            self.count = count
        }
    }

    /// The version of `pos`, at most 64 characters.
    package let appVersion: String
    /// For example `Debian 12`, at most 64 characters.
    package let osVersion: String
    /// Mutations without a result.
    package let pending: Int64
    /// Milliseconds since the oldest of them was made; nil when there is none.
    package let oldestAgeMilliseconds: Int64?
    /// Mutations that the hub rejected and nobody has resolved.
    package let rejected: Int64
    /// Mutations with a conflict that nobody has resolved.
    package let conflicted: Int64
    /// Pushes since ``countedSince``, and those of them that the hub responded as the contract defines.
    package let attempts: Int64
    /// Never above ``attempts``.
    package let successes: Int64
    /// When the terminal began to count, RFC 3339; another one means that it counts from zero again.
    package let countedSince: String?
    /// Since ``countedSince``, at most 50 kinds.
    package let conflicts: [ConflictCount]
    /// The snapshot of the status, at most 16 plain members.
    package let connectivity: JSONObject
    /// The newest first, at most 10, each with `start`, `end`, `causes` and, where there is any, `evidence`:
    /// the names of what the terminal observed, at most ``mostEvidence``.
    package let offlinePeriods: [JSONValue]
    /// Of the mutations without a result, how many have a copy at another till; nil: it makes none.
    package var copied: Int64?
    /// Where it listens for the other tills of its store; nil: nowhere.
    package var neighbours: NeighbourPlace?

    /// The most of anything that is counted.
    package static let maximumCount: Int64 = 1_000_000_000_000
    /// What a terminal observed first shows the cause; the names behind it are what followed.
    package static let mostEvidence = 4
    /// Further kinds of a peer's report are left out.
    package static let maximumConflictKinds = 50

    package init(
        appVersion: String, osVersion: String, pending: Int64, oldestAgeMilliseconds: Int64?, rejected: Int64,
        conflicted: Int64, attempts: Int64, successes: Int64, countedSince: String?,
        conflicts: [ConflictCount], connectivity: JSONObject, offlinePeriods: [JSONValue]
    ) {
        self.appVersion = appVersion
        self.osVersion = osVersion
        self.pending = pending
        self.oldestAgeMilliseconds = oldestAgeMilliseconds
        self.rejected = rejected
        self.conflicted = conflicted
        self.attempts = attempts
        self.successes = successes
        self.countedSince = countedSince
        self.conflicts = conflicts
        self.connectivity = connectivity
        self.offlinePeriods = offlinePeriods
    }

    /// Reads whatever came; never fails.
    package init(lenient json: JSONValue) {
        appVersion = Lenient.text(json["appVersion"])
        osVersion = Lenient.text(json["osVersion"])
        let outbox = json["outbox"]
        pending = Lenient.count(outbox?["pending"])
        oldestAgeMilliseconds = outbox?["oldestAgeMs"]?.integer.map { _ in
            Lenient.count(outbox?["oldestAgeMs"])
        }
        rejected = Lenient.count(outbox?["rejected"])
        conflicted = Lenient.count(outbox?["conflicted"])
        attempts = Lenient.count(json["sync"]?["attempts"])
        successes = min(attempts, Lenient.count(json["sync"]?["successes"]))
        let since = Lenient.text(json["sync"]?["since"])
        countedSince = since.isEmpty ? nil : since
        conflicts = (json["conflicts"]?.array ?? []).prefix(Self.maximumConflictKinds).map { conflict in
            ConflictCount(
                endpoint: Lenient.text(conflict["endpoint"]), category: Lenient.text(conflict["category"]),
                count: Lenient.count(conflict["count"]))
        }
        connectivity = Lenient.members(json["connectivity"])
        offlinePeriods = (json["offlinePeriods"]?.array ?? []).prefix(10).map { period in
            var members: JSONObject = [
                "start": .string(Lenient.text(period["start"])),
                "end": period["end"]?.string == nil ? .null : .string(Lenient.text(period["end"])),
                "causes": .array(
                    (period["causes"]?.array ?? []).prefix(4).map { .string(Lenient.text($0)) }),
            ]
            let evidence = (period["evidence"]?.array ?? []).prefix(Self.mostEvidence)
            if !evidence.isEmpty {
                members["evidence"] = .array(evidence.map { .string(Lenient.text($0)) })
            }
            return .object(members)
        }
        copied = outbox?["copied"]?.integer.map { _ in min(pending, Lenient.count(outbox?["copied"])) }
        neighbours = NeighbourPlace(reported: json["neighbours"])
    }

    /// The member `telemetry`, or the body of `POST /v1/telemetry` (docs/reference/http.md, section 8).
    package var json: JSONValue {
        var outbox: JSONObject = [
            "pending": .integer(pending), "oldestAgeMs": JSONValue(oldestAgeMilliseconds),
            "rejected": .integer(rejected), "conflicted": .integer(conflicted),
        ]
        if let copied { outbox["copied"] = .integer(copied) }
        var members: JSONObject = [
            "appVersion": .string(appVersion), "osVersion": .string(osVersion),
            "outbox": .object(outbox),
            "sync": [
                "attempts": .integer(attempts), "successes": .integer(successes),
                "since": JSONValue(countedSince),
            ],
            "conflicts": .array(conflicts.map(\.json)), "connectivity": .object(connectivity),
            "offlinePeriods": .array(offlinePeriods),
        ]
        if let neighbours { members["neighbours"] = neighbours.json }
        return .object(members)
    }
}

extension TelemetryReport.ConflictCount {
    /// One element of `conflicts`.
    package var json: JSONValue {
        [
            "endpoint": .string(endpoint), "category": .string(category), "count": .integer(count),
        ]
    }
}

/// Values of a peer that nobody vouches for.
private enum Lenient {
    /// At most 64 characters, without control characters.
    static func text(_ value: JSONValue?) -> String {
        let scalars = (value?.string ?? "").unicodeScalars.lazy.filter {
            $0.value >= 0x20 && $0.value != 0x7F
        }
        return String(String.UnicodeScalarView(scalars.prefix(64)))
    }

    static func count(_ value: JSONValue?) -> Int64 {
        min(max(0, value?.integer ?? 0), TelemetryReport.maximumCount)
    }

    static func members(_ value: JSONValue?) -> JSONObject {
        var kept: JSONObject = [:]
        let members = (value?.object ?? [:]).sorted { $0.key < $1.key }
        for (key, value) in members where key.utf8.count <= 64 && kept.count < 16 {
            switch value {
            case .string: kept[key] = .string(text(value))
            case .integer(let number): kept[key] = .integer(min(max(number, -(1 << 53)), 1 << 53))
            case .bool, .null: kept[key] = value
            case _: continue
            }
        }
        return kept
    }
}
