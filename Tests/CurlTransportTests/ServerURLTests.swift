import CurlHTTP
import Testing

@Suite("Hub URL", .timeLimit(.minutes(2)))
struct ServerURLTests {
    @Test("reads scheme, host, port and path")
    func reads() throws {
        let url = try ServerURL("https://hub.example:8443/shop/")
        #expect(url.base == "https://hub.example:8443/shop")
        #expect(url.isSecure)
        #expect(url.host == "hub.example")
        #expect(url.port == 8443)
        #expect(try ServerURL("http://hub.example").port == 80)
        #expect(try ServerURL("https://[2001:db8::1]").host == "2001:db8::1")
    }

    @Test(
        "loopback is loopback by name or address, and nothing that looks like it",
        arguments: [
            ("http://localhost", true), ("http://127.0.0.1:80", true), ("http://127.8.9.10", true),
            ("http://[::1]:99", true), ("http://127.0.0.1.evil.example", false),
            ("http://localhost.example", false), ("http://192.168.1.1", false),
        ])
    func loopback(text: String, expected: Bool) throws {
        #expect(try ServerURL(text).isLoopback == expected)
    }

    @Test("refuses a text that is no hub's address, with the reason")
    func refuses() {
        #expect(throws: ServerURLError.notHTTP("ftp://hub")) { try ServerURL("ftp://hub") }
        for text in ["", "hub", "http://", "http://a b", "http://hub:0x50", "http://hub:99999"] {
            #expect(throws: ServerURLError.unreadable(text)) { try ServerURL(text) }
        }
        for text in ["http://hub/?a=b", "http://hub/#a", "http://user:secret@hub"] {
            #expect(throws: ServerURLError.hasExtras(text)) { try ServerURL(text) }
        }
    }
}
