import CLibcurl
import CurlHTTP
import Glibc
import TestKit
import Testing

@Suite("The addresses that a request may be sent to")
struct AllowedAddressTests {
    /// What the check at the opening of a socket says of a numeric address.
    private func isAllowed(_ text: String, _ allowed: AllowedAddresses) throws -> Bool {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        var found: UnsafeMutablePointer<addrinfo>?
        try #require(getaddrinfo(text, nil, &hints, &found) == 0, "\(text)")
        defer { freeaddrinfo(found) }
        return ccurl_is_allowed(try #require(found?.pointee.ai_addr), allowed.rawValue) != 0
    }

    @Test("Of the link alone, in IPv4, in IPv6 and as IPv4 within IPv6")
    func ofLink() throws {
        for text in ["169.254.169.254", "169.254.0.1", "::ffff:169.254.169.254", "fe80::1", "febf::1"] {
            #expect(try !isAllowed(text, .notOfLink), "\(text)")
            #expect(try isAllowed(text, .all), "\(text)")
        }
        for text in [
            "169.253.255.255", "169.255.0.1", "10.0.0.7", "127.0.0.1", "::1", "2001:db8::1", "fec0::1",
        ] {
            #expect(try isAllowed(text, .notOfLink), "\(text)")
        }
    }

    @Test("This machine's alone")
    func loopback() throws {
        for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            #expect(try isAllowed(text, .loopback), "\(text)")
        }
        for text in ["10.0.0.7", "128.0.0.1", "0.0.0.0", "::", "::2", "::ffff:10.0.0.7", "169.254.169.254"] {
            #expect(try !isAllowed(text, .loopback), "\(text)")
        }
    }

    @Test("A request to an address that is not allowed opens no connection")
    func refused() async throws {
        let server = try ScriptedServer()
        server.on("/", .json(200, "{}"))
        let session = try CurlSession()
        defer { session.close() }
        for (allowed, status) in [(AllowedAddresses.all, 200), (.notOfLink, 200), (.loopback, 200)] {
            var request = HTTPRequest(url: server.url + "/")
            request.addresses = allowed
            #expect(try await session.send(request).result.get().status == status)
        }
        var request = HTTPRequest(url: "http://169.254.169.254:\(server.port)/")
        request.addresses = .notOfLink
        guard case .failure(.notConnected) = await session.send(request).result else {
            Issue.record("it was connected to")
            return
        }
    }
}
