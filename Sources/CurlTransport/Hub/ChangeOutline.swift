internal import HubProtocol

/// What is left of a page of the change feed when the values of its rows are taken out, read byte by byte.
///
/// A row that is too large for this terminal, or that it cannot read, must not stop the feed. The cursor
/// behind the row comes after its value (the hub writes canonical JSON, keys in order), so that all of the
/// answer is read and next to nothing of it kept: what lies deeper than a row's own members, every long text,
/// and every text of a row that cannot be read, is left out. What it keeps is parsed afterwards, as strictly
/// as ever.
struct ChangeOutline {
    /// The document, its array, its rows. Deeper is a row's value, or the origin.
    private static let keptDepth = 3
    /// The longest text that is kept. A cursor of the hub has some hundred bytes and an id up to 200; without
    /// a cursor the page is refused.
    private static let keptText = 2048
    /// Of everything: a row has eight members. Whoever sends more is no hub.
    static let maximumBytes = 64 << 10

    private(set) var bytes: [UInt8] = []
    private var depth = 0
    private var isInText = false
    private var isEscaped = false
    private var textBytes = 0
    /// Where its quotation mark stands in ``bytes``.
    private var textStart = 0

    /// - Returns: false once more than ``maximumBytes`` would have to be kept.
    mutating func take(_ chunk: some Sequence<UInt8>) -> Bool {
        for byte in chunk {
            if isInText { takeText(byte) } else { takeStructure(byte) }
            guard bytes.count <= Self.maximumBytes else { return false }
        }
        return true
    }

    private mutating func takeText(_ byte: UInt8) {
        let ends = byte == UInt8(ascii: "\"") && !isEscaped
        if depth <= Self.keptDepth {
            // A text that was cut could end within an escape or a character, so that a long one goes whole.
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
