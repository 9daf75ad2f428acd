internal import HubProtocol

/// Counts the elements of a batch's `mutations` in its bytes, before anything is built of them: a body of
/// 300,000 empty ones costs the refusal a look at each byte and no more.
struct MutationCount {
    private var count = 0
    private var depth = 0
    private var isInText = false
    private var isEscaped = false
    /// Whether the bytes are within the list that counts.
    private var isInList = false
    /// The last text at the top level, as it is spelled, and where it began.
    private var textStart = 0
    private var lastText: Range<Int>?

    private static let key = Array("mutations".utf8)

    /// Whether `bytes`, whatever they are, have more elements than `most` there. A list that is spelled
    /// otherwise is counted once it is read.
    static func exceeds(_ most: Int, in bytes: [UInt8]) -> Bool {
        var counter = MutationCount()
        return bytes.withUnsafeBufferPointer { bytes in
            for index in bytes.indices {
                counter.read(bytes[index], at: index, of: bytes)
                // One comma fewer than elements.
                if counter.count >= most { return true }
            }
            return false
        }
    }

    private mutating func read(_ byte: UInt8, at index: Int, of bytes: UnsafeBufferPointer<UInt8>) {
        if isInText {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInText = false
                if depth == 1 { lastText = textStart..<index }
            }
            return
        }
        switch byte {
        case UInt8(ascii: "\""): (isInText, textStart) = (true, index + 1)
        case UInt8(ascii: "["):
            depth += 1
            if depth == 2, let lastText, bytes[lastText].elementsEqual(Self.key) {
                (isInList, count) = (true, 0)
            }
        case UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            if depth == 2 { isInList = false }
            depth -= 1
        case UInt8(ascii: ","):
            if isInList, depth == 2 { count += 1 }
            // What stood before the comma is no name of what follows.
            if depth == 1 { lastText = nil }
        case _: break
        }
    }
}
