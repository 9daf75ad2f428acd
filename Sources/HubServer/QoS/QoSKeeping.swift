internal import HubCore
internal import HubProtocol
internal import HubStore
internal import OfflineCore

/// The QoS machine's values as documents: kept over a restart, and shown to operators.
enum QoSKeeping {
    static func document(_ record: QoSServiceRecord, _ time: QoSTime) -> JSONValue {
        let scopes = record.scopes.map { scope -> JSONValue in
            [
                "scope": .string(scope.scope.rawValue), "subject": .string(scope.subject),
                "state": .string(scope.state.rawValue), "source": .string(scope.source.rawValue),
                "reason": .string(scope.reason),
            ]
        }
        return [
            "scopes": .array(scopes), "override": record.override.map { document($0, time) } ?? .null,
        ]
    }

    private static func document(_ word: QoSOverride, _ time: QoSTime) -> JSONValue {
        [
            "state": .string(word.state.rawValue), "reason": .string(word.reason), "by": .string(word.by),
            "until": JSONValue(word.until.map { Timestamp.text(milliseconds: time.wall($0)) }),
        ]
    }

    static func document(_ transition: QoSTransition, _ time: QoSTime) -> JSONValue {
        [
            "generation": .integer(transition.generation), "scope": .string(transition.scope.rawValue),
            "subject": .string(transition.subject), "state": .string(transition.state.rawValue),
            "source": .string(transition.source.rawValue), "reason": .string(transition.reason),
            "at": .string(Timestamp.text(milliseconds: time.wall(transition.at))),
        ]
    }

    static func document(
        _ status: QoSServiceStatus, history: [JSONValue], _ time: QoSTime
    ) -> JSONValue {
        let verdict = status.verdict
        return [
            "service": .string(verdict.service), "state": .string(verdict.state.rawValue),
            "scope": .string(verdict.scope.rawValue), "source": .string(verdict.source.rawValue),
            "generation": .integer(verdict.generation), "reason": JSONValue(verdict.reason),
            "since": .string(Timestamp.text(milliseconds: time.wall(verdict.since))),
            "failureRatePercent": JSONValue(status.failedPercent.map(Int64.init)),
            "terminals": .integer(Int64(status.terminals)), "stores": .integer(Int64(status.stores)),
            "override": status.override.map { document($0, time) } ?? .null, "history": .array(history),
        ]
    }

    /// What ``document(_:_:)`` wrote of a service. What cannot be read is left out: the machine finds it
    /// again.
    static func record(_ service: String, _ kept: QoSMemory.Kept, _ time: QoSTime) -> QoSServiceRecord {
        QoSServiceRecord(
            service: service, generation: kept.generation,
            scopes: (kept.state["scopes"]?.array ?? []).compactMap(scope),
            override: kept.state["override"].flatMap { override($0, time) })
    }

    private static func scope(_ json: JSONValue) -> QoSServiceRecord.Scope? {
        guard let scope = json["scope"]?.string.flatMap(ServiceDecision.Scope.init),
            let state = json["state"]?.string.flatMap(ServiceDecision.State.init),
            let source = json["source"]?.string.flatMap(ServiceDecision.Source.init)
        else { return nil }
        return QoSServiceRecord.Scope(
            scope: scope, subject: json["subject"]?.string ?? "", state: state, source: source,
            reason: json["reason"]?.string ?? "")
    }

    private static func override(_ json: JSONValue, _ time: QoSTime) -> QoSOverride? {
        guard let state = json["state"]?.string.flatMap(ServiceDecision.State.init) else { return nil }
        return QoSOverride(
            state: state, reason: json["reason"]?.string ?? "", by: json["by"]?.string ?? "",
            until: json["until"]?.string.flatMap(Timestamp.milliseconds(of:)).map(time.instant))
    }
}
