/// The way of a recorded sale to the hub, as far as the cashier sees it.
public protocol SaleDelivery: Sendable {
    /// How long a sale that began online may wait for its push: the cashier's budget
    /// (`checkout.onlineBudgetMilliseconds`), or zero since it was spent until a push has come back inside
    /// it.
    var waitBudget: Duration { get }

    /// Notifies the outbox of a new row. Never waits.
    func nudge()

    /// Waits until the hub's result of the mutation is on disk, no longer than `budget`; the push itself
    /// continues after it.
    ///
    /// - Returns: whether the result is on disk.
    func waitForResult(of mutationId: String, within budget: Duration) async -> Bool
}
