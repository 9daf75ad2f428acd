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

    func unexpected(_ column: Int) -> UnexpectedColumn { UnexpectedColumn(columns[column]) }
}
