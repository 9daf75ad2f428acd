internal import Credentials
internal import HubProtocol
internal import OfflineCore
internal import Synchronization

/// Checks PINs and counts wrong ones.
final class PINDesk: Sendable {
    enum Verdict: Sendable {
        case right
        case wrong
        /// Nothing was checked. The wait is in milliseconds.
        case locked(Int64)
    }

    private let line = HashingLine()
    private let attempts = Mutex(PINAttempts())
    /// Milliseconds of a clock that does not step back.
    private let now: @Sendable () -> Int64

    /// What nobody's PIN is, at the usual cost: the PIN of somebody unknown takes as long to refuse.
    private static let nobody = PINHash(
        text: "$scrypt$ln=16,r=8,p=2$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")

    init(now: @escaping @Sendable () -> Int64 = { QoSTime().now().nanoseconds / 1_000_000 }) {
        self.now = now
    }

    /// - Parameters:
    ///   - cashier: nil for somebody unknown.
    ///   - person: who it is by their own word, and where; wrong PINs are counted by it.
    func verdict(on pin: String, of cashier: CashierRecord?, as person: String) async -> Verdict {
        let hash = cashier.map { PINHash(text: $0.pinHash) } ?? Self.nobody
        // Looked up, checked and counted in one turn: tries that come together are counted before the next.
        return await line.run { [self] in
            let moment = now()
            if let wait = attempts.withLock({ $0.wait(of: person, at: moment) }) { return .locked(wait) }
            let isRight = hash.matches(pin)
            attempts.withLock { isRight ? $0.noteRight(person) : $0.noteWrong(person, at: moment) }
            return isRight ? .right : .wrong
        }
    }
}
