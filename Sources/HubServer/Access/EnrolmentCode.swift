internal import HubProtocol

/// A code that lets one terminal in, once: ten Crockford characters (50 random bits) in two halves.
enum EnrolmentCode {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    static func minted() -> String {
        let characters = (0..<10).map { _ in alphabet[Int.random(in: 0..<32)] }
        return String(characters[..<5]) + "-" + String(characters[5...])
    }

    /// What is kept of a code; however it is typed, in either case and with or without its hyphen, it has the
    /// same digest.
    static func digest(of code: String) -> String {
        let typed = code.uppercased().filter { $0 != "-" && $0 != " " }
        return Digest.sha256Hex(Array(typed.utf8))
    }
}
