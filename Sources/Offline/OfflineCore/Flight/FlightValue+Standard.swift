import Base

extension Int64: FlightValue {
    func write(to writer: inout FlightWriter) { writer.field(String(self)) }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        let field = try reader.field()
        guard let value = Int64(field), String(value) == field else { throw reader.malformed }
        self = value
    }
}

extension UInt64: FlightValue {
    func write(to writer: inout FlightWriter) { writer.field(String(self)) }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        let field = try reader.field()
        guard let value = UInt64(field), String(value) == field else { throw reader.malformed }
        self = value
    }
}

extension Int: FlightValue {
    func write(to writer: inout FlightWriter) { writer.put(Int64(self)) }

    init(from reader: inout FlightReader) throws(FlightLineError) { self = Int(try reader.take(Int64.self)) }
}

extension Bool: FlightValue {
    func write(to writer: inout FlightWriter) { writer.field(self ? "yes" : "no") }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        switch try reader.field() {
        case "yes": self = true
        case "no": self = false
        default: throw reader.malformed
        }
    }
}

extension String: FlightValue {
    func write(to writer: inout FlightWriter) {
        var field = "="
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0...0x20, 0x25, 0x7F: field += Self.escape(UInt8(scalar.value))
            // Some readers end a line at these characters outside ASCII too.
            case 0x85, 0x2028, 0x2029: for byte in String(scalar).utf8 { field += Self.escape(byte) }
            default: field.unicodeScalars.append(scalar)
            }
        }
        writer.field(field)
    }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        let field = try reader.field()
        guard field.utf8.first == UInt8(ascii: "="), let text = Self.unescaped(field.utf8.dropFirst()) else {
            throw reader.malformed
        }
        self = text
    }

    private static func escape(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.utf8.count == 1 ? "%0" + digits : "%" + digits
    }

    private static func unescaped(_ field: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, !digits.contains("+"),
                let value = UInt8(digits, radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension Optional: FlightValue where Wrapped: FlightValue {
    func write(to writer: inout FlightWriter) {
        switch self {
        case nil: writer.field("-")
        case let value?: writer.put(value)
        }
    }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        if reader.skip("-") {
            self = nil
        } else {
            self = try reader.take(Wrapped.self)
        }
    }
}

extension Array: FlightValue where Element: FlightValue {
    func write(to writer: inout FlightWriter) {
        writer.put(count)
        for element in self { writer.put(element) }
    }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        self = []
        let count = try reader.take(Int.self)
        guard count >= 0 else { throw reader.malformed }
        for _ in 0..<count { append(try reader.take(Element.self)) }
    }
}

extension Dictionary: FlightValue where Key: FlightValue & Comparable, Value: FlightValue {
    func write(to writer: inout FlightWriter) {
        writer.put(count)
        for (key, value) in sorted(by: { $0.key < $1.key }) {
            writer.put(key)
            writer.put(value)
        }
    }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        self = [:]
        let count = try reader.take(Int.self)
        guard count >= 0 else { throw reader.malformed }
        for _ in 0..<count {
            let key = try reader.take(Key.self)
            self[key] = try reader.take(Value.self)
        }
    }
}

extension Duration: FlightValue {
    func write(to writer: inout FlightWriter) { writer.put(wholeNanoseconds) }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        self = .nanoseconds(try reader.take(Int64.self))
    }
}

/// An enumeration of strings is written as its raw value.
extension FlightValue where Self: RawRepresentable, RawValue == String {
    func write(to writer: inout FlightWriter) { writer.field(rawValue) }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        guard let value = Self(rawValue: try reader.field()) else { throw reader.malformed }
        self = value
    }
}

extension DebounceRule: FlightValue {}
extension Transport: FlightValue {}
extension ProbeTarget: FlightValue {}
extension NetworkFailure: FlightValue {}
extension PortalEvidence: FlightValue {}
extension ServiceDecision.State: FlightValue {}
extension ServiceDecision.Scope: FlightValue {}
extension ServiceDecision.Source: FlightValue {}
