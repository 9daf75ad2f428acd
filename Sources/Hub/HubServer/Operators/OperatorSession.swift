internal import Crypto

/// The session of a person who signed in at `/login`: a signed cookie, so that any process of the hub can
/// read it. It ends with its time, with the operator, and with the password it was begun by.
struct OperatorSession: Hashable, Sendable {
    static let cookieName = "holdfast_session"
    /// Its name over TLS: no browser takes a cookie of this name from plain http or from another host of the
    /// domain (RFC 6265bis, section 4.1.3.2).
    static let secureCookieName = "__Host-" + cookieName
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

    /// A cookie's value in a `Cookie` header (RFC 6265, section 4.2); nil without one.
    static func cookie(_ name: String, in header: String?) -> String? {
        guard let header else { return nil }
        for pair in header.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingSpaces }
            if parts.count == 2, parts[0] == name { return parts[1] }
        }
        return nil
    }

    /// A `Set-Cookie` header that gives a session, or takes it away.
    ///
    /// - Parameter isSecure: whether browsers reach the hub by TLS.
    static func setCookie(_ value: String, maxAge: Int64, isSecure: Bool) -> String {
        let name = isSecure ? secureCookieName : cookieName
        return "\(name)=\(value); Path=/; Max-Age=\(maxAge); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }
}

/// Signs sessions with the hub's secret. A process without it (the operators' role alone) signs with a key of
/// its own: its sessions end with it.
struct SessionSigner: Sendable {
    private let keys: HubKeys
    private let own = HubSecret(bytes: SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })

    /// Whether browsers reach the hub by TLS, so that the cookie is for TLS alone.
    let isSecure: Bool

    init(keys: HubKeys, isSecure: Bool) {
        self.keys = keys
        self.isSecure = isSecure
    }

    /// The name of the cookie that counts; one of the other name could come from a page of plain http.
    var cookieName: String { isSecure ? OperatorSession.secureCookieName : OperatorSession.cookieName }

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

    /// The host of RFC 9110, section 7.2, and nothing that a lenient reader would take for one: a name or an
    /// address of letters, digits, dots, hyphens and underscores, or an IPv6 address in brackets, and behind
    /// it nothing or a port.
    static func host(of authority: String) -> String? {
        let isAddress = authority.hasPrefix("[")
        let mark: Character = isAddress ? "]" : ":"
        guard let end = authority.firstIndex(of: mark) ?? (isAddress ? nil : authority.endIndex) else {
            return nil
        }
        let start = isAddress ? authority.index(after: authority.startIndex) : authority.startIndex
        let host = authority[start..<end]
        var rest = authority[end...]
        if isAddress { rest = rest.dropFirst() }
        let isName = host.utf8.allSatisfy { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isASCII && (character.isLetter || character.isNumber)
                || (isAddress ? ":." : ".-_").contains(character)
        }
        guard !host.isEmpty, isName, rest.isEmpty || isPort(rest) else { return nil }
        return String(host)
    }

    /// `:` and up to five digits, or none (RFC 3986, section 3.2.3).
    private static func isPort(_ text: Substring) -> Bool {
        text.first == ":" && text.dropFirst().utf8.count <= 5
            && text.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return parts.count == 4 && parts.first == 127 && parts.allSatisfy { $0 != nil }
    }
}
