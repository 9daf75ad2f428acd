import OfflineCore
import OfflineMode

/// An outbox on an imaginary disk, with what was done to it in order.
actor ScriptedStorage: OutboxStorage {
    private var rows: [OutboxItem] = []
    private var responded: Set<Int64> = []
    private(set) var log: [String] = []
    private var epoch: Int64 = 1
    /// So many of the next changes fail.
    private var failures = 0

    func commit(_ sequence: Int64, orderingKey: String? = nil) {
        let id = String(sequence)
        rows.append(
            OutboxItem(
                id: id, sequence: sequence, orderingKey: orderingKey ?? id, type: "order.completed",
                body: [123, 125]))
    }

    func fail(_ count: Int) { failures = count }

    var pendingIds: [String] { rows.filter { !responded.contains($0.sequence) }.map(\.id) }

    func pending(after sequence: Int64, limit: Int) throws(OutboxStorageError) -> [OutboxItem] {
        Array(rows.filter { $0.sequence > sequence && !responded.contains($0.sequence) }.prefix(limit))
    }

    func depth() throws(OutboxStorageError) -> OutboxDepth {
        let open = rows.filter { !responded.contains($0.sequence) }
        return OutboxDepth(
            pending: open.count, oldestMadeAt: nil, rejected: 0, conflicted: 0, acknowledgedThrough: 0,
            lowSequence: open.first?.sequence, epoch: epoch)
    }

    @discardableResult
    func record(_ results: [PushResult], acknowledgedThrough: Int64?) throws(OutboxStorageError) -> Int {
        try change("record \(results.map(\.id).joined(separator: ","))")
        for result in results where result.outcome.isFinal {
            if let sequence = Int64(result.id) { responded.insert(sequence) }
        }
        return 0
    }

    func reopen(sequences: [Int64]) throws(OutboxStorageError) {
        try change("reopen \(sequences)")
        responded.subtract(sequences)
    }

    func note(problem: String, of id: String) throws(OutboxStorageError) {
        try change("note \(id) \(problem)")
    }

    func adopt(
        epoch: Int64, headSequence: Int64, headHash: String, headOrderNumber: String?
    ) throws(OutboxStorageError) {
        try change("adopt \(epoch)")
        self.epoch = epoch
    }

    func keep(_ journal: SupersedingJournal) throws(OutboxStorageError) {
        try change("keep \(journal.ends.map(\.sequence))")
    }

    private func change(_ what: String) throws(OutboxStorageError) {
        guard failures == 0 else {
            failures -= 1
            throw .unavailable(detail: "no room")
        }
        log.append(what)
    }
}

/// A hub that responds by script: each outcome once, then `applied` for everything. Its responses can be
/// delayed.
actor ScriptedHub: MutationUplink {
    private var script: [PushOutcome]
    private(set) var pushes: [[String]] = []
    private(set) var epochs: [Int64] = []
    private(set) var mostInFlight = 0
    private var inFlight = 0
    private var isHeld = false
    private var held: [CheckedContinuation<Void, Never>] = []
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    init(_ script: [PushOutcome] = []) { self.script = script }

    /// Requests from now on get no response before `release`.
    func hold() { isHeld = true }

    func release() {
        isHeld = false
        for continuation in held { continuation.resume() }
        held = []
    }

    /// Waits until so many requests have arrived.
    func arrival(of count: Int) async {
        guard pushes.count < count else { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }

    func push(_ items: [OutboxItem], at depth: OutboxDepth) async -> PushOutcome {
        pushes.append(items.map(\.id))
        epochs.append(depth.epoch)
        inFlight += 1
        mostInFlight = max(mostInFlight, inFlight)
        for watcher in watchers where watcher.count <= pushes.count { watcher.continuation.resume() }
        watchers.removeAll { $0.count <= pushes.count }
        if isHeld { await withCheckedContinuation { held.append($0) } }
        inFlight -= 1
        guard script.isEmpty else { return script.removeFirst() }
        let results = items.map { PushResult(id: $0.id, outcome: .applied, document: "{}") }
        return .results(results, acknowledgedThrough: nil, missing: [])
    }
}
