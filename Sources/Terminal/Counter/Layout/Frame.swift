internal import Base
internal import Pricing

/// How a cell looks. Every style differs from plain text without colour too.
package enum FrameStyle: UInt8, Sendable {
    case plain, bold, dim, title
    /// The banner while all is well, and while the terminal is offline.
    case calm, alert
    /// The banner while nothing runs behind the screen.
    case stopped
    case error, heading, selected, key, total, money, border
}

/// A grid of cells: what is on the screen. Nothing that is put outside of it leaves it.
package struct Frame: Sendable, Equatable {
    /// A character and its style. Nil is the right half of a wide character.
    package struct Cell: Sendable, Equatable {
        /// What is drawn; nil in the right half of a wide character.
        package var character: Character?
        /// How it is drawn.
        package var style: FrameStyle
    }

    /// At least 1.
    package let columns: Int
    /// At least 1.
    package let rows: Int
    /// Row by row.
    package private(set) var cells: [Cell]
    /// Where the terminal's cursor is; nil: hidden.
    package var cursor: (row: Int, column: Int)?

    /// A grid of spaces; a size below 1 is 1.
    package init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (max(1, columns), max(1, rows))
        cells = Array(
            repeating: Cell(character: " ", style: .plain), count: max(1, columns) * max(1, rows))
    }

    /// Whether both look the same, the cursor included.
    package static func == (left: Frame, right: Frame) -> Bool {
        left.columns == right.columns && left.cells == right.cells
            && left.cursor?.row == right.cursor?.row && left.cursor?.column == right.cursor?.column
    }

    /// The rows as text, without spaces at their ends.
    package var text: String {
        (0..<rows).map { row in
            let line = cells[row * columns..<(row + 1) * columns].compactMap(\.character)
            return String(line).trimmedEnd
        }.joined(separator: "\n")
    }

    /// Writes `text` from `column` on, at most `limit` columns wide; what is cut ends with an ellipsis.
    ///
    /// - Returns: the column behind it.
    @discardableResult
    mutating func put(
        _ text: String, at row: Int, _ column: Int, _ style: FrameStyle = .plain, limit: Int? = nil
    ) -> Int {
        guard (0..<rows).contains(row), column < columns, column >= 0 else { return column }
        let room = min(limit ?? columns, columns - column)
        guard room > 0 else { return column }
        var place = column
        for character in Self.fitted(text, room) {
            let width = TextWidth.columns(character)
            set(character, row, place, style)
            if width == 2 {
                set(" ", row, place + 1, style)
                cells[row * columns + place + 1].character = nil
            }
            place += width
        }
        return place
    }

    /// Writes `text` so that it ends in front of `column`.
    mutating func put(_ text: String, at row: Int, endingAt column: Int, _ style: FrameStyle = .plain) {
        let width = Self.width(text)
        put(text, at: row, max(0, column - width), style, limit: min(width, column))
    }

    /// Fills a part of a row.
    mutating func fill(_ row: Int, _ range: Range<Int>, _ style: FrameStyle, with character: Character = " ")
    {
        guard (0..<rows).contains(row) else { return }
        for column in range.clamped(to: 0..<columns) {
            set(character, row, column, style)
        }
    }

    /// Writes one cell; of a wide character that loses a half the other one is a space.
    private mutating func set(_ character: Character, _ row: Int, _ column: Int, _ style: FrameStyle) {
        let place = row * columns + column
        if cells[place].character == nil, column > 0 { cells[place - 1].character = " " }
        if column + 1 < columns, cells[place + 1].character == nil { cells[place + 1].character = " " }
        cells[place] = Cell(character: character, style: style)
    }

    /// Moves rows behind a dialog into the background; the total stays as it is.
    mutating func dim(_ range: Range<Int>) {
        for place in range.lowerBound * columns..<min(range.upperBound, rows) * columns {
            guard cells[place].style != .total else { continue }
            cells[place].style = .dim
        }
    }

    /// `text` in two rows of at most `limit` columns, broken at a space where there is one near the end; the
    /// second is empty for a text that fits one.
    static func broken(_ text: String, limit: Int) -> (first: String, second: String) {
        guard width(text) > limit else { return (text, "") }
        let head = Array(fitted(text, limit).dropLast())
        let space = head.lastIndex(of: " ").map { $0 > head.count / 2 ? $0 : head.count } ?? head.count
        return (String(head[..<space]), String(text.dropFirst(space).drop { $0 == " " }))
    }

    static func width(_ text: String) -> Int { text.reduce(0) { $0 + TextWidth.columns(shown($1)) } }

    /// A character as every terminal counts it: one without joiners and variants, whose widths differ from
    /// one terminal to the next, and none that a screen acts on.
    static func shown(_ character: Character) -> Character {
        guard let first = character.unicodeScalars.first else { return " " }
        if character.unicodeScalars.count == 1 {
            if first.isASCII { return first.isUnprintable ? " " : character }
            return isBase(first) ? character : " "
        }
        guard isBase(first) else { return " " }
        var kept = String.UnicodeScalarView([first])
        for scalar in character.unicodeScalars.dropFirst().prefix(4)
        where scalar.properties.generalCategory == .nonspacingMark
            && !(0xFE00...0xFE0F).contains(scalar.value)
        {
            kept.append(scalar)
        }
        return Character(String(kept))
    }

    private static func isBase(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isUnprintable else { return false }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .unassigned, .surrogate, .privateUse: false
        default: true
        }
    }

    private static func fitted(_ text: String, _ room: Int) -> [Character] {
        var kept: [Character] = []
        var width = 0
        for character in text {
            let character = shown(character)
            width += TextWidth.columns(character)
            guard width <= room else { return clipped(kept, room) }
            kept.append(character)
        }
        return kept
    }

    private static func clipped(_ characters: [Character], _ room: Int) -> [Character] {
        var kept = characters
        while let last = kept.last, kept.reduce(0, { $0 + TextWidth.columns($1) }) > room - 1 {
            _ = last
            kept.removeLast()
        }
        return room > 0 ? kept + ["…"] : kept
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

/// Digits three rows high, for an amount that is read from a step away. They are made of box drawing, which
/// every terminal has, the Linux console too.
enum BigDigits {
    private static let glyphs: [Character: [String]] = [
        "0": ["┏━┓", "┃ ┃", "┗━┛"], "1": [" ┓ ", " ┃ ", " ┻ "], "2": ["┏━┓", "┏━┛", "┗━━"],
        "3": ["┏━┓", " ━┫", "┗━┛"], "4": ["┃ ┃", "┗━┫", "  ┃"], "5": ["┏━━", "┗━┓", "┗━┛"],
        "6": ["┏━ ", "┣━┓", "┗━┛"], "7": ["━━┓", "  ┃", "  ┃"], "8": ["┏━┓", "┣━┫", "┗━┛"],
        "9": ["┏━┓", "┗━┫", " ━┛"], "-": ["   ", "━━━", "   "], ".": [" ", " ", "▪"],
    ]

    /// Three rows of equal width; characters that have no glyph are left out.
    static func rows(_ text: String) -> [String] {
        (0..<3).map { row in
            text.compactMap { glyphs[$0]?[row] }.joined(separator: " ")
        }
    }

    static func width(_ text: String) -> Int { rows(text)[0].count }
}
