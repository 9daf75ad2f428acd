import LinuxNetwork
import Testing

@Suite("IP address")
struct IPAddressTests {
    @Test("reads and writes both families", arguments: ["192.0.2.1", "2001:db8::1", "::1", "0.0.0.0"])
    func roundTrip(text: String) throws {
        #expect(try address(text).description == text)
    }

    @Test("refuses what is no address", arguments: ["", "hub.example", "1.2.3", "1.2.3.4.5", "::g", "[::1]"])
    func refuses(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("knows loopback and link-local addresses")
    func kinds() throws {
        #expect(try address("127.9.9.9").isLoopback)
        #expect(try address("::1").isLoopback)
        #expect(try !address("::2").isLoopback)
        #expect(try address("169.254.1.1").isLinkLocal)
        #expect(try address("fe80::1").isLinkLocal)
        #expect(try address("febf::1").isLinkLocal)
        #expect(try !address("fec0::1").isLinkLocal)
    }

    @Test("matches a prefix to the bit")
    func matches() throws {
        let prefix = try address("10.64.0.0")
        #expect(try address("10.127.255.255").matches(prefix, length: 10))
        #expect(try !address("10.128.0.0").matches(prefix, length: 10))
        #expect(try address("1.1.1.1").matches(prefix, length: 0))
        #expect(try !address("10.64.0.1").matches(prefix, length: 32))
        #expect(try !address("::1").matches(prefix, length: 0))
    }
}
