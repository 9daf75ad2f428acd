import Base
package import HubProtocol

internal import Crypto
internal import CryptoExtras
internal import Foundation

/// Encrypts the messages between the till and its machine with the passphrase that both have: AES-256 in CBC
/// mode, and an HMAC over the plain message.
///
/// The HMAC covers neither the outer header nor the moment, so that an old message can be replayed: what a
/// message says counts for the request whose ids are inside it, and for no other (``NexoReply``).
package struct NexoCipher: Hashable, Sendable {
    /// What the machine's owner set it to, beside the passphrase.
    package let identifier: String
    package let version: Int64
    @Secret private var authentication: [UInt8]
    @Secret private var encryption: [UInt8]
    @Secret private var base: [UInt8]

    private static let salt = Array("AdyenNexoV1Salt".utf8)
    private static let rounds = 4_000

    /// Takes some milliseconds; nil where the library derives no key, for lack of memory.
    package init?(passphrase: String, identifier: String, version: Int64) {
        guard
            let derived = try? KDF.Insecure.PBKDF2.deriveKey(
                from: Array(passphrase.utf8), salt: Self.salt, using: .insecureSHA1, outputByteCount: 80,
                unsafeUncheckedRounds: Self.rounds)
        else { return nil }
        let bytes = derived.withUnsafeBytes { Array($0) }
        self.identifier = identifier
        self.version = version
        authentication = Array(bytes[..<32])
        encryption = Array(bytes[32..<64])
        base = Array(bytes[64...])
    }

    /// What stands beside the header in place of the message.
    ///
    /// - Parameter nonce: 16 bytes that no other message has.
    package func sealed(_ message: [UInt8], nonce: [UInt8]) -> JSONObject? {
        guard let vector = vector(nonce),
            let sealed = try? AES._CBC.encrypt(message, using: SymmetricKey(data: encryption), iv: vector)
        else { return nil }
        let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: authentication))
        return [
            "NexoBlob": .string(sealed.base64EncodedString()),
            "SecurityTrailer": [
                "AdyenCryptoVersion": 1, "KeyIdentifier": .string(identifier),
                "KeyVersion": .integer(version),
                "Nonce": .string(Data(nonce).base64EncodedString()),
                "Hmac": .string(Data(code).base64EncodedString()),
            ],
        ]
    }

    /// The plain message; nil for anything that was not sealed with this key, without a word about why.
    package func opened(_ envelope: JSONValue) -> [UInt8]? {
        let trailer = envelope["SecurityTrailer"]
        guard let blob = envelope["NexoBlob"]?.string.flatMap({ Data(base64Encoded: $0) }),
            let nonce = trailer?["Nonce"]?.string.flatMap({ Data(base64Encoded: $0) }),
            let code = trailer?["Hmac"]?.string.flatMap({ Data(base64Encoded: $0) }),
            let vector = vector(Array(nonce)),
            let message = try? AES._CBC.decrypt(blob, using: SymmetricKey(data: encryption), iv: vector),
            HMAC<SHA256>.isValidAuthenticationCode(
                code, authenticating: message, using: SymmetricKey(data: authentication))
        else { return nil }
        return Array(message)
    }

    private func vector(_ nonce: [UInt8]) -> AES._CBC.IV? {
        guard nonce.count == base.count else { return nil }
        return try? AES._CBC.IV(ivBytes: zip(base, nonce).map { $0 ^ $1 })
    }
}
