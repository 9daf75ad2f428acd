internal import OfflineMode
internal import Retail

/// The way of a sale to the hub: the outbox drainer.
///
/// The drainer itself remembers a spent budget, so the patience told to the checkout is the budget.
struct DrainerDelivery: SaleDelivery {
    let drainer: OutboxDrainer
    let budget: Duration

    var patience: Duration { budget }

    func nudge() {
        drainer.nudge()
    }

    func waitForVerdict(of mutationId: String, within budget: Duration) async -> Bool {
        await drainer.waitForVerdict(of: mutationId, within: budget)
    }
}
