public import OfflineCore

extension OutboxDrainer {
    /// Rows were appended on disk, a sale's for example: they are tried at once, after those before them.
    public nonisolated func nudge() { inbox.yield(.rowAdded) }

    /// The hub gave a verified response to another call, or to a probe: a waiting outbox is tried again soon.
    public nonisolated func hubResponded(toProbe: Bool) { inbox.yield(.hubResponded(toProbe: toProbe)) }

    /// Rows on disk changed in another way (edited, discarded, put back): reads all again and tries at once.
    public nonisolated func rowsChanged() { inbox.yield(.rowsChanged) }

    /// While on, nothing leaves; what is in flight may still bring its verdict.
    public nonisolated func setManualOffline(_ isOn: Bool) { inbox.yield(.manualOfflineChanged(isOn: isOn)) }

    /// The route of `order` went local: nothing is sent but canaries and `sync now`.
    public nonisolated func routeLost() { inbox.yield(.routeLost) }

    /// The route of `order` is back: everything is tried at once, except inside a `Retry-After`.
    public nonisolated func routeRestored() { inbox.yield(.routeRestored) }

    /// The terminal signed in or was enrolled again: a drain that stood still goes on.
    public nonisolated func identityRenewed() { inbox.yield(.identityRenewed) }

    /// Small batches while the link is degraded.
    public nonisolated func setLinkDegraded(_ isDegraded: Bool) {
        inbox.yield(.linkQualityChanged(isDegraded: isDegraded))
    }

    /// Shapes the drain after a fault, until the outbox is empty.
    public nonisolated func pace(_ pace: ResumePace) { inbox.yield(.paced(pace)) }

    /// Asks the hub how far it has come, once there is nothing else to send: a hub that was restored from a
    /// backup is noticed, and gets what it lost.
    public nonisolated func checkIn() { inbox.yield(.checkInDue) }

    /// Waits until the hub has taken the mutation `id` in and that is on disk, no longer than `budget`.
    ///
    /// Ends early when the wait is pointless: the push failed, the outbox stands still, or an earlier sale
    /// has spent the cashier's patience. It ends the waiting, never the request.
    /// - Returns: whether it was taken in in time; false also for a refusal.
    public func waitForVerdict(of id: String, within budget: Duration) async -> Bool {
        if waits.hasVerdict(id) { return true }
        guard !hasEnded, waitBudget.waits, machine.maySend(before: time.now() + budget) else { return false }
        let token = nextToken()
        let end = time.now() + budget
        let alarm = Task {
            guard (try? await time.sleep(until: end)) != nil else { return }
            if self.waits.end(token) { self.waitBudget.spend(budget) }
        }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
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
        guard !hasEnded else { return DrainReport(ending: .interrupted, verdicts: 0) }
        return await withCheckedContinuation { continuation in
            syncs.add(continuation)
            inbox.yield(.syncRequested)
        }
    }

    /// The canary of `order`: the oldest row whose lane is in no trouble, alone, or an empty batch without
    /// one.
    ///
    /// It goes past the backoff and the route, never past the manual flag or a `Retry-After`.
    /// - Parameter timeout: for the whole wait, an earlier request in flight included.
    /// - Returns: whether the hub answered as the contract says.
    public func canaryPush(timeout: Duration) async -> Bool {
        guard !hasEnded else { return false }
        let token = nextToken()
        let end = time.now() + timeout
        let alarm = Task {
            guard (try? await time.sleep(until: end)) != nil else { return }
            self.withdrawCanary(token)
        }
        defer { alarm.cancel() }
        return await withCheckedContinuation { continuation in
            canaries[token] = continuation
            inbox.yield(.canaryRequested)
        }
    }

    private func endWait(_ token: UInt64) { _ = waits.end(token) }

    private func withdrawCanary(_ token: UInt64) {
        guard let canary = canaries.removeValue(forKey: token) else { return }
        canary.resume(returning: false)
        if canaries.isEmpty { inbox.yield(.canaryWithdrawn) }
    }
}
