import Base

internal import Crypto
internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore

/// The operators of the hub.
extension LedgerService {
    func addOperator(_ name: String, _ role: String, _ lifetime: Int64) async throws -> JSONValue {
        guard (1...64).contains(name.utf8.count),
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw Problem.malformed("An operator's name is one line of 1 to 64 bytes.") }
        guard let role = OperatorRole(rawValue: role) else {
            let roles = OperatorRole.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.malformed("A role is one of \(roles).")
        }
        guard (1_000...366 * 86_400_000).contains(lifetime) else {
            throw Problem.malformed("An operator's token holds for 1 s to 366 days.")
        }
        let token = "op." + SymmetricKey(size: .bits256).withUnsafeBytes { Base64URL.text(Array($0)) }
        let code = LoginCode.minted()
        let added = now()
        let expiresAt = added + lifetime
        try await ledger.keepOperator(
            OperatorRecord(
                name: name, role: role, tokenDigest: Digest.sha256Hex(Array(token.utf8)),
                tokenExpiresAt: expiresAt, loginCodeDigest: LoginCode.digest(of: code), addedAt: added))
        try await publish()
        return [
            "name": .string(name), "role": .string(role.rawValue), "token": .string(token),
            "tokenExpiresAt": .string(Timestamp.text(milliseconds: expiresAt)), "loginCode": .string(code),
            "loginCodeExpiresAt": .string(Timestamp.text(milliseconds: added + LoginCode.lifetime)),
        ]
    }

    func listOperators() async throws -> JSONValue {
        let rows = try await ledger.operators().map { record -> JSONValue in
            [
                "name": .string(record.name), "role": .string(record.role.rawValue),
                "addedAt": .string(Timestamp.text(milliseconds: record.addedAt)),
                "tokenExpiresAt": JSONValue(record.tokenExpiresAt.map(Timestamp.text(milliseconds:))),
                "hasPassword": .bool(record.passwordHash != nil),
            ]
        }
        return ["operators": .array(rows)]
    }

    /// - Parameter limit: how many of the newest entries; the chain is verified from the first one.
    func operatorLog(_ limit: Int64) async throws -> JSONValue {
        guard (1...10_000).contains(limit) else {
            throw Problem.malformed("A log shows 1 to 10000 entries.")
        }
        var (sequence, hash): (Int64, String) = (0, LoggedAct.firstHash)
        var newest: [LoggedAct] = []
        var brokenAt: Int64?
        while true {
            let page = try await ledger.loggedActs(after: sequence, limit: 1_000)
            for entry in page {
                if brokenAt == nil, !entry.follows(sequence, hash: hash) { brokenAt = entry.sequence }
                (sequence, hash) = (entry.sequence, entry.hash)
            }
            newest = (newest + page).suffix(Int(limit))
            guard page.count == 1_000 else { break }
        }
        return [
            "entries": .array(newest.map(\.json)), "count": .integer(sequence), "head": .string(hash),
            "chain": .string(brokenAt == nil ? "intact" : "broken"), "brokenAt": JSONValue(brokenAt),
        ]
    }

    func removeOperator(_ name: String) async throws -> JSONValue {
        guard try await ledger.removeOperator(name: name) else {
            throw Problem.notFound("No operator has the name \(name); `pos-hub operator list` names them.")
        }
        try await publish()
        return ["name": .string(name), "removed": true]
    }
}

extension AdminCall {
    /// What the operators' log keeps of a call by the owner of the hub's machine; nil for one that changes
    /// nothing, and for the parts of a file, which the list of ingested files has.
    func act(at now: Int64) -> OperatorAct? {
        guard let (action, subject, detail) = act else { return nil }
        let person = OperatorIdentity.local
        return OperatorAct(
            at: now, name: person.name, role: person.role, action: action.rawValue, subject: subject,
            detail: detail)
    }

    private var act: (action: LoggedAction, subject: String, detail: String)? {
        switch self {
        case .mintCode(let storeId, _): (.mintCode, storeId, EnrolmentCode.act(making: 1))
        case .mintCodes(let storeId, _, let count):
            (.mintCodes, storeId, EnrolmentCode.act(making: count))
        case .revokeTerminal(let id): (.revokeTerminal, id, "")
        case .acceptRelayed(let id, let reason): (.acceptRelayed, id, reason)
        case .confirmTerminal(let id): (.confirmTerminal, id, "")
        case .revokeCode(let id): (.revokeCode, id, "")
        case .eraseMember(let id): (.eraseMember, id, "")
        case .exportKeys(let id): (.exportKeys, id, "")
        case .linkTerminal(let id, let earlier): (.linkTerminal, id, "was \(earlier)")
        case .importList(let list, let gone):
            (.importFile, list.kind.rawValue, gone.isEmpty ? "" : "withdraws \(gone.count)")
        case .mergeMembers(let kept, let other): (.mergeMembers, kept, "has become one with \(other)")
        case .revertMembers(let reversal):
            (
                .revertMembers, reversal.terminalId,
                "\(reversal.part.rawValue) since \(Timestamp.text(milliseconds: reversal.since))"
            )
        case .releaseHeldPoints(let held):
            (
                .releaseHeldPoints, held.terminalId,
                held.orderId.map { "points of \($0)" }
                    ?? "points since \(Timestamp.text(milliseconds: held.since))"
            )
        case .withdraw(let kind, let id): (.withdraw, id, kind.rawValue)
        case .registerTerminal: (.registerTerminal, "", "the terminal of an exported journal")
        case .addOperator(let name, let role, _): (.addOperator, name, role)
        case .removeOperator(let name): (.removeOperator, name, "")
        case .changeStoreSettings(let storeId, let changes):
            (.changeStoreSettings, storeId, changes.keys.joined(separator: " "))
        case .rotateKeys(let kinds, _):
            (.rotateKeys, "", kinds.map(\.rawValue).joined(separator: " "))
        case .replaceLostKeys: (.replaceLostKeys, "", "")
        case .importKeys: (.importKeys, "", "")
        case .archive(let call): call.act
        case .backOffice(let call): call.act
        case .webhook(let call): call.act
        case .listTerminals, .showTerminal, .listCodes, .hashPINs, .audit, .checkStore, .openExport, .ingest,
            .findReceipt,
            .listAttachments, .readAttachment, .ingestAttachment, .listOperators, .operatorLog,
            .storeSettings, .listKeys, .qosStatus, .qosTerminals, .qosHistory, .overrideService,
            .clearOverride, .doubleMembers, .readJournal:
            nil
        }
    }
}
