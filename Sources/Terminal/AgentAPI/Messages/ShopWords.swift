/// The words of a shop in the place of the words of the programs.
///
/// What agent and hub write for whoever runs them reaches the cashier's screens too: there the hub is head
/// office, as on the cashiers' pages, a terminal is a till, and the agent is the till's service. Chinese
/// texts have the shop's words already.
package enum ShopWords {
    /// `text` for a screen, where nobody types options: without those in brackets.
    package static func withoutOptions(_ text: String) -> String {
        text.replacing(#/\ ?[(（]--[^)）]*[)）]/#, with: "")
    }

    /// `text` for a cashier. What stands between backticks is a command or a file and stays.
    package static func text(_ text: String) -> String {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { place, part in place.isMultiple(of: 2) ? shopWords(in: part) : String(part) }
            .joined(separator: "`")
    }

    /// Longer words stand before those that begin them.
    private static let words: [(program: String, shop: String)] = [
        ("the hub", "head office"), ("hub", "head office"), ("the agent", "the till's service"),
        ("agent", "till's service"), ("terminals", "tills"), ("terminal", "till"), ("mutations", "records"),
        ("mutation", "record"),
    ]

    private static func shopWords(in part: Substring) -> String {
        var (shown, rest) = ("", part)
        while !rest.isEmpty {
            if shown.last.map({ !isWord($0) }) ?? true, let (program, shop) = word(at: rest) {
                let isCapital = rest.first?.isUppercase == true
                shown += isCapital ? shop.prefix(1).uppercased() + shop.dropFirst() : shop
                rest = rest.dropFirst(program.count)
            } else {
                shown.append(rest.removeFirst())
            }
        }
        return shown
    }

    /// The word of the programs that `text` begins with.
    private static func word(at text: Substring) -> (program: String, shop: String)? {
        words.first { program, _ in
            let begin = text.prefix(program.count)
            guard begin.dropFirst() == program.dropFirst(), begin.prefix(1).lowercased() == program.prefix(1)
            else { return false }
            let behind = text.dropFirst(program.count)
            let isFile = behind.first == "." && behind.dropFirst().first.map(isWord) == true
            return !isFile && behind.first.map { !isWord($0) } ?? true
        }
    }

    /// `pos-hub` and `terminal.json` are names, not words.
    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "-_/".contains(character)
    }
}

extension StringProtocol {
    /// Full-width digits, letters and signs, as a Chinese input method types them, in their ASCII form; the
    /// ideographic comma and full stop between digits stay.
    package var halfWidth: String {
        guard unicodeScalars.contains(where: { fullWidth.contains($0.value) }) else { return String(self) }
        var half = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            // The block of full-width forms has the order of ASCII (The Unicode Standard, chart UFF00).
            let ascii = fullWidth.contains(scalar.value) ? scalar.value - 0xFEE0 : scalar.value
            half.append(Unicode.Scalar(ascii) ?? scalar)
        }
        return String(half)
    }
}

private let fullWidth: ClosedRange<UInt32> = 0xFF01...0xFF5E
