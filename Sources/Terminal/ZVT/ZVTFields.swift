/// The data objects ("BMP") of a status information, a completion or a registration's response: a tag, then a
/// value of fixed or counted length, in any order, each of them optional.
///
/// An object that is not known has no known length, so that the reading ends there, and so it does at a
/// value that is no number, is cut off, or has a tag that was read before. What was read up to there stays,
/// and ``isWhole`` is false. A card's number is read for its last four digits alone; tracks and expiry date
/// are skipped.
package struct ZVTFields: Hashable, Sendable {
    /// In the currency's smallest unit.
    package private(set) var amount: Int64?
    /// ISO 4217 by number: 978 is the euro.
    package private(set) var currency: Int64?
    /// 0 is success; everything else is none.
    package private(set) var result: UInt8?
    /// The terminal's id: eight digits as a number.
    package private(set) var terminal: Int64?
    /// 1 to 9999, after which it begins again.
    package private(set) var receipt: Int64?
    package private(set) var trace: Int64?
    package private(set) var turnover: Int64?
    /// The trace of the booking that this one undoes; nil and 0: none.
    package private(set) var originalTrace: Int64?
    /// The machine's clock: HHMMSS as a number.
    package private(set) var time: Int64?
    /// The machine's calendar: MMDD as a number. A year is not sent.
    package private(set) var date: Int64?
    /// Six to eight characters of the host.
    package private(set) var approval: String?
    /// What the card's brand is called; the card's name without its last zero byte.
    package private(set) var cardName: String?
    /// The card's last four digits where the machine shows them.
    package private(set) var cardEnd: String?
    package private(set) var cardType: UInt8?
    /// The status of a registration or of a status enquiry (0x9C: busy).
    package private(set) var status: UInt8?
    /// Text of the host, without any card number.
    package private(set) var text: String?
    /// How the holder was checked: 0 not at all, 1 signature, 2 PIN; 5 to 7 with a signature as well.
    package private(set) var holderCheck: UInt8?
    /// Whether the host authorised the payment; false for one that the machine took offline.
    package private(set) var isOnline: Bool?
    /// Whether all bytes were read.
    package private(set) var isWhole: Bool

    /// Date and time as the machine's clock shows them, `MMDD HHMMSS`; nil where it sent one of them not.
    package var moment: String? {
        guard let date, let time else { return nil }
        return BCD.text(date, digits: 4) + " " + BCD.text(time, digits: 6)
    }

    /// Whether it undoes another booking.
    package var isReversal: Bool { (originalTrace ?? 0) != 0 }

    package init(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        var seen: Set<UInt8> = []
        var start = 0
        isWhole = true
        while start < bytes.count {
            let tag = bytes[start]
            guard seen.insert(tag).inserted, let value = Self.value(of: tag, at: start + 1, in: bytes),
                take(Array(bytes[value]), of: tag)
            else {
                isWhole = false
                return
            }
            start = value.upperBound
        }
    }

    /// Where the value of `tag` is, whose length or first byte is at `start`; nil for a cut or an
    /// unknown tag.
    private static func value(of tag: UInt8, at start: Int, in bytes: [UInt8]) -> Range<Int>? {
        if let length = fixedLengths[tag] {
            return start + length <= bytes.count ? start..<(start + length) : nil
        }
        if let digits = countedLengths[tag] {
            guard start + digits <= bytes.count else { return nil }
            var length = 0
            for byte in bytes[start..<(start + digits)] {
                guard byte >> 4 == 0xF, byte & 0xF <= 9 else { return nil }
                length = length * 10 + Int(byte & 0xF)
            }
            let value = start + digits
            return value + length <= bytes.count ? value..<(value + length) : nil
        }
        return tag == 0x06 ? ZVTTag.value(at: start, in: bytes) : nil
    }

    /// Bytes of values with a fixed length, by tag.
    private static let fixedLengths: [UInt8: Int] = [
        0x01: 1, 0x02: 1, 0x03: 1, 0x04: 6, 0x0B: 3, 0x0C: 3, 0x0D: 2, 0x0E: 2, 0x17: 2, 0x19: 1, 0x27: 1,
        0x29: 4, 0x2A: 15, 0x37: 3, 0x3B: 8, 0x49: 2, 0x87: 2, 0x88: 3, 0x8A: 1, 0x8C: 1, 0xA0: 1, 0xAA: 3,
        0xBA: 5,
    ]

    /// Digits of the length in front of values with a counted length, by tag: LLVAR has two, LLLVAR three.
    private static let countedLengths: [UInt8: Int] = [
        0x22: 2, 0x23: 2, 0x24: 3, 0x2D: 2, 0x3C: 3, 0x60: 3, 0x8B: 2,
    ]

    /// Whether the value is one of its tag.
    private mutating func take(_ value: [UInt8], of tag: UInt8) -> Bool {
        switch tag {
        case 0x04: return Self.set(&amount, to: BCD.number(value))
        case 0x49: return Self.set(&currency, to: BCD.number(value))
        case 0x29: return Self.set(&terminal, to: BCD.number(value))
        case 0x87: return Self.set(&receipt, to: BCD.number(value))
        case 0x0B: return Self.set(&trace, to: BCD.number(value))
        case 0x88: return Self.set(&turnover, to: BCD.number(value))
        case 0x37: return Self.set(&originalTrace, to: BCD.number(value))
        case 0x0C: return Self.set(&time, to: BCD.number(value))
        case 0x0D: return Self.set(&date, to: BCD.number(value))
        case 0x27: return Self.set(&result, to: value.first)
        case 0x19: return Self.set(&status, to: value.first)
        case 0x8A: return Self.set(&cardType, to: value.first)
        case 0x3B: return Self.set(&approval, to: ZVTText.line(value))
        case 0x8B: return Self.set(&cardName, to: ZVTText.line(value))
        case 0x3C: return Self.set(&text, to: ZVTText.line(value))
        case 0x06: return takeContainer(value)
        case 0x22: cardEnd = Self.end(ofNumber: value)
        case _: break
        }
        return true
    }

    /// Whether the tags of the container can be read; of them those of the card's reading (2F) matter here.
    private mutating func takeContainer(_ bytes: [UInt8]) -> Bool {
        guard let tags = ZVTTag.list(bytes) else { return false }
        for reading in tags where reading.number == 0x2F {
            guard let details = ZVTTag.list(reading.value) else { return false }
            holderCheck = details.first { $0.number == 0x1F10 }?.value.first
            isOnline = details.first { $0.number == 0x1F11 }?.value.first.map { $0 == 1 }
        }
        return true
    }

    private static func set<Value>(_ field: inout Value?, to value: Value?) -> Bool {
        field = value
        return value != nil
    }

    /// The last four digits of a card's number, in which `E` stands for a masked digit and `F` fills up.
    private static func end(ofNumber bytes: [UInt8]) -> String? {
        var halves = BCD.halves(bytes)
        if halves.last == 0xF { halves.removeLast() }
        let end = halves.suffix(4)
        guard end.count == 4, end.allSatisfy({ $0 <= 9 }) else { return nil }
        return end.map { String($0) }.joined()
    }
}
