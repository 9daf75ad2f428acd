import Base
public import OfflineCore
internal import MachineRuntime

extension OutboxDrainer {
    /// Rows were appended on disk, a sale's for example: they are sent at once, after those before them.
    public nonisolated func nudge() { driver.post(.rowAdded) }

    /// The hub gave a verified response to another call, or to a probe: a waiting outbox is tried again soon.
    public nonisolated func hubResponded(toProbe: Bool) { driver.post(.hubResponded(toProbe: toProbe)) }

    /// Another call to the hub was lost without a response: the path may lose large packets.
    public nonisolated func callLost() { driver.post(.callLost) }

    /// The hub refused this terminal's identity in another call: an empty push shows whether that is so.
    public nonisolated func accountRefused() { driver.post(.accountRefused) }

    /// Rows on disk changed in another way (edited, discarded, put back): reads all again and tries at once.
    public nonisolated func rowsChanged() { driver.post(.rowsChanged) }

    /// While on, nothing is sent; a request in flight may still get its results.
    public nonisolated func setManualOffline(_ isOn: Bool) { driver.post(.manualOfflineChanged(isOn: isOn)) }

    /// The route of `order` is local: nothing is sent but canaries, `sync now` and, unless the service itself
    /// is faulty, one small batch after each good probe. Repeated when `byService` changes.
    public nonisolated func routeLost(byService: Bool) { driver.post(.routeLost(byService: byService)) }

    /// The route of `order` is back: everything is tried at once, except inside a `Retry-After`.
    public nonisolated func routeRestored() { driver.post(.routeRestored) }

    /// The terminal has a new token or was enrolled again: a drain that had stopped is tried soon.
    public nonisolated func identityRenewed() { driver.post(.identityRenewed) }

    /// Small batches while the link is degraded.
    public nonisolated func setLinkDegraded(_ isDegraded: Bool) {
        driver.post(.linkQualityChanged(isDegraded: isDegraded))
    }

    /// Shapes the drain after a fault, until the outbox is empty.
    public nonisolated func pace(_ pace: ResumePace) { driver.post(.paced(pace)) }

    /// Sends an empty batch once there is nothing else to send. Its response shows whether the hub was
    /// restored from a backup; such a hub gets what it lost.
    public nonisolated func checkIn() { driver.post(.checkInDue) }

    /// Waits until the hub has accepted the mutation `id` and the result is on disk, no longer than what is
    /// left of `wait`.
    ///
    /// Ends early when the wait is pointless: the push failed, the outbox has stopped, or an earlier sale has
    /// spent the cashier's wait budget. It ends the waiting, never the request.
    /// - Returns: whether it was accepted in time; false also for a refusal.
    public func waitForResult(of id: String, within wait: SaleWait) async -> Bool {
        if waits.hasResult(id) { return true }
        let end = time.now() + wait.remaining
        let waitsForPushes = saleWaits.current.waits(for: CashierWaitBudget.order)
        guard !hasEnded, wait.remaining > .zero, waitsForPushes,
            driver.withMachine({ $0.maySend(before: end) })
        else {
            return false
        }
        let token = nextToken()
        return await waiting(until: end, on: time) {
            await result(of: id, token)
        } expire: {
            await self.expireWait(token, wait)
        }
    }

    private func result(of id: String, _ token: UInt64) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: false) }
                waits.add(token, id: id, continuation)
            }
        } onCancel: {
            Task { await self.endWait(token) }
        }
    }

    /// Tries everything at once, except inside a `Retry-After`, and drains to empty or the first failure.
    public func syncNow() async -> DrainReport {
        guard !hasEnded else { return DrainReport(ending: .interrupted, results: 0) }
        return await withCheckedContinuation { continuation in
            syncs.add(continuation)
            driver.post(.syncRequested)
        }
    }

    /// The canary of `order`: the oldest row whose ordering key neither waits nor is in trouble, alone, or an
    /// empty batch without one.
    ///
    /// It ignores the backoff and the route, never the manual flag or a `Retry-After`.
    /// - Parameter timeout: for the complete wait, an earlier request in flight included.
    /// - Returns: whether the hub responded as the contract requires.
    public func canaryPush(timeout: Duration) async -> Bool {
        guard !hasEnded else { return false }
        let token = nextToken()
        return await waiting(until: time.now() + timeout, on: time) {
            await withCheckedContinuation { continuation in
                canaries[token] = continuation
                driver.post(.canaryRequested)
            }
        } expire: {
            await self.withdrawCanary(token)
        }
    }

    private func expireWait(_ token: UInt64, _ wait: SaleWait) {
        guard waits.end(token) else { return }
        var spent = wait
        spent.add(wait.remaining, for: CashierWaitBudget.order)
        saleWaits.update { [spent] in $0.spend(spent, waitingFor: CashierWaitBudget.order) }
    }

    private func endWait(_ token: UInt64) { _ = waits.end(token) }

    private func withdrawCanary(_ token: UInt64) {
        guard let canary = canaries.removeValue(forKey: token) else { return }
        canary.resume(returning: false)
        if canaries.isEmpty { driver.post(.canaryWithdrawn) }
    }
}
