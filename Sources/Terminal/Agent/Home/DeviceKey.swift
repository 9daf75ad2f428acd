internal import Base
internal import Crypto
internal import Foundation
internal import TerminalStore

/// The terminal's Ed25519 key: its public half goes to the hub at enrolment, its private half never leaves
/// the home.
struct DeviceKey: Sendable {
    @Secret private var key: Curve25519.Signing.PrivateKey

    /// The public key as the contract carries it, base64 of 32 bytes.
    var publicKey: String { key.publicKey.rawRepresentation.base64EncodedString() }

    /// Reads the key of `home`, or makes one when `creating`.
    init(home: TerminalHome, creating: Bool = false) throws(TerminalError) {
        if let text = try HomeFile.read(home.deviceKey) {
            guard let raw = Data(base64Encoded: String(decoding: text, as: UTF8.self).trimmed),
                let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: raw)
            else {
                throw TerminalError(.unusable, code: "device_key_corrupt") {
                    $0.deviceKeyCorrupt(home.deviceKey)
                }
            }
            self.key = key
            return
        }
        guard creating else {
            throw TerminalError(.unusable, code: "home_missing") { $0.deviceKeyMissing(home.deviceKey) }
        }
        key = Curve25519.Signing.PrivateKey()
        let text = key.rawRepresentation.base64EncodedString() + "\n"
        do throws(FileError) {
            try DurableFile.replace(home.deviceKey, with: Array(text.utf8), temporaryName: "device.key.new")
        } catch {
            throw TerminalError(.unusable, code: "home_not_writable") { $0.deviceKeyNotWritten("\(error)") }
        }
    }

    /// Whether `signature` over `bytes` is that of `publicKey`, Ed25519, both in base64.
    @Sendable static func isSigned(_ signature: String, _ bytes: [UInt8], _ publicKey: String) -> Bool {
        guard let raw = Data(base64Encoded: publicKey), let signature = Data(base64Encoded: signature),
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw)
        else { return false }
        return key.isValidSignature(signature, for: bytes)
    }

    /// The Ed25519 signature of `bytes`, 64 bytes in base64: the value of `Pos-Signature`.
    func sign(_ bytes: [UInt8]) -> String? {
        try? key.signature(for: bytes).base64EncodedString()
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
