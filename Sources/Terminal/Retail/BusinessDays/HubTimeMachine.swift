package import OfflineMode

/// Decides which time of the hub this terminal follows.
///
/// Three clocks are compared: the time that the hub's responses name, the former one counted on by the
/// machine's boot clock, which nobody can set, and the wall clock. A time of the hub that agrees with one of
/// the other two is followed. One that leaps against both is put aside: the terminal goes on by the boot
/// clock, until a response agrees with the former time. The new one is followed once it has been the only
/// one for ``leapProof``, and only where it moves the business day by at most a day forward; a farther one
/// needs a person, who sets the wall clock to it.
///
/// After a restart of the computer the boot clock knows only that at least the time since then has passed.
/// So the first time counts as a leap when it lies before that, or more than a day ahead of a wall clock
/// that may be right.
package struct HubTimeMachine: Hashable, Sendable {
    /// What the machine gets.
    package enum Event: Hashable, Sendable {
        /// The process started with what the last one kept; nil: the hub never responded to this terminal.
        case started(KnownHubTime?)
        /// A response of the verified hub named this time, in Unix milliseconds; `calendar` is the store's.
        case received(Int64, calendar: BusinessCalendar)
    }

    /// What its owner performs.
    package enum Effect: Hashable, Sendable {
        /// Keep this for the next start.
        case keep(KnownHubTime)
    }

    /// What is known of the hub's time.
    private enum Knowledge: Hashable, Sendable {
        /// Nothing in this boot of the computer; `last` is from one before. Leaves to `followed` by the first
        /// time that is no leap.
        case unknown(last: KnownHubTime?)
        /// Counted on by the boot clock. Stays until the process ends.
        case followed(KnownHubTime)
    }

    /// A time that was put aside, and those after it that agree with it.
    private struct Leap: Hashable, Sendable {
        let since: MachineMoment
        var latest: KnownHubTime
        var responses = 1
    }

    private var knowledge = Knowledge.unknown(last: nil)
    private var leap: Leap?
    /// The boot clock at which this run kept the time last, or found it kept in this boot.
    private var keptAt: Int64?
    /// Whether a response of this run agreed with what is followed.
    private var isConfirmed = false
    /// Whether the hub's clock leapt and was followed, though the wall clock stayed where it was: the
    /// difference is not the terminal's fault.
    private var isHubsFault = false

    /// How far two clocks may be apart and agree, in milliseconds: ten minutes, far above what responses are
    /// late. Halved, a slow clock that nobody sets counts as a leap sooner; doubled, prices of the wrong half
    /// hour apply.
    static let agreement: Int64 = 600_000
    /// For how long all responses, and how many at least, agree with a leap before it is followed. A hub
    /// whose clock was wrong is mostly set right within minutes; double keeps a till on the former time for
    /// longer where that one was wrong.
    static let leapProof: (milliseconds: Int64, responses: Int) = (600_000, 3)
    /// `Date` has whole seconds and names the time at which the response was made, so a smaller time within
    /// this range is the same clock seen later. Half of it would let slow responses move the clock back.
    static let resolution: Int64 = 2_000
    /// Between two writes, in milliseconds: an hour. A day is what counts, so that half or double of it
    /// changes nothing but the number of writes.
    static let keepInterval: Int64 = 3_600_000
    static let day: Int64 = 86_400_000
    /// Up to the year 9999, the last one that an HTTP date can name.
    static let plausible: Range<Int64> = 0..<253_402_300_800_000

    /// Knows nothing before ``Event/started(_:)``.
    package init() {}

    package mutating func handle(_ event: Event, at now: MachineMoment) -> [Effect] {
        switch event {
        case .started(let known):
            guard let known, known.counts(at: now) else {
                knowledge = .unknown(last: known)
                return []
            }
            (knowledge, keptAt) = (.followed(known), known.at.boot)
            return []
        case .received(let hub, let calendar):
            guard Self.plausible.contains(hub) else { return [] }
            let before = milliseconds(at: now)
            let time = KnownHubTime(hub: hub, at: now)
            if agrees(time) {
                follow(time, isLeap: false)
            } else {
                note(leap: time, calendar)
            }
            return keepEffects(before: before, at: now)
        }
    }

    /// The hub's time now in Unix milliseconds; nil: not known in this boot of the computer.
    package func milliseconds(at now: MachineMoment) -> Int64? {
        guard case .followed(let known) = knowledge else { return nil }
        return known.milliseconds(at: now)
    }

    /// What the store's clock shows, in Unix milliseconds: the hub's time while it is known, else the wall
    /// clock, and never a moment before the last known time of the hub.
    ///
    /// Within what ``Event/received(_:calendar:)`` can show, the wall clock is the same clock and the finer
    /// one.
    package func storeMilliseconds(at now: MachineMoment) -> Int64 {
        switch knowledge {
        case .followed(let known):
            let hub = known.milliseconds(at: now)
            return (hub - now.wall).magnitude <= Self.resolution ? now.wall : hub
        case .unknown(let last):
            return last.map { max(now.wall, $0.earliest(at: now)) } ?? now.wall
        }
    }

    /// What an entry of the journal that is made now says of its time.
    package func entryClocks(at now: MachineMoment) -> EntryClocks {
        EntryClocks(terminal: now.wall, hub: milliseconds(at: now))
    }

    /// How the clocks compare now.
    package func comparison(at now: MachineMoment) -> ClockComparison {
        if let leap {
            let ahead = leap.latest.milliseconds(at: now) - storeMilliseconds(at: now)
            return .hubLeapt(milliseconds: ahead)
        }
        switch knowledge {
        case .unknown(nil): return .unknown
        case .unknown(let last?):
            let ahead = now.wall - last.earliest(at: now)
            return (-Self.agreement...Self.unconfirmed).contains(ahead)
                ? .unknown : .unconfirmed(last: last.hub)
        case .followed(let known):
            return .compared(
                hubAhead: known.milliseconds(at: now) - now.wall, isConfirmed: isConfirmed,
                isHubsFault: isHubsFault)
        }
    }

    /// A wall clock that is later than this after the last known time of the hub is worth a look while no
    /// response confirms it, in milliseconds: a week. Halved, each long weekend is one; doubled, a date that
    /// is ten days off is not shown.
    static let unconfirmed: Int64 = 7 * day

    // MARK: Decisions

    private func agrees(_ time: KnownHubTime) -> Bool {
        let now = time.at
        if near(time.hub, now.wall) { return true }
        switch knowledge {
        case .followed(let known): return near(time.hub, known.milliseconds(at: now))
        case .unknown(nil): return true
        case .unknown(let last?):
            let earliest = last.earliest(at: now) - Self.agreement
            guard time.hub >= earliest else { return false }
            // A wall clock before what is certain is wrong, and one ahead of the hub may be.
            return now.wall < earliest || time.hub <= now.wall + Self.day
        }
    }

    private mutating func follow(_ time: KnownHubTime, isLeap: Bool) {
        leap = nil
        isConfirmed = true
        isHubsFault = isLeap || (isHubsFault && !near(time.hub, time.at.wall))
        if case .followed(let known) = knowledge, !isLeap {
            let late = known.milliseconds(at: time.at) - time.hub
            // The earliest response is the best one: all others were longer on their way.
            if (0...Self.resolution).contains(late) { return }
        }
        knowledge = .followed(time)
    }

    private mutating func note(leap time: KnownHubTime, _ calendar: BusinessCalendar) {
        guard var leap, near(time.hub, leap.latest.milliseconds(at: time.at)) else {
            leap = Leap(since: time.at, latest: time)
            return
        }
        leap.responses += 1
        leap.latest = time
        self.leap = leap
        guard leap.responses >= Self.leapProof.responses,
            time.at.boot - leap.since.boot >= Self.leapProof.milliseconds,
            isNextDay(time.hub, after: storeMilliseconds(at: time.at), calendar)
        else { return }
        follow(time, isLeap: true)
    }

    /// Whether the business day stays or moves on by one.
    private func isNextDay(_ next: Int64, after present: Int64, _ calendar: BusinessCalendar) -> Bool {
        let day = calendar.day(at: next)
        return day >= calendar.day(at: present) && day <= calendar.day(at: present + Self.day)
    }

    private func near(_ left: Int64, _ right: Int64) -> Bool {
        let (difference, overflows) = left.subtractingReportingOverflow(right)
        return !overflows && difference.magnitude <= Self.agreement
    }

    /// The first time, each leap that is followed, and one an hour.
    private mutating func keepEffects(before: Int64?, at now: MachineMoment) -> [Effect] {
        guard case .followed(let known) = knowledge else { return [] }
        let isNew = before.map { !near($0, known.milliseconds(at: now)) } ?? true
        if !isNew, let keptAt, now.boot - keptAt < Self.keepInterval { return [] }
        keptAt = now.boot
        // Of now: after a reboot it is the earliest moment that is possible.
        return [.keep(KnownHubTime(hub: known.milliseconds(at: now), at: now))]
    }
}

