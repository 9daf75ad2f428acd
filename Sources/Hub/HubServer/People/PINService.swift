import Base

internal import Credentials
internal import HubCore
internal import HubProtocol
internal import OfflineCore
internal import Synchronization

/// Checks PINs and counts wrong ones.
///
/// A check costs tenths of a second of a processor, so calls are counted by terminal before one is made, and
/// an unknown cashier costs none: the refusal comes in its turn and after as long as a check takes.
final class PINService: Sendable {
    enum Outcome: Sendable {
        case right
        case wrong
        /// Nothing was checked. The wait is in milliseconds.
        case locked(Int64)
        /// Nothing was checked: the terminal sends too many requests, or the queue is full. In milliseconds.
        case tooMany(Int64)
    }

    private struct State {
        var attempts = PINAttempts()
        var rates = TerminalBuckets(rate: PINService.rate)
    }

    private let gate = FairWorker()
    private let state = Mutex(State())
    /// A clock that does not step back.
    private let now: @Sendable () -> Instant
    private let cost: CheckCost

    /// The request rate of one terminal: 20 at once, as at the change of a shift, then one each 3 s. Halved,
    /// a counter that several cashiers share at noon meets it; doubled, one terminal may keep the gate busy
    /// for twice as long.
    static let rate = TokenBucket.Rate(callsPerMinute: 20, burst: 20)
    /// Until when a terminal without room may come back: about two checks.
    private static let waitForRoom: Int64 = 1_000

    init(now: @escaping @Sendable () -> Instant) {
        self.now = now
        cost = CheckCost(now: now)
    }

    /// - Parameters:
    ///   - cashier: nil for an unknown one.
    ///   - person: who they claim to be, and where; wrong PINs are counted by it.
    ///   - terminal: whose turn it takes.
    func check(
        _ pin: String, of cashier: CashierRecord?, as person: String, at terminal: String
    ) async -> Outcome {
        let moment = now()
        if let wait = state.withLock({ $0.rates.take(terminal, at: moment) }) {
            return .tooMany(max(1, wait.wholeMilliseconds))
        }
        // Looked up, checked and counted in one job: concurrent tries are counted before the next one.
        let result = await gate.run(of: terminal) { [self] in slot(pin, cashier, person) }
        return result ?? .tooMany(Self.waitForRoom)
    }

    private func slot(_ pin: String, _ cashier: CashierRecord?, _ person: String) -> FairWorker.Slot<Outcome>
    {
        let moment = milliseconds
        if let wait = state.withLock({ $0.attempts.wait(of: person, at: moment) }) {
            return .work { .locked(wait) }
        }
        guard let cashier else {
            state.withLock { $0.attempts.noteWrong(person, at: moment) }
            return cost.pretence(for: person, .wrong)
        }
        return .work { [self] in
            let isRight = cost.measured { PINHash(text: cashier.pinHash).matches(pin) }
            state.withLock {
                isRight ? $0.attempts.noteRight(person) : $0.attempts.noteWrong(person, at: moment)
            }
            return isRight ? .right : .wrong
        }
    }

    private var milliseconds: Int64 { now().nanoseconds / 1_000_000 }
}
