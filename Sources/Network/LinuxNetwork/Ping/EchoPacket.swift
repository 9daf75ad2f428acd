/// An ICMP or ICMPv6 echo message (RFC 792, RFC 4443): eight bytes of header, then the payload.
struct EchoPacket: Hashable {
    static let headerSize = 8

    let family: IPAddress.Family
    /// Only the sequence and the payload distinguish echoes: the kernel puts its own identifier into those of
    /// datagram sockets.
    let sequence: UInt16
    let payload: [UInt8]

    /// A request as it is sent. The kernel adds ICMPv6's checksum.
    func request(identifier: UInt16) -> [UInt8] {
        var bytes: [UInt8] = [family == .v4 ? 8 : 128, 0, 0, 0]
        bytes += [UInt8(identifier >> 8), UInt8(identifier & 0xFF)]
        bytes += [UInt8(sequence >> 8), UInt8(sequence & 0xFF)]
        bytes += payload
        guard family == .v4 else { return bytes }
        let checksum = Self.checksum(of: bytes)
        bytes[2] = UInt8(checksum >> 8)
        bytes[3] = UInt8(checksum & 0xFF)
        return bytes
    }

    /// Whether `datagram` is the reply to this request.
    ///
    /// - Parameter hasIPHeader: true for datagrams of raw IPv4 sockets.
    func hasResponse(by datagram: ArraySlice<UInt8>, hasIPHeader: Bool) -> Bool {
        var message = datagram
        if hasIPHeader {
            guard let first = datagram.first, first >> 4 == 4 else { return false }
            message = datagram.dropFirst(Int(first & 0x0F) * 4)
        }
        let bytes = Array(message)
        guard bytes.count == Self.headerSize + payload.count else { return false }
        return bytes[0] == (family == .v4 ? 0 : 129) && bytes[1] == 0
            && bytes[6] == UInt8(sequence >> 8) && bytes[7] == UInt8(sequence & 0xFF)
            && bytes[8...].elementsEqual(payload)
    }

    /// The internet checksum (RFC 1071) of `bytes`.
    static func checksum(of bytes: [UInt8]) -> UInt16 {
        var sum: UInt32 = 0
        for index in stride(from: 0, to: bytes.count, by: 2) {
            let low = index + 1 < bytes.count ? bytes[index + 1] : 0
            sum += UInt32(bytes[index]) << 8 | UInt32(low)
        }
        while sum >> 16 != 0 { sum = sum & 0xFFFF + sum >> 16 }
        return ~UInt16(truncatingIfNeeded: sum)
    }
}
