internal import Base
internal import Crypto
internal import Foundation

/// The secret by which the terminals of one store look coupons or telephone numbers up without having them.
///
/// What is looked up by stands in a terminal's copy as 16 bytes of HMAC-SHA-256 (RFC 2104) in base32 (RFC
/// 4648, capital letters, no padding): 26 characters. 16 bytes, since two of a million digests meet by chance
/// once in 10^26 chains, and a thief gains nothing from fewer.
///
/// A digest hides as much as there is to guess. A code of 10 random characters cannot be found from it; a
/// telephone number can, by whoever has the key as well, in minutes to hours.
package struct LookupKey: Hashable, Sendable {
    @Secret private var bytes: [UInt8]

    /// 32 bytes, as long as the digest's hash.
    private static let length = 32
    private static let digestLength = 16

    /// A fresh one.
    package init() {
        bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
    }

    /// Reads what ``base64`` wrote; nil for anything else.
    package init?(base64: String) {
        guard let data = Data(base64Encoded: base64), data.count == Self.length else { return nil }
        bytes = Array(data)
    }

    /// The 32 bytes in padded base64 (RFC 4648, section 4), as `storeConfig` carries them. Secret.
    package var base64: String { Data(bytes).base64EncodedString() }

    /// 8 hexadecimal characters that are another key's by a chance of 1 to 4·10^9, and do not reveal it.
    package var fingerprint: String {
        SHA256.hash(data: Data("lookup-key\n".utf8) + bytes).prefix(4).map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The digest of a coupon's code, however it is typed.
    package func digest(ofCoupon code: String) -> String { digest(CouponCode.normalForm(of: code)) }

    /// The digest of a telephone number.
    ///
    /// - Parameter digits: its digits alone.
    package func digest(ofPhone digits: String) -> String { digest(digits) }

    /// Whether `text` has the form of a digest: no telephone number has, since one of 26 letters and digits
    /// without a letter comes up once in 10^18.
    package static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 26 && text.utf8.allSatisfy(Base32.alphabet.contains)
            && text.utf8.contains { (0x41...0x5A).contains($0) }
    }

    private func digest(_ text: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(text.utf8), using: SymmetricKey(data: bytes))
        return Base32.text(of: Array(code.prefix(Self.digestLength)))
    }
}

/// Coupons' codes as people type them.
package enum CouponCode {
    /// UTF-8 bytes of the longest code that has spellings. Compatible characters can be eighteen of others,
    /// so that a longer text costs seconds; half of it would still do for every code that people type.
    static let longest = 128

    /// The form in which two spellings of one code are equal: compatible characters as one (NFKC), capital
    /// letters, no spaces. A text of more than 128 bytes is its own form.
    package static func normalForm(of code: String) -> String {
        guard code.utf8.count <= longest else { return code }
        let folded = code.precomposedStringWithCompatibilityMapping.uppercased()
        return String(String.UnicodeScalarView(folded.unicodeScalars.filter { !$0.properties.isWhitespace }))
    }
}

/// RFC 4648, section 6, without padding.
enum Base32 {
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func text(of bytes: [UInt8]) -> String {
        var characters: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xFFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                characters.append(alphabet[buffer >> bits & 31])
            }
        }
        if bits > 0 { characters.append(alphabet[buffer << (5 - bits) & 31]) }
        return String(decoding: characters, as: UTF8.self)
    }
}
