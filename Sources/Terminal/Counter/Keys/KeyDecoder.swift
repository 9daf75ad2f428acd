internal import Base

/// Bytes of a terminal in, keys out; the bytes may be cut anywhere.
///
/// Escape alone and Escape as the begin of another key are the same byte: whoever reads waits for
/// ``wait``, then calls ``expire()``. What is no key and no text is dropped.
package struct KeyDecoder: Sendable {
    private enum State {
        case plain
        /// Behind ESC.
        case begun
        /// Behind `ESC O`: one byte ends it.
        case single
        /// Behind `ESC [`, with the parameters so far.
        case control([UInt8])
        /// Behind `ESC [ [` of the Linux console's function keys: one byte ends it.
        case console
        /// Between the marks of a bracketed paste.
        case paste
    }

    private var state = State.plain
    /// The bytes of a character that is not complete yet, and whether Escape was before it.
    private var unfinished: [UInt8] = []
    private var isAlt = false
    private var pasted: [UInt8] = []

    /// No terminal sends a longer control sequence; what is longer is no key.
    private static let longestSequence = 16
    /// Bytes of one paste: some 4,000 barcodes. More is cut, so that a mistaken paste costs no memory.
    private static let longestPaste = 64 << 10
    private static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)

    package init() {}

    /// Milliseconds after the last byte when ``expire()`` is due; nil: nothing is undecided.
    package var wait: Int? {
        switch state {
        // Over SSH the bytes of one key come in one packet; a person notices some 100 ms.
        case .begun: 50
        // A paste comes in many packets; an end that is lost must not hold up the till for longer.
        case .paste: 1_000
        case .plain, .single, .control, .console: nil
        }
    }

    /// Decides what was begun: Escape was a key of its own, a paste is all that has come.
    package mutating func expire() -> [Key] {
        defer { state = .plain }
        switch state {
        case .begun: return [.escape]
        case .paste: return [takePaste()]
        case .plain, .single, .control, .console: return []
        }
    }

    /// Drops what is not decided.
    package mutating func discard() { self = KeyDecoder() }

    /// Takes the next bytes.
    ///
    /// - Returns: the keys that they complete, in order.
    package mutating func take(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { take(byte, into: &keys) }
        return keys
    }

    private mutating func take(_ byte: UInt8, into keys: inout [Key]) {
        switch state {
        case .plain: takePlain(byte, into: &keys)
        case .begun: takeBegun(byte, into: &keys)
        case .single: finish(byte, "", into: &keys)
        case .console:
            state = .plain
            if (UInt8(ascii: "A")...UInt8(ascii: "E")).contains(byte) {
                keys.append(.function(Int(byte) - 0x40))
            }
        case .control(let parameters): takeControl(byte, behind: parameters, into: &keys)
        case .paste:
            if pasted.count < Self.longestPaste + Self.pasteEnd.count {
                pasted.append(byte)
            }
            // Behind the limit only the newest bytes move on, for the end to be found.
            else {
                pasted.replaceSubrange(
                    Self.longestPaste..., with: pasted[(Self.longestPaste + 1)...] + [byte])
            }
            guard pasted.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) else { return }
            pasted.removeLast(Self.pasteEnd.count)
            state = .plain
            keys.append(takePaste())
        }
    }

    private mutating func takeBegun(_ byte: UInt8, into keys: inout [Key]) {
        switch byte {
        case UInt8(ascii: "["): state = .control([])
        case UInt8(ascii: "O"): state = .single
        case 0x1B: keys.append(.escape)
        case 0x00..<0x20, 0x7F:
            state = .plain
            keys.append(.escape)
            takePlain(byte, into: &keys)
        default:
            state = .plain
            isAlt = true
            takePlain(byte, into: &keys)
        }
    }

    private mutating func takeControl(_ byte: UInt8, behind parameters: [UInt8], into keys: inout [Key]) {
        switch byte {
        case UInt8(ascii: "[") where parameters.isEmpty: state = .console
        case 0x40...0x7E: finish(byte, String(decoding: parameters, as: UTF8.self), into: &keys)
        case 0x20...0x3F where parameters.count < Self.longestSequence: state = .control(parameters + [byte])
        default:
            state = .plain
            takePlain(byte, into: &keys)
        }
    }

    private mutating func finish(_ byte: UInt8, _ parameters: String, into keys: inout [Key]) {
        state = .plain
        if byte == UInt8(ascii: "~"), parameters == "200" {
            state = .paste
            return
        }
        // Behind a semicolon are Shift, Alt and Control, which change no key here.
        let first = parameters.split(separator: ";").first.map(String.init) ?? ""
        if let key = Key(final: Unicode.Scalar(byte), parameter: first) { keys.append(key) }
    }

    private mutating func takePlain(_ byte: UInt8, into keys: inout [Key]) {
        if byte & 0xC0 != 0x80, !unfinished.isEmpty { unfinished = [] }
        switch byte {
        case 0x0A, 0x0D: keys.append(.enter)
        case 0x1B: state = .begun
        case 0x08, 0x7F: keys.append(.backspace)
        case 0x09: keys.append(.tab)
        case 0x01...0x1A: keys.append(.control(Unicode.Scalar(byte + 0x60)))
        case 0x00...0x1F: break
        default: takeText(byte, into: &keys)
        }
        if byte < 0x20 { isAlt = false }
    }

    /// Collects the bytes of one character (RFC 3629).
    private mutating func takeText(_ byte: UInt8, into keys: inout [Key]) {
        unfinished.append(byte)
        let length =
            switch unfinished[0] {
            case 0x00...0x7F: 1
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard unfinished.count >= length else { return }
        defer { (unfinished, isAlt) = ([], false) }
        guard let typed = String(validating: unfinished, as: UTF8.self)?.unicodeScalars.first,
            !typed.isUnprintable
        else { return }
        keys.append(isAlt ? .alt(typed) : .typed(typed))
    }

    private mutating func takePaste() -> Key {
        let bytes = pasted.prefix(Self.longestPaste)
        pasted = []
        var text = String.UnicodeScalarView()
        var isAfterReturn = false
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            defer { isAfterReturn = scalar == "\r" }
            switch scalar {
            case "\r": text.append("\n")
            case "\n": if !isAfterReturn { text.append("\n") }
            case "\t": text.append(" ")
            case _ where scalar.isUnprintable: break
            default: text.append(scalar)
            }
        }
        return .paste(String(text))
    }
}
