internal import Base
internal import Crypto
internal import Foundation

/// 32 random bytes of one terminal, kept outside its database: without them a copy of the database checks no
/// PIN at all.
package struct DeviceSecret: Sendable {
    @Secret private var key: SymmetricKey

    /// In bytes: the output length of SHA-256, beyond which HMAC gains nothing (RFC 2104, section 3).
    package static let length = 32

    /// A fresh one, by the system's generator.
    package init() {
        key = SymmetricKey(size: .bits256)
    }

    /// One as it was kept; nil unless it has ``length`` bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// The bytes, for the file that they are kept in.
    package var bytes: [UInt8] { key.withUnsafeBytes { Array($0) } }

    /// Names the secret and gives nothing of it away: 16 hexadecimal digits.
    package var fingerprint: String {
        HMAC<SHA256>.authenticationCode(for: Data("fingerprint".utf8), using: key).prefix(8)
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    func seal(_ output: Data) -> Data { Data(HMAC<SHA256>.authenticationCode(for: output, using: key)) }

    func isSeal(_ seal: Data, of output: Data) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(seal, authenticating: output, using: key)
    }
}

/// A cashier's PIN as a terminal keeps it: HMAC-SHA-256 of scrypt's output under the terminal's
/// ``DeviceSecret``, with salt and costs beside it. What the hub checks a PIN by cannot be made from it.
///
/// Its text is `$hmac-scrypt$ln=16,r=8,p=2$<length>$<salt>$<seal>`: length of scrypt's output in bytes, then
/// both in base64 without padding.
package struct SealedPIN: Hashable, Sendable {
    /// As the terminal's database keeps it; it may be malformed, since nothing is checked before a PIN is.
    package let text: String

    /// The work of a PIN that is imported today, 2^17 in units of blocks of 1 KiB (OWASP's least for scrypt).
    /// Half of it halves what a stolen disk resists; twice of it makes a sign-in on a small terminal take a
    /// second.
    package static let fullWork: Int64 = 1 << 17

    /// Seals what the hub sent; nil when `hash` cannot be read.
    package init?(sealing hash: PINHash, with secret: DeviceSecret) {
        guard let parts = hash.parts else { return nil }
        let cost = parts.cost
        text =
            "$hmac-scrypt$ln=\(cost.logarithm),r=\(cost.blockSize),p=\(cost.parallelism)$\(parts.output.count)"
            + "$\(PINHash.encoded(parts.salt))$\(PINHash.encoded(secret.seal(parts.output)))"
    }

    /// One as it was kept. One that cannot be read matches nothing.
    package init(text: String) {
        self.text = text
    }

    /// Whether `pin` is the one that was sealed under `secret`, compared in constant time.
    ///
    /// Takes some tenths of a second and up to 64 MiB.
    package func matches(_ pin: String, with secret: DeviceSecret) -> Bool {
        guard let parts,
            let output = PINHash.hash(pin, salt: parts.salt, cost: parts.cost, length: parts.length)
        else { return false }
        return secret.isSeal(parts.seal, of: output)
    }

    /// What one guess costs, in the unit of ``fullWork``; nil when the text cannot be read.
    package var work: Int64? {
        parts.map { (Int64($0.cost.blockSize * $0.cost.parallelism) << Int64($0.cost.logarithm)) / 8 }
    }

    private struct Parts {
        let cost: PINHash.Cost
        let length: Int
        let salt: Data
        let seal: Data
    }

    private var parts: Parts? {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "hmac-scrypt",
            let cost = PINHash.cost(parts[2]),
            cost.isBearable, let length = Int(parts[3]), PINHash.outputLengths.contains(length),
            let salt = PINHash.decoded(parts[4]), let seal = PINHash.decoded(parts[5]), seal.count == 32
        else { return nil }
        return Parts(cost: cost, length: length, salt: salt, seal: seal)
    }
}
