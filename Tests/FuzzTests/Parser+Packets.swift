@testable import LinuxNetwork
@testable import TerminalStore

extension Parser {
    /// Bytes of the kernel and of foreign files.
    static let packets = [
        Parser("netlink", seeds: [netlink, failure]) { bytes in
            let found = bytes.withUnsafeBytes { NetlinkParser.messages(of: $0).messages.count }
            return found <= bytes.count / 16 ? nil : "more messages than headers"
        },
        Parser("stock-moves", seeds: ["[[0,\"S1\",-2000],[3,\"S\\\"2\",1]]"]) { bytes in
            guard let moves = try? StockMoves(column: String(decoding: bytes, as: UTF8.self)) else {
                return nil
            }
            return (try? StockMoves(column: moves.column)) == moves ? nil : "it is not read as it was written"
        },
        Parser("echo", seeds: [[0, 0, 0, 0, 0, 0, 0, 9] + Array("payload".utf8)]) { bytes in
            let packet = EchoPacket(family: .v4, sequence: 9, payload: Array("payload".utf8))
            let isResponse = packet.hasResponse(by: bytes[...], hasIPHeader: false)
            _ = packet.hasResponse(by: bytes[...], hasIPHeader: true)
            return !isResponse || bytes.suffix(7).elementsEqual("payload".utf8) ? nil : "a foreign answer"
        },
        Parser("database-header", seeds: [Array("SQLite format 3\0".utf8) + [UInt8](repeating: 1, count: 84)])
        {
            _ = DatabaseFileHeader($0)
            return nil
        },
    ]

    /// NLMSG_ERROR with EBUSY.
    private static let failure: [UInt8] =
        [20, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xF0, 0xFF, 0xFF, 0xFF]

    /// RTM_NEWLINK of interface 2 with an attribute, then NLMSG_DONE.
    private static let netlink: [UInt8] =
        [44, 0, 0, 0, 16, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0]
        + [0, 0, 1, 0, 2, 0, 0, 0, 67, 16, 1, 0, 0, 0, 0, 0]
        + [9, 0, 3, 0] + Array("eth0\0\0\0\0".utf8)
        + [16, 0, 0, 0, 3, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0]
}
