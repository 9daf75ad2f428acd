internal import Credentials
internal import Dispatch
internal import HubProtocol
internal import Synchronization

/// Checks operators' passwords one after the other, with a bounded queue and a growing wait by name: the page
/// is open to any sender, and a hash is expensive.
final class PasswordCheck: Sendable {
    enum Outcome: Sendable {
        case right
        case wrong
        /// Seconds until the next attempt.
        case wait(Int64)
    }

    /// Signs of the shortest password: with scrypt's cost behind it, more than can be guessed online.
    static let shortest = 10
    /// Wrong attempts in a row after which a name waits.
    private static let freeAttempts = 5
    /// Milliseconds of the first wait; it doubles with each further wrong attempt up to 15 minutes.
    private static let firstWait: Int64 = 60_000
    private static let longestWait: Int64 = 900_000
    /// Names that are remembered; invented ones push each other out, never a known operator's.
    private static let maximumNames = 1_000
    /// Hashes that may wait; more would keep the last one waiting for seconds.
    private static let maximumQueue = 4

    private struct Failures {
        var count = 0
        var until: Int64 = 0
    }

    private let queue = DispatchQueue(label: "hub.passwords")
    private let failures = Mutex<[String: Failures]>([:])
    private let waiting = Mutex(0)
    private let now: @Sendable () -> Int64

    init(now: @escaping @Sendable () -> Int64) {
        self.now = now
    }

    /// - Parameter kept: the hash of the name's password; nil for an unknown name or one without a password.
    func check(_ password: String, of name: String, against kept: String?) async -> Outcome {
        let time = now()
        let until = failures.withLock { $0[name]?.until ?? 0 }
        guard time >= until else { return .wait((until - time + 999) / 1000) }
        // An unknown name takes as long as a known one.
        let hash = kept.map(PINHash.init(text:)) ?? .nobody
        guard let matches = await queued({ hash.matches(password) }) else { return .wait(1) }
        guard matches, kept != nil else {
            record(name, isKnown: kept != nil)
            return .wrong
        }
        failures.withLock { $0[name] = nil }
        return .right
    }

    /// The hash of a new password; nil when too many are waiting.
    func hash(_ password: String) async -> String? {
        await queued { PINHash(hashing: password)?.text } ?? nil
    }

    private func record(_ name: String, isKnown: Bool) {
        let time = now()
        failures.withLock { all in
            if all.count >= Self.maximumNames, all[name] == nil {
                guard isKnown else { return }
                all = all.filter { $0.value.until > time }
            }
            var entry = all[name] ?? Failures()
            entry.count += 1
            let further = entry.count - Self.freeAttempts
            if further >= 0 {
                entry.until = time + min(Self.longestWait, Self.firstWait << Int64(min(further, 4)))
            }
            all[name] = entry
        }
    }

    private func queued<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        let isAdmitted = waiting.withLock { count in
            guard count < Self.maximumQueue else { return false }
            count += 1
            return true
        }
        guard isAdmitted else { return nil }
        defer { waiting.withLock { $0 -= 1 } }
        return await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}

/// The code that sets an operator's password once: 80 random bits, so that its digest needs no salt.
enum LoginCode {
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
