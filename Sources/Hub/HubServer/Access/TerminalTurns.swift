import Base

internal import HubCore
internal import Synchronization

/// How many requests of one terminal the hub works on at once: whatever a terminal opens, it takes its turn
/// before its body is read, so that what a body costs to read, to hash and to verify is bounded for each.
final class TerminalTurns: Sendable {
    /// What a request does; those of one kind do not wait for those of another.
    enum Work: Hashable, Sendable {
        case readingBody
        case withoutBody
        /// It has been read and kept, and waits for somebody besides this hub.
        case elsewhere
    }

    struct Kind: Hashable, Sendable {
        let terminalId: String
        let work: Work
    }

    /// A place of one request, until it ends or the request is over.
    final class Turn: Sendable {
        private let turns: TerminalTurns
        private let kind: Kind
        /// By when it ends by itself at the latest; nil: that is not known.
        private let endsBy: Instant?
        private let isOver = Mutex(false)

        fileprivate init(_ kind: Kind, _ turns: TerminalTurns, endsBy: Instant? = nil) {
            self.kind = kind
            self.turns = turns
            self.endsBy = endsBy
        }

        deinit { end() }

        /// Gives the place to the next request.
        func end() {
            let ends = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            if ends { turns.end(kind, endsBy: endsBy) }
        }

        /// A place of the same terminal to wait in for somebody else, such as a payment gateway, for so long
        /// at most. Once it is there, what is left to do is as little as a wait costs, and ``end()`` lets the
        /// terminal's other requests on.
        func elsewhere(upTo longest: Duration) -> Place {
            turns.takeAtOnce(Kind(terminalId: kind.terminalId, work: .elsewhere), longest)
        }
    }

    /// A place to wait in.
    enum Place: Sendable {
        case taken(Turn)
        /// The terminal has no more; one comes free within the time. Its requester may be gone long before.
        case full(Duration)
    }

    private struct State {
        var running = 0
        /// When those that run end at the latest, as far as that is known.
        var ends: [Instant] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private struct Shared {
        var turns: [Kind: State] = [:]
        var bytes: TerminalBuckets
    }

    private let shared: Mutex<Shared>
    private let now: @Sendable () -> Instant

    /// A push and what the counter wants beside it. Doubled, one terminal keeps two cores busy for twice as
    /// long; with one, a sale's offers wait for a push over a slow line.
    static let atOnce = 2
    /// Requests that wait elsewhere; more are refused. A till has one card under way at a time, and each that
    /// its cashier gave up hangs for as long as the gateway may take. With half of them the third card of a
    /// slow gateway is refused; doubled, one terminal holds twice as many calls of the gateway.
    static let mostElsewhere = 4
    /// Requests of one kind that wait; more are refused. A till has one push, its offers, a sign-in and a
    /// look-up under way.
    static let mostWaiting = 8
    /// The bucket of bytes counts in these: a number of bytes a minute is no number of nanoseconds for each.
    private static let unit: Int64 = 1_024

    /// - Parameter bytesPerMinute: of the bodies of one terminal; a minute's worth may come at once.
    init(bytesPerMinute: Int64, now: @escaping @Sendable () -> Instant) {
        self.now = now
        let rate = TokenBucket.Rate(callsPerMinute: bytesPerMinute / Self.unit)
        shared = Mutex(Shared(bytes: TerminalBuckets(rate: rate)))
    }

    /// Counts a body.
    ///
    /// - Returns: nil when it may be read; otherwise how long the terminal has to wait.
    func count(bytes: Int, of terminalId: String) -> Duration? {
        let (now, units) = (now(), Int64(bytes) / Self.unit + 1)
        return shared.withLock { $0.bytes.take(terminalId, units, at: now) }
    }

    /// Does the work in a turn of its terminal; nil: too many requests of it wait.
    func run<Value: Sendable>(
        _ kind: Kind, _ work: (Turn) async throws -> Value
    ) async rethrows -> Value? {
        guard await begin(kind) else { return nil }
        let turn = Turn(kind, self)
        defer { turn.end() }
        return try await work(turn)
    }

    /// A turn without waiting for one.
    private func takeAtOnce(_ kind: Kind, _ longest: Duration) -> Place {
        let now = now()
        let endsBy = now + longest
        let wait = shared.withLock { shared -> Duration? in
            let state = shared.turns[kind] ?? State()
            guard state.running < Self.mostElsewhere else {
                return (state.ends.min() ?? endsBy) - now
            }
            shared.turns[kind, default: State()].running += 1
            shared.turns[kind, default: State()].ends.append(endsBy)
            return nil
        }
        return wait.map { .full(max($0, .seconds(1))) } ?? .taken(Turn(kind, self, endsBy: endsBy))
    }

    /// How many terminals have requests under way.
    var count: Int { shared.withLock { $0.turns.count } }

    private func begin(_ kind: Kind) async -> Bool {
        enum Entry { case runs, waits, refused }
        let entry = shared.withLock { shared -> Entry in
            let state = shared.turns[kind] ?? State()
            if state.running < Self.atOnce {
                shared.turns[kind, default: State()].running += 1
                return .runs
            }
            return state.waiting.count < Self.mostWaiting ? .waits : .refused
        }
        switch entry {
        case .runs: return true
        case .refused: return false
        case .waits:
            await withCheckedContinuation { continuation in
                let runs = shared.withLock { shared in
                    // A turn may have come free since.
                    guard shared.turns[kind]?.running ?? 0 >= Self.atOnce else {
                        shared.turns[kind, default: State()].running += 1
                        return true
                    }
                    shared.turns[kind, default: State()].waiting.append(continuation)
                    return false
                }
                if runs { continuation.resume() }
            }
            return true
        }
    }

    /// Hands the turn to the request that waits for longest.
    private func end(_ kind: Kind, endsBy: Instant?) {
        let next = shared.withLock { shared -> CheckedContinuation<Void, Never>? in
            guard var state = shared.turns[kind] else { return nil }
            if let place = state.ends.firstIndex(where: { $0 == endsBy }) { state.ends.remove(at: place) }
            let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            if next == nil { state.running -= 1 }
            shared.turns[kind] = state.running == 0 ? nil : state
            return next
        }
        next?.resume()
    }
}
