import Counter

/// A screen as an SVG: each run of cells with one style is a text at its column, so that wide characters
/// stay in place.
struct ScreenPicture {
    private static let (cellWidth, rowHeight) = (9, 20)
    private static let colors: [FrameStyle: (text: String, ground: String?)] = [
        .plain: ("#d6dce3", nil), .bold: ("#ffffff", nil), .dim: ("#8a94a0", nil),
        .title: ("#ffffff", nil), .calm: ("#8fd18a", nil), .alert: ("#14181d", "#e3b341"),
        .stopped: ("#ffffff", "#c0392b"), .error: ("#ff7b72", nil), .heading: ("#7fb0e0", nil),
        .selected: ("#14181d", "#7fb0e0"), .key: ("#e3b341", nil), .total: ("#ffffff", nil),
        .money: ("#ffffff", nil), .border: ("#7fb0e0", nil),
    ]

    let svg: String

    /// - Parameter rows: nil: all of them.
    init(of frame: Frame, rows: Range<Int>? = nil, margin: Int = 12, title: String) {
        let rows = rows ?? 0..<frame.rows
        let (width, height) = (
            frame.columns * Self.cellWidth + 2 * margin, rows.count * Self.rowHeight + 2 * margin
        )
        var lines = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(width) \#(height)" role="img" "#
                + #"font-family="ui-monospace, Menlo, Consolas, 'Noto Sans Mono CJK SC', monospace" font-size="15">"#,
            "<title>\(Self.escaped(title))</title>",
            ##"<rect width="100%" height="100%" rx="\##(margin > 0 ? 8 : 0)" fill="#14181d"/>"##,
        ]
        for row in rows {
            lines += Self.texts(
                of: frame, row, top: margin + (row - rows.lowerBound) * Self.rowHeight, margin)
        }
        svg = (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private static func texts(of frame: Frame, _ row: Int, top: Int, _ margin: Int) -> [String] {
        let cells = Array(frame.cells[row * frame.columns..<(row + 1) * frame.columns])
        var found: [String] = []
        var start = 0
        while start < cells.count {
            var end = start + 1
            while end < cells.count, cells[end].style == cells[start].style { end += 1 }
            found += run(Array(cells[start..<end]), x: margin + start * cellWidth, y: top)
            start = end
        }
        return found
    }

    private static func run(_ cells: [Frame.Cell], x: Int, y: Int) -> [String] {
        let text = String(cells.compactMap(\.character))
        let (color, ground) = colors[cells[0].style] ?? ("#d6dce3", nil)
        let width = cells.count * cellWidth
        var found: [String] = []
        if let ground {
            found.append(
                #"<rect x="\#(x)" y="\#(y)" width="\#(width)" height="\#(rowHeight)" fill="\#(ground)"/>"#)
        }
        if text.contains(where: { $0 != " " }) {
            found.append(
                #"<text x="\#(x)" y="\#(y + 15)" fill="\#(color)" xml:space="preserve" textLength="\#(width)" "#
                    + #"lengthAdjust="spacingAndGlyphs">\#(escaped(text))</text>"#)
        }
        return found
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
