import Testing

@testable import LinuxNetwork

@Suite("Echo packet")
struct EchoPacketTests {
    private let packet = EchoPacket(family: .v4, sequence: 0x0102, payload: [9, 8, 7, 6, 5])

    @Test("a request sums to zero with its checksum")
    func checksum() {
        let request = packet.request(identifier: 0xBEEF)
        #expect(request.prefix(2) == [8, 0])
        #expect(EchoPacket.checksum(of: request) == 0)
    }

    @Test("the kernel's own identifier in a reply does not matter")
    func otherIdentifier() {
        #expect(packet.hasResponse(by: reply(identifier: 1)[...], hasIPHeader: false))
        #expect(packet.hasResponse(by: reply(identifier: 2)[...], hasIPHeader: false))
    }

    @Test("a foreign sequence, a foreign payload, a request or a short datagram is no reply")
    func foreign() {
        var sequence = reply()
        sequence[7] ^= 1
        var payload = reply()
        payload[9] ^= 1
        var request = reply()
        request[0] = 8
        for datagram in [sequence, payload, request, Array(reply().dropLast()), reply() + [0], []] {
            #expect(!packet.hasResponse(by: datagram[...], hasIPHeader: false))
        }
    }

    @Test("an IP header of any length is skipped")
    func header() {
        let short: [UInt8] = [0x45] + [UInt8](repeating: 0, count: 19)
        let long: [UInt8] = [0x47] + [UInt8](repeating: 0, count: 27)
        #expect(packet.hasResponse(by: (short + reply())[...], hasIPHeader: true))
        #expect(packet.hasResponse(by: (long + reply())[...], hasIPHeader: true))
        #expect(!packet.hasResponse(by: reply()[...], hasIPHeader: true))
        #expect(!packet.hasResponse(by: [0x4F], hasIPHeader: true))
    }

    @Test("ICMPv6 has its own types and leaves the checksum to the kernel")
    func six() {
        let packet = EchoPacket(family: .v6, sequence: 1, payload: [1])
        #expect(packet.request(identifier: 0) == [128, 0, 0, 0, 0, 0, 0, 1, 1])
        #expect(packet.hasResponse(by: [129, 0, 5, 5, 5, 5, 0, 1, 1], hasIPHeader: false))
    }

    private func reply(identifier: UInt16 = 7) -> [UInt8] {
        var bytes = packet.request(identifier: identifier)
        bytes[0] = 0
        return bytes
    }
}
