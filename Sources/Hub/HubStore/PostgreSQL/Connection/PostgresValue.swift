/// A value on its way to the server, in PostgreSQL's binary format. The type of a parameter is the one that
/// the statement gives it.
enum PostgresValue: Hashable, Sendable {
    case null
    /// For `bigint`.
    case integer(Int64)
    /// For `text`. The zero byte, which PostgreSQL keeps in no text, goes as U+FFFD.
    case text(String)
    /// For `bytea`, or for an array as ``PostgresArray`` writes it.
    case bytes([UInt8])

    static func text(_ text: String?) -> PostgresValue { text.map { .text($0) } ?? .null }
    static func integer(_ number: Int64?) -> PostgresValue { number.map { .integer($0) } ?? .null }

    /// For `bigint[]`.
    static func integers(_ numbers: [Int64?]) -> PostgresValue { integers(of: numbers) { $0 } }
    /// For `text[]`.
    static func texts(_ texts: [String?]) -> PostgresValue { self.texts(of: texts) { $0 } }

    /// For `bigint[]`: a number of each element.
    static func integers<Element>(
        of elements: [Element], _ number: (Element) -> Int64?
    ) -> PostgresValue {
        array(of: elements, type: .bigint, room: 8, number) { $0.append($1) }
    }

    /// For `text[]`: a text of each element.
    static func texts<Element>(of elements: [Element], _ text: (Element) -> String?) -> PostgresValue {
        array(of: elements, type: .text, room: 40, text) { $0.append($1) }
    }

    /// For `bytea[]`.
    static func blobs(_ blobs: [[UInt8]?]) -> PostgresValue {
        array(of: blobs, type: .bytea, room: 40, { $0 }) { $0.append($1) }
    }

    private static func array<Element, Value>(
        of elements: [Element], type: PostgresArray.ElementType, room: Int, _ value: (Element) -> Value?,
        _ append: (inout PostgresArray, Value) -> Void
    ) -> PostgresValue {
        var array = PostgresArray(of: type, count: elements.count, room: room)
        // The elements are looked at where they are: copying each for every column costs more than the rest.
        elements.withUnsafeBufferPointer { elements in
            for index in elements.indices {
                if let value = value(elements[index]) { append(&array, value) } else { array.appendNull() }
            }
        }
        return .bytes(array.bytes)
    }

    /// How many bytes ``append(to:)`` makes of it; a zero byte in a text takes two more.
    var byteCount: Int {
        switch self {
        case .null: 0
        case .integer: MemoryLayout<Int64>.size
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    /// Appends the value as it is sent; NULL is nothing at all.
    func append(to output: inout [UInt8]) {
        switch self {
        case .null: break
        case .integer(let number): output.append(bigEndian: number)
        case .text(let text): output.append(utf8: text)
        case .bytes(let bytes): output.append(contentsOf: bytes)
        }
    }
}

extension PostgresValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
}
