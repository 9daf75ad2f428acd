/// Columns that text takes on a receipt printer or a terminal: two for East Asian wide characters.
public enum TextWidth {
    /// The columns of all characters of `text`.
    public static func columns(_ text: String) -> Int {
        text.reduce(0) { $0 + columns($1) }
    }

    /// The longest beginning of `text` that fits `limit` columns. Control characters become spaces, so that
    /// no name or reason can start a line of its own or send commands to the printer.
    public static func prefix(_ text: String, limit: Int) -> String {
        var width = 0
        var kept = ""
        for character in text.lazy.map({ isControl($0) ? " " : $0 }) {
            width += columns(character)
            guard width <= limit else { break }
            kept.append(character)
        }
        return kept
    }

    /// ``prefix(_:limit:)``, with an ellipsis where something was cut.
    public static func clipped(_ text: String, limit: Int) -> String {
        guard columns(text) > limit, limit > 1 else { return prefix(text, limit: limit) }
        return prefix(text, limit: limit - 1) + "…"
    }

    private static func isControl(_ character: Character) -> Bool {
        character.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            // A name that changes the writing direction would show another amount than the real one.
            default: scalar.properties.isBidiControl
            }
        }
    }

    /// The columns of one character as a person sees it.
    public static func columns(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// Blocks of East_Asian_Width W and F (Unicode Annex 11), coarse where a block is mixed.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