/// When an entry of the journal was made, by both clocks. Which of them the store followed then is decided by
/// ``HubTimeMachine/storeMilliseconds(at:)``.
package struct EntryClocks: Hashable, Sendable {
    /// The terminal's own wall clock in Unix milliseconds, whatever the hub's shows.
    package let terminal: Int64
    /// The hub's time as the terminal followed it, in Unix milliseconds; nil: it was not known.
    package let hub: Int64?

    /// Keeps both as they are.
    package init(terminal: Int64, hub: Int64?) {
        self.terminal = terminal
        self.hub = hub
    }
}

/// A time of the hub and the machine's moment at which it was that.
package struct KnownHubTime: Hashable, Sendable {
    /// Unix milliseconds by the hub's clock.
    package let hub: Int64
    /// By this machine's clocks.
    package let at: MachineMoment

    /// Restores what was kept.
    package init(hub: Int64, at moment: MachineMoment) {
        self.hub = hub
        at = moment
    }

    /// Whether the boot clock has counted since then without a break.
    func counts(at now: MachineMoment) -> Bool {
        !at.bootId.isEmpty && at.bootId == now.bootId && now.boot >= at.boot
    }

    /// The hub's time at `now`, a moment of the same boot.
    func milliseconds(at now: MachineMoment) -> Int64 { hub + (now.boot - at.boot) }

    /// The hub's time at `now` at the earliest: after another boot at least the time since that one.
    func earliest(at now: MachineMoment) -> Int64 {
        counts(at: now) ? milliseconds(at: now) : hub + max(0, now.boot)
    }
}

