import AgentAPI

/// What people do with a till that lost its database, or that is away.
extension World {
    /// Sells on for ten minutes, and then has the database of before. What it lacks is at the hub: one that
    /// is put back too would lose it for good.
    func rollBack(_ till: TillNode) async throws {
        guard till.isUp, !till.isRolledBack, !hubIsRestored else { return }
        let image = try till.databaseImage()
        let begin = book.sold.count
        await pause(until: Trace.now + 600_000)
        guard await hasSentAll(till) else { return }
        lose(.tillRollback, of: till)
        till.isForked = book.sold[begin...].contains { $0.till == till.number }
        trace.note(till.name, "put back, without \(book.sold.count - begin) sales of all tills")
        await till.stop()
        try image.putBack()
        try await till.start()
    }

    private var hubIsRestored: Bool { schedule.faults.contains { $0.kind == .hubRestore } }

    /// Whether all that a till has is at the hub too, and nobody waits for a response of it.
    private func hasSentAll(_ till: TillNode) async -> Bool {
        guard till.isUp, case .done(let status) = await till.call(StatusCall()) else { return false }
        return status.outbox.pending == 0 && till.isIdle
    }

    /// From now on a till lacks what it had.
    private func lose(_ kind: FaultKind, of till: TillNode) {
        count(kind)
        till.isRolledBack = true
        book.loseAtTill(till.number)
    }

    /// Damages a database whose entries are all at the hub, and repairs it as `pos repair` does.
    func damageAndRepair(_ till: TillNode, seed: UInt64) async throws {
        guard !till.isRolledBack, !hubIsRestored, await hasSentAll(till) else { return }
        lose(.databaseDamage, of: till)
        await till.stop()
        try till.damageDatabase(seed)
        // Who repairs does it when the disk can be written.
        while !till.hasDisk { await pause(until: Trace.now + 1_000) }
        try await till.repair()
        try await till.start()
    }

    /// A till that is away with sales that it did not send: they come to the hub in a file. Then it is there
    /// again, and sends them too.
    func exportAndIngest(_ till: TillNode) async throws {
        guard till.isUp, hub.isUp, till.isIdle else { return }
        await till.stop()
        let file = try await till.export()
        if hub.isUp {
            count(.exportIngest)
            try await hub.ingest(file)
        }
        await pause(until: Trace.now + 30_000)
        try await till.start()
    }
}
