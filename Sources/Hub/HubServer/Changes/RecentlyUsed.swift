/// Values that were computed, as many as fit; what was not used for longest goes first.
struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Kept {
        let value: Value
        let size: Int
        var used: UInt64
    }

    /// The sum of all sizes that is kept. A larger value is kept alone.
    private let most: Int
    private var kept: [Key: Kept] = [:]
    private var size = 0
    private var uses: UInt64 = 0

    init(most: Int) { self.most = most }

    var keys: Set<Key> { Set(kept.keys) }

    mutating func value(of key: Key) -> Value? {
        uses += 1
        kept[key]?.used = uses
        return kept[key]?.value
    }

    /// Keeps a value in place of the one of the same key.
    ///
    /// - Parameter size: what it takes, at least 1.
    mutating func keep(_ value: Value, of key: Key, size new: Int) {
        size -= kept.removeValue(forKey: key)?.size ?? 0
        while size + new > most, let oldest = kept.min(by: { $0.value.used < $1.value.used })?.key {
            size -= kept.removeValue(forKey: oldest)?.size ?? 0
        }
        uses += 1
        kept[key] = Kept(value: value, size: new, used: uses)
        size += new
    }
}
