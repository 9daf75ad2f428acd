internal import Crypto
internal import Foundation
internal import HubCore
internal import HubProtocol

/// What a terminal shows at every call: who it is and until when, signed by the hub.
///
/// `pos2.<terminal>.<store>.<number>.<device key's fingerprint>.<expiry>.<token key's id>.<signature>`, the
/// signature Ed25519 over "device-token\n" and what stands before it.
struct DeviceToken: Equatable, Sendable {
    let device: DeviceIdentity
    /// Unique within the store.
    let number: Int64
    /// ``fingerprint(of:)`` of the device's key.
    let fingerprint: String
    /// Milliseconds since 1970.
    let expiresAt: Int64

    /// The prefix of every token. It names the layout, so that another layout can be distinguished.
    private static let mark = "pos2"

    init(of terminal: TerminalRecord, expiresAt: Int64) {
        device = DeviceIdentity(terminalId: terminal.id, storeId: terminal.storeId)
        number = terminal.number
        fingerprint = Self.fingerprint(of: terminal.publicKey)
        self.expiresAt = expiresAt
    }

    /// Reads what stands before the signature; nil for anything else. Its expiry is the caller's to judge.
    private init?(claims: String) {
        let parts = claims.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.first == Self.mark, parts.count == 7, let number = Int64(parts[3]),
            let expiresAt = Int64(parts[5])
        else { return nil }
        self.number = number
        fingerprint = parts[4]
        self.expiresAt = expiresAt
        device = DeviceIdentity(terminalId: parts[1], storeId: parts[2])
    }

    func text(signedBy key: HubKeyEntry) -> String? {
        guard let raw = key.privateBytes,
            let signer = try? Curve25519.Signing.PrivateKey(rawRepresentation: raw)
        else { return nil }
        let claims =
            "\(Self.mark).\(device.terminalId).\(device.storeId).\(number).\(fingerprint).\(expiresAt).\(key.id)"
        guard let signature = try? signer.signature(for: Self.message(claims)) else { return nil }
        return claims + "." + Base64URL.text(Array(signature))
    }

    /// A token before its signature was looked at.
    struct Unverified {
        let token: DeviceToken
        /// Of the token key.
        let keyId: String
        private let claims: String
        private let signature: [UInt8]

        init?(_ text: String) {
            guard let dot = text.lastIndex(of: "."),
                let signature = Base64URL.bytes(String(text[text.index(after: dot)...])),
                let token = DeviceToken(claims: String(text[..<dot])),
                let keyId = text[..<dot].split(separator: ".").last
            else { return nil }
            self.token = token
            self.signature = signature
            claims = String(text[..<dot])
            self.keyId = String(keyId)
        }

        func isSigned(by key: Curve25519.Signing.PublicKey) -> Bool {
            key.isValidSignature(signature, for: DeviceToken.message(claims))
        }
    }

    private static func message(_ claims: String) -> [UInt8] { Array("device-token\n\(claims)".utf8) }

    /// The first 16 bytes of the SHA-256 of a device's key in hexadecimal: nobody finds a second key to them.
    static func fingerprint(of publicKey: String) -> String {
        String(Digest.sha256Hex(Array(Data(base64Encoded: publicKey) ?? Data())).prefix(32))
    }
}

/// Base64 of RFC 4648, section 5, without padding: safe in headers, paths and queries.
enum Base64URL {
    static func text(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    /// Nil for anything that ``text(_:)`` would not have written.
    static func bytes(_ text: String) -> [UInt8]? {
        let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded), Self.text(Array(data)) == text else { return nil }
        return Array(data)
    }
}
