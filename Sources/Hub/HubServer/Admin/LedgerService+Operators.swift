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
        let expiresAt = now() + lifetime
        try await ledger.keepOperator(
            OperatorRecord(
                name: name, role: role, tokenDigest: Digest.sha256Hex(Array(token.utf8)),
                tokenExpiresAt: expiresAt, loginCodeDigest: LoginCode.digest(of: code), addedAt: now()))
        try await publish()
        return [
            "name": .string(name), "role": .string(role.rawValue), "token": .string(token),
            "tokenExpiresAt": .string(Timestamp.text(milliseconds: expiresAt)), "loginCode": .string(code),
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

    func removeOperator(_ name: String) async throws -> JSONValue {
        guard try await ledger.removeOperator(name: name) else {
            throw Problem.notFound("No operator has the name \(name).")
        }
        try await publish()
        return ["name": .string(name), "removed": true]
    }
}
