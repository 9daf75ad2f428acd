import Base

internal import Credentials
internal import HubCore
internal import HubProtocol
internal import Synchronization

/// Checks operators' passwords, with a bounded fair queue and a growing wait: the page is open to any sender,
/// and a hash is expensive.
///
/// Wrong ones are counted by name and by where they come from, so that a stranger makes nobody else wait: a
/// browser in which the person signed in before is a place of its own, any other is its address.
final class PasswordCheck: Sendable {
    enum Outcome: Sendable {
        case right
        case wrong
        /// Nothing was checked. Seconds until the next attempt.
        case wait(Int64)
    }

    /// Where an attempt comes from.
    enum Place: Hashable, Sendable {
        /// A browser in which the person signed in before, by its id.
        case browser(String)
        case peer(Peer)
    }

    /// Signs of the shortest password: with scrypt's cost behind it, more than can be guessed online.
    static let shortest = 10

    private struct State {
        var known = WrongPasswords()
        /// Invented names push each other out, never an operator's.
        var invented = WrongPasswords()
    }

    private let state = Mutex(State())
    /// Those of browsers have a thread and a queue that no stranger fills.
    private let browsers = FairWorker()
    private let strangers = FairWorker()
    private let cost: CheckCost
    private let now: @Sendable () -> Instant

    /// - Parameter now: a clock that does not step back.
    init(now: @escaping @Sendable () -> Instant) {
        self.now = now
        cost = CheckCost(now: now)
    }

    /// - Parameter kept: the hash of the name's password; nil for an unknown name or one without a password.
    func check(
        _ password: String, of name: String, from place: Place, against kept: String?
    ) async -> Outcome {
        let attempt = WrongPasswords.Attempt(name: name, place: place)
        let sender = Self.sender(name, place, isKnown: kept != nil)
        // Looked up, checked and counted in one job: concurrent attempts are counted before the next one.
        let outcome = await gate(of: place).run(of: sender) { [self] in slot(password, attempt, kept) }
        return outcome ?? .wait(1)
    }

    /// The hash of a new password; nil when too many are waiting.
    func hash(_ password: String, of name: String) async -> String? {
        await browsers.run(of: name) { .work { PINHash(hashing: password)?.text } } ?? nil
    }

    private func gate(of place: Place) -> FairWorker {
        switch place {
        case .browser: browsers
        case .peer: strangers
        }
    }

    /// Whose turn an attempt takes: each operator's name has one at each place, all that a place invents
    /// share one.
    private static func sender(_ name: String, _ place: Place, isKnown: Bool) -> String {
        isKnown ? "\(place)\n\(name)" : "\(place)"
    }

    private func slot(
        _ password: String, _ attempt: WrongPasswords.Attempt, _ kept: String?
    ) -> FairWorker.Slot<Outcome> {
        let time = now()
        let wait = state.withLock { (kept == nil ? $0.invented : $0.known).wait(of: attempt, at: time) }
        if let wait { return .work { .wait((wait.wholeMilliseconds + 999) / 1000) } }
        guard let kept else {
            state.withLock { $0.invented.note(attempt, at: time) }
            return cost.pretence(for: attempt.name, .wrong)
        }
        return .work { [self] in
            let isRight = cost.measured { PINHash(text: kept).matches(password) }
            state.withLock { isRight ? $0.known.forgive(attempt) : $0.known.note(attempt, at: time) }
            return isRight ? .right : .wrong
        }
    }
}

/// Wrong passwords in a row, by name and place. A value without a clock.
struct WrongPasswords: Sendable {
    struct Attempt: Hashable, Sendable {
        let name: String
        let place: PasswordCheck.Place
    }

    private struct Failures {
        var count = 0
        var last: Instant
        var until: Instant?
    }

    private var failures: [Attempt: Failures] = [:]

    /// Wrong attempts in a row after which a name waits at a place.
    private static let freeAttempts = 5
    /// The first wait; it doubles with each further wrong attempt up to the longest.
    private static let firstWait: Duration = .seconds(60)
    private static let longestWait: Duration = .seconds(900)
    /// Names at places that are remembered, about 2 MiB; the one that failed longest ago is forgotten first.
    /// A sender with more addresses than this gains five attempts from each all the same.
    static let capacity = 10_000

    /// How many names at places are remembered.
    var count: Int { failures.count }

    /// How long an attempt waits yet; nil: it may be made.
    func wait(of attempt: Attempt, at now: Instant) -> Duration? {
        guard let until = failures[attempt]?.until, now < until else { return nil }
        return until - now
    }

    /// Counts a wrong password.
    mutating func note(_ attempt: Attempt, at now: Instant) {
        if failures[attempt] == nil, failures.count >= Self.capacity,
            let oldest = failures.min(by: { $0.value.last < $1.value.last })
        {
            failures[oldest.key] = nil
        }
        var entry = failures[attempt] ?? Failures(last: now)
        entry.count += 1
        entry.last = now
        let further = entry.count - Self.freeAttempts
        if further >= 0 { entry.until = now + min(Self.longestWait, Self.firstWait * (1 << min(further, 4))) }
        failures[attempt] = entry
    }

    /// Forgets the wrong passwords before a right one.
    mutating func forgive(_ attempt: Attempt) {
        failures[attempt] = nil
    }
}

/// The code that sets an operator's password once: 80 random bits, so that its digest needs no salt.
enum LoginCode {
    /// A day, in milliseconds: a code that stays in a chat or a drawer sets no password a year later.
    static let lifetime: Int64 = 86_400_000

    static func minted() -> String {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        // The system's generator reads the kernel's (getrandom), which is fit for secrets.
        var random = SystemRandomNumberGenerator()
        let signs = (0..<16).map { _ in alphabet[Int.random(in: 0..<32, using: &random)] }
        return stride(from: 0, to: 16, by: 4).map { String(signs[$0..<$0 + 4]) }.joined(separator: "-")
    }

    static func digest(of code: String) -> String {
        Digest.sha256Hex(Array(code.uppercased().filter { $0 != "-" && $0 != " " }.utf8))
    }
}
