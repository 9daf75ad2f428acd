import Base
import OfflineCore

/// One till with a full outbox: the real outbox machine, and models of its disk and its route.
struct ModelledTerminal {
    let id: String
    let storeId: String
    var machine: OutboxMachine
    /// The number of its mutations; those up to `settled` have a result.
    let backlog: Int64
    private(set) var settled: Int64 = 0
    /// Canaries that must still succeed before the route is back.
    private var canaries = 2
    /// When it sends its first canary, as the hub decided; nil before that.
    private(set) var turn: Instant?
    private(set) var isBack = false
    private var isTrying = false

    /// - Parameter seed: of the machine's jitter.
    init(_ number: Int, backlog: Int64, seed: UInt64) {
        id = "T\(number)"
        storeId = "S\(number / 10)"
        self.backlog = backlog
        machine = OutboxMachine(seed: seed)
        warmUp()
    }

    var pending: Int64 { backlog - settled }

    /// The state after a morning of accepted sales: the batch has reached its full size, nothing waits. Then
    /// the service fails and the route becomes local.
    private mutating func warmUp() {
        _ = machine.handle(.rowsChanged, at: .start)
        for sale in 1...8 {
            _ = machine.handle(.loaded([entry(Int64(sale) - 9)], reachedEnd: true), at: .start)
            let result = PushResult(id: "\(sale - 9)", outcome: .applied, document: "")
            _ = machine.handle(
                .pushFinished(.results([result], acknowledgedThrough: nil, missing: [])), at: .start)
            _ = machine.handle(.written, at: .start)
            _ = machine.handle(.rowAdded, at: .start)
        }
        _ = machine.handle(.loaded([], reachedEnd: true), at: .start)
        _ = machine.handle(.routeLost(byService: true), at: .start)
        _ = machine.handle(.rowsChanged, at: .start)
    }

    private func entry(_ sequence: Int64) -> OutboxEntry {
        OutboxEntry(id: "\(sequence)", sequence: sequence + 9, orderingKey: "\(sequence)", bytes: 900)
    }

    /// The rows that a `load` reads.
    func page(after sequence: Int64, limit: Int) -> OutboxEvent {
        let first = max(settled, sequence - 9) + 1
        let last = min(backlog, first + Int64(limit) - 1)
        let rows = first <= last ? (first...last).map { entry($0) } : []
        return .loaded(rows, reachedEnd: last >= backlog)
    }

    mutating func settle(_ results: Int) {
        settled += Int64(results)
    }

    /// Applies the hub's pace as the service detector does.
    mutating func takeTurn(_ pace: ResumePace?, at now: Instant) {
        guard !isBack else { return }
        let reported = now + (pace?.after ?? .zero)
        turn = turn.map { min($0, reported) } ?? reported
    }

    /// Whether the first canary is sent now; false when one is pending or the route is back.
    mutating func begins() -> Bool {
        guard !isTrying, !isBack else { return false }
        isTrying = true
        return true
    }

    /// A canary ended.
    ///
    /// - Returns: the next event of the outbox; nil when the trial starts again later.
    mutating func noteCanary(good: Bool) -> OutboxEvent? {
        guard good else {
            canaries = 2
            isTrying = false
            return nil
        }
        canaries -= 1
        guard canaries <= 0 else { return .canaryRequested }
        isBack = true
        return .routeRestored
    }
}
