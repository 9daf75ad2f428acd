public import OfflineCore
internal import Synchronization

/// The cashier's wait budget of one terminal: shared by the checkout, which waits for the hub's services, and
/// the drainer, which sends the pushes.
public final class SaleWaits: Sendable {
    private let budget = Mutex(CashierWaitBudget())

    /// Sales wait for every service until the first budget is spent.
    public init() {}

    /// The budget's state now.
    public var current: CashierWaitBudget { budget.withLock { $0 } }

    /// Applies `change` to the budget.
    public func update<Value: Sendable>(
        _ change: @Sendable (inout CashierWaitBudget) -> Value
    ) -> Value {
        budget.withLock { change(&$0) }
    }
}
