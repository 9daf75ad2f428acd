internal import Crypto
internal import HubProtocol

/// The mark of a browser in which an operator signed in: a signed cookie without rights, that gives the
/// person a count of wrong passwords and a place in the queue of its own. Each name has its own, so that two
/// people can share a browser.
struct KnownBrowser: Hashable, Sendable {
    /// Random; wrong passwords are counted by it.
    let id: String
    /// The operator who signed in.
    let name: String

    /// A year: whoever comes back from a long absence is a stranger once.
    private static let lifetime = 366 * 86_400

    /// A mark for a browser without one.
    init(of name: String) {
        id = Base64URL.text(SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) })
        self.name = name
    }

    /// Reads claims whose signature was found right; nil for anything else.
    init?(claims: String) {
        let parts = claims.split(separator: "\n", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        (id, name) = (parts[0], parts[1])
    }

    /// What is signed.
    var claims: String { "\(id)\n\(name)" }

    static func cookieName(of name: String) -> String {
        "known_browser_" + Digest.sha256Hex(Array(name.utf8)).prefix(16)
    }

    /// A `Set-Cookie` header that marks the browser.
    func setCookie(_ value: String, isSecure: Bool) -> String {
        "\(Self.cookieName(of: name))=\(value); Path=/login; Max-Age=\(Self.lifetime); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }
}
