/// Strings in the canonical form of RFC 8785: the order of keys and the shortest escapes.
enum CanonicalText {
    /// Whether the key `left` comes before `right`, by their UTF-16 units.
    ///
    /// Bytes of UTF-8 sort alike but for one thing: what takes four bytes, and so a pair of surrogates from
    /// D800 on, comes before U+E000 up to U+FFFF, which take three.
    static func precedes(_ left: String, _ right: String) -> Bool {
        var others = right.utf8.makeIterator()
        for byte in left.utf8 {
            guard let other = others.next() else { return false }
            guard byte != other else { continue }
            let (isPair, isOtherPair) = (byte >= 0xF0, other >= 0xF0)
            if isPair != isOtherPair, byte >= 0xEE, other >= 0xEE { return isPair }
            return byte < other
        }
        return others.next() != nil
    }

    /// Whether both are the same to the last byte; `==` takes two spellings of one character for the same.
    static func isSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        let isSame = left.utf8.withContiguousStorageIfAvailable { bytes in
            right.utf8.withContiguousStorageIfAvailable { bytes.elementsEqual($0) }
        }
        return (isSame ?? nil) ?? left.utf8.elementsEqual(right.utf8)
    }

    /// Where a key stands beside one of a declaration.
    enum Order {
        case before, same, behind
    }

    /// Where `key` stands beside `other`, which is ASCII, so that bytes sort as UTF-16 units do.
    static func order(of key: String, beside other: StaticString) -> Order {
        var key = key
        return key.withUTF8 { bytes in
            let (wanted, count) = (other.utf8Start, min(bytes.count, other.utf8CodeUnitCount))
            var place = 0
            while place < count {
                guard bytes[place] == wanted[place] else {
                    return bytes[place] < wanted[place] ? .before : .behind
                }
                place += 1
            }
            return bytes.count < other.utf8CodeUnitCount ? .before : bytes.count == count ? .same : .behind
        }
    }

    /// Appends `text` as a JSON string.
    static func write(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            if bytes.contains(where: needsEscape) {
                for byte in bytes { write(byte, to: &output) }
            } else {
                output.append(contentsOf: bytes)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func write(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): output.append(contentsOf: "\\\"".utf8)
        case UInt8(ascii: "\\"): output.append(contentsOf: "\\\\".utf8)
        case 0x08: output.append(contentsOf: "\\b".utf8)
        case 0x09: output.append(contentsOf: "\\t".utf8)
        case 0x0A: output.append(contentsOf: "\\n".utf8)
        case 0x0C: output.append(contentsOf: "\\f".utf8)
        case 0x0D: output.append(contentsOf: "\\r".utf8)
        case 0..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            output.append(contentsOf: "\\u00".utf8)
            output.append(digits[Int(byte >> 4)])
            output.append(digits[Int(byte & 15)])
        default: output.append(byte)
        }
    }
}
