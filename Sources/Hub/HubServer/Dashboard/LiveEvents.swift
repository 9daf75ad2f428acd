internal import Foundation
internal import Synchronization

/// Notifies open pages that something changed. A reader gets the number of the last change; one that is slow
/// misses the numbers in between and holds nobody up.
final class LiveEvents: Sendable {
    private struct State {
        var version: Int64 = 1
        var beats = 0
        var readers: [UUID: AsyncStream<Int64>.Continuation] = [:]
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Open pages of one process; each costs a connection.
    private static let maximumReaders = 200
    /// Every so many beats the number comes again, as a comment that keeps the connection open (15 s).
    private static let beatsOfComment = 20

    var hasReaders: Bool { state.withLock { !$0.readers.isEmpty } }

    /// The numbers from now on; nil when too many pages are open. The last number that waits for a reader
    /// replaces the one before it.
    func reader() -> AsyncStream<Int64>? {
        let (stream, continuation) = AsyncStream<Int64>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        let isAdmitted = state.withLock { state in
            guard state.readers.count < Self.maximumReaders, !state.hasEnded else { return false }
            state.readers[id] = continuation
            continuation.yield(state.version)
            return true
        }
        guard isAdmitted else { return nil }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.readers[id] = nil }
        }
        return stream
    }

    /// - Returns: the number of this change.
    @discardableResult
    func change() -> Int64 {
        state.withLock { state in
            state.version += 1
            for reader in state.readers.values { reader.yield(state.version) }
            return state.version
        }
    }

    func beat() {
        state.withLock { state in
            state.beats += 1
            guard state.beats % Self.beatsOfComment == 0 else { return }
            for reader in state.readers.values { reader.yield(state.version) }
        }
    }

    /// Ends every stream, so that the process can end.
    func end() {
        let readers = state.withLock { state in
            state.hasEnded = true
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }
}
