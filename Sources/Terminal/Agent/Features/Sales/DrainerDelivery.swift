internal import OfflineCore
internal import OfflineMode
internal import Retail

/// The way of a sale to the hub: the outbox drainer.
///
/// The drainer itself records that the budget is spent, so the checkout gets the full budget each time.
struct DrainerDelivery: SaleDelivery {
    let drainer: OutboxDrainer
    private let budget: @Sendable () -> Duration

    /// - Parameter budget: read with every sale, since a store may change it while the till runs.
    init(drainer: OutboxDrainer, budget: @escaping @Sendable () -> Duration) {
        self.drainer = drainer
        self.budget = budget
    }

    var waitBudget: Duration { budget() }

    func nudge() {
        drainer.nudge()
    }

    func waitForResult(of mutationId: String, within wait: SaleWait) async -> Bool {
        await drainer.waitForResult(of: mutationId, within: wait)
    }
}
