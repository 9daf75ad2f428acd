/// One message of ZVT, in either direction: class, instruction, length, data (PA00P015, "APDU").
///
/// The length is one byte, or `FF` and two bytes with the lower one first.
package struct ZVTPacket: Hashable, Sendable {
    /// Class and instruction, as `0x0601` for `06 01`.
    package let control: UInt16
    /// What follows the length, without it; at most ``ZVTFraming/longestData`` bytes.
    package let data: [UInt8]

    package init(_ control: UInt16, _ data: [UInt8] = []) {
        self.control = control
        self.data = data
    }

    /// What goes over the line; nil where `data` is longer than a machine may send back.
    package var bytes: [UInt8]? {
        guard data.count <= ZVTFraming.longestData else { return nil }
        let head = [UInt8(control >> 8), UInt8(control & 0xFF)]
        guard data.count >= 0xFF else { return head + [UInt8(data.count)] + data }
        return head + [0xFF, UInt8(data.count & 0xFF), UInt8(data.count >> 8)] + data
    }
}

/// Packets out of the bytes of one connection, however TCP split or joined them.
package struct ZVTFraming: Sendable {
    /// Bytes of one packet's data at most. The longest that machines send are blocks of receipt lines, with a
    /// few kilobytes; the format would allow 65,535.
    package static let longestData = 16 * 1024

    private var rest: [UInt8] = []

    package init() {}

    /// Whether a packet has begun whose end is missing: a connection that closes here lost it.
    package var isWithinPacket: Bool { !rest.isEmpty }

    /// Adds what arrived and takes all packets out that are complete.
    ///
    /// - Throws: ``ZVTFault/tooLong`` for a packet above ``longestData``. The bytes after it have no known
    ///   beginning, so that the connection has to be closed.
    package mutating func packets(after arrived: some Sequence<UInt8>) throws(ZVTFault) -> [ZVTPacket] {
        rest += arrived
        var found: [ZVTPacket] = []
        var start = 0
        while let frame = try frame(at: start) {
            found.append(
                ZVTPacket(UInt16(rest[start]) << 8 | UInt16(rest[start + 1]), Array(rest[frame])))
            start = frame.upperBound
        }
        rest.removeFirst(start)
        return found
    }

    /// Where the data of the packet at `start` is; nil while it is incomplete.
    private func frame(at start: Int) throws(ZVTFault) -> Range<Int>? {
        let count = rest.count - start
        guard count >= 3 else { return nil }
        let short = rest[start + 2]
        guard short == 0xFF else {
            let data = start + 3
            return data + Int(short) <= rest.count ? data..<(data + Int(short)) : nil
        }
        guard count >= 5 else { return nil }
        let length = Int(rest[start + 3]) | Int(rest[start + 4]) << 8
        guard length <= Self.longestData else { throw .tooLong }
        let data = start + 5
        return data + length <= rest.count ? data..<(data + length) : nil
    }
}

/// Why bytes of a machine cannot be read on.
package enum ZVTFault: Error, Hashable, Sendable {
    /// A packet is longer than ``ZVTFraming/longestData``.
    case tooLong
}
