/// What a machine sends, or the till's response to it.
package enum ZVTMessage: Hashable, Sendable {
    /// `80 00`, or `84 00` of older machines: the command is accepted, and the machine speaks from now on.
    case accepted
    /// `84` with its code: 0x9C is busy, 0x83 impossible.
    case refused(UInt8)
    /// Progress for the screen, never a result; with how long the machine may take from now on, in minutes.
    case progress(UInt8, minutes: Int64?)
    /// `04 0F`. The machine keeps the booking for good once it is acknowledged: what it says has to be on
    /// disk before, and a charge is certain only with ``completed(_:)``.
    case status(ZVTFields)
    /// `06 0F`, the end of a command that was done; the status byte is that of an enquiry.
    case completed(status: UInt8?, ZVTFields)
    /// `06 1E`, the end of a command that was not done, with its code (0x6C: aborted).
    case aborted(UInt8)
    /// `06 D1`, a line of a receipt.
    case printLine(String)
    /// `06 D1` that ends a copy.
    case paperEnd
    /// `06 D3`, a block of lines; nil where it cannot be read.
    case printBlock(ZVTPaper?)
    /// A message that has no meaning here, by its class and instruction.
    case other(UInt16)

    package init(_ packet: ZVTPacket) {
        let data = packet.data
        switch packet.control {
        case 0x8000, 0x8400: self = .accepted
        case 0x8401...0x84FF: self = .refused(UInt8(packet.control & 0xFF))
        case 0x04FF:
            guard let code = data.first else {
                self = .other(packet.control)
                return
            }
            self = .progress(code, minutes: data.dropFirst().first.flatMap { BCD.number([$0]) })
        case 0x040F: self = .status(ZVTFields(data))
        case 0x060F:
            let (status, rest) = Self.enquired(data)
            self = .completed(status: status, ZVTFields(rest))
        case 0x061E: self = data.first.map { .aborted($0) } ?? .other(packet.control)
        case 0x06D1 where data == [0x81]: self = .paperEnd
        case 0x06D1: self = .printLine(ZVTText.line(data.dropFirst()))
        case 0x06D3:
            let container = data.first == 0x06 ? ZVTTag.value(at: 1, in: data).map { Array(data[$0]) } : nil
            self = .printBlock(container.flatMap { ZVTTag.paper(ofBlock: $0) })
        case _: self = .other(packet.control)
        }
    }

    /// The status of an enquiry's completion, which has no tag in front: behind the machine's version (`Fx Fy
    /// Fz` and so many characters), where it was sent, and before its container of tags. Anything else is
    /// objects.
    private static func enquired(_ data: [UInt8]) -> (status: UInt8?, rest: [UInt8]) {
        var data = data[...]
        let lengths = data.prefix(3)
        if lengths.count == 3, lengths.allSatisfy({ (0xF0...0xF9).contains($0) }) {
            data = data.dropFirst(3 + lengths.reduce(0) { $0 * 10 + Int($1 & 0x0F) })
        }
        guard let first = data.first else { return (nil, []) }
        let rest = Array(data.dropFirst())
        let isContainer = rest.first == 0x06 && ZVTTag.value(at: 1, in: rest)?.upperBound == rest.count
        return rest.isEmpty || first == 0 || isContainer && first >= 0x80 ? (first, rest) : (nil, Array(data))
    }

    /// What the till sends for a message of the machine that is on disk or needs no disk.
    package static let acknowledgement = ZVTPacket(0x8000)
    /// What it sends where its disk took nothing: the machine reverses the booking by itself.
    package static let notStored = ZVTPacket(0x8466)
}
