import Base
import Testing

@testable import LinuxNetwork

@Suite("Netlink parser")
struct NetlinkParserTests {
    /// RTM_NEWROUTE: default via 192.168.1.1 dev 2 metric 100, as the kernel sends it.
    private let routeMessage: [UInt8] = {
        let body: [UInt8] =
            [2, 0, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0]  // rtmsg
            + [8, 0, 15, 0, 254, 0, 0, 0]  // RTA_TABLE
            + [8, 0, 6, 0, 100, 0, 0, 0]  // RTA_PRIORITY
            + [8, 0, 5, 0, 192, 168, 1, 1]  // RTA_GATEWAY
            + [8, 0, 4, 0, 2, 0, 0, 0]  // RTA_OIF
        return [UInt8(16 + body.count), 0, 0, 0, 24, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0] + body
    }()

    @Test("a route is read with its gateway, link and metric")
    func route() throws {
        let expected = KernelRoute(
            destination: try address("0.0.0.0"), length: 0, metric: 100,
            hops: [.init(link: 2, gateway: try address("192.168.1.1"))])
        #expect(messages(routeMessage) == [.route(expected)])
    }

    @Test("a message cut at any byte is left out and nothing is read after it")
    func cut() {
        for count in 0..<routeMessage.count {
            let found = messages(Array(routeMessage.prefix(count)))
            #expect(found.isEmpty || found == [.other])
        }
    }

    @Test("two messages of one datagram are both read")
    func two() {
        #expect(messages(routeMessage + routeMessage).count == 2)
    }

    @Test("a disturbed dump is noticed")
    func disturbed() {
        var message = routeMessage
        message[6] |= 0x10  // NLM_F_DUMP_INTR
        #expect(message.withUnsafeBytes { NetlinkParser.messages(of: $0).isDisturbed })
        #expect(!routeMessage.withUnsafeBytes { NetlinkParser.messages(of: $0).isDisturbed })
    }

    @Test("an error carries its errno")
    func error() {
        let failed: [UInt8] =
            [20, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0] + withUnsafeBytes(of: Int32(-16)) { Array($0) }
        #expect(messages(failed) == [.failed(16)])
        let lowest = failed.prefix(16) + withUnsafeBytes(of: Int32.min) { Array($0) }
        #expect(messages(Array(lowest)) == [.failed(.max)])
    }

    @Test("changed bytes anywhere never read past the end")
    func garbage() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<20_000 {
            var message = routeMessage
            for _ in 0..<3 {
                message[Int(generator.below(UInt64(message.count)))] = UInt8(generator.below(256))
            }
            _ = messages(message)
        }
    }

    private func messages(_ bytes: [UInt8]) -> [NetlinkMessage] {
        bytes.withUnsafeBytes { NetlinkParser.messages(of: $0).messages }
    }
}
