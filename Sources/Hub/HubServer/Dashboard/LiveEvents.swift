internal import Foundation
internal import Synchronization

/// Notifies open pages that something changed. A reader gets the number of the last change; one that is slow
/// misses the numbers in between and holds nobody up.
final class LiveEvents: Sendable {
    /// Open pages of one person: a newer one ends the oldest, which is most often a page that was left, whose
    /// connection shows that up to 15 s later. Browsers open six connections to a host and need one to load a
    /// page; doubled, a person's programs hold twice as many connections.
    static let pagesOfPerson = 5

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
        /// Later ones have a higher one.
        let place: Int64
        let continuation: AsyncStream<ChangeMarks>.Continuation
    }

    private struct State {
        var marks = ChangeMarks()
        var beats = 0
        var admitted: Int64 = 0
        var readers: [UUID: Reader] = [:]
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Every so many beats the number comes again, as a comment that keeps the connection open (15 s).
    private static let beatsOfComment = 20

    var hasReaders: Bool { state.withLock { !$0.readers.isEmpty } }

    /// The marks from now on. The last ones that wait for a reader replace those before them.
    func reader(for viewer: Viewer) -> AsyncStream<ChangeMarks> {
        let (stream, continuation) = AsyncStream<ChangeMarks>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        let ended: AsyncStream<ChangeMarks>.Continuation? = state.withLock { state in
            guard !state.hasEnded else { return continuation }
            let own = state.readers.filter { $0.value.viewer == viewer }
            let oldest = own.count < viewer.maximumPages ? nil : own.min { $0.value.place < $1.value.place }
            let ended = oldest.flatMap { state.readers.removeValue(forKey: $0.key) }
            state.admitted += 1
            state.readers[id] = Reader(viewer: viewer, place: state.admitted, continuation: continuation)
            continuation.yield(state.marks)
            return ended?.continuation
        }
        ended?.finish()
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.readers[id] = nil }
        }
        return stream
    }

    /// Sends it to every reader; what is as before is no change.
    func change(_ marks: ChangeMarks) {
        state.withLock { state in
            guard state.marks != marks else { return }
            state.marks = marks
            for reader in state.readers.values { reader.continuation.yield(marks) }
        }
    }

    func beat() {
        state.withLock { state in
            state.beats += 1
            guard state.beats % Self.beatsOfComment == 0 else { return }
            for reader in state.readers.values { reader.continuation.yield(state.marks) }
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
