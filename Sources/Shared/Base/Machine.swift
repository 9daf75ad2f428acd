/// A machine decides, and does nothing else: it has no clock, timer, random source, file or task.
///
/// Its owner gives it events with the moment at which they happened, never earlier than the one before, and
/// performs its effects in order. There are no timer effects and nothing to cancel: the owner gives it the
/// next event, or its event for ``deadline``, whichever comes first. Wake-ups that are early, or repeated,
/// change nothing. Randomness comes from a seeded generator in the state, so that the same events at the
/// same moments give the same effects.
public protocol Machine {
    /// What happened, in the past tense.
    associatedtype Event
    /// What is to be done, in the imperative.
    associatedtype Effect

    /// Handles one event at the moment `now`.
    ///
    /// - Returns: the effects to perform, in order.
    mutating func handle(_ event: Event, at now: Instant) -> [Effect]

    /// When the machine acts next by itself; nil while it waits for an event only.
    var deadline: Instant? { get }
}
