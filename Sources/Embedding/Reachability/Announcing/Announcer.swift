import Synchronization

/// The published value and every stream that follows it.
///
/// A slow reader misses values in between, never the last one: each stream keeps only the newest value.
final class Announcer<Value: Sendable>: Sendable {
    private struct State {
        var current: Value
        var nextID: UInt64 = 0
        var readers: [UInt64: AsyncStream<Value>.Continuation] = [:]
    }

    private let state: Mutex<State>
    private let isNews: @Sendable (_ last: Value, _ next: Value) -> Bool

    init(first: Value, isNews: @escaping @Sendable (_ last: Value, _ next: Value) -> Bool) {
        state = Mutex(State(current: first))
        self.isNews = isNews
    }

    deinit {
        for reader in state.withLock({ Array($0.readers.values) }) { reader.finish() }
    }

    /// Sends `value` to every stream if it has changed.
    func publish(_ value: Value) {
        state.withLock { state in
            guard isNews(state.current, value) else { return }
            state.current = value
            for reader in state.readers.values { reader.yield(value) }
        }
    }

    /// A stream of the values from now on.
    ///
    /// - Parameter beginsWithCurrent: the value published last comes first.
    func stream(beginsWithCurrent: Bool = true) -> AsyncStream<Value> {
        let (stream, reader) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            if beginsWithCurrent { reader.yield(state.current) }
            state.nextID += 1
            state.readers[state.nextID] = reader
            return state.nextID
        }
        reader.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.readers.removeValue(forKey: id) }
        }
        return stream
    }

    /// How many streams are open.
    var readerCount: Int { state.withLock { $0.readers.count } }
}
