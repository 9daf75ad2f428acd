import Base

internal import HubCore
internal import HubProtocol
internal import HubStore
internal import OfflineCore
internal import LinuxRuntime
internal import MachineRuntime

/// The QoS machine's values as documents: kept over a restart, and shown to operators.
enum QoSPersistence {
    static func document(_ record: QoSServiceRecord, _ time: LinuxSystemTime) -> JSONValue {
        let changes = record.changes.map { change -> JSONValue in
            [.string(change.scope.rawValue), .string(change.subject), .integer(change.generation)]
        }
        return [
            "scopes": .array(record.scopes.map { document($0, since: $0.since, time) }),
            "healthySince": moment(record.healthySince, time),
            "override": record.override.map { document($0, time) } ?? .null,
            "storeOverrides": document(record.storeOverrides, time),
            "overrideSince": .object(JSONObject(record.overrideSince.mapValues { moment($0, time) })),
            "floor": .integer(record.floor), "changes": .array(changes),
        ]
    }

    private static func moment(_ instant: Instant?, _ time: LinuxSystemTime) -> JSONValue {
        JSONValue(instant.map { Timestamp.text(milliseconds: time.wallMilliseconds(of: $0)) })
    }

    private static func instant(_ json: JSONValue?, _ time: LinuxSystemTime) -> Instant? {
        json?.string.flatMap(Timestamp.milliseconds(of:)).map(time.instant(ofWall:))
    }

    private static func document(
        _ scope: QoSServiceRecord.Scope, since: Instant?, _ time: LinuxSystemTime
    ) -> JSONValue {
        [
            "scope": .string(scope.scope.rawValue), "subject": .string(scope.subject),
            "state": .string(scope.state.rawValue), "source": .string(scope.source.rawValue),
            "reason": .string(scope.reason), "evidence": scope.evidence.map(document) ?? .null,
            "since": moment(since, time),
        ]
    }

    private static func document(_ evidence: QoSEvidence) -> JSONValue {
        let terminals = evidence.terminals.map { terminal -> JSONValue in
            [
                "terminalId": .string(terminal.terminalId), "storeId": .string(terminal.storeId),
                "ok": .integer(Int64(terminal.ok)), "failed": .integer(Int64(terminal.failed)),
            ]
        }
        let stores = evidence.stores.map { store -> JSONValue in
            ["storeId": .string(store.storeId), "failing": .integer(Int64(store.failing))]
        }
        return [
            "seconds": .integer(evidence.seconds), "requests": .integer(Int64(evidence.requests)),
            "voting": .integer(Int64(evidence.voting)), "failing": .integer(Int64(evidence.failing)),
            "failingStores": .integer(Int64(evidence.failingStores)), "terminals": .array(terminals),
            "stores": .array(stores),
        ]
    }

    private static func document(_ decision: QoSOverride, _ time: LinuxSystemTime) -> JSONValue {
        [
            "state": .string(decision.state.rawValue), "reason": .string(decision.reason),
            "by": .string(decision.by),
            "until": moment(decision.until, time),
        ]
    }

    /// By store, each with its `storeId`.
    private static func document(_ overrides: [String: QoSOverride], _ time: LinuxSystemTime) -> JSONValue {
        .array(
            overrides.sorted { $0.key < $1.key }.map { storeId, decision in
                var members = document(decision, time).object ?? [:]
                members["storeId"] = .string(storeId)
                return .object(members)
            })
    }

    static func document(_ transition: QoSTransition, _ time: LinuxSystemTime) -> JSONValue {
        [
            "generation": .integer(transition.generation), "scope": .string(transition.scope.rawValue),
            "subject": .string(transition.subject), "state": .string(transition.state.rawValue),
            "source": .string(transition.source.rawValue), "reason": .string(transition.reason),
            "evidence": transition.evidence.map(document) ?? .null,
            "at": moment(transition.at, time),
        ]
    }

