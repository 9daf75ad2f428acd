internal import Foundation
internal import Glibc

/// Writes the bytes of a connection into a file that protocol analysers read (pcap, raw IPv4), as TCP between
/// two made-up addresses. Checksums are zero, which analysers do not look at by default.
final class ZVTCapture {
    private let file: FileHandle
    /// What each side has sent in this connection; the next one has another port.
    private var sent: (till: UInt32, terminal: UInt32) = (1, 1)
    private var tillPort: UInt16 = 40_000

    /// The port of a terminal, by which an analyser chooses its reader.
    private static let terminalPort: UInt16 = 20_007

    init(path: String) throws {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        // Magic, version 2.4, zone, accuracy, longest packet, LINKTYPE_RAW.
        write(Self.native(UInt32(0xA1B2_C3D4)) + Self.native(UInt16(2)) + Self.native(UInt16(4)))
        write([UInt32(0), 0, 65_535, 101].flatMap(Self.native))
    }

    func beginConnection() {
        sent = (1, 1)
        tillPort += 1
    }

    func note(_ bytes: [UInt8], isOfTill: Bool) {
        guard !bytes.isEmpty else { return }
        let packet = ip(tcp(bytes, isOfTill), isOfTill)
        let seconds = UInt32(truncatingIfNeeded: Glibc.time(nil))
        let length = UInt32(packet.count)
        write([seconds, 0, length, length].flatMap(Self.native) + packet)
        if isOfTill { sent.till += UInt32(bytes.count) } else { sent.terminal += UInt32(bytes.count) }
    }

    private func tcp(_ bytes: [UInt8], _ isOfTill: Bool) -> [UInt8] {
        let ports = isOfTill ? [tillPort, Self.terminalPort] : [Self.terminalPort, tillPort]
        let numbers = isOfTill ? [sent.till, sent.terminal] : [sent.terminal, sent.till]
        // Five words of header; PSH and ACK; a window of 64 KiB.
        return ports.flatMap(Self.network) + numbers.flatMap(Self.network) + [
            0x50, 0x18, 0xFF, 0xFF, 0, 0, 0, 0,
        ]
            + bytes
    }

    private func ip(_ segment: [UInt8], _ isOfTill: Bool) -> [UInt8] {
        let addresses: [[UInt8]] = [[10, 0, 0, isOfTill ? 1 : 2], [10, 0, 0, isOfTill ? 2 : 1]]
        return [0x45, 0] + Self.network(UInt16(20 + segment.count)) + [0, 0, 0x40, 0, 64, 6, 0, 0]
            + addresses.joined() + segment
    }

    private static func native<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    private static func network<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        native(number.bigEndian)
    }

    private func write(_ bytes: [UInt8]) { try? file.write(contentsOf: Data(bytes)) }
}
