internal import Pricing

/// A line that a person types and corrects before it counts: keys come in, the text and what to show of it
/// come out. The screen's fields and the line dialogue have the same one.
///
/// Beside the keys with names the control keys of readline work.
package struct LineEditor: Sendable {
    /// What a key did.
    package enum Outcome: Equatable, Sendable {
        case nothing
        case changed
        /// The return key.
        case line(String)
        /// Control-D on an empty line.
        case end
    }

    /// The text, by what a person sees as one character.
    package private(set) var text: [Character] = []
    /// How many characters are in front of the cursor.
    package private(set) var cursor = 0
    /// Lines of before, the oldest first, and which of them is shown in the place of `draft`.
    private var earlier: [String] = []
    private var shown: Int?
    private var draft: [Character] = []
    /// No barcode, name or reason is longer, in characters; what is typed behind it is dropped. The longest
    /// text that the hub accepts is a note of 4,096 bytes.
    private static let longest = 4_096
    /// Lines that can be brought back. A cashier looks a few scans back; more would only cost memory.
    private static let mostEarlier = 100
    package init() {}

    /// Takes a key; one that edits nothing is ignored.
    package mutating func take(_ key: Key) -> Outcome {
        switch key {
        case .enter: finish()
        case .control("d") where text.isEmpty: .end
        case .control("d"), .delete: remove(cursor..<min(cursor + 1, text.count))
        case .backspace: remove(max(0, cursor - 1)..<cursor)
        case .control("a"), .home: moveCursor(to: 0)
        case .control("e"), .end: moveCursor(to: text.count)
        case .control("b"), .left: moveCursor(to: cursor - 1)
        case .control("f"), .right: moveCursor(to: cursor + 1)
        case .control("p"), .up: show(earlier: -1)
        case .control("n"), .down: show(earlier: 1)
        case .control("k"): remove(cursor..<text.count)
        case .control("u"): remove(0..<cursor)
        case .control("w"): remove(startOfWord..<cursor)
        case .control("l"): .changed
        // Some scanners send a tab behind a code.
        case .tab: insert(" ")
        case .typed(let scalar), .alt(let scalar): insert(String(scalar))
        case .paste, .control, .function, .escape, .backTab, .pageUp, .pageDown, .insert: .nothing
        }
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
    package mutating func discard() {
        (text, cursor, shown, draft) = ([], 0, nil, [])
    }

    /// Keeps a line for the arrow keys.
    package mutating func remember(_ line: String) {
        guard !line.isEmpty, line != earlier.last else { return }
        earlier.append(line)
        if earlier.count > Self.mostEarlier { earlier.removeFirst() }
    }

    /// The line that was remembered last comes back with no key.
    package mutating func forgetLast() { _ = earlier.popLast() }

    /// The row to draw in `columns`: the prompt and, of a text that is too long, the part around the cursor.
    ///
    /// - Parameter isHidden: nothing of the text is shown, for a PIN.
    package func row(behind prompt: String, columns: Int, isHidden: Bool) -> String {
        let head = "\r" + prompt
        guard !isHidden else { return head + Self.eraseRest }
        // The last column stays empty: a terminal wraps behind it. A prompt never takes the whole row.
        let view = view(columns: max(8, columns - TextWidth.columns(prompt) - 1))
        let behind = TextWidth.columns(view.text) - view.cursor
        let back = behind > 0 ? "\u{1B}[\(behind)D" : ""
        return head + view.text + Self.eraseRest + back
    }

    /// The part of the text around the cursor that fits `columns`, and the cursor's column in it.
    package func view(columns room: Int) -> (text: String, cursor: Int) {
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
        return (String(text[start..<end]), width)
    }

    /// Erases from the cursor to the end of the row (ECMA-48, EL).
    package static let eraseRest = "\u{1B}[K"
}
