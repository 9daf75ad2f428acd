internal import Crypto

/// Checks signatures of device keys: Ed25519 (RFC 8032), keys and signatures in base64.
public enum DeviceSignature {
    /// Whether `signature` is that of `bytes` under `publicKey`; false for a key or signature of another
    /// size.
    ///
    /// - Parameters:
    ///   - signature: 64 bytes in base64.
    ///   - publicKey: 32 bytes in base64.
    public static func isValid(_ signature: String, of bytes: [UInt8], by publicKey: String) -> Bool {
        guard let raw = Base64.bytes(publicKey), let signed = Base64.bytes(signature), signed.count == 64,
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw)
        else { return false }
        return key.isValidSignature(signed, for: bytes)
    }

    /// What is signed of an object: a label, the terminal's id and the object's canonical form (RFC 8785), a
    /// line feed between them. The label keeps a signature of one kind from being used as one of another
    /// kind.
    static func bytes(_ label: StaticString, terminalId: String, _ object: JSONValue) -> [UInt8] {
        Array("\(label)\n\(terminalId)\n".utf8) + object.canonicalBytes
    }
}
