extension OutboxMachine {
    /// The rows that may go in one request.
    struct Batch {
        var ids: [String] = []
        var bytes = 0
        /// Nothing may be added, whatever else lies on disk.
        var isClosed = false

        var count: Int { ids.count }
    }

    /// How many rows one request may hold now.
    var batchLimit: Int {
        // The smallest request there is, where the path loses large packets.
        if largePackets.areLost { return 1 }
        let ceiling = linkIsDegraded ? settings.degradedBatchLimit : settings.batchLimit
        return max(1, min(batchSize, ceiling, syncedVerdicts == nil ? pace?.batchLimit ?? .max : .max))
    }

    /// The oldest rows that no attachment holds and whose lanes do not wait, up to the limits. A row that
    /// goes alone ends the batch before it.
    func nextBatch(at now: Instant) -> Batch {
        var batch = Batch()
        for row in window.goingRows where !isWaiting(row.entry.orderingKey, at: now) {
            let isFirst = batch.ids.isEmpty
            let fits = batch.count < batchLimit && batch.bytes + row.entry.bytes <= settings.batchBytes
            guard isFirst || (fits && !row.goesAlone) else {
                batch.isClosed = true
                return batch
            }
            batch.ids.append(row.entry.id)
            batch.bytes += row.entry.bytes
            if row.goesAlone {
                batch.isClosed = true
                return batch
            }
        }
        return batch
    }

    mutating func growBatch() { batchSize = min(batchSize * 2, settings.batchLimit) }

    mutating func shrinkBatch(to count: Int) { batchSize = max(1, count) }
}
