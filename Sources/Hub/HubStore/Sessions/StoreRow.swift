/// A row, read by the names of its columns, or by their numbers from 0 on.
///
/// Names are compared one after another: rows of which there are hundreds, and those that a push waits for,
/// are read by number.
package struct StoreRow: Hashable, Sendable {
    /// PostgreSQL sends every value as text, SQLite gives each as what it is.
    private enum Values: Hashable, Sendable {
        case texts([String?])
        case typed([StoreValue])
    }

    private let values: Values
    private let columns: [String]

    package init(texts: [String?], columns: [String]) {
        values = .texts(texts)
        self.columns = columns
    }

    package init(_ values: [StoreValue], columns: [String]) {
        self.values = .typed(values)
        self.columns = columns
    }

    /// Nil for NULL.
    package func text(_ column: String) -> String? { columns.firstIndex(of: column).flatMap { text($0) } }

    /// Nil for NULL.
    package func integer(_ column: String) -> Int64? {
        columns.firstIndex(of: column).flatMap { integer($0) }
    }

    package subscript<Value: StoreConvertible>(_ column: String) -> Value {
        get throws {
            guard let index = columns.firstIndex(of: column) else { throw UnexpectedColumn(column) }
            return try Value(from: self, at: index)
        }
    }

    package subscript<Value: StoreConvertible>(_ column: Int) -> Value {
        get throws { try Value(from: self, at: column) }
    }

    func value(_ column: Int) -> StoreValue {
        switch values {
        case .texts(let texts): texts[column].map { .text($0) } ?? .null
        case .typed(let values): values[column]
        }
    }

    func isNull(_ column: Int) -> Bool {
        switch values {
        case .texts(let texts): texts[column] == nil
        case .typed(let values): values[column] == .null
        }
    }

    func text(_ column: Int) -> String? {
        switch values {
        case .texts(let texts): return texts[column]
        case .typed(let values):
            switch values[column] {
            case .text(let text): return text
            case .integer(let number): return String(number)
            case .null, .bytes, .texts: return nil
            }
        }
    }

    func integer(_ column: Int) -> Int64? {
        switch values {
        case .texts(let texts): return texts[column].flatMap { Int64($0) }
        case .typed(let values):
            switch values[column] {
            case .text(let text): return Int64(text)
            case .integer(let number): return number
            case .null, .bytes, .texts: return nil
            }
        }
    }

    /// PostgreSQL sends `\x` and two digits a byte.
    func bytes(_ column: Int) -> [UInt8]? {
        switch value(column) {
        case .bytes(let bytes): return bytes
        case .text(let text): return Self.bytes(hexadecimal: text.utf8)
        case .null, .integer, .texts: return nil
        }
    }

    private static func bytes(hexadecimal text: String.UTF8View) -> [UInt8]? {
        var digits = text[...]
        guard digits.popFirst() == UInt8(ascii: "\\"), digits.popFirst() == UInt8(ascii: "x"),
            digits.count.isMultiple(of: 2)
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        while let high = digits.popFirst(), let low = digits.popFirst() {
            bytes.append(value(ofDigit: high) << 4 | value(ofDigit: low))
        }
        return bytes
    }

    /// The server writes `0` to `9` and `a` to `f`, nothing else.
    private static func value(ofDigit digit: UInt8) -> UInt8 {
        digit < UInt8(ascii: "a") ? digit &- UInt8(ascii: "0") : digit &- UInt8(ascii: "a") &+ 10
    }

    func unexpected(_ column: Int) -> UnexpectedColumn { UnexpectedColumn(columns[column]) }
}