/// How the terminal's clock and the hub's compare.
package enum ClockComparison: Hashable, Sendable {
    /// The hub's time is not known, and nothing speaks against the terminal's clock.
    case unknown
    /// The hub's time is not known in this boot of the computer, and the wall clock lies before the last
    /// known one, in Unix milliseconds, or long after it.
    case unconfirmed(last: Int64)
    /// The hub's time is followed; it is so many milliseconds ahead of the wall clock.
    ///
    /// `isConfirmed`: a response of this run named it. `isHubsFault`: the hub's clock leapt, this one did
    /// not.
    case compared(hubAhead: Int64, isConfirmed: Bool, isHubsFault: Bool)
    /// The hub's clock leapt by so many milliseconds and is not followed.
    case hubLeapt(milliseconds: Int64)

    /// From this difference on the wall clock is worth setting, in milliseconds: two minutes. Halved, a
    /// computer without NTP is named after some weeks; doubled, prices begin four minutes late.
    package static let tolerance: UInt64 = 120_000

    /// From this difference on no sale is made before a person has confirmed the wall clock, in milliseconds:
    /// a day, and an hour for slow responses and wrong time zones. Half of it would refuse sales of shops
    /// that use another zone's clock.
    package static let refusal: UInt64 = 90_000_000

    /// How far the hub's clock is ahead of the wall clock, in milliseconds, where sales are refused: a
    /// response of this run named the time, and the hub's clock has not leapt.
    package var refusedDifference: Int64? {
        switch self {
        case .unknown, .unconfirmed, .hubLeapt, .compared(_, false, _), .compared(_, _, true): nil
        case .compared(let ahead, true, false): ahead.magnitude > Self.refusal ? ahead : nil
        }
    }

    /// How far the hub's clock is ahead of the wall clock, in milliseconds, while its time is followed.
    package var hubAhead: Int64? {
        switch self {
        case .unknown, .unconfirmed, .hubLeapt: nil
        case .compared(let ahead, _, _): ahead
        }
    }

    /// The same where it is worth setting the wall clock.
    package var difference: Int64? {
        hubAhead.flatMap { $0.magnitude > Self.tolerance ? $0 : nil }
    }

    /// A difference of two clocks, in milliseconds, as people read it: to the nearest minute. A response is
    /// up to a second old, and a wrong date is off by whole days, of which three would be "71 h" else. Up to
    /// ``tolerance`` it stays as it is.
    package static func rounded(_ difference: Int64) -> Int64 {
        guard difference.magnitude > tolerance else { return difference }
        let minutes = difference / 60_000 + (difference % 60_000) / 30_000
        let (rounded, overflows) = minutes.multipliedReportingOverflow(by: 60_000)
        return overflows ? difference : rounded
    }

    /// A stable word for programs: `unknown`, `unconfirmed`, `agrees`, `differs` or `hubLeapt`.
    package var word: String {
        switch self {
        case .unknown: "unknown"
        case .unconfirmed: "unconfirmed"
        case .compared: difference == nil ? "agrees" : "differs"
        case .hubLeapt: "hubLeapt"
        }
    }
}
