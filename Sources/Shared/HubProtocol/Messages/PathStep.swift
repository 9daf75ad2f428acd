/// One step of a URL's path, whatever text it is.
package enum PathStep {
    /// `text` percent-encoded (RFC 3986): all bytes but letters, digits, `-` and `_`. A point is encoded,
    /// too: a step of points alone is a way through the path.
    package static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + (digits.utf8.count == 1 ? "0" : "") + digits
        }.joined()
    }

    /// The text of a step; what is no percent-encoding stays as it is.
    package static func decoded(_ step: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(step).utf8
        while let byte = rest.popFirst() {
            let code = byte == UInt8(ascii: "%") ? UInt8(String(rest.prefix(2)) ?? "", radix: 16) : nil
            bytes.append(code ?? byte)
            if code != nil { rest = rest.dropFirst(2) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
