/// A value on its way to the server, in PostgreSQL's binary format. The type of a parameter is the one that
/// the statement gives it.
enum PostgresValue: Hashable, Sendable {
    case null
    /// For `bigint`.
    case integer(Int64)
    /// For `text`. The zero byte, which PostgreSQL keeps in no text, goes as U+FFFD.
    case text(String)
    /// For `bytea`.
    case bytes([UInt8])
    /// For `bigint[]`.
    case integers([Int64?])
    /// For `text[]`.
    case texts([String?])
    /// For `bytea[]`.
    case blobs([[UInt8]?])

    static func text(_ text: String?) -> PostgresValue { text.map { .text($0) } ?? .null }
    static func integer(_ number: Int64?) -> PostgresValue { number.map { .integer($0) } ?? .null }

    /// The bytes as they are sent; nil for NULL.
    var bytes: [UInt8]? {
        switch self {
        case .null: nil
        case .integer(let number): Self.bytes(of: number)
        case .text(let text): Self.bytes(of: text)
        case .bytes(let bytes): bytes
        case .integers(let numbers): Self.array(numbers.map { $0.map(Self.bytes(of:)) }, type: 20)
        case .texts(let texts): Self.array(texts.map { $0.map(Self.bytes(of:)) }, type: 25)
        case .blobs(let blobs): Self.array(blobs, type: 17)
        }
    }

    private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func bytes(of text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.contains(0) else { return bytes }
        return Array(
            text.split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\u{FFFD}").utf8)
    }

    /// The layout of `array_send`: dimensions, a flag for NULLs, the element's type, its count and lower
    /// bound; then each element behind its length.
    private static func array(_ elements: [[UInt8]?], type: Int32) -> [UInt8] {
        let hasNull: Int32 = elements.contains { $0 == nil } ? 1 : 0
        guard !elements.isEmpty else { return bytes(of: Int32(0)) + bytes(of: hasNull) + bytes(of: type) }
        var all: [UInt8] = []
        all.reserveCapacity(20 + elements.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
        for number in [1, hasNull, type, Int32(elements.count), 1] { all += bytes(of: number) }
        for element in elements {
            all += bytes(of: element.map { Int32($0.count) } ?? -1)
            if let element { all += element }
        }
        return all
    }
}

extension PostgresValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
}
