internal import Crypto
internal import Foundation
internal import HubCore
import Base
package import HubProtocol
internal import HubStore

/// Opens the files of dead terminals, and compares paper with the journal.
extension LedgerService {
    /// - Returns: `publicKey`, the device key to check the file's signature by: the one that this hub has,
    ///   or, where the caller registers an unknown terminal, the file's own; `isKnown`; `key` of an encrypted
    ///   file.
    func openExport(_ opening: ExportOpening) async throws -> JSONValue {
        let terminal = try await ledger.terminal(opening.heading.terminalId)
        guard terminal != nil || opening.registers else {
            throw Problem.notFound(
                "No terminal has the id \(opening.heading.terminalId): this file is of another hub's, or of "
                    + "before a restore. `--register` takes its terminal up.")
        }
        return [
            "isKnown": .bool(terminal != nil),
            "publicKey": JSONValue(terminal?.publicKey ?? opening.heading.publicKey),
            "key": try await key(of: opening).map { .string(Base64.text($0)) } ?? .null,
        ]
    }

    private func key(of opening: ExportOpening) async throws -> [UInt8]? {
        guard let envelope = opening.envelope else { return nil }
        guard let key = try await vault.opened().sealingKey(envelope.keyId),
            Digest.sha256Hex(Array(key.publicKey.rawRepresentation)) == envelope.fingerprint
        else { throw Problem.exportKeyUnknown(envelope) }
        guard let encapsulated = Data(base64Encoded: envelope.encapsulatedKey),
            let sealed = Data(base64Encoded: envelope.sealedKey),
            var recipient = try? HPKE.Recipient(
                privateKey: key, ciphersuite: .Curve25519_SHA256_ChachaPoly,
                info: Data(ExportEnvelope.info(of: opening.json["heading"] ?? .null)),
                encapsulatedKey: encapsulated),
            let opened = try? recipient.open(sealed)
        else { throw Problem.malformed("The file's heading was changed: its key cannot be opened.") }
        return Array(opened)
    }

    /// The terminal waits unconfirmed, as one that came back after a restore.
    func register(_ opening: ExportOpening) async throws -> JSONValue {
        let heading = opening.heading
        guard let publicKey = heading.publicKey, Base64.bytes(publicKey)?.count == 32,
            StoreIdentifier.isValid(heading.storeId),
            let number = heading.terminalNumber, (1...999_999).contains(number)
        else {
            throw Problem.malformed("The file names no store, number and device key to register.")
        }
        let time = now()
        let terminal = try await ledger.readmit(
            TerminalRecord(
                id: heading.terminalId, storeId: heading.storeId, number: number, name: "from an export",
                publicKey: publicKey, enrolledAt: time, revokedAt: nil, tokenExpiresAt: 0,
                unconfirmedSince: time))
        try await publish()
        return terminal.json
    }

    func findReceipt(_ number: String) async throws -> JSONValue {
        let entries = try await ledger.receipts(orderNumber: number)
        return [
            "receipts": .array(
                entries.map { entry in
                    [
                        "orderNumber": .string(number), "terminalId": .string(entry.terminalId),
                        "mutationId": .string(entry.mutationId), "hash": .string(entry.hash),
                        "shortCode": JSONValue(Digest.shortCode(of: entry.hash)),
                        "total": ["amount": .integer(entry.total), "currency": .string(entry.currency)],
                        "receivedAt": .string(Timestamp.text(milliseconds: entry.receivedAt)),
                    ]
                })
        ]
    }
}

/// The heading of a dead terminal's file, as the hub needs it.
package struct ExportOpening: Hashable, Sendable {
    /// With its envelope.
    private let document: JSONValue
    let heading: JournalExport.Heading
    let envelope: ExportEnvelope?
    /// Whether a terminal that the hub does not know is no obstacle.
    package let registers: Bool

    /// - Throws: ``ShapeError`` for what is no heading.
    package init(heading document: JSONValue, registers: Bool) throws(ShapeError) {
        self.document = document
        self.registers = registers
        do throws(JournalExport.Fault) {
            (heading, _, envelope) = try JournalExport.opening(of: document.canonicalBytes)
        } catch {
            throw ShapeError(path: "heading", expected: "a heading: \(error.reason)")
        }
    }

    init(json: JSONValue) throws(ShapeError) {
        try self.init(
            heading: try json.requiredObject("heading"), registers: json["registers"]?.bool ?? false)
    }

    var json: JSONValue { ["heading": document, "registers": .bool(registers)] }
}

extension Problem {
    fileprivate static func exportKeyUnknown(_ envelope: ExportEnvelope) -> Problem {
        Problem(
            status: 409, code: .exportKeyUnknown,
            title: "The file is encrypted to a key that this hub does not have",
            detail:
                "export_key_unknown: the file is encrypted to the key \(envelope.keyId) "
                + "(SHA-256 \(envelope.fingerprint)), which this hub does not have. Export it where it was made with `pos-hub key export "
                + "\(envelope.keyId) --output FILE`, or take it from a backup, and `pos-hub key import FILE`."
        )
    }
}
