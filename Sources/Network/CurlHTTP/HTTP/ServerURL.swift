internal import CLibcurl

/// The address of a server, read by the same parser that libcurl connects with.
package struct ServerURL: Hashable, Sendable, CustomStringConvertible {
    /// Without a slash at its end; paths of the contract are appended to it.
    package let base: String
    /// Whether the scheme is `https`.
    package let isSecure: Bool
    /// Name or address, IPv6 without brackets.
    package let host: String
    /// As written, or the scheme's own: 443 or 80.
    package let port: UInt16

    /// Reads `http://` or `https://` with a host, and optionally a port and a path.
    package init(_ text: String) throws(ServerURLError) {
        guard let handle = curl_url() else { throw .unreadable(text) }
        defer { curl_url_cleanup(handle) }
        let noSpaces = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        guard noSpaces, curl_url_set(handle, CURLUPART_URL, text, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: handle),
            let host = Self.part(CURLUPART_HOST, of: handle),
            let portText = Self.part(CURLUPART_PORT, of: handle, flags: UInt32(CURLU_DEFAULT_PORT)),
            let port = UInt16(portText)
        else { throw .unreadable(text) }
        guard scheme == "http" || scheme == "https" else { throw .notHTTP(text) }
        let extras = [CURLUPART_QUERY, CURLUPART_FRAGMENT, CURLUPART_USER, CURLUPART_PASSWORD]
        guard extras.allSatisfy({ Self.part($0, of: handle) == nil }) else { throw .hasExtras(text) }
        isSecure = scheme == "https"
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        base = text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// `localhost`, 127.0.0.0/8 or ::1: the only place where http needs no permission.
    package var isLoopback: Bool {
        host == "localhost" || host == "::1"
            || (host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 0x2E || ($0 >= 0x30 && $0 <= 0x39) })
    }

    /// The base address, for example `https://server.example:8443`.
    package var description: String { base }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer, flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}

/// Why a text is no address of a server. Correct the configuration.
package enum ServerURLError: Error, Equatable, Sendable {
    case unreadable(String)
    /// Another scheme than `http` and `https`.
    case notHTTP(String)
    /// A query, a fragment, a user or a password, none of which such an address has.
    case hasExtras(String)
}
