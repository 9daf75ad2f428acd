import Base

/// Keeps the banner from flickering: a change is shown once it has held for 300 ms, and no sooner than 2 s
/// after the change before it. What goes back to what is shown within that time is never seen.
///
/// A value without a clock: its user passes what there is to show and the time, and calls again at ``due``.
package struct BannerGate<Shown: Equatable> {
    /// How long a change must hold.
    package static var grace: Duration { .milliseconds(300) }
    /// The least time between two changes.
    package static var gap: Duration { .seconds(2) }

    /// What is shown; nil before the first.
    package private(set) var shown: Shown?
    /// When the change that waits may be shown; nil when none waits.
    package private(set) var due: Duration?
    private var waiting: Shown?
    private var lastChange: Duration?

    /// A gate that shows nothing yet; the first value is shown at once.
    package init() {}

    /// Takes what there is to show.
    ///
    /// - Parameter now: since any fixed moment.
    /// - Returns: whether ``shown`` is new.
    package mutating func offer(_ next: Shown, at now: Duration) -> Bool {
        guard shown != nil else { return show(next, at: now) }
        if next == shown {
            waiting = nil
            due = nil
            return false
        }
        if waiting == nil { due = max(now + Self.grace, (lastChange ?? now) + Self.gap) }
        waiting = next
        return pass(at: now)
    }

    /// Lets through what has waited long enough.
    ///
    /// - Returns: whether ``shown`` is new.
    package mutating func pass(at now: Duration) -> Bool {
        guard let waiting, let due, now >= due else { return false }
        return show(waiting, at: now)
    }

    private mutating func show(_ next: Shown, at now: Duration) -> Bool {
        lastChange = now
        shown = next
        waiting = nil
        due = nil
        return true
    }
}
