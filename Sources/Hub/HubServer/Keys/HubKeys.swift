internal import Crypto
internal import Foundation
internal import HubCore
internal import HubProtocol
internal import Synchronization

/// The hub's keys as the running process uses them; a rotation replaces them under all who hold this.
///
/// A process without the order store holds the public halves alone: it verifies tokens and can make none.
final class HubKeys: Sendable {
    /// The keys as bytes, so that no request decodes them again.
    private struct Unpacked {
        var ring = HubKeyRing()
        var secrets: [String: HubSecret] = [:]
        var tokenKeys: [String: Curve25519.Signing.PublicKey] = [:]
        /// Tokens whose signature was found right: verifying costs more than most requests.
        var verified: [String: DeviceToken] = [:]

        init() {}

        init(_ ring: HubKeyRing) {
            self.ring = ring
            for entry in ring.entries {
                if entry.kind == .secret, let bytes = entry.privateBytes {
                    secrets[entry.id] = HubSecret(bytes: Array(bytes))
                } else if entry.kind == .token, let bytes = entry.publicBytes {
                    tokenKeys[entry.id] = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)
                }
            }
        }
    }

    private let state = Mutex(Unpacked())
    private let now: @Sendable () -> Int64

    /// Three times the terminals of the largest chain that was measured, some MiB; of more, each is verified
    /// anew now and then. Half of it would do, twice as much is memory for nothing.
    private static let maximumVerified = 20_000

    init(_ ring: HubKeyRing = HubKeyRing(), now: @escaping @Sendable () -> Int64) {
        self.now = now
        replace(with: ring)
    }

    func replace(with ring: HubKeyRing) {
        guard self.ring != ring else { return }
        let unpacked = Unpacked(ring)
        state.withLock { $0 = unpacked }
    }

    var ring: HubKeyRing { state.withLock { $0.ring } }

    /// What enrolment and renewal carry.
    var offered: HubKeyList { ring.offered(at: now()) }

    /// The private sealing key of an id, retired ones too; nil for one that this hub does not have.
    func sealingKey(_ id: String) -> Curve25519.KeyAgreement.PrivateKey? {
        guard let entry = ring.entry(id), entry.kind == .sealing, let raw = entry.privateBytes else {
            return nil
        }
        return try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: raw)
    }

    /// Whether it has the private half of a signing key.
    var canSign: Bool { ring.current(.signing, at: now()) != nil }

    /// Signs a statement of the hub with its signing key of now; nil in a process without private keys.
    func signed(_ statement: ShiftStatement) -> ShiftStatement? {
        guard let (id, key) = signingKey else { return nil }
        var signed = statement
        signed.keyId = id
        guard let signature = try? key.signature(for: signed.signedBytes) else { return nil }
        signed.signature = signature.base64EncodedString()
        return signed
    }

    /// Signs a lease; one that cannot be signed is spent all the same, but not given to another till.
    @Sendable func signed(_ lease: LeaseRecord) -> LeaseRecord {
        guard let (id, key) = signingKey else { return lease }
        var signed = lease
        signed.keyId = id
        let bytes = LeaseRecord.signedBytes(signed.json)
        guard let signature = try? key.signature(for: bytes) else { return lease }
        signed.signature = signature.base64EncodedString()
        return signed
    }

    private var signingKey: (id: String, key: Curve25519.Signing.PrivateKey)? {
        guard let entry = ring.current(.signing, at: now()), let raw = entry.privateBytes,
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: raw)
        else { return nil }
        return (entry.id, key)
    }
}

/// What the hub's secret keys: cursors, upload URLs, enrolment codes.
extension HubKeys {
    /// `text` signed with the secret of now.
    ///
    /// - Throws: ``Problem`` in a process without private keys, which serves no route that needs this.
    func signed(_ text: String, for purpose: HubSecret.Purpose) throws(Problem) -> String {
        guard let secret = secrets.first?.secret else { throw .internalError }
        return secret.signed(text, for: purpose)
    }

    /// The text of what a secret that still counts signed; nil for anything else.
    func opened(_ signed: String, for purpose: HubSecret.Purpose) -> String? {
        for (_, secret) in secrets {
            if let text = secret.opened(signed, for: purpose) { return text }
        }
        return nil
    }

    /// The secrets that count now, the current one first.
    var secrets: [(entry: HubKeyEntry, secret: HubSecret)] {
        let now = now()
        return state.withLock { state in
            state.ring.accepted(.secret, at: now).compactMap { entry in
                state.secrets[entry.id].map { (entry, $0) }
            }
        }
    }
}

/// Device tokens.
extension HubKeys {
    /// - Throws: ``Problem`` in a process without private keys, which serves no route that needs this.
    func token(of terminal: TerminalRecord, expiresAt: Int64) throws(Problem) -> String {
        let token = DeviceToken(of: terminal, expiresAt: expiresAt)
        guard let key = ring.current(.token, at: now()), let text = token.text(signedBy: key) else {
            throw .internalError
        }
        return text
    }

    /// Reads a token that this hub signed with a key that still counts; nil for anything else. Its expiry is
    /// the caller's to judge.
    func token(_ text: String) -> DeviceToken? {
        guard let unverified = DeviceToken.Unverified(text) else { return nil }
        let (keyId, now) = (unverified.keyId, now())
        let (key, known) = state.withLock { state in
            let isAccepted = state.ring.entry(keyId)?.isAccepted(at: now) ?? false
            return (isAccepted ? state.tokenKeys[keyId] : nil, state.verified[text])
        }
        guard let key else { return nil }
        if let known { return known }
        guard unverified.isSigned(by: key) else { return nil }
        state.withLock { state in
            if state.verified.count >= Self.maximumVerified { state.verified.removeAll() }
            state.verified[text] = unverified.token
        }
        return unverified.token
    }
}
