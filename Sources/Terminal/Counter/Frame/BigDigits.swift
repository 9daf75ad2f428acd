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
