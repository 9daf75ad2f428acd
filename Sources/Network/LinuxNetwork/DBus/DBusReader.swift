/// Reads values in D-Bus's marshalling of either byte order. A read past the end returns nil, so that a
/// message with wrong lengths is malformed and causes no other error.
struct DBusReader {
    private let bytes: ArraySlice<UInt8>
    private let isBigEndian: Bool
    private var offset = 0

    init(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool = false) {
        self.bytes = bytes
        self.isBigEndian = isBigEndian
    }

    /// Bytes read so far, padding included.
    var position: Int { offset }

    mutating func align(to size: Int) {
        offset = (offset + size - 1) / size * size
    }

    mutating func byte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        offset += 1
        return bytes[bytes.startIndex + offset - 1]
    }

    mutating func uint32() -> UInt32? {
        align(to: 4)
        guard let raw = take(4) else { return nil }
        let ordered = isBigEndian ? Array(raw) : raw.reversed()
        return ordered.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A string or an object path.
    mutating func string() -> String? {
        guard let count = uint32(), count < 1 << 26, let text = take(Int(count)), byte() == 0 else {
            return nil
        }
        return String(validating: text, as: UTF8.self)
    }

    mutating func signature() -> String? {
        guard let count = byte(), let text = take(Int(count)), byte() == 0 else { return nil }
        return String(validating: text, as: UTF8.self)
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard offset <= bytes.count, count <= bytes.count - offset else { return nil }
        let start = bytes.startIndex + offset
        offset += count
        return bytes[start..<start + count]
    }
}
