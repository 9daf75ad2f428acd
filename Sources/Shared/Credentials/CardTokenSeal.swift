internal import Crypto
internal import Foundation

/// Seals the opaque token of a card machine to the hub's sealing key (HPKE: X25519, HKDF-SHA256,
/// ChaCha20-Poly1305). A terminal writes the sealed form alone, and cannot open it again.
package enum CardTokenSeal {
    private static let keyBytes = 32

    /// A sealed token belongs to one payment: under another key, amount or currency it does not open.
    private static func info(_ key: String, _ amount: Int64, _ currency: String) -> Data {
        Data("holdfast card token\n\(key)\n\(amount) \(currency)".utf8)
    }

    /// Seals `token` for the payment of `key`, in base64; nil where the hub's key cannot be used.
    ///
    /// - Parameter hubKey: the hub's public sealing key, base64.
    package static func sealed(
        _ token: [UInt8], ofPayment key: String, amount: Int64, currency: String, to hubKey: String
    ) -> String? {
        guard let raw = Data(base64Encoded: hubKey),
            let publicKey = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: raw),
            var sender = try? HPKE.Sender(
                recipientKey: publicKey, ciphersuite: .Curve25519_SHA256_ChachaPoly,
                info: info(key, amount, currency)),
            let sealed = try? sender.seal(Data(token))
        else { return nil }
        return (sender.encapsulatedKey + sealed).base64EncodedString()
    }

    /// The token of a payment; nil for one that was sealed to another key or for another payment.
    ///
    /// - Parameter privateKey: the raw private half of the hub's sealing key.
    package static func opened(
        _ sealed: String, ofPayment key: String, amount: Int64, currency: String, with privateKey: [UInt8]
    ) -> [UInt8]? {
        guard let bytes = Data(base64Encoded: sealed), bytes.count > keyBytes,
            let own = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: privateKey),
            var recipient = try? HPKE.Recipient(
                privateKey: own, ciphersuite: .Curve25519_SHA256_ChachaPoly,
                info: info(key, amount, currency), encapsulatedKey: bytes.prefix(keyBytes)),
            let token = try? recipient.open(bytes.dropFirst(keyBytes))
        else { return nil }
        return Array(token)
    }
}
