internal import Crypto

/// Encrypts the lines of one exported journal under a key of its own: ChaCha20-Poly1305 (RFC 8439), the
/// line's number from 0 as the nonce, so that no line can be left out, repeated or moved.
package struct ExportCipher: Sendable {
    package static let keyBytes = 32
    private static let tagBytes = 16

    private let key: [UInt8]
    private var number: UInt64 = 0

    /// - Parameter key: ``keyBytes`` random bytes that encrypt one file and no other.
    package init(key: [UInt8]) {
        self.key = key
    }

    /// The next line, encrypted; nil only for a key of another size.
    package mutating func sealed(_ line: [UInt8]) -> [UInt8]? {
        guard key.count == Self.keyBytes, let nonce = nextNonce(),
            let box = try? ChaChaPoly.seal(line, using: SymmetricKey(data: key), nonce: nonce)
        else { return nil }
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// The next line in clear; nil for one that is not the next line of this file.
    package mutating func opened(_ sealed: [UInt8]) -> [UInt8]? {
        guard key.count == Self.keyBytes, sealed.count >= Self.tagBytes, let nonce = nextNonce(),
            let box = try? ChaChaPoly.SealedBox(
                nonce: nonce, ciphertext: sealed.dropLast(Self.tagBytes), tag: sealed.suffix(Self.tagBytes)),
            let line = try? ChaChaPoly.open(box, using: SymmetricKey(data: key))
        else { return nil }
        return Array(line)
    }

    private mutating func nextNonce() -> ChaChaPoly.Nonce? {
        var bytes = [UInt8](repeating: 0, count: 12)
        for place in 0..<8 { bytes[11 - place] = UInt8(truncatingIfNeeded: number >> UInt64(8 * place)) }
        number += 1
        return try? ChaChaPoly.Nonce(data: bytes)
    }
}

/// The member `sealed` of an exported journal's heading: the file's key, sealed to the hub (HPKE of RFC 9180
/// in base mode: DHKEM X25519 with HKDF-SHA-256, HKDF-SHA-256, ChaCha20-Poly1305).
package struct ExportEnvelope: Fact {
    /// The hub's sealing key.
    package private(set) var keyId = ""
    /// SHA-256 of that public key, in hex.
    package private(set) var fingerprint = ""
    /// Base64.
    package private(set) var encapsulatedKey = ""
    /// The file's key, sealed; base64.
    package private(set) var sealedKey = ""

    /// Makes an envelope; the fingerprint is hex, the last two are base64.
    package init(keyId: String, fingerprint: String, encapsulatedKey: String, sealedKey: String) {
        self.keyId = keyId
        self.fingerprint = fingerprint
        self.encapsulatedKey = encapsulatedKey
        self.sealedKey = sealedKey
    }

    /// What the sealing binds the key to, HPKE's `info`: the heading without this envelope.
    package static func info(of heading: JSONValue) -> [UInt8] {
        Array("holdfast-journal\n".utf8) + JournalExport.clear(heading).canonicalBytes
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("encapsulatedKey", &encapsulatedKey)
        try m.text("fingerprint", &fingerprint)
        try m.text("keyId", &keyId)
        try m.text("sealedKey", &sealedKey)
    }
}
