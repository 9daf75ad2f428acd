import Base

/// Measures silences and returns while the detector runs, and learns from each.
///
/// Only what was watched without a break is measured: a path change or a suspension makes the measurement
/// void, so neither is ever learned.
struct SilenceWatch: Hashable, Codable, Sendable {
    /// Shorter silences would change no choice.
    private static let shortest = Duration.seconds(4)
    /// After so long a return counts as one that lasted.
    private static let lasting = Duration.milliseconds(SilenceMemory.longest)

    private(set) var learned: LearnedWait
    /// Counts what was learned.
    private(set) var revision: UInt64 = 0
    /// How long the probe that opens a suspicion was pending: a silence counts from when it was sent.
    private var queriedBefore: Duration
    private var silentSince: Instant?
    /// The first good probe of the running recovery, and the last one.
    private var firstGood: Instant?
    private var lastGood: Instant?
    /// Since when the link has been good after the last outage.
    private var returnedSince: Instant?

    init(memory: SilenceMemory, settings: NetworkSettings) {
        learned = LearnedWait(memory: memory, pingInterval: settings.pingInterval)
        queriedBefore = settings.pingTimeout
    }

    /// Other numbers apply from now on; what was learned stays.
    mutating func take(_ settings: NetworkSettings) {
        learned = LearnedWait(memory: learned.memory, pingInterval: settings.pingInterval)
        queriedBefore = settings.pingTimeout
    }

    /// T1 of the next run of failures: the wait, less what passes before the first failure.
    var debounce: Duration { .milliseconds(learned.wait) - queriedBefore }

    /// T2 of the next recovery.
    var hold: Duration { .milliseconds(learned.hold) }

    /// The running measurement was not watched to its end.
    mutating func void() {
        (silentSince, firstGood, lastGood, returnedSince) = (nil, nil, nil, nil)
    }

    /// The failure is no silence but a login page, a lost path or a hub that is down.
    mutating func silenceWasNone() { silentSince = nil }

    mutating func silenceBegan(at now: Instant) {
        silentSince = now - queriedBefore
        if let since = returnedSince, now - since >= Self.lasting {
            returnedSince = nil
            note(return: Self.lasting)
        }
    }

    /// The silence ended before the fault was confirmed.
    mutating func silenceEnded(at now: Instant) {
        note(silenceUntil: now)
        silentSince = nil
    }

    mutating func wasConfirmed() {
        if let since = returnedSince, let silentSince { note(return: silentSince - since) }
        returnedSince = nil
    }

    mutating func cameBack(at now: Instant) { (firstGood, lastGood) = (now, now) }

    /// A further good probe of the recovery.
    mutating func wasGood(at now: Instant) { lastGood = now }

    /// The recovery failed: silent again since the last good probe.
    mutating func fellBack() {
        guard let first = firstGood, let last = lastGood else { return }
        note(silenceUntil: first)
        note(return: last - first)
        (silentSince, firstGood, lastGood) = (last, nil, nil)
    }

    /// The recovery is complete.
    mutating func wasBelieved() {
        if let firstGood {
            note(silenceUntil: firstGood)
            returnedSince = firstGood
        }
        (silentSince, firstGood, lastGood) = (nil, nil, nil)
    }

    private mutating func note(silenceUntil end: Instant) {
        guard let since = silentSince, end - since >= Self.shortest else { return }
        learned.note(silence: end - since)
        revision += 1
    }

    private mutating func note(return good: Duration) {
        learned.note(return: good)
        revision += 1
    }
}
