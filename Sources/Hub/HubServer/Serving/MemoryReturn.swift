import Base

internal import CLinux
internal import Dispatch
internal import Synchronization

/// Gives the memory that many connections needed back to the system once most of them are gone. The allocator
/// keeps it otherwise: 147 MiB after 8,000 connections, 47 MiB before them.
final class MemoryReturn: Sendable {
    private struct State {
        var open = 0
        /// The most that were open since memory was given back last.
        var peak = 0
        var isDue = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "hub.memory", qos: .background)

    /// Fewer connections hold less than 10 MiB.
    private static let fewest = 500
    /// Those that come back at once after a storm need the memory again; giving back takes some milliseconds.
    private static let delay: DispatchTimeInterval = .seconds(10)

    func opened() {
        state.withLock { state in
            state.open += 1
            state.peak = max(state.peak, state.open)
        }
    }

    func closed() {
        let begins = state.withLock { state in
            state.open -= 1
            guard !state.isDue, state.peak >= Self.fewest, state.open * 2 <= state.peak else { return false }
            state.isDue = true
            return true
        }
        if begins { queue.asyncAfter(deadline: .now() + Self.delay) { self.giveBack() } }
    }

    /// Gives back what one large piece of work needed, an import for example, once its response is sent.
    static func afterLargeWork() {
        DispatchQueue.global(qos: .background).asyncAfter(deadline: .now() + largeWorkDelay) {
            _ = malloc_trim(0)
        }
    }

    /// The response is made and sent within milliseconds; a second is short for whoever looks at the memory.
    private static let largeWorkDelay: DispatchTimeInterval = .seconds(1)

    private func giveBack() {
        state.withLock { state in
            state.isDue = false
            state.peak = state.open
        }
        _ = malloc_trim(0)
    }
}
