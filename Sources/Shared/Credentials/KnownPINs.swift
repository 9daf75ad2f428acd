internal import Base
internal import Crypto
internal import Foundation

/// PINs that were verified, so that a cashier's PIN is hashed, or sent to the hub, once a day and not at each
/// sale.
///
/// Of each only a digest is kept, under a key that is drawn with this value and never leaves it: what is
/// remembered ends with the process. What the PIN was checked against goes into the digest, so that a PIN
/// that was changed is not known any more.
package struct KnownPINs: Sendable {
    @Secret private var key = SymmetricKey(size: .bits256)
    private var digests: [String: Data] = [:]

    /// The most people that are remembered; of more any one is forgotten, and only checked anew.
    package static let capacity = 1000

    /// Remembers nobody; the key is new.
    package init() {}

    /// Whether `pin` was found right for `person` against the same `hash`.
    ///
    /// - Parameter hash: what the PIN is checked against; nil: it is not known here.
    package func holds(_ pin: String, of person: String, hash: String?) -> Bool {
        guard let digest = digests[person] else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(
            digest, authenticating: Self.message(pin, person, hash), using: key)
    }

    /// Remembers that `pin` was found right; in place of what was remembered of `person` before.
    package mutating func remember(_ pin: String, of person: String, hash: String?) {
        if digests[person] == nil, digests.count >= Self.capacity, let any = digests.keys.first {
            digests[any] = nil
        }
        digests[person] = Data(
            HMAC<SHA256>.authenticationCode(for: Self.message(pin, person, hash), using: key))
    }

    /// The lengths keep apart what stands side by side.
    private static func message(_ pin: String, _ person: String, _ hash: String?) -> Data {
        let hash = hash ?? ""
        return Data("\(person.utf8.count) \(hash.utf8.count) \(person)\(hash)\(pin)".utf8)
    }
}