    static func document(
        _ status: QoSServiceStatus, history: [JSONValue], proposal: QoSProposal?, _ time: LinuxSystemTime
    ) -> JSONValue {
        let decision = status.decision
        let scopes = status.scopes.map { document($0.record, since: $0.since, time) }
        return [
            "service": .string(decision.service), "state": .string(decision.state.rawValue),
            "scope": .string(decision.scope.rawValue), "source": .string(decision.source.rawValue),
            "generation": .integer(status.generation), "reason": JSONValue(decision.reason),
            "since": moment(decision.since, time),
            "failureRatePercent": JSONValue(status.failedPercent.map(Int64.init)),
            "terminals": .integer(Int64(status.terminals)), "stores": .integer(Int64(status.stores)),
            "override": status.override.map { document($0, time) } ?? .null,
            "storeOverrides": document(status.storeOverrides, time), "proposal": proposal?.json ?? .null,
            "scopes": .array(scopes),
            "history": .array(history),
        ]
    }

    /// What ``document(_:_:)`` wrote of a service. What cannot be read is left out: the machine finds it
    /// again.
    static func record(_ service: String, _ kept: QoSMemory.Kept, _ time: LinuxSystemTime) -> QoSServiceRecord
    {
        QoSServiceRecord(
            service: service, generation: kept.generation,
            scopes: (kept.state["scopes"]?.array ?? []).compactMap { scope($0, time) },
            override: kept.state["override"].flatMap { override($0, time) },
            storeOverrides: Dictionary(
                (kept.state["storeOverrides"]?.array ?? []).compactMap { json in
                    guard let storeId = json["storeId"]?.string else { return nil }
                    return override(json, time).map { (storeId, $0) }
                }
            ) { _, last in last },
            overrideSince: kept.state["overrideSince"]?.object?.compactMapValues { instant($0, time) }
                ?? [:],
            healthySince: instant(kept.state["healthySince"], time),
            floor: kept.state["floor"]?.integer ?? kept.generation,
            changes: (kept.state["changes"]?.array ?? []).compactMap(change))
    }

    private static func scope(_ json: JSONValue, _ time: LinuxSystemTime) -> QoSServiceRecord.Scope? {
        guard let scope = json["scope"]?.string.flatMap(ServiceDecision.Scope.init),
            let state = json["state"]?.string.flatMap(ServiceDecision.State.init),
            let source = json["source"]?.string.flatMap(ServiceDecision.Source.init)
        else { return nil }
        return QoSServiceRecord.Scope(
            scope: scope, subject: json["subject"]?.string ?? "", state: state, source: source,
            reason: json["reason"]?.string ?? "", evidence: json["evidence"].flatMap(evidence), since: instant(json["since"], time))
    }

    private static func change(_ json: JSONValue) -> QoSServiceRecord.Change? {
        guard let members = json.array, members.count == 3, let generation = members[2].integer,
            let scope = members[0].string.flatMap(ServiceDecision.Scope.init), let subject = members[1].string
        else { return nil }
        return QoSServiceRecord.Change(scope: scope, subject: subject, generation: generation)
    }

    private static func evidence(_ json: JSONValue) -> QoSEvidence? {
        guard json.object != nil else { return nil }
        func count(_ json: JSONValue, _ key: String) -> Int { Int(clamping: json[key]?.integer ?? 0) }
        return QoSEvidence(
            seconds: json["seconds"]?.integer ?? 0, requests: count(json, "requests"),
            voting: count(json, "voting"), failing: count(json, "failing"),
            failingStores: count(json, "failingStores"),
            terminals: (json["terminals"]?.array ?? []).map {
                QoSEvidence.Terminal(
                    terminalId: $0["terminalId"]?.string ?? "", storeId: $0["storeId"]?.string ?? "",
                    ok: count($0, "ok"), failed: count($0, "failed"))
            },
            stores: (json["stores"]?.array ?? []).map {
                QoSEvidence.Store(storeId: $0["storeId"]?.string ?? "", failing: count($0, "failing"))
            })
    }

    private static func override(_ json: JSONValue, _ time: LinuxSystemTime) -> QoSOverride? {
        guard let state = json["state"]?.string.flatMap(ServiceDecision.State.init) else { return nil }
        return QoSOverride(
            state: state, reason: json["reason"]?.string ?? "", by: json["by"]?.string ?? "",
            until: instant(json["until"], time))
    }
}
