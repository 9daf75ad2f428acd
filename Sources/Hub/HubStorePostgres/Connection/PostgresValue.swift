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

/// An array on its way to the server, in the layout of `array_send`: dimensions, a flag for NULLs, the
/// element's type, its count and lower bound; then each element behind its length.
struct PostgresArray {
    /// The object identifiers of the types, which are the same in every database.
    enum ElementType: Int32 {
        case bytea = 17
        case bigint = 20
        case text = 25
    }

    private(set) var bytes: [UInt8] = []
    private static let offsetOfNullFlag = 7

    /// - Parameters:
    ///   - count: how many elements will be appended.
    ///   - room: the bytes to make room for beside each element's length; more is possible.
    init(of type: ElementType, count: Int, room: Int) {
        bytes.reserveCapacity(20 + count * (4 + room))
        let header = [count == 0 ? 0 : 1, 0, type.rawValue] + (count == 0 ? [] : [Int32(count), 1])
        for number in header { bytes.append(bigEndian: number) }
    }

    mutating func append(_ number: Int64) {
        bytes.append(bigEndian: Int32(MemoryLayout<Int64>.size))
        bytes.append(bigEndian: number)
    }

    mutating func append(_ text: String) {
        let place = bytes.count
        bytes.append(bigEndian: Int32(0))
        bytes.append(utf8: text)
        let length = Int32(bytes.count - place - 4)
        withUnsafeBytes(of: length.bigEndian) { bytes.replaceSubrange(place..<place + 4, with: $0) }
    }

    mutating func append(_ blob: [UInt8]) {
        bytes.append(bigEndian: Int32(blob.count))
        bytes.append(contentsOf: blob)
    }

    mutating func appendNull() {
        bytes[Self.offsetOfNullFlag] = 1
        bytes.append(bigEndian: Int32(-1))
    }
}

extension [UInt8] {
    mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// The zero byte, which PostgreSQL keeps in no text, as U+FFFD.
    mutating func append(utf8 text: String) {
        let place = count
        append(contentsOf: text.utf8)
        guard self[place...].contains(0) else { return }
        let clean = self[place...].flatMap { $0 == 0 ? [0xEF, 0xBF, 0xBD] : [$0] }
        replaceSubrange(place..., with: clean)
    }
}

/// One command for the server; its text is prepared once a connection.
struct PostgresStatement: Hashable, Sendable {
    /// With `$1`, `$2`, … for the values.
    let sql: String
    let values: [PostgresValue]

    init(_ sql: String, _ values: [PostgresValue] = []) {
        self.sql = sql
        self.values = values
    }

    static let begin = PostgresStatement("BEGIN")
    static let commit = PostgresStatement("COMMIT")
    static let rollback = PostgresStatement("ROLLBACK")
}
