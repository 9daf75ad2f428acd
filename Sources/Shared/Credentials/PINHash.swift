internal import Crypto
internal import CryptoExtras
internal import Foundation

/// A cashier's PIN as it is kept: salted and hashed by scrypt (RFC 7914), so that a reader of a till's disk
/// has to try PIN after PIN at some tenths of a second each.
///
/// Its text is `$scrypt$ln=16,r=8,p=2$<salt>$<hash>`, both base64 without padding, as password hashes are
/// commonly written. The costs travel in it: hashes of before, with `ln=14,r=8,p=1`, are read as ever.
package struct PINHash: Hashable, Sendable {
    /// As it is stored and sent; it may be malformed, since nothing is checked before a PIN is.
    package let text: String

    /// 2 to the power of `logarithm` rounds over blocks of 128 × `blockSize` bytes.
    struct Cost: Hashable {
        let logarithm: Int
        let blockSize: Int
        let parallelism: Int

        /// The work of 2^17 rounds, which OWASP's password storage cheat sheet names as the least, done twice
        /// 2^16 in the same 64 MiB, the most that terminals of before accept: 0.3 s on a core of 2020. With
        /// half of it a thief of a disk needs half the time, with double a sign-in on a small terminal takes
        /// more than a second.
        static let usual = Cost(logarithm: 16, blockSize: 8, parallelism: 2)
        var text: String { "ln=\(logarithm),r=\(blockSize),p=\(parallelism)" }
        /// The largest cost parameters accepted in a text from outside: 64 MiB and about a second.
        var isBearable: Bool {
            (1...16).contains(logarithm) && (1...8).contains(blockSize) && (1...4).contains(parallelism)
        }
    }

    private static let saltLength = 16
    private static let hashLength = 32

    /// Hashes `pin` with a fresh salt; nil when the library refuses, for lack of memory.
    package init?(hashing pin: String) {
        let salt = SymmetricKey(size: SymmetricKeySize(bitCount: Self.saltLength * 8))
            .withUnsafeBytes { Data($0) }
        guard let hash = Self.hash(pin, salt: salt, cost: .usual, length: Self.hashLength) else { return nil }
        text = "$scrypt$\(Cost.usual.text)$\(Self.encoded(salt))$\(Self.encoded(hash))"
    }

    /// A hash as it was kept. One that cannot be read matches nothing.
    package init(text: String) {
        self.text = text
    }

    /// The hash of no PIN and no password, at the usual cost. A check against it fails after the time that a
    /// check of a known person takes. Its text is fixed: a hash made for this at each start would take
    /// 0.3 s and 64 MiB.
    package static let nobody = PINHash(
        text: "$scrypt$\(Cost.usual.text)$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")

    /// Whether it costs a guesser what a fresh hash does; those of earlier versions cost less.
    package var isOfUsualCost: Bool { text.hasPrefix("$scrypt$\(Cost.usual.text)$") }

    /// Whether `pin` is the one that was hashed, compared in constant time.
    ///
    /// Takes some tenths of a second.
    package func matches(_ pin: String) -> Bool {
        guard let parts,
            let tried = Self.hash(pin, salt: parts.salt, cost: parts.cost, length: parts.output.count)
        else { return false }
        return zip(parts.output, tried).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Reads the text; nil for one that is malformed or whose cost parameters are too large.
    var parts: (cost: Cost, salt: Data, output: Data)? {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt", let cost = Self.cost(parts[2]),
            cost.isBearable, let salt = Self.decoded(parts[3]), let output = Self.decoded(parts[4]),
            Self.outputLengths.contains(output.count)
        else { return nil }
        return (cost, salt, output)
    }

    /// In bytes.
    static let outputLengths = 16...64

    static func hash(_ pin: String, salt: Data, cost: Cost, length: Int) -> Data? {
        let key = try? KDF.Scrypt.deriveKey(
            from: Data(pin.utf8), salt: salt, outputByteCount: length, rounds: 1 << cost.logarithm,
            blockSize: cost.blockSize, parallelism: cost.parallelism)
        return key?.withUnsafeBytes { Data($0) }
    }

    static func cost(_ text: String) -> Cost? {
        let values = text.split(separator: ",").compactMap { part -> (Substring, Int)? in
            guard let equals = part.firstIndex(of: "="), let value = Int(part[part.index(after: equals)...])
            else { return nil }
            return (part[..<equals], value)
        }
        guard values.map(\.0) == ["ln", "r", "p"] else { return nil }
        return Cost(logarithm: values[0].1, blockSize: values[1].1, parallelism: values[2].1)
    }

    static func encoded(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacingOccurrences(of: "=", with: "")
    }

    static func decoded(_ text: String) -> Data? {
        Data(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
    }
}
