/// An object in its canonical form (RFC 8785), looked at without building its tree.
enum CanonicalDocument {
    /// The bytes of the object without its own member `key`; the same bytes when it has none.
    ///
    /// - Parameter bytes: a JSON object in canonical form.
    static func split(
        _ bytes: some Collection<UInt8>, around key: StaticString
    ) -> (before: Int, after: Int)? {
        let found = bytes.withContiguousStorageIfAvailable { place(of: key, in: $0) }
        return found ?? Array(bytes).withUnsafeBufferPointer { place(of: key, in: $0) }
    }

    /// Offsets between which the member lies, with the comma that goes with it.
    private static func place(
        of key: StaticString, in bytes: UnsafeBufferPointer<UInt8>
    ) -> (before: Int, after: Int)? {
        var position = 1
        while position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
            let start = position
            position = endOfString(from: position, in: bytes)
            let isWanted = matches(key, bytes[start..<position])
            position = endOfMember(from: position, in: bytes)
            let isLast = position >= bytes.count || bytes[position] != UInt8(ascii: ",")
            if isWanted {
                let isFirst = start == 1
                return isLast && !isFirst ? (start - 1, position) : (start, isLast ? position : position + 1)
            }
            position += 1
        }
        return nil
    }

    private static func matches(_ key: StaticString, _ quoted: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        quoted.count == key.utf8CodeUnitCount + 2
            && key.withUTF8Buffer { $0.elementsEqual(quoted.dropFirst().dropLast()) }
    }

    /// Behind the closing quote.
    private static func endOfString(from start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var position = start + 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(position + 1, bytes.count)
    }

    /// At the comma or bracket behind the value.
    private static func endOfMember(from start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var position = start
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position = endOfString(from: position, in: bytes)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return position }
                depth -= 1
            case UInt8(ascii: ",") where depth == 0: return position
            default: break
            }
            position += 1
        }
        return position
    }
}
