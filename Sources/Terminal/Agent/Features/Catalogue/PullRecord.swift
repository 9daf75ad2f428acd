import Base

internal import AgentAPI
internal import HubProtocol
internal import Synchronization
internal import TerminalStore

/// A row of the hub that this terminal passed over: what it held before stays.
struct SkippedRow: Hashable, Sendable {
    let entity: String
    let entityId: String
    let reason: String
    /// Unix milliseconds of the wall clock.
    let at: Int64

    /// For people.
    var name: String {
        entity.isEmpty ? "row without a name" : "\(entity.printable) \(entityId.printable)"
    }
}

/// How the last pulls of the catalogue went: what people need to know of prices that stand still.
struct PullRecord: Hashable, Sendable {
    /// When a pull last came to its end, in Unix milliseconds; nil: never yet.
    var lastGoodAt: Int64?
    /// Why the last pull came to nothing; nil when it was good.
    var problem: String?
    /// The newest last.
    var skipped: [SkippedRow] = []

    /// Rows that are reported: enough to see a pattern. More of them change nothing for a person, and the
    /// record is written with every pull.
    static let reportedRows = 20

    /// The pull came to its end.
    mutating func succeed(at now: Int64, passingOver rows: [SkippedRow]) {
        (lastGoodAt, problem) = (now, nil)
        skipped.removeAll { now - Self.reportedFor > $0.at }
        add(rows)
    }

    mutating func fail(_ problem: String, passingOver rows: [SkippedRow]) {
        self.problem = String(problem.prefix(300))
        add(rows)
    }

    /// What has come since is passed over no more.
    mutating func take(_ changes: [Change]) {
        guard !skipped.isEmpty else { return }
        skipped.removeAll { row in
            changes.contains { ($0.entity, $0.entityId) == (row.entity, row.entityId) }
        }
    }

    /// A row that came again is reported once, with its last time.
    private mutating func add(_ rows: [SkippedRow]) {
        for row in rows {
            skipped.removeAll { ($0.entity, $0.entityId) == (row.entity, row.entityId) }
            skipped.append(row)
        }
        skipped = skipped.suffix(Self.reportedRows)
    }

    /// For so long a row is reported that did not come again: somebody has had a month to look.
    private static let reportedFor: Int64 = 30 * 86_400_000

    /// The `catalogue` object of the status.
    func document(at now: Int64, hasFailed: Bool? = nil) -> PullState {
        let age = lastGoodAt.map { last in
            let (age, overflows) = now.subtractingReportingOverflow(last)
            return overflows ? Int64.max : max(0, age)
        }
        return PullState(
            lastPullAt: lastGoodAt.map(Timestamp.text(milliseconds:)), ageMilliseconds: age, problem: problem,
            skipped: skipped.map {
                PullState.SkippedRow(
                    entity: $0.entity, entityId: $0.entityId, reason: $0.reason,
                    at: Timestamp.text(milliseconds: $0.at))
            }, hasFailed: hasFailed)
    }

    private var members: JSONObject {
        [
            "lastPullAt": JSONValue(lastGoodAt.map(Timestamp.text(milliseconds:))),
            "problem": JSONValue(problem),
            "skipped": .array(
                skipped.map {
                    [
                        "entity": .string($0.entity), "entityId": .string($0.entityId),
                        "reason": .string($0.reason), "at": .string(Timestamp.text(milliseconds: $0.at)),
                    ]
                }),
        ]
    }

    /// As it is kept on disk.
    var text: String { JSONValue.object(members).canonicalText }

    init() {}

    /// Reads what ``text`` wrote; what is missing or no such document counts as never.
    init(text: String) {
        guard let json = try? JSONParser.parse(Array(text.utf8)) else { return }
        lastGoodAt = json["lastPullAt"]?.string.flatMap(Timestamp.milliseconds(of:))
        problem = json["problem"]?.string
        skipped = (json["skipped"]?.array ?? []).compactMap { row in
            guard let entity = row["entity"]?.string, let id = row["entityId"]?.string,
                let reason = row["reason"]?.string,
                let at = row["at"]?.string.flatMap(Timestamp.milliseconds(of:))
            else { return nil }
            return SkippedRow(entity: entity, entityId: id, reason: reason, at: at)
        }
    }
}

/// The record on disk and in memory.
final class PullRecordStore: Sendable {
    private static let factName = "lastPull"

    private let facts: SQLiteTerminalFacts
    private let kept: Mutex<PullRecord>

    init(_ facts: SQLiteTerminalFacts) async {
        self.facts = facts
        kept = Mutex(await Self.read(facts))
    }

    /// The record as it is on disk. What cannot be read is known again with the next pull.
    static func read(_ facts: SQLiteTerminalFacts) async -> PullRecord {
        let text = try? await facts.fact(factName)
        return text.map(PullRecord.init(text:)) ?? PullRecord()
    }

    var record: PullRecord { kept.withLock { $0 } }

    /// In memory; kept with the next ``change(_:)``, which every pull ends with.
    func noteTaken(_ changes: [Change]) {
        kept.withLock { $0.take(changes) }
    }

    func change(_ body: (inout PullRecord) -> Void) async {
        let text = kept.withLock { record in
            body(&record)
            return record.text
        }
        // A record that is not kept costs a report, never a pull.
        try? await facts.keep(text, as: Self.factName)
    }
}
