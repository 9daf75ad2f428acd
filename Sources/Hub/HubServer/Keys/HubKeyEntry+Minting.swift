import Base

internal import Crypto
internal import Foundation
internal import HubCore
internal import HubProtocol

extension HubKeyEntry {
    /// How long a key is meant to be used: 5 years in milliseconds. A terminal that is away for less finds
    /// the way to the key of now by the signatures; a shorter life brings rotations that nobody needs, a
    /// longer one more files that one stolen key opens.
    static let lifetimeMilliseconds: Int64 = 5 * 365 * 86_400_000

    /// Makes a key.
    ///
    /// - Parameter usableFrom: before this it is not used, in milliseconds since 1970.
    static func minted(_ kind: Kind, at now: Int64, usableFrom: Int64) -> HubKeyEntry {
        let (publicKey, privateKey): (Data?, Data) =
            switch kind {
            case .token, .signing:
                { ($0.publicKey.rawRepresentation, $0.rawRepresentation) }(Curve25519.Signing.PrivateKey())
            case .sealing:
                { ($0.publicKey.rawRepresentation, $0.rawRepresentation) }(
                    Curve25519.KeyAgreement.PrivateKey())
            case .secret: (nil, SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
            }
        return HubKeyEntry(
            id: id(kind, of: publicKey ?? privateKey), kind: kind,
            publicKey: publicKey?.base64EncodedString(), privateKey: privateKey.base64EncodedString(),
            createdAt: now, usableFrom: usableFrom, notAfter: now + lifetimeMilliseconds)
    }

    /// The first 8 bytes of a SHA-256: enough that nobody makes a second key to an id by chance, and an id is
    /// still short enough to be typed. Of a secret that shows nothing that helps to find it: 256 random bits.
    private static func id(_ kind: Kind, of bytes: Data) -> String {
        let digest = Digest.sha256Hex(Array("hub-\(kind.rawValue)\n".utf8) + Array(bytes))
        return "\(kind.rawValue)-\(digest.prefix(16))"
    }

    /// The same with the signature of the hub's signing key `signer`; as it is for a secret.
    func signed(by signer: HubKeyEntry?) -> HubKeyEntry {
        guard let offered, let raw = signer?.privateBytes,
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: raw)
        else { return self }
        var entry = self
        entry.signature = try? key.signature(for: offered.signedBytes).base64EncodedString()
        return entry
    }

    var privateBytes: Data? { privateKey.flatMap { Data(base64Encoded: $0) } }
    var publicBytes: Data? { publicKey.flatMap { Data(base64Encoded: $0) } }

    /// Whether the halves are keys of the kind and belong together, and the id is theirs.
    var isSound: Bool {
        guard let raw = privateBytes, raw.count == 32 else { return false }
        let derived: Data? =
            switch kind {
            case .token, .signing:
                try? Curve25519.Signing.PrivateKey(rawRepresentation: raw).publicKey.rawRepresentation
            case .sealing:
                try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: raw).publicKey.rawRepresentation
            case .secret: nil
            }
        return derived == publicBytes && id == Self.id(kind, of: derived ?? raw)
    }
}
