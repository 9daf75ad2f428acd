import Base

internal import Credentials
internal import Crypto
internal import HubCore
internal import Synchronization

/// How long a check of a PIN or password takes, so that one of a person who is not there costs no check and
/// takes as long.
final class CheckCost: Sendable {
    /// In milliseconds; nil before the first check.
    private let average = Mutex<Double?>(nil)
    /// A clock that does not step back.
    private let now: @Sendable () -> Instant
    /// Makes the pretended time of an invented name the same at each call and not predictable.
    private let secret = SymmetricKey(size: .bits256)

    init(now: @escaping @Sendable () -> Instant) {
        self.now = now
    }

    func measured(_ check: () -> Bool) -> Bool {
        let start = now()
        let isRight = check()
        let took = Double((now() - start).wholeMilliseconds)
        // An eighth of the newest: a single slow check, on a busy machine, moves it little.
        average.withLock { $0 = $0.map { $0 + (took - $0) / 8 } ?? took }
        return isRight
    }

    /// `outcome` after as long as a check takes, give or take a tenth that the person's name decides.
    func pretence<Value: Sendable>(for person: String, _ outcome: Value) -> FairWorker.Slot<Value> {
        guard let cost = average.withLock(\.self) else {
            return .work { [self] in
                _ = measured { PINHash.nobody.matches("") }
                return outcome
            }
        }
        let code = HMAC<SHA256>.authenticationCode(for: Array(person.utf8), using: secret)
        let share = Double(code.first { _ in true } ?? 0) / 255
        return .pretence(milliseconds: Int(cost * (0.9 + 0.2 * share)), outcome)
    }
}
