internal import CurlHTTP
internal import HubProtocol

/// A page of the change feed without the values of its rows, read byte by byte.
///
/// A row that is too large for this terminal, or that it cannot read, must not stop the feed. The cursor
/// after the row follows its value (the hub writes canonical JSON, keys in order). So the complete response
/// is read and little of it is kept: what is nested deeper than a row's own members, every long text, and
/// every unreadable text of a row is left out. What is kept is then parsed as strictly as every other page.
struct ChangeOutline: BodyOutline {
    /// The document, its array, its rows. Deeper is a row's value, or the origin.
    private static let keptDepth = 3
    /// The longest text that is kept. A cursor of the hub has some hundred bytes and an id up to 200; without
    /// a cursor the page is refused.
    private static let keptText = 2048
    /// For all that is kept: a row has eight members. A server that sends more is not a hub.
    static let maximumBytes = 64 << 10

    private(set) var bytes: [UInt8] = []
    private var depth = 0
    private var isInText = false
    private var isEscaped = false
    private var textBytes = 0
    /// The position of its quotation mark in ``bytes``.
    private var textStart = 0

    /// - Returns: false once more than ``maximumBytes`` would have to be kept.
    mutating func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        for byte in piece {
            if isInText { takeText(byte) } else { takeStructure(byte) }
            guard bytes.count <= Self.maximumBytes else { return false }
        }
        return true
    }

    private mutating func takeText(_ byte: UInt8) {
        let ends = byte == UInt8(ascii: "\"") && !isEscaped
        if depth <= Self.keptDepth {
            // A text that was cut could end within an escape or a character, so a long one is left out
            // completely.
            if textBytes == Self.keptText, !ends { bytes.removeLast(Self.keptText) }
            if ends || textBytes < Self.keptText { bytes.append(byte) }
            textBytes += 1
        }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        guard ends else { return }
        isInText = false
        if depth == Self.keptDepth { emptyUnlessReadable() }
    }

    /// A row's value may be a text itself, such as half of a surrogate pair. A cursor or an id that was
    /// emptied here is refused later.
    private mutating func emptyUnlessReadable() {
        guard textBytes <= Self.keptText + 1, (try? JSONParser.parse(Array(bytes[textStart...]))) == nil
        else { return }
        bytes.replaceSubrange(textStart..., with: Array("\"\"".utf8))
    }

    private mutating func takeStructure(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""):
            (isInText, isEscaped, textBytes, textStart) = (true, false, 0, bytes.count)
            keep(byte)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            // The brackets of what is left out stay, so that the outline is a document.
            if depth <= Self.keptDepth + 1 { bytes.append(byte) }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth <= Self.keptDepth + 1 { bytes.append(byte) }
            depth -= 1
        default: keep(byte)
        }
    }

    private mutating func keep(_ byte: UInt8) {
        if depth <= Self.keptDepth { bytes.append(byte) }
    }
}
