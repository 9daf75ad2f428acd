import Base

internal import HubProtocol
internal import Pricing

/// A line that a person types and corrects before it counts: the bytes of keys come in, the text and what to
/// show of it come out. It has no terminal of its own, see ``TerminalLine``.
///
/// Keys are those of ECMA-48 terminals (xterm and the Linux console) with the control keys of readline.
struct LineEditor {
    /// What a key did.
    enum Outcome: Equatable {
        case nothing
        case changed
        /// The return key.
        case line(String)
        /// Control-D on an empty line.
        case end
    }

    /// The text, by what a person sees as one character.
    private(set) var text: [Character] = []
    /// How many characters are in front of the cursor.
    private(set) var cursor = 0
    /// Lines of before, the oldest first, and which of them is shown in the place of `draft`.
    private var earlier: [String] = []
    private var shown: Int?
    private var draft: [Character] = []
    /// The bytes of a character that is not complete yet.
    private var unfinished: [UInt8] = []
    private var escape = Escape.none

    /// Where the editor is in an escape sequence.
    private enum Escape {
        case none
        /// Behind ESC. The key alone sends no more: what comes next counts as typed.
        case begun
        /// Behind `ESC O`: one byte ends it.
        case single
        /// Behind `ESC [`, with the parameters so far.
        case control([UInt8])
        /// Behind `ESC [ [` of the Linux console's function keys: one byte, which means nothing.
        case function
    }

    /// No barcode, name or reason is longer, in characters; what is typed behind it is dropped. The longest
    /// text that the hub accepts is a note of 4,096 bytes.
    private static let longest = 4_096
    /// Lines that can be brought back. A cashier looks a few scans back; more would only cost memory.
    private static let mostEarlier = 100
    /// No terminal sends a longer escape sequence; what is longer is no key.
    private static let longestSequence = 16

    mutating func take(_ byte: UInt8) -> Outcome {
        switch escape {
        case .none: return takeKey(byte)
        case .begun:
            switch byte {
            case UInt8(ascii: "["): escape = .control([])
            case UInt8(ascii: "O"): escape = .single
            case 0x1B: break
            default:
                escape = .none
                return takeKey(byte)
            }
            return .nothing
        case .function:
            escape = .none
            return .nothing
        case .single:
            escape = .none
            return move(byte, "")
        case .control(let parameters): return takeControl(byte, behind: parameters)
        }
    }

    private mutating func takeControl(_ byte: UInt8, behind parameters: [UInt8]) -> Outcome {
        switch byte {
        case UInt8(ascii: "[") where parameters.isEmpty:
            escape = .function
            return .nothing
        case 0x40...0x7E:
            escape = .none
            return move(byte, String(decoding: parameters, as: UTF8.self))
        case 0x20...0x3F where parameters.count < Self.longestSequence:
            escape = .control(parameters + [byte])
            return .nothing
        default:
            escape = .none
            return takeKey(byte)
        }
    }

    /// A key that sends an escape sequence, by the sequence's last byte.
    private mutating func move(_ final: UInt8, _ parameters: String) -> Outcome {
        switch (Unicode.Scalar(final), parameters.split(separator: ";").first.map(String.init) ?? "") {
        case ("A", _): show(earlier: -1)
        case ("B", _): show(earlier: 1)
        case ("C", _): moveCursor(to: cursor + 1)
        case ("D", _): moveCursor(to: cursor - 1)
        case ("H", _), ("~", "1"), ("~", "7"): moveCursor(to: 0)
        case ("F", _), ("~", "4"), ("~", "8"): moveCursor(to: text.count)
        case ("~", "3"): remove(cursor..<min(cursor + 1, text.count))
        default: .nothing
        }
    }

