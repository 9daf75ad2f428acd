internal import Synchronization

/// A published value and everybody who follows it, by stream or by closure. What counts as new is decided
/// here and nowhere else.
///
/// A slow reader of a stream misses values in between, never the last one: each stream keeps only the newest
/// value. Closures get every value; where their order matters, one task publishes.
public final class Broadcast<Value: Sendable>: Sendable {
    /// Identifies a closure that listens.
    public struct Token: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct State {
        var current: Value
        var lastNumber: UInt64 = 0
        var readers: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var listeners: [UInt64: @Sendable (Value) -> Void] = [:]
        /// Nothing is published any more; a stream opened now ends after the last value.
        var isFinished = false

        mutating func next() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state: Mutex<State>
    private let isNew: @Sendable (_ last: Value, _ next: Value) -> Bool

    /// - Parameter isNew: whether the next value is published after the last one.
    public init(_ first: Value, isNew: @escaping @Sendable (_ last: Value, _ next: Value) -> Bool) {
        state = Mutex(State(current: first))
        self.isNew = isNew
    }

    deinit { finish() }

    /// The value that was published last, with or without listeners.
    public var current: Value { state.withLock { $0.current } }

    /// How many streams are open.
    public var readerCount: Int { state.withLock { $0.readers.count } }

    /// Publishes `value` if it is new.
    public func publish(_ value: Value) { update { $0 = value } }

    /// Changes the value, without another change in between, and publishes it if it is new.
    ///
    /// Streams get it first, then the closures in the order in which they came, on the caller's thread.
    public func update(_ change: (inout Value) -> Void) {
        let (value, listeners) = state.withLock { state in
            var next = state.current
            change(&next)
            guard isNew(state.current, next) else { return (next, [@Sendable (Value) -> Void]()) }
            state.current = next
            for reader in state.readers.values { reader.yield(next) }
            guard !state.listeners.isEmpty else { return (next, []) }
            return (next, state.listeners.sorted { $0.key < $1.key }.map(\.value))
        }
        for listener in listeners { listener(value) }
    }

    /// A stream of the values from now on. It ends with ``finish()``, or with the broadcast.
    ///
    /// - Parameter beginsWithCurrent: the value published last comes first. Default true.
    public func stream(beginsWithCurrent: Bool = true) -> AsyncStream<Value> {
        let (stream, reader) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let number: UInt64? = state.withLock { state in
            if beginsWithCurrent { reader.yield(state.current) }
            guard !state.isFinished else { return nil }
            let number = state.next()
            state.readers[number] = reader
            return number
        }
        guard let number else {
            reader.finish()
            return stream
        }
        reader.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.readers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Calls `body` with every new value until ``ignore(_:)``, the present one excepted: ``greet(_:)`` is for
    /// that.
    public func listen(_ body: @escaping @Sendable (Value) -> Void) -> Token {
        state.withLock { state in
            let number = state.next()
            state.listeners[number] = body
            return Token(number: number)
        }
    }

    /// Ends a closure's listening; one that has ended is no error. A call that has begun completes.
    public func ignore(_ token: Token) {
        state.withLock { _ = $0.listeners.removeValue(forKey: token.number) }
    }

    /// Calls one closure with the present value, where it still listens.
    public func greet(_ token: Token) {
        let (current, listener) = state.withLock { ($0.current, $0.listeners[token.number]) }
        listener?(current)
    }

    /// Ends every stream, after its last value.
    public func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }
}

extension Broadcast where Value: Equatable {
    /// A value is new when it differs from the last one.
    public convenience init(_ first: Value) {
        self.init(first) { $0 != $1 }
    }
}
