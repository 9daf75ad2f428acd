/// Whether a sale waits for its push.
///
/// After one spent budget later sales do not wait, until a push gets its response inside that budget. So one
/// customer waits once for a slow hub, not every customer of the queue.
public struct CashierWaitBudget: Hashable, Sendable {
    /// The budget that was spent; nil while sales wait.
    private var spentBudget: Duration?

    /// Sales wait until the first budget is spent.
    public init() {}

    /// Whether the next sale waits.
    public var waits: Bool { spentBudget == nil }

    /// A sale waited its complete budget and got no result.
    public mutating func spend(_ budget: Duration) { spentBudget = budget }

    /// A push got a result after `elapsed`, counted from when it was sent.
    public mutating func notePush(took elapsed: Duration) {
        if let spentBudget, elapsed <= spentBudget { self.spentBudget = nil }
    }
}
