internal import Foundation

/// Where documents of the journal feed are sent to: https, or http on this machine.
///
/// Addresses of a private network are usual for a back office. Those of the link alone are refused, since
/// cloud machines give out their credentials there; a name is looked up when it is connected to, so that the
/// sender refuses them again.
struct WebhookAddress: Hashable, Sendable {
    /// Whether it is plain http, which is sent to this machine alone.
    let isLocal: Bool

    /// In bytes; longer ones are refused.
    static let longest = 2_048

    /// - Throws: a sentence that says what is wrong and what to write instead.
    init(_ text: String) throws(WebhookAddressFault) {
        guard text.utf8.count <= Self.longest, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw WebhookAddressFault("has spaces, or is longer than \(Self.longest) bytes")
        }
        guard let address = URLComponents(string: text), let host = address.host?.lowercased(), !host.isEmpty
        else { throw WebhookAddressFault("is no address of the form https://host/path") }
        guard address.user == nil, address.password == nil, address.fragment == nil else {
            throw WebhookAddressFault(
                "has a name, a password or a fragment; the signature proves who sent it")
        }
        isLocal = address.scheme?.lowercased() == "http"
        guard address.scheme?.lowercased() == "https" || isLocal && Self.loopback.contains(host) else {
            throw WebhookAddressFault("is not https; plain http goes to 127.0.0.1, localhost and [::1] alone")
        }
        guard !host.hasPrefix("169.254."), !host.hasPrefix("[fe8"), !host.hasPrefix("[fe9"),
            !host.hasPrefix("[fea"), !host.hasPrefix("[feb")
        else { throw WebhookAddressFault("is of the link alone (169.254.0.0/16 or fe80::/10)") }
    }

    private static let loopback: Set<String> = ["127.0.0.1", "localhost", "::1", "[::1]"]
}

/// Why a text is no ``WebhookAddress``.
struct WebhookAddressFault: Error, Hashable, Sendable {
    /// Behind the address in a sentence.
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
