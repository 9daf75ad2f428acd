/// Whether a sale waits for its push.
///
/// After one spent budget later sales do not wait, until a push has come back inside that budget: one cashier
/// waits once for a hub that is slow, not every customer of the queue.
public struct CashierWaitBudget: Hashable, Sendable {
    /// The budget that was spent; nil while sales wait.
    private var spentBudget: Duration?

    public init() {}

    /// Whether the next sale waits.
    public var waits: Bool { spentBudget == nil }

    /// A sale waited its whole budget and no verdict came.
    public mutating func spend(_ budget: Duration) { spentBudget = budget }

    /// A push brought a verdict after `elapsed`, counted from its sending.
    public mutating func notePush(took elapsed: Duration) {
        if let spentBudget, elapsed <= spentBudget { self.spentBudget = nil }
    }
}
