extension JSONValue {
    /// The document in the canonical form of RFC 8785: keys sorted by UTF-16 units, no white space, shortest
    /// escapes. The same value always gives the same bytes, so a digest of them means something.
    ///
    /// Doubles are written as Swift prints them, which equals RFC 8785 between 10⁻⁴ and 10¹⁶ only; what is
    /// hashed by this project holds integers alone (``Mutation`` refuses others).
    package var canonicalBytes: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(256)
        writeCanonical(to: &output)
        return output
    }

    /// The canonical form as text.
    package var canonicalText: String { String(decoding: canonicalBytes, as: UTF8.self) }

    /// Whether every number in the document is an integer below 2⁵³ in size, as canonical numbers must be.
    package var hasOnlyCanonicalNumbers: Bool {
        switch self {
        case .null, .bool, .string: true
        case .integer(let value): value.magnitude < 1 << 53
        case .double: false
        case .array(let elements): elements.allSatisfy(\.hasOnlyCanonicalNumbers)
        case .object(let members): members.allSatisfy { $0.value.hasOnlyCanonicalNumbers }
        }
    }

    private func writeCanonical(to output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): output.append(contentsOf: String(value).utf8)
        case .double(let value): Self.write(double: value, to: &output)
        case .string(let value): CanonicalText.write(value, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.writeCanonical(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                CanonicalText.write(member.key, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.writeCanonical(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(double: Double, to output: inout [UInt8]) {
        let text = "\(double)"
        output.append(contentsOf: (text.hasSuffix(".0") ? String(text.dropLast(2)) : text).utf8)
    }
}
