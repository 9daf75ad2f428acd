import OfflineCore

/// The waiters for results of mutations, and the latest results, so that a result that came before its waiter
/// is not missed.
struct ResultWaits {
    private struct Wait {
        let id: String
        let continuation: CheckedContinuation<Bool, Never>
    }

    private var waiting: [UInt64: Wait] = [:]
    private var recent: [String] = []
    private var oldest = 0

    /// How many results are kept: five batches of 200, more than can pass between a commit and its wait.
    private static let memory = 1_024

    var isEmpty: Bool { waiting.isEmpty }

    func hasResult(_ id: String) -> Bool { recent.contains(id) }

    mutating func add(_ token: UInt64, id: String, _ continuation: CheckedContinuation<Bool, Never>) {
        waiting[token] = Wait(id: id, continuation: continuation)
    }

    /// - Returns: whether the waiter was still waiting.
    mutating func end(_ token: UInt64) -> Bool {
        guard let wait = waiting.removeValue(forKey: token) else { return false }
        wait.continuation.resume(returning: false)
        return true
    }

    mutating func announce(_ ids: [String]) {
        for id in ids { remember(id) }
        finish(Set(ids), isAccepted: true)
    }

    mutating func end(of ids: [String]) { finish(Set(ids), isAccepted: false) }

    mutating func endAll() {
        for wait in waiting.values { wait.continuation.resume(returning: false) }
        waiting = [:]
    }

    private mutating func finish(_ ids: Set<String>, isAccepted: Bool) {
        for (token, wait) in waiting where ids.contains(wait.id) {
            waiting[token] = nil
            wait.continuation.resume(returning: isAccepted)
        }
    }

    private mutating func remember(_ id: String) {
        guard recent.count == Self.memory else { return recent.append(id) }
        recent[oldest] = id
        oldest = (oldest + 1) % Self.memory
    }
}
