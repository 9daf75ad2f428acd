/// Bars on an axis of time, a row for each subject.
struct Timeline {
    struct Bar {
        /// In milliseconds since 1970.
        let from: Int64
        let to: Int64
        /// A class of the style sheet behind `fill-`.
        let tone: String
        /// What the bar says to whom points at it, and to a screen reader.
        let title: String
        /// Whether it is not over.
        var lasts = false
    }

    struct Row {
        let name: String
        /// The page that its name leads to; none for an empty one.
        var link = ""
        let bars: [Bar]
    }

    let rows: [Row]
    let from: Int64
    let to: Int64
    let zone: PageZone
    /// For screen readers.
    let label: String

    /// Where the names of rows stand, and what fits.
    private struct Shape {
        let kind: String
        let width: Int
        let rowHeight: Int
        /// Where bars begin, below the top of their row.
        let barTop: Int
        let left: Double
        let labels: Int64
        let letters: Int

        /// Names beside the bars.
        static let wide = Shape(
            kind: "wide", width: 900, rowHeight: 22, barTop: 4, left: 180, labels: 7, letters: 26)
        /// Names above the bars, so that a phone shows the newest part without scrolling to it.
        static let narrow = Shape(
            kind: "narrow", width: 360, rowHeight: 38, barTop: 18, left: 0, labels: 4, letters: 44)
    }

    /// Once for a screen and once for a phone; the style sheet shows the one that fits.
    var drawing: String { drawing(.wide) + drawing(.narrow) }

    private func drawing(_ shape: Shape) -> String {
        let axis = TimeAxis(
            from: from, to: to, left: shape.left, width: Double(shape.width) - shape.left - 4, zone: zone)
        let bottom = rows.count * shape.rowHeight + 4
        let body = rows.enumerated().map { index, row in
            let top = index * shape.rowHeight
            let name = Plot.text(x: 0, y: top + 15, Self.short(row.name, to: shape.letters))
            return (row.link.isEmpty ? name : Plot.link(to: row.link, name))
                + row.bars.map { bar in
                    Plot.bar(
                        x: axis.x(bar.from), y: top + shape.barTop, width: axis.x(bar.to) - axis.x(bar.from),
                        height: 14, tone: "fill-\(bar.tone)" + (bar.lasts ? " fill-open" : ""),
                        title: bar.title)
                }.joined()
        }
        return Plot.drawing(
            shape.kind, width: shape.width, height: bottom + 20, label: label,
            axis.grid(top: 2, bottom: bottom, labels: shape.labels) + body.joined())
    }

    private static func short(_ name: String, to letters: Int) -> String {
        name.count > letters ? name.prefix(letters - 1) + "…" : name
    }
}
