/// What a till has seen over its link, by the link's own account: what the till concludes has to follow from it.
/// All moments are milliseconds of the world.
struct LinkSight {
    /// When the first request or ping began that failed after the last one that passed; nil: none did.
    private(set) var failingSince: Int64?
    /// Whether the cable was out in that run of failures.
    private(set) var wasUnplugged = false
    /// Since when nothing of the hub passes; nil: something may.
    private(set) var darkSince: Int64?
    /// The first response or echo since ``outageBegan()``.
    private(set) var firstGood: Int64?
    /// Before it nothing may be pushed: a proxy or the hub has said so.
    var pushesWaitUntil: Int64?
    private var refusals: [Int64] = []

    mutating func passed(at now: Int64) {
        (failingSince, wasUnplugged) = (nil, false)
        firstGood = firstGood ?? now
        refusals = []
    }

    mutating func failed(from begin: Int64) { failingSince = min(failingSince ?? begin, begin) }

    mutating func unplugged(at now: Int64) {
        failed(from: now)
        wasUnplugged = true
    }

    mutating func turned(isDark: Bool, at now: Int64) { darkSince = isDark ? darkSince ?? now : nil }

    mutating func outageBegan() { firstGood = nil }

    /// Notes that a push was refused.
    ///
    /// - Returns: whether the last four waits were the same, which drawn ones are not.
    mutating func refusedPush(at now: Int64) -> Bool {
        refusals.append(now)
        let waits = zip(refusals.dropFirst(), refusals).map { $0 - $1 }.suffix(4)
        guard waits.count == 4, let least = waits.min(), let most = waits.max() else { return false }
        return least > 5_000 && most - least < 200
    }
}
