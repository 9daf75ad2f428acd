extension CounterScreen {
    /// One row of a dialog: text on the left and on the right.
    struct Row {
        var left: String
        var right = ""
        var style = FrameStyle.plain
        var isSelected = false
    }

    /// Draws a box in the middle of the lines' room.
    ///
    /// - Parameter more: of a list whose rows it shows in part: what is above and below them.
    /// - Returns: where its first row and its first column are inside.
    func box(
        _ frame: inout Frame, _ title: String, _ rows: [Row], width: Int,
        more: (above: Bool, below: Bool) = (false, false)
    ) -> (row: Int, column: Int, width: Int) {
        let width = min(width, columns - 4)
        // What the status says stays in sight, whatever is open.
        let height = min(rows.count + 2, self.rows - 3 - firstLine)
        let top = max(firstLine, (self.rows - 3 - height) / 2)
        let left = place(ofBox: width, endingAt: top + height)
        frame.dim(firstLine..<self.rows - 5)
        for row in top..<top + height { frame.fill(row, max(0, left - 1)..<left + width + 1, .plain) }
        frame.fill(top, left..<left + width, .border, with: "─")
        frame.fill(top + height - 1, left..<left + width, .border, with: "─")
        for (row, corners) in [(top, "┌┐"), (top + height - 1, "└┘")] {
            frame.put(String(corners.prefix(1)), at: row, left, .border)
            frame.put(String(corners.suffix(1)), at: row, left + width - 1, .border)
        }
        frame.put(" \(title) ", at: top, left + 2, .bold, limit: width - 4)
        if more.above { frame.put("▲", at: top, left + width - 3, .bold) }
        if more.below || rows.count > height - 2 {
            frame.put("▼", at: top + height - 1, left + width - 3, .bold)
        }
        for (offset, row) in rows.prefix(height - 2).enumerated() {
            let line = top + 1 + offset
            let style = row.isSelected ? FrameStyle.selected : row.style
            frame.fill(line, left..<left + width, style == .selected ? .selected : .plain)
            frame.put("│", at: line, left, .border)
            frame.put("│", at: line, left + width - 1, .border)
            let right = Frame.width(row.right)
            let marked = row.isSelected ? "▶ " + row.left : "  " + row.left
            frame.put(marked, at: line, left + 1, style, limit: max(0, width - 4 - right))
            frame.put(row.right, at: line, endingAt: left + width - 2, style)
        }
        return (top + 1, left + 1, width - 2)
    }

    /// In the middle; on the left where it would hide the total otherwise.
    private func place(ofBox width: Int, endingAt bottom: Int) -> Int {
        bottom > rows - 11 && width <= columns - 32 ? 1 : (columns - width) / 2
    }

    /// The part of a list that is shown, so that the chosen row is in it.
    func shown<Element>(_ elements: [Element], _ selected: Int) -> [(offset: Int, element: Element)] {
        let part = part(of: elements.count, selected)
        return elements.enumerated().dropFirst(part.lowerBound).prefix(part.count)
            .map { ($0.offset, $0.element) }
    }

    /// Whether rows of a list are above and below the part that is shown.
    func more(of count: Int, _ selected: Int) -> (above: Bool, below: Bool) {
        let part = part(of: count, selected)
        return (part.lowerBound > 0, part.upperBound < count)
    }

    private func part(of count: Int, _ selected: Int) -> Range<Int> {
        let room = max(6, rows - 12 - firstLine)
        let first = min(max(0, selected - room + 1), max(0, count - room))
        return first..<min(count, first + room)
    }

    var wide: Int { min(columns - 6, 110) }

    func place(
        _ editor: LineEditor, _ frame: inout Frame, at inside: (row: Int, column: Int, width: Int),
        _ offset: Int, isSecret: Bool = false
    ) {
        let prompt = "  ▸ "
        let row = inside.row + offset
        let start = frame.put(prompt, at: row, inside.column, .bold)
        if isSecret {
            // Neither a character nor how many there are.
            let dots = editor.text.isEmpty ? "" : "••••"
            frame.cursor = (row, frame.put(dots, at: row, start, .bold))
            return
        }
        let view = editor.view(columns: inside.width - 6)
        frame.put(view.text, at: row, start, .bold)
        frame.cursor = (row, start + view.cursor)
    }

    func emptyRows(_ isLoading: Bool, _ words: String) -> [Row] {
        [Row(left: ""), Row(left: isLoading ? "…" : words, style: .dim), Row(left: "")]
    }
}

extension Array {
    subscript(safe place: Int) -> Element? { indices.contains(place) ? self[place] : nil }
}
