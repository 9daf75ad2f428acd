/// A 128-bit identifier that sorts by its creation time: 48 bits of Unix milliseconds, 80 random bits,
/// written as 26 Crockford base-32 characters. (github.com/ulid/spec)
public struct ULID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The upper 64 bits: the milliseconds and the first 16 random bits.
    public let high: UInt64
    /// The lower 64 random bits.
    public let low: UInt64

    /// Makes an identifier from its two halves; every pair is valid.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// An identifier of `milliseconds` since 1970 (0 up to 2⁴⁸−1) with bits from `generator`.
    public init(milliseconds: UInt64, using generator: inout some RandomNumberGenerator) {
        precondition(milliseconds < 1 << 48, "a ULID holds 48 bits of milliseconds")
        high = milliseconds << 16 | (generator.next() >> 48)
        low = generator.next()
    }

    /// Reads 26 Crockford characters in either case; nil for anything else, the overflow above 2¹²⁸ included.
    public init?(_ text: some StringProtocol) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            guard count < 26, let digit = Self.digit(of: byte) else { return nil }
            guard count > 0 || digit < 8 else { return nil }
            high = high << 5 | low >> 59
            low = low << 5 | UInt64(digit)
            count += 1
        }
        guard count == 26 else { return nil }
        self.init(high: high, low: low)
    }

    /// Milliseconds since 1970 at which the identifier was created.
    public var milliseconds: UInt64 { high >> 16 }

    /// A new identifier that sorts after `last` even when the clock was set back: a millisecond later than it
    /// then, with random bits of its own. Whoever sees one identifier cannot foresee the next.
    ///
    /// - Parameter now: Unix milliseconds of the wall clock, below 2⁴⁸.
    public static func minted(
        after last: ULID?, now: UInt64, using generator: inout some RandomNumberGenerator
    ) -> ULID {
        guard let last, now <= last.milliseconds else { return ULID(milliseconds: now, using: &generator) }
        // The last millisecond that an identifier holds is in the year 10889; no identifier sorts after it.
        return ULID(milliseconds: min(last.milliseconds + 1, 1 << 48 - 1), using: &generator)
    }

    /// 26 Crockford characters in capital letters, for example `01M81N5RAFKW0TCB7HBJ8K1EVK`.
    public var description: String {
        var characters: [UInt8] = []
        characters.reserveCapacity(26)
        for index in stride(from: 125, through: 0, by: -5) {
            characters.append(Self.alphabet[Int(bits(from: index))])
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// The order of creation, the same as that of the texts.
    public static func < (left: ULID, right: ULID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Five bits that start `shift` bits above the lowest one.
    private func bits(from shift: Int) -> UInt64 {
        if shift >= 64 { return (high >> UInt64(shift - 64)) & 31 }
        let lower = low >> UInt64(shift)
        return (shift > 59 ? lower | high << UInt64(64 - shift) : lower) & 31
    }

    private static func digit(of byte: UInt8) -> UInt8? {
        let upper = byte >= 0x61 && byte <= 0x7A ? byte - 0x20 : byte
        return alphabet.firstIndex(of: upper).map(UInt8.init)
    }
}
