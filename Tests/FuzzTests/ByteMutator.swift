import Base

/// Corrupts documents as networks and disks do, the same way for the same seed.
struct ByteMutator {
    private var random: SplitMix64
    private static let tokens = [
        "\"", "{", "}", "[", "]", ",", ":", "\\u", "e99", "-", "0", "null", "9223372036854775808", "\u{0}",
        "\n",
    ].map { Array($0.utf8) }

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// `seed` with one to eight changes.
    mutating func invalidate(_ seed: [UInt8]) -> [UInt8] {
        var bytes = seed
        for _ in 0...below(8) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = below(bytes.count + 1)
        switch below(6) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(below(8))
        case 1 where place < bytes.count: bytes[place] = UInt8(below(256))
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(16)))
        case 3: bytes.insert(contentsOf: Self.tokens[below(Self.tokens.count)], at: place)
        case 4: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + below(32))], at: place)
        default: bytes.removeSubrange(place...)
        }
    }

    private mutating func below(_ bound: Int) -> Int {
        Int(random.next() % UInt64(bound))
    }
}
