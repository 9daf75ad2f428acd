/// Lays paragraphs and rows out on lines of a fixed number of columns.
///
/// Words move to the next line as a whole; a word longer than the line, and Chinese text, breaks between any
/// two characters.
struct ReceiptLayout {
    /// Of a line.
    let columns: Int
    let characters: PrinterCharacters

    /// The first cell of a row has at least these, or the others go below it. Halved, a name would break
    /// every other letter; doubled, 58 mm paper would have room for no second amount.
    private static let leastFirstCell = 10

    /// The lines of a paragraph, at least one; leading spaces are kept as its indentation.
    func lines(of text: String, columns: Int? = nil) -> [String] {
        let limit = max(2, columns ?? self.columns)
        var lines: [String] = []
        var line = ""
        var used = 0
        for word in words(of: text) {
            let width = characters.columns(word)
            if used + width > limit, used > 0, word != " " {
                lines.append(trimmed(line))
                (line, used) = ("", 0)
            }
            // A space at the break is the break.
            if word == " ", used >= limit || (line.isEmpty && !lines.isEmpty) { continue }
            for character in word {
                let width = characters.bytes(character).count
                if used + width > limit {
                    lines.append(trimmed(line))
                    (line, used) = ("", 0)
                }
                line.append(character)
                used += width
            }
        }
        lines.append(trimmed(line))
        return lines
    }

    /// The lines of a row.
    func lines(of cells: [ReceiptDocument.Cell]) -> [String] {
        guard let first = cells.first else { return [] }
        let widths = cells.dropFirst().map { min($0.width ?? characters.columns($0.text), columns) }
        let room = columns - widths.reduce(0, +) - widths.count
        guard room >= min(Self.leastFirstCell, characters.columns(first.text)) else {
            return lines(of: first.text)
                + cells.dropFirst().flatMap { cell in
                    lines(of: cell.text).map { padded($0, to: columns, cell.alignment) }
                }
        }
        let shares = [room] + widths
        let wrapped = zip(cells, shares).map { cell, share in lines(of: cell.text, columns: share) }
        let height = wrapped.map { $0.count }.max() ?? 0
        return (0..<height).map { number in
            let parts = cells.indices.map { index in
                let text = number < wrapped[index].count ? wrapped[index][number] : ""
                return padded(text, to: shares[index], cells[index].alignment)
            }
            return trimmed(parts.joined(separator: " "))
        }
    }

    /// `text` with spaces to fill `width` columns.
    private func padded(_ text: String, to width: Int, _ alignment: ReceiptDocument.Alignment) -> String {
        let missing = max(0, width - characters.columns(text))
        let before =
            switch alignment {
            case .left: 0
            case .center: missing / 2
            case .right: missing
            }
        return String(repeating: " ", count: before) + text
            + String(repeating: " ", count: missing - before)
    }

    private func trimmed(_ line: String) -> String {
        var line = line
        while line.hasSuffix(" ") { line.removeLast() }
        return line
    }

    /// Words, single spaces, and single characters of two columns.
    private func words(of text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for character in text {
            let bytes = characters.bytes(character)
            guard bytes == [0x20] || bytes.count > 1 else {
                word.append(character)
                continue
            }
            if !word.isEmpty { words.append(word) }
            word = ""
            words.append(bytes.count > 1 ? String(character) : " ")
        }
        return word.isEmpty ? words : words + [word]
    }
}
