import Base

internal import CurlTransport
internal import Logging
internal import MachineRuntime
internal import Synchronization
internal import TerminalStore

/// The hub's certificate as handshakes showed it.
///
/// Connections are kept for hours and prove nothing of it, so it is looked at once an hour, and right after
/// the end that the last good handshake named. That end is also kept on disk: after it no handshake names
/// it again.
final class HubCertificate: Sendable {
    /// What is known of it.
    struct Condition: Hashable, Sendable {
        /// The end that the last good handshake named, in Unix milliseconds; nil: there was none.
        var end: Int64?
        /// What the last handshake failed with; nil where it was good, and before the first.
        var refusal: CertificateLook?

        /// Takes in a look.
        mutating func note(_ look: CertificateLook) {
            switch look {
            case .ends(let at): self = Condition(end: at)
            case .refused, .handshakeFailed: refusal = look
            case .none, .noResponse: break
            }
        }

        /// Whether new connections to the hub fail for it, by the last look and the clock of now.
        func isEnded(at now: Int64) -> Bool {
            switch refusal {
            case .refused?: true
            case .handshakeFailed?, .ends?, .none?, .noResponse?, nil: end.map { $0 <= now } ?? false
            }
        }
    }

    private struct State {
        var condition = Condition()
        /// By the last look.
        var wasEnded = false
    }

    private let isSecure: Bool
    private let shake: @Sendable () async -> CertificateLook
    private let facts: SQLiteTerminalFacts
    private let time: any SystemTime
    private let logger: Logger
    private let onChange: @Sendable () -> Void
    private let state = Mutex(State())
    /// It was found not to be good, by whoever looked.
    private let endings: AsyncStream<Void>
    private let noteEnding: AsyncStream<Void>.Continuation

    /// The fact that keeps the end.
    private static let factName = "hubCertificateEnd"
    /// Between two looks. A certificate ends once in months: half finds a replaced one half an hour earlier.
    private static let interval = Duration.seconds(3_600)
    /// While it is not good, so that the warning ends soon after it was renewed; and before the first look,
    /// so that a command that runs the agent for a moment opens no connection for it.
    private static let nearInterval = Duration.seconds(60)

    /// - Parameters:
    ///   - isSecure: whether the hub has one.
    ///   - shake: makes a new connection to the hub for it.
    ///   - onChange: called when it ended, or is good again.
    init(
        isSecure: Bool, facts: SQLiteTerminalFacts, time: any SystemTime, logger: Logger,
        shake: @escaping @Sendable () async -> CertificateLook, onChange: @escaping @Sendable () -> Void
    ) {
        (self.isSecure, self.shake) = (isSecure, shake)
        self.facts = facts
        self.time = time
        self.logger = logger
        self.onChange = onChange
        (endings, noteEnding) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether it is known not to be good.
    var isEnded: Bool { state.withLock { $0.condition.isEnded(at: time.wallMilliseconds()) } }

    /// Looks at it now.
    ///
    /// - Returns: what this look showed, and what is known with it.
    @discardableResult
    func look() async -> (look: CertificateLook, condition: Condition) {
        await recall()
        let look = await shake()
        let now = time.wallMilliseconds()
        let (before, after, isNews) = state.withLock { state in
            let before = state
            state.condition.note(look)
            let isEnded = state.condition.isEnded(at: now)
            defer { state.wasEnded = isEnded }
            return (before.condition, state.condition, isEnded != state.wasEnded)
        }
        if let end = after.end, end != before.end { try? await facts.keep(String(end), as: Self.factName) }
        if isNews {
            if after.isEnded(at: now) {
                logger.warning("the hub's certificate is not good: new connections to it fail")
                noteEnding.yield()
            }
            onChange()
        }
        return (look, after)
    }

    /// Looks at it until the task is cancelled.
    func run() async {
        guard isSecure else { return }
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in
                while (try? await time.sleep(until: nextLook())) != nil { await look() }
            }
            group.addTask { [self] in
                // A person's look may find it while the next one is an hour away.
                for await _ in endings {
                    while isEnded, (try? await time.sleep(until: time.now() + Self.nearInterval)) != nil {
                        await look()
                    }
                }
            }
        }
    }

    private func nextLook() -> Instant {
        let now = time.wallMilliseconds()
        let condition = state.withLock { $0.condition }
        guard let end = condition.end else { return time.now() + Self.nearInterval }
        let left = end > now ? Duration.milliseconds(end - now + 1_000) : Self.interval
        return time.now() + min(Self.interval, left)
    }

    private func recall() async {
        guard state.withLock({ $0.condition.end == nil }),
            let kept = try? await facts.fact(Self.factName), let end = Int64(kept)
        else { return }
        state.withLock { state in
            if state.condition.end == nil { state.condition.end = end }
        }
    }
}
