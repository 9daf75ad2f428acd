import Base

internal import HubCore
internal import HubProtocol
internal import HubStore

/// The tills, with their telemetry.
extension LedgerService {
    func listTerminals() async throws -> JSONValue {
        let telemetry = try await ledger.telemetry()
        let lastMutations = try await ledger.lastMutations()
        let reads = try await ledger.memberReads(on: now() / 86_400_000)
        return [
            "terminals": .array(
                try await ledger.terminals().map { terminal in
                    TerminalSummary(
                        terminal: terminal, records: telemetry[terminal.id] ?? [],
                        lastMutation: lastMutations[terminal.id], memberReads: reads[terminal.id] ?? 0
                    ).json
                })
        ]
    }
}

/// Terminals that came back after a restore, and the codes that let new ones in.
extension LedgerService {
    func confirm(_ id: String) async throws -> JSONValue {
        guard let terminal = try await ledger.confirm(id) else {
            throw Problem.noTerminal(id)
        }
        try await publish()
        return terminal.json
    }

    func link(_ id: String, to earlier: String) async throws -> JSONValue {
        let terminals = try await ledger.terminals()
        func found(_ id: String) throws(Problem) -> TerminalRecord {
            guard let terminal = terminals.first(where: { $0.id == id }) else {
                throw Problem.noTerminal(id)
            }
            return terminal
        }
        let (terminal, before) = (try found(id), try found(earlier))
        if let objection = terminal.objection(toLinkTo: before) { throw Problem.conflict(objection) }
        try await ledger.link(id, to: earlier)
        var members = terminal.json.object ?? [:]
        members["earlier"] = .string(earlier)
        return .object(members)
    }

    /// All or none.
    func mintCodes(_ count: Int64, _ storeId: String, _ lifetime: Int64) async throws -> [JSONValue] {
        guard StoreIdentifier.isValid(storeId) else {
            throw Problem.malformed("A store's id is 1 to 32 letters, digits, hyphens or underscores.")
        }
        guard EnrolmentCode.lifetimes.contains(lifetime) else {
            throw Problem.malformed("A code lives for 1 s to 31 days.")
        }
        guard EnrolmentCode.counts.contains(count) else {
            throw Problem.malformed("1 to \(EnrolmentCode.counts.upperBound) codes are made at once.")
        }
        let keys = try await vault.opened()
        let minted = try (0..<count).map { _ in
            let code = EnrolmentCode.minted()
            guard let digest = EnrolmentCode.digest(of: code, keys: keys) else {
                throw Problem.internalError
            }
            return (code: code, digest: digest)
        }
        let expiresAt = now() + lifetime
        try await ledger.keepEnrolmentCodes(minted.map(\.digest), storeId: storeId, expiresAt: expiresAt)
        return minted.map { code, digest in
            [
                "id": .string(String(digest.prefix(EnrolmentCodeRecord.idLength))), "code": .string(code),
                "expiresAt": .string(Timestamp.text(milliseconds: expiresAt)), "storeId": .string(storeId),
            ]
        }
    }

    func listCodes() async throws -> JSONValue {
        let time = now()
        return [
            "codes": .array(try await ledger.enrolmentCodes(at: time).map { Self.sight($0, at: time) })
        ]
    }

    func revokeCode(_ id: String) async throws -> JSONValue {
        let time = now()
        guard let code = try await ledger.revokeEnrolmentCode(id, at: time) else {
            throw Problem.notFound(
                "No code that still works has the id \(id); `pos-hub enrol-code list` names them.")
        }
        return Self.sight(code, at: time)
    }

    private static func sight(_ code: EnrolmentCodeRecord, at now: Int64) -> JSONValue {
        let state =
            if code.terminalId != nil { "used" } else if code.revokedAt != nil { "revoked" } else {
                now < code.expiresAt ? "open" : "expired"
            }
        return [
            "id": .string(code.id), "storeId": .string(code.storeId), "state": .string(state),
            "expiresAt": .string(Timestamp.text(milliseconds: code.expiresAt)),
            "terminalId": JSONValue(code.terminalId),
            "revokedAt": JSONValue(code.revokedAt.map(Timestamp.text(milliseconds:))),
        ]
    }
}

/// One till as `pos-hub terminals list` shows it.
struct TerminalSummary {
    let terminal: TerminalRecord
    /// The version that spoke last first.
    let records: [TelemetryRecord]
    let lastMutation: Int64?
    /// Look-ups of members today (UTC).
    let memberReads: Int64

    var json: JSONValue {
        var members = terminal.json.object ?? [:]
        let seen = [lastMutation, records.first?.receivedAt].compactMap(\.self).max()
        members["lastSeenAt"] = JSONValue(seen.map(Timestamp.text(milliseconds:)))
        members["memberReadsToday"] = .integer(memberReads)
        members["appVersion"] = JSONValue(records.first?.report.appVersion)
        members["osVersion"] = JSONValue(records.first?.report.osVersion)
        members["telemetryAt"] = JSONValue(
            records.first.map { Timestamp.text(milliseconds: $0.receivedAt) })
        let report = records.first?.report.json
        for key in ["outbox", "connectivity", "offlinePeriods"] { members[key] = report?[key] ?? .null }
        members["sync"] = records.first.map(Self.sync) ?? .null
        members["conflicts"] = .array(records.first.map(Self.conflicts) ?? [])
        members["conflictRate"] = records.first.flatMap { rate($0.conflictsPerMille) } ?? .null
        members["versions"] = .array(records.map(Self.version))
        return .object(members)
    }

    private func rate(_ perMille: Int64?) -> JSONValue? { Self.rate(perMille) }

    private static func sync(_ record: TelemetryRecord) -> JSONValue {
        [
            "attempts": .integer(record.attempts), "successes": .integer(record.successes),
            "successRate": rate(record.successPerMille) ?? .null,
        ]
    }

    private static func conflicts(_ record: TelemetryRecord) -> [JSONValue] {
        record.conflicts.map { conflict in
            var members = conflict.json.object ?? [:]
            members["rate"] =
                rate(record.attempts > 0 ? conflict.count * 1000 / record.attempts : nil) ?? .null
            return .object(members)
        }
    }

    private static func version(_ record: TelemetryRecord) -> JSONValue {
        [
            "appVersion": .string(record.report.appVersion),
            "lastReportAt": .string(Timestamp.text(milliseconds: record.receivedAt)),
            "sync": sync(record), "conflicts": .array(conflicts(record)),
            "conflictRate": rate(record.conflictsPerMille) ?? .null,
        ]
    }

    /// As a fraction, with three digits.
    private static func rate(_ perMille: Int64?) -> JSONValue? { perMille.map { .double(Double($0) / 1000) } }
}
