internal import Crypto

/// The session of a person who signed in at `/login`: a signed cookie, so that any process of the hub can
/// read it. It ends with its time, with the operator, and with the password it was begun by.
struct OperatorSession: Hashable, Sendable {
    static let cookieName = "holdfast_session"
    /// A working day; after it an operator signs in again.
    static let lifetime: Int64 = 12 * 3_600_000

    let name: String
    /// Milliseconds since 1970.
    let expiresAt: Int64
    /// ``Operators/Entry/passwordStamp``, or the digest of the token that was used.
    let stamp: String

    /// What is signed: the name comes last, since it may hold any sign but a line's end.
    var claims: String { "\(expiresAt)\n\(stamp)\n\(name)" }

    init(name: String, expiresAt: Int64, stamp: String) {
        self.name = name
        self.expiresAt = expiresAt
        self.stamp = stamp
    }

    /// Reads claims whose signature was found right; nil for anything else.
    init?(claims: String) {
        let parts = claims.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let expiresAt = Int64(parts[0]) else { return nil }
        self.init(name: parts[2], expiresAt: expiresAt, stamp: parts[1])
    }

    /// Whether the session still belongs to that operator.
    func isValid(for entry: Operators.Entry, at now: Int64) -> Bool {
        guard now < expiresAt else { return false }
        if stamp == entry.tokenDigest { return entry.tokenExpiresAt.map { now < $0 } ?? true }
        return stamp == entry.passwordStamp
    }

    /// A cookie's value in a `Cookie` header (RFC 6265, section 4.2), the session's by default; nil without
    /// one.
    static func cookie(_ name: String = cookieName, in header: String?) -> String? {
        guard let header else { return nil }
        for pair in header.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingSpaces }
            if parts.count == 2, parts[0] == name { return parts[1] }
        }
        return nil
    }

    /// A `Set-Cookie` header that gives a session, or takes it away.
    ///
    /// - Parameter isSecure: whether the hub serves TLS itself.
    static func setCookie(_ value: String, maxAge: Int64, isSecure: Bool) -> String {
        "\(cookieName)=\(value); Path=/; Max-Age=\(maxAge); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }
}

/// Signs sessions with the hub's secret. A process without it (the operators' role alone) signs with a key of
/// its own: its sessions end with it.
struct SessionSigner: Sendable {
    private let keys: HubKeys
    private let own = HubSecret(bytes: SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })

    init(keys: HubKeys) {
        self.keys = keys
    }

    private var current: HubSecret { keys.secrets.first?.secret ?? own }

    /// The cookie's value.
    func cookie(of session: OperatorSession) -> String {
        cookie(session.claims, for: .operatorSession)
    }

    /// The cookie's value.
    func cookie(of browser: KnownBrowser) -> String {
        cookie(browser.claims, for: .operatorBrowser)
    }

    private func cookie(_ claims: String, for purpose: HubSecret.Purpose) -> String {
        Base64URL.text(Array(current.signed(claims, for: purpose).utf8))
    }

    /// The session of a cookie; nil for anything that this hub did not sign.
    func session(of cookie: String) -> OperatorSession? {
        claims(of: cookie, for: .operatorSession).flatMap(OperatorSession.init(claims:))
    }

    /// The mark of a person's browser; nil for anything that this hub did not sign for the name.
    func browser(of name: String, in header: String?) -> KnownBrowser? {
        let browser = OperatorSession.cookie(KnownBrowser.cookieName(of: name), in: header)
            .flatMap { claims(of: $0, for: .operatorBrowser) }.flatMap(KnownBrowser.init(claims:))
        return browser?.name == name ? browser : nil
    }

    private func claims(of cookie: String, for purpose: HubSecret.Purpose) -> String? {
        guard let bytes = Base64URL.bytes(cookie) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return keys.opened(text, for: purpose) ?? own.opened(text, for: purpose)
    }

    /// The value that a page of a session sends back with whatever it changes.
    func csrfToken(of session: OperatorSession) -> String {
        Base64URL.text(current.code(of: session.claims, for: .operatorForm))
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

/// Whether the `Host` of a request is a name of this hub (design of docs/concepts/security.md, "Limits").
///
/// A page of another site could let its own name point here (DNS rebinding) and then read what a browser on
/// this machine may read; it cannot choose the name in `Host`.
struct HostCheck: Hashable, Sendable {
    /// Key `ops.hosts`, in lower case, without ports.
    let names: Set<String>

    init(names: [String]) {
        self.names = Set(names.map { $0.lowercased() })
    }

    /// - Parameter authority: `Host` as the client wrote it, with or without a port.
    func allows(_ authority: String?) -> Bool {
        guard let host = authority.flatMap(Self.host)?.lowercased() else { return false }
        return Self.isLoopback(host) || names.contains(host)
    }

    /// The host of an authority without its port, and an IPv6 address without its brackets; nil for what is
    /// none.
    static func host(of authority: String) -> String? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            return String(authority[authority.index(after: authority.startIndex)..<end])
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first, !host.isEmpty else { return nil }
        return String(host)
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return parts.count == 4 && parts.first == 127 && parts.allSatisfy { $0 != nil }
    }
}
