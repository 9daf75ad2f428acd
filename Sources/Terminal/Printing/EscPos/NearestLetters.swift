/// Latin letters for letters that have no accent to leave out: `Łódź` is printed as `Lódz`, `Юрий` as
/// `Iurii`.
///
/// Cyrillic as in passports (ICAO Doc 9303, part 3, section 6), except that the soft and the hard sign are an
/// apostrophe, so that every letter takes a column; Greek as in ELOT 743, letter by letter.
enum NearestLetters {
    /// ASCII, as a capital where `scalar` is one; nil: none is known.
    static func latin(_ scalar: Unicode.Scalar) -> String? {
        if let found = small[scalar] { return found }
        let lower = scalar.properties.lowercaseMapping.unicodeScalars
        guard lower.count == 1, let first = lower.first, let found = small[first] else { return nil }
        return found.prefix(1).uppercased() + found.dropFirst()
    }

    private static let small: [Unicode.Scalar: String] = [
        // Latin letters with a stroke or a form of their own.
        "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "ŋ": "ng", "ø": "o", "æ": "ae", "œ": "oe",
        "ß": "ss", "þ": "th", "ð": "d", "ə": "e",
        // Signs that are typed for a hyphen, an apostrophe or a space.
        "\u{2010}": "-", "\u{2011}": "-", "\u{2012}": "-", "\u{2212}": "-", "\u{2032}": "'",
        "\u{2033}": "\"", "\u{02BC}": "'",
        "α": "a", "β": "v", "γ": "g", "δ": "d", "ε": "e", "ζ": "z", "η": "i", "θ": "th", "ι": "i",
        "κ": "k", "λ": "l", "μ": "m", "ν": "n", "ξ": "x", "ο": "o", "π": "p", "ρ": "r", "σ": "s",
        "ς": "s", "τ": "t", "υ": "y", "φ": "f", "χ": "ch", "ψ": "ps", "ω": "o",
        "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ж": "zh", "з": "z", "и": "i",
        "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t",
        "у": "u", "ф": "f", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "'",
        "ы": "y", "ь": "'", "э": "e", "ю": "iu", "я": "ia",
        "є": "ie", "і": "i", "ґ": "g", "ђ": "d", "ј": "j", "љ": "lj", "њ": "nj", "ћ": "c", "џ": "dz",
        "ѕ": "dz",
    ]
}
