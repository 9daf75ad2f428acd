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
