internal import Synchronization

/// Counts responses by their status class since the start.
final class RequestCounter: Sendable {
    private let counts = Mutex<[Int: Int]>([:])

    func count(_ status: Int) {
        counts.withLock { $0[status / 100, default: 0] += 1 }
    }

    /// Answers by hundreds of their status: 2 for 200 to 299.
    var byClass: [Int: Int] { counts.withLock { $0 } }
}
