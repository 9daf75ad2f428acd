internal import HubProtocol

/// A code that lets one terminal in, once: ten Crockford characters (50 random bits) in two halves.
enum EnrolmentCode {
    /// How long a code may be valid, in milliseconds.
    static let lifetimes: ClosedRange<Int64> = 1_000...31 * 86_400_000
    /// In milliseconds, where nothing else is said.
    static let usualLifetime: Int64 = 900_000
    /// How many are made at once, in one transaction. A store has tens of tills.
    static let counts: ClosedRange<Int64> = 1...1_000

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// What the operators' log says of codes that were made.
    static func act(making count: Int64) -> String {
        count == 1 ? "a code for a terminal" : "\(count) codes for terminals"
    }

    static func minted() -> String {
        let characters = (0..<10).map { _ in alphabet[Int.random(in: 0..<32)] }
        return String(characters[..<5]) + "-" + String(characters[5...])
    }

    /// What is kept of a new code; however it is typed, in either case and with or without its hyphen, it has
    /// the same digest. It is keyed: with the store alone codes cannot be tried against it.
    static func digest(of code: String, keys: HubKeys) -> String? {
        digests(of: code, keys: keys).first
    }

    /// What a code may be kept as: under each secret that counts.
    static func digests(of code: String, keys: HubKeys) -> [String] {
        let typed = code.uppercased().filter { $0 != "-" && $0 != " " }
        return keys.secrets.map { _, secret in
            secret.code(of: typed, for: .enrolmentCode).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                .joined()
        }
    }
}
