import Base

// Text of people and peers on a screen or on paper.
//
// A terminal's name, a note, a reason or a product comes from somebody else, and whoever prints it as it is
// lets that person write to the screen: control sequences clear it, set its title or send input for its
// user, and overrides of the writing direction show other words than are there (Unicode Technical Report 36,
// 3.2).

extension StringProtocol {
    /// The text on one line: a line end or a tab is a space, and every other character that a screen would
    /// act on is U+FFFD.
    package var printable: String { replacingUnprintable { _ in false } }

    /// As ``printable``, with its line ends (U+000A) and tabs: for a document whose lines are one's own.
    package var printableLines: String { replacingUnprintable { $0 == "\n" || $0 == "\t" } }

    private func replacingUnprintable(except isKept: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: { $0.isUnprintable && !isKept($0) }) else { return String(self) }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if !scalar.isUnprintable || isKept(scalar) {
                text.append(scalar)
            } else {
                text.append(scalar == "\n" || scalar == "\t" || scalar == "\r" ? " " : "\u{FFFD}")
            }
        }
        return String(text)
    }

    /// JSON text in which every character that a screen would act on is an escape of RFC 8259, section 7: the
    /// same document, safe to look at. Line ends between values stay.
    package var printableJSON: String {
        guard unicodeScalars.contains(where: { $0.isUnprintable && $0 != "\n" }) else { return String(self) }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isUnprintable, scalar != "\n" {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// Insertions, deletions and replacements of characters that turn `first` into `second` (Levenshtein), for
/// the nearest known key of a configuration. Both programs suggest one, so both share this.
///
/// - Returns: 0 for equal texts, at most the length of the longer one.
package func editDistance(_ first: String, _ second: String) -> Int {
    let target = Array(second)
    // What turns the part of `first` that was read into each beginning of `second`.
    var row = Array(0...target.count)
    for (index, character) in first.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in target.indices {
            let replaced = diagonal + (character == target[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(replaced, row[column] + 1, row[column + 1] + 1)
        }
    }
    return row[target.count]
}
