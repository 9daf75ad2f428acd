import Base

extension Int64: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) { writer.field(String(self)) }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        let field = try reader.field()
        guard let value = Int64(field), String(value) == field else { throw reader.malformed }
        self = value
    }
}

extension UInt64: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) { writer.field(String(self)) }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        let field = try reader.field()
        guard let value = UInt64(field), String(value) == field else { throw reader.malformed }
        self = value
    }
}

extension Int: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) { writer.put(Int64(self)) }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self = Int(try reader.take(Int64.self))
    }
}

extension Bool: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) { writer.field(self ? "yes" : "no") }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        switch try reader.field() {
        case "yes": self = true
        case "no": self = false
        default: throw reader.malformed
        }
    }
}

extension String: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
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

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
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

extension Optional: RecordedValue where Wrapped: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        switch self {
        case nil: writer.field("-")
        case let value?: writer.put(value)
        }
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        if reader.skip("-") {
            self = nil
        } else {
            self = try reader.take(Wrapped.self)
        }
    }
}

extension Array: RecordedValue where Element: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(count)
        for element in self { writer.put(element) }
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self = []
        let count = try reader.take(Int.self)
        guard count >= 0 else { throw reader.malformed }
        for _ in 0..<count { append(try reader.take(Element.self)) }
    }
}

extension Dictionary: RecordedValue where Key: RecordedValue & Comparable, Value: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(count)
        for (key, value) in sorted(by: { $0.key < $1.key }) {
            writer.put(key)
            writer.put(value)
        }
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self = [:]
        let count = try reader.take(Int.self)
        guard count >= 0 else { throw reader.malformed }
        for _ in 0..<count {
            let key = try reader.take(Key.self)
            self[key] = try reader.take(Value.self)
        }
    }
}

extension Duration: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) { writer.put(wholeNanoseconds) }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self = .nanoseconds(try reader.take(Int64.self))
    }
}

/// An enumeration of strings is written as its raw value.
extension RecordedValue where Self: RawRepresentable, RawValue == String {
    func write(to writer: inout RecordingFieldWriter) { writer.field(rawValue) }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        guard let value = Self(rawValue: try reader.field()) else { throw reader.malformed }
        self = value
    }
}

extension DebounceRule: RecordedValue {}
extension Transport: RecordedValue {}
extension ProbeTarget: RecordedValue {}
extension NetworkFailure: RecordedValue {}
extension PortalEvidence: RecordedValue {}
extension ServiceDecision.State: RecordedValue {}
extension ServiceDecision.Scope: RecordedValue {}
extension ServiceDecision.Source: RecordedValue {}
extension ConnectivitySnapshot.Reason: RecordedValue {}
