import HubProtocol

/// Texts of a machine: code page 437, the set of the protocol where none is announced.
package enum ZVTText {
    /// Bytes from 0x80 on.
    private static let upper = Array(
        ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
            + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars)

    /// A line for paper or screen: control characters are left out, and a line that looks as if it had a card
    /// number has its last four digits alone.
    package static func line(_ bytes: some Collection<UInt8>) -> String {
        var text = ""
        for byte in bytes where byte >= 0x20 && byte != 0x7F {
            text.unicodeScalars.append(byte < 0x80 ? Unicode.Scalar(byte) : upper[Int(byte) - 0x80])
        }
        return CardNumber.masked(text)
    }
}

/// A tag of the container 06: by BER, with the higher byte of a length first, unlike a packet's.
package struct ZVTTag: Hashable, Sendable {
    /// `0x1F07` for `1F 07`.
    package let number: UInt16
    package let value: [UInt8]

    /// The tags of one level in their order; nil where the bytes are none. A value with tags of its own is
    /// read by another call, so that depth costs nothing.
    package static func list(_ bytes: [UInt8]) -> [ZVTTag]? {
        var tags: [ZVTTag] = []
        var start = 0
        while start < bytes.count {
            var number = UInt16(bytes[start])
            start += 1
            if number & 0x1F == 0x1F {
                guard start < bytes.count, bytes[start] & 0x80 == 0 else { return nil }
                number = number << 8 | UInt16(bytes[start])
                start += 1
            }
            guard let value = value(at: start, in: bytes) else { return nil }
            tags.append(ZVTTag(number: number, value: Array(bytes[value])))
            start = value.upperBound
        }
        return tags
    }

    /// The paper of a print block (`06 D3`): texts 07 within 25, in their order, and its kind 1F07; nil where
    /// the container cannot be read.
    package static func paper(ofBlock container: [UInt8]) -> ZVTPaper? {
        guard let tags = list(container) else { return nil }
        var lines: [String] = []
        for block in tags where block.number == 0x25 {
            guard let texts = list(block.value) else { return nil }
            lines += texts.filter { $0.number == 0x07 }.map { ZVTText.line($0.value) }
        }
        return ZVTPaper(kind: tags.first { $0.number == 0x1F07 }?.value.first, lines: lines)
    }

    /// Where the value is whose length begins at `start`; nil where it is cut off or its length has another
    /// form.
    static func value(at start: Int, in bytes: [UInt8]) -> Range<Int>? {
        guard start < bytes.count else { return nil }
        let first = bytes[start]
        // 81 and 82 say how many bytes of length follow; lengths below 80 are their own.
        let more = first < 0x80 ? 0 : Int(first & 0x7F)
        guard first < 0x80 || (1...2).contains(more), start + more < bytes.count else { return nil }
        let length =
            first < 0x80
            ? Int(first) : bytes[(start + 1)...(start + more)].reduce(0) { $0 << 8 | Int($1) }
        let value = start + 1 + more
        return value + length <= bytes.count ? value..<(value + length) : nil
    }
}

/// Why a machine did not do it, for the cashier.
package enum ZVTErrorText {
    /// Of an error code of `06 1E`, of `84 xx`, or of a result code 27.
    package static func english(_ code: UInt8) -> String {
        switch code {
        case 0x64: "card not readable"
        case 0x66: "taken back, since the till did not keep it"
        case 0x6B: "the machine wants a registration"
        case 0x6C: "cancelled or timed out at the machine"
        case 0x6F: "the machine has another currency"
        case 0x77: "the machine's end of day is not possible"
        case 0x83: "not possible at this machine"
        case 0x9A: "the machine did not understand the till"
        case 0x9C: "the machine is busy"
        case 0xA0, 0xA1, 0xA3: "the machine does not reach the bank"
        case 0xB1, 0xB2: "the machine's memory is full: make its end of day"
        case 0xB4: "already reversed"
        case 0xB5: "a reversal is not possible any more"
        case 0xCC: "the machine's printer is not ready"
        case 0x05...0x63: "declined by the bank (\(code))"
        case _: "declined by the machine (\(String(code, radix: 16, uppercase: true)))"
        }
    }
}
