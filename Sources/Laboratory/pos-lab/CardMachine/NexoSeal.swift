import HubProtocol

internal import Crypto
internal import CryptoExtras
internal import Foundation

/// The machine's side of the messages' encryption: PBKDF2-HMAC-SHA1 with 4,000 rounds gives 80 bytes, of
/// which 32 authenticate, 32 encrypt and 16 are the first vector.
struct NexoSeal: Sendable {
    private let identifier: String
    private let version: Int64
    private let material: [UInt8]

    /// - Parameter file: JSON with `passphrase`, `keyIdentifier` and `keyVersion`.
    init?(file: String) throws {
        let json = try JSONParser.parse(Array(try Data(contentsOf: URL(fileURLWithPath: file))))
        guard let passphrase = json["passphrase"]?.string, let identifier = json["keyIdentifier"]?.string,
            let version = json["keyVersion"]?.integer
        else { return nil }
        (self.identifier, self.version) = (identifier, version)
        material = try KDF.Insecure.PBKDF2.deriveKey(
            from: Array(passphrase.utf8), salt: Array("AdyenNexoV1Salt".utf8), using: .insecureSHA1,
            outputByteCount: 80, unsafeUncheckedRounds: 4_000
        ).withUnsafeBytes { Array($0) }
    }

    private var macKey: SymmetricKey { SymmetricKey(data: material[0..<32]) }
    private var cipherKey: SymmetricKey { SymmetricKey(data: material[32..<64]) }

    private func vector(_ nonce: [UInt8]) throws -> AES._CBC.IV {
        try AES._CBC.IV(ivBytes: zip(material[64..<80], nonce).map(^))
    }

    /// Nil for what was not sealed with this key.
    func open(_ envelope: JSONValue) -> [UInt8]? {
        func bytes(_ value: JSONValue?) -> [UInt8]? {
            value?.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
        }
        let trailer = envelope["SecurityTrailer"]
        guard let blob = bytes(envelope["NexoBlob"]), let nonce = bytes(trailer?["Nonce"]), nonce.count == 16,
            let code = bytes(trailer?["Hmac"]),
            let plain = try? AES._CBC.decrypt(blob, using: cipherKey, iv: vector(nonce)),
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: plain, using: macKey)
        else { return nil }
        return Array(plain)
    }

    func close(_ plain: [UInt8]) throws -> JSONObject {
        let nonce = (0..<16).map { _ in UInt8.random(in: 0...255) }
        let blob = try AES._CBC.encrypt(plain, using: cipherKey, iv: vector(nonce))
        let code = HMAC<SHA256>.authenticationCode(for: plain, using: macKey)
        return [
            "NexoBlob": .string(blob.base64EncodedString()),
            "SecurityTrailer": [
                "AdyenCryptoVersion": 1, "KeyIdentifier": .string(identifier),
                "KeyVersion": .integer(version),
                "Nonce": .string(Data(nonce).base64EncodedString()),
                "Hmac": .string(Data(code).base64EncodedString()),
            ],
        ]
    }
}
