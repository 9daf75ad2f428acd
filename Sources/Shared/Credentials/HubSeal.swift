internal import Crypto
internal import Foundation

/// Seals bytes to the hub's sealing key (HPKE of RFC 9180 in base mode: DHKEM X25519 with HKDF-SHA-256,
/// HKDF-SHA-256, ChaCha20-Poly1305). Who seals cannot open it again.
package enum HubSeal {
    private static let keyBytes = 32

    /// The encapsulated key and the sealed bytes; nil where the hub's key cannot be used.
    ///
    /// - Parameters:
    ///   - info: what the bytes belong to; with another one they do not open.
    ///   - hubKey: the hub's public sealing key, base64.
    package static func sealed(_ bytes: [UInt8], info: [UInt8], to hubKey: String) -> [UInt8]? {
        guard let raw = Data(base64Encoded: hubKey),
            let publicKey = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: raw),
            var sender = try? HPKE.Sender(
                recipientKey: publicKey, ciphersuite: .Curve25519_SHA256_ChachaPoly, info: Data(info)),
            let sealed = try? sender.seal(Data(bytes))
        else { return nil }
        return Array(sender.encapsulatedKey + sealed)
    }

    /// The bytes; nil where they were sealed to another key, belong to something else, or were changed.
    ///
    /// - Parameter privateKey: the raw private half of the hub's sealing key.
    package static func opened(_ sealed: [UInt8], info: [UInt8], with privateKey: [UInt8]) -> [UInt8]? {
        guard sealed.count > keyBytes,
            let own = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: privateKey),
            var recipient = try? HPKE.Recipient(
                privateKey: own, ciphersuite: .Curve25519_SHA256_ChachaPoly, info: Data(info),
                encapsulatedKey: Data(sealed.prefix(keyBytes))),
            let bytes = try? recipient.open(Data(sealed.dropFirst(keyBytes)))
        else { return nil }
        return Array(bytes)
    }
}
