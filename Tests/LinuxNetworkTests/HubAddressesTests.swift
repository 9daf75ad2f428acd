import Synchronization
import MachineRuntime
import Testing

@testable import LinuxNetwork

@Suite("Hub addresses")
struct HubAddressesTests {
    @Test("a literal address needs no resolver")
    func literal() throws {
        #expect(HubAddresses(host: "192.0.2.7").current == [try address("192.0.2.7")])
        #expect(HubAddresses(host: "2001:db8::7").current == [try address("2001:db8::7")])
    }

    @Test("listeners are notified of a change, and only of a change")
    func listeners() throws {
        let addresses = HubAddresses([])
        let reported = Mutex(0)
        let listener = addresses.addresses.listen { _ in reported.withLock { $0 += 1 } }
        addresses.replace([])
        #expect(reported.withLock { $0 } == 0)
        addresses.replace([try address("192.0.2.7")])
        #expect(reported.withLock { $0 } == 1)
        addresses.addresses.ignore(listener)
        addresses.replace([])
        #expect(reported.withLock { $0 } == 1)
    }

    @Test("localhost resolves to loopback addresses")
    func localhost() {
        let addresses = HostResolver.resolve("localhost")
        #expect(!addresses.isEmpty)
        #expect(addresses.allSatisfy { $0.isLoopback })
    }

    @Test("an impossible name has no address")
    func impossible() {
        // The resolver itself refuses a label longer than 63 bytes; nothing is sent.
        let name = String(repeating: "x", count: 70) + ".invalid"
        #expect(HostResolver.resolve(name).isEmpty)
    }
}
