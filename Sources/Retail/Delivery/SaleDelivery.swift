/// The way of a recorded sale to the hub, as far as the cashier sees it.
public protocol SaleDelivery: Sendable {
    /// How long a sale that began online may wait for its push: the cashier's budget
    /// (`checkout.onlineBudgetMilliseconds`), or zero since it was spent until a push has come back inside
    /// it.
    var waitBudget: Duration { get }

    /// Says that the outbox has a new row. Never waits.
    func nudge()

    /// Waits until the hub's verdict of the mutation lies on disk, no longer than `budget`; the push itself
    /// goes on beyond it.
    ///
    /// - Returns: whether the verdict is there.
    func waitForVerdict(of mutationId: String, within budget: Duration) async -> Bool
}