    private mutating func takeKey(_ byte: UInt8) -> Outcome {
        if byte & 0xC0 != 0x80 { unfinished = [] }
        switch byte {
        case 0x0A, 0x0D: return finish()
        case 0x1B:
            escape = .begun
            return .nothing
        case 0x04 where text.isEmpty: return .end
        case 0x04: return remove(cursor..<min(cursor + 1, text.count))
        case 0x08, 0x7F: return remove(max(0, cursor - 1)..<cursor)
        case 0x01: return moveCursor(to: 0)
        case 0x05: return moveCursor(to: text.count)
        case 0x02: return moveCursor(to: cursor - 1)
        case 0x06: return moveCursor(to: cursor + 1)
        case 0x10: return show(earlier: -1)
        case 0x0E: return show(earlier: 1)
        case 0x0B: return remove(cursor..<text.count)
        case 0x15: return remove(0..<cursor)
        case 0x17: return remove(startOfWord..<cursor)
        case 0x0C: return .changed
        // Some scanners send a tab behind a code.
        case 0x09: return insert(" ")
        case 0x00...0x1F: return .nothing
        default: return takeText(byte)
        }
    }

    /// Collects the bytes of one character (RFC 3629); what is none is dropped.
    private mutating func takeText(_ byte: UInt8) -> Outcome {
        unfinished.append(byte)
        let length =
            switch unfinished[0] {
            case 0x00...0x7F: 1
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard unfinished.count >= length else { return .nothing }
        defer { unfinished = [] }
        guard let typed = String(validating: unfinished, as: UTF8.self),
            !typed.unicodeScalars.contains(where: \.isUnprintable)
        else { return .nothing }
        return insert(typed)
    }

    private mutating func insert(_ typed: String) -> Outcome {
        guard text.count < Self.longest else { return .nothing }
        // An accent joins the letter before it.
        let before = Array(String(text[..<cursor]) + typed)
        text.replaceSubrange(..<cursor, with: before)
        cursor = before.count
        return .changed
    }

    private mutating func remove(_ range: Range<Int>) -> Outcome {
        text.removeSubrange(range)
        cursor = range.lowerBound
        return .changed
    }

    private mutating func moveCursor(to place: Int) -> Outcome {
        cursor = min(max(0, place), text.count)
        return .changed
    }

    private var startOfWord: Int {
        let end = text[..<cursor].lastIndex { $0 != " " } ?? 0
        return text[..<end].lastIndex(of: " ").map { $0 + 1 } ?? 0
    }

    private mutating func show(earlier step: Int) -> Outcome {
        let next = (shown ?? earlier.count) + step
        guard (0...earlier.count).contains(next) else { return .nothing }
        if shown == nil { draft = text }
        shown = next < earlier.count ? next : nil
        text = shown.map { Array(earlier[$0]) } ?? draft
        cursor = text.count
        return .changed
    }

    private mutating func finish() -> Outcome {
        let line = String(text)
        discard()
        return .line(line)
    }

    /// Drops what is typed so far.
    mutating func discard() {
        (text, cursor, shown, draft, unfinished, escape) = ([], 0, nil, [], [], .none)
    }

    /// Keeps a line for the arrow keys.
    mutating func remember(_ line: String) {
        guard !line.isEmpty, line != earlier.last else { return }
        earlier.append(line)
        if earlier.count > Self.mostEarlier { earlier.removeFirst() }
    }

    /// The row to draw in `columns`: the prompt and, of a text that is too long, the part around the cursor.
    ///
    /// - Parameter isHidden: nothing of the text is shown, for a PIN.
    func row(behind prompt: String, columns: Int, isHidden: Bool) -> String {
        let head = "\r" + prompt
        guard !isHidden else { return head + Self.eraseRest }
        // The last column stays empty: a terminal wraps behind it. A prompt never takes the whole row.
        let room = max(8, columns - TextWidth.columns(prompt) - 1)
        var (start, width) = (cursor, 0)
        while start > 0, width + TextWidth.columns(text[start - 1]) < room {
            start -= 1
            width += TextWidth.columns(text[start])
        }
        var (end, behind) = (cursor, 0)
        while end < text.count, width + behind + TextWidth.columns(text[end]) <= room {
            behind += TextWidth.columns(text[end])
            end += 1
        }
        let back = behind > 0 ? "\u{1B}[\(behind)D" : ""
        return head + String(text[start..<end]) + Self.eraseRest + back
    }

    /// Erases from the cursor to the end of the row (ECMA-48, EL).
    static let eraseRest = "\u{1B}[K"
}
