internal import Foundation
internal import Synchronization

/// Notifies open pages that something changed. A reader gets the number of the last change; one that is slow
/// misses the numbers in between and holds nobody up.
final class LiveEvents: Sendable {
    /// Open pages of one person. A page that was left keeps its place until a number cannot be written to it,
    /// at most 15 s: halved, an operator who turns pages quickly gets no live figures; doubled, a person's
    /// programs hold twice as many connections.
    static let pagesOfPerson = 20

    /// Whose pages are counted together.
    enum Viewer: Hashable, Sendable {
        /// Who signed in, or whose token it is.
        case person(String)
        /// Where no login is needed.
        case peer(Peer)

        /// A proxy brings the viewers of many addresses.
        fileprivate var maximumPages: Int {
            switch self {
            case .person, .peer(.address): LiveEvents.pagesOfPerson
            case .peer(.local), .peer(.shared): LiveEvents.pagesOfPerson * Int(OpenRateGate.sharedFactor)
            }
        }
    }

    private struct Reader {
        let viewer: Viewer
        let continuation: AsyncStream<Int64>.Continuation
    }

    private struct State {
        var version: Int64 = 1
        var beats = 0
        var readers: [UUID: Reader] = [:]
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Every so many beats the number comes again, as a comment that keeps the connection open (15 s).
    private static let beatsOfComment = 20

    var hasReaders: Bool { state.withLock { !$0.readers.isEmpty } }

    /// The numbers from now on; nil when the viewer has too many pages open: nobody takes the place of
    /// others, and each page costs its own connection, whose limit holds for all. The last number that waits
    /// for a reader replaces the one before it.
    func reader(for viewer: Viewer) -> AsyncStream<Int64>? {
        let (stream, continuation) = AsyncStream<Int64>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        let isAdmitted = state.withLock { state in
            let open = state.readers.values.count { $0.viewer == viewer }
            guard open < viewer.maximumPages, !state.hasEnded else { return false }
            state.readers[id] = Reader(viewer: viewer, continuation: continuation)
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
            for reader in state.readers.values { reader.continuation.yield(state.version) }
            return state.version
        }
    }

    func beat() {
        state.withLock { state in
            state.beats += 1
            guard state.beats % Self.beatsOfComment == 0 else { return }
            for reader in state.readers.values { reader.continuation.yield(state.version) }
        }
    }

    /// Ends every stream, so that the process can end.
    func end() {
        let readers = state.withLock { state in
            state.hasEnded = true
            return Array(state.readers.values)
        }
        for reader in readers { reader.continuation.finish() }
    }
}
