import OfflineCore

/// Who waits for which mutation's verdict, and the verdicts of late, so that one that came first is not
/// missed.
struct VerdictWaits {
    private struct Wait {
        let id: String
        let continuation: CheckedContinuation<Bool, Never>
    }

    private var waiting: [UInt64: Wait] = [:]
    private var recent: [String] = []
    private var oldest = 0

    /// The verdicts remembered: more than the batches that can pass between a commit and its wait.
    private static let memory = 1_024

    var isEmpty: Bool { waiting.isEmpty }

    func hasVerdict(_ id: String) -> Bool { recent.contains(id) }

    mutating func add(_ token: UInt64, id: String, _ continuation: CheckedContinuation<Bool, Never>) {
        waiting[token] = Wait(id: id, continuation: continuation)
    }

    /// - Returns: whether the wait was still on.
    mutating func end(_ token: UInt64) -> Bool {
        guard let wait = waiting.removeValue(forKey: token) else { return false }
        wait.continuation.resume(returning: false)
        return true
    }

    mutating func announce(_ ids: [String]) {
        for id in ids { remember(id) }
        finish(Set(ids), verdict: true)
    }

    mutating func end(of ids: [String]) { finish(Set(ids), verdict: false) }

    mutating func endAll() {
        for wait in waiting.values { wait.continuation.resume(returning: false) }
        waiting = [:]
    }

    private mutating func finish(_ ids: Set<String>, verdict: Bool) {
        for (token, wait) in waiting where ids.contains(wait.id) {
            waiting[token] = nil
            wait.continuation.resume(returning: verdict)
        }
    }

    private mutating func remember(_ id: String) {
        guard recent.count == Self.memory else { return recent.append(id) }
        recent[oldest] = id
        oldest = (oldest + 1) % Self.memory
    }
}
