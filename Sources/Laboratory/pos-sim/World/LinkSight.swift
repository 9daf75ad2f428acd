/// What a till has seen over its link, by the link's own account: what the till concludes has to follow.
/// All moments are milliseconds of the world.
struct LinkSight {
    /// When the first request began that failed after the last one that passed; nil: none did.
    private var failedSince: Int64?
    /// The same of pings: an echo says nothing of requests.
    private var unansweredSince: Int64?
    /// When the first push of them had failed on a dark line; a request for decisions or a check of the
    /// certificate shows nothing of the network by itself. Nil: none has.
    private(set) var knownToFailSince: Int64?
    /// When the cable was taken out; nil: it is in, and something has passed since.
    private var unpluggedSince: Int64?
    private var isUnplugged = false
    /// When those that are on their way began: a till may conclude something before they end.
    private var underway: [Int: Int64] = [:]
    private var last = 0
    /// Whether the cable was out in that run of failures.
    var wasUnplugged: Bool { unpluggedSince != nil }
    /// Since when nothing of the hub passes; nil: something may.
    private(set) var darkSince: Int64?
    /// The first response or echo since ``outageBegan()``.
    private(set) var firstGood: Int64?
    /// Before it nothing may be pushed: a proxy or the hub has said so.
    var pushesWaitUntil: Int64?
    /// The same of any request: canary calls keep it too.
    var waitsUntil: Int64 = 0
    /// When the last push with entries was refused; nil: the last one was accepted.
    private var refusedAt: Int64?
    /// Of the latest waits in a row, how many were the longest that there is.
    private var longestWaits = 0
    /// Since when the hub says that the service of orders may be used, after it said that it is faulty; nil:
    /// it says that it is faulty, or never did.
    private(set) var usableSince: Int64?
    /// The till may be held back until then, by the same decisions.
    private(set) var heldUntil: Int64 = 0
    private var wasFaulty = false

    /// The earliest moment at which anything may have failed after the last good response; nil: nothing did.
    var failingSince: Int64? {
        ([failedSince, unansweredSince, unpluggedSince].compactMap { $0 } + underway.values).min()
    }

    /// A request or ping begins.
    ///
    /// - Returns: its number, for ``ended(_:)``.
    mutating func begins(at now: Int64) -> Int {
        last += 1
        underway[last] = now
        return last
    }

    mutating func ended(_ number: Int) { underway[number] = nil }

    /// A good response.
    mutating func passed(at now: Int64) {
        (failedSince, unansweredSince, knownToFailSince) = (nil, nil, nil)
        if !isUnplugged { unpluggedSince = nil }
        responded(at: now)
    }

    mutating func echoed(at now: Int64) {
        unansweredSince = nil
        responded(at: now)
    }

    mutating func notEchoed(from begin: Int64) { unansweredSince = min(unansweredSince ?? begin, begin) }

    /// A response of whatever kind that the hub may have given.
    mutating func responded(at now: Int64) { firstGood = firstGood ?? now }

    /// - Parameter isPush: whether the till takes its failure for one of the network.
    mutating func failed(from begin: Int64, at now: Int64, isPush: Bool) {
        failedSince = min(failedSince ?? begin, begin)
        if isPush { knownToFailSince = knownToFailSince ?? now }
    }

    /// A push with entries was accepted.
    mutating func pushed() { (refusedAt, longestWaits) = (nil, 0) }

    mutating func plugged(_ isIn: Bool, at now: Int64) {
        isUnplugged = !isIn
        if !isIn { unpluggedSince = unpluggedSince ?? now }
    }

    mutating func turned(isDark: Bool, at now: Int64) {
        if isDark, darkSince == nil { knownToFailSince = nil }
        darkSince = isDark ? darkSince ?? now : nil
    }

    mutating func outageBegan() { firstGood = nil }

    /// A push with entries was refused.
    mutating func refusedPush(at now: Int64) { refusedAt = now }

    /// A push with entries begins.
    ///
    /// - Parameter longest: the longest wait of the till's settings.
    /// - Returns: whether the last three waits all were the longest one, which drawn ones are not.
    mutating func pushes(at now: Int64, longest: Int64) -> Bool {
        guard let refusedAt else { return false }
        self.refusedAt = nil
        longestWaits = abs(now - refusedAt - longest) < 200 ? longestWaits + 1 : 0
        return longestWaits == 3
    }

    /// A decision on the service of orders arrived.
    ///
    /// - Parameter after: how long it holds the till back, in milliseconds.
    /// - Returns: whether it is the first good one after a faulty one.
    mutating func decided(isFaulty: Bool, after: Int64, at now: Int64) -> Bool {
        let isTurn = wasFaulty && !isFaulty
        wasFaulty = isFaulty
        if isFaulty { usableSince = nil }
        if isTurn { (usableSince, heldUntil) = (now, now + after) }
        return isTurn
    }
}
