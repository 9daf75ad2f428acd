/// Several small charts of the same two figures, a point for each name, as one SVG document. A point near the
/// lower left corner is good.
package struct PanelChart {
    package struct Point: Sendable {
        /// The detector or variant of the point; the same name has the same colour in every chart.
        package let name: String
        /// The figure on the horizontal axis, in the unit of its label.
        package let x: Double
        /// The figure on the vertical axis, in the unit of its label.
        package let y: Double

        /// Makes a point; both figures are zero or more, where the axes begin.
        package init(name: String, x: Double, y: Double) {
            self.name = name
            self.x = x
            self.y = y
        }
    }

    private static let columns = 3
    private static let panelWidth = 400.0
    private static let panelHeight = 260.0
    private static let top = 84.0

    private let title: String
    private let across: String
    private let up: String
    private var panels: [(title: String, points: [Point])] = []

    /// - Parameters:
    ///   - across: the name of the horizontal axis, with its unit; likewise `up`.
    package init(title: String, across: String, up: String) {
        self.title = title
        self.across = across
        self.up = up
    }

    /// Adds a chart; a name keeps the colour of its first one.
    package mutating func add(_ title: String, _ points: [Point]) {
        panels.append((title, points))
    }

    /// The complete picture, a document of its own; three charts a row.
    package var svg: String {
        let rows = (panels.count + Self.columns - 1) / Self.columns
        let height = Self.top + Double(rows) * Self.panelHeight + 20
        var drawing = SVGDrawing(width: Double(Self.columns) * Self.panelWidth, height: height)
        drawing.text(24, 30, title, size: 18, weight: "bold")
        drawing.text(24, 50, "across: \(across); up: \(up)", colour: SVGDrawing.grey)
        drawKey(&drawing)
        for (index, panel) in panels.enumerated() {
            let left = Double(index % Self.columns) * Self.panelWidth
            let top = Self.top + Double(index / Self.columns) * Self.panelHeight
            draw(panel.title, panel.points, left: left, top: top, &drawing)
        }
        return drawing.document
    }

    private var names: [String] {
        panels.flatMap(\.points).reduce(into: []) { names, point in
            if !names.contains(point.name) { names.append(point.name) }
        }
    }

    private func colour(of name: String) -> String {
        SVGDrawing.colour(names.firstIndex(of: name) ?? 0)
    }

    private func drawKey(_ drawing: inout SVGDrawing) {
        for (index, name) in names.enumerated() {
            let x = 30 + Double(index) * 170
            drawing.circle(x, 68, radius: 5, colour: colour(of: name))
            drawing.text(x + 10, 72, name, colour: colour(of: name))
        }
    }

    private func draw(
        _ title: String, _ points: [Point], left: Double, top: Double, _ drawing: inout SVGDrawing
    ) {
        let bottom = top + Self.panelHeight - 34
        let across = Axis(upTo: points.map(\.x).max() ?? 0, from: left + 60, to: left + Self.panelWidth - 24)
        let up = Axis(upTo: points.map(\.y).max() ?? 0, from: bottom, to: top + 34)
        drawing.text(left + 60, top + 22, title, weight: "bold")
        for mark in across.marks {
            drawing.line(across.place(mark), up.end, across.place(mark), bottom, colour: SVGDrawing.faint)
            drawing.text(across.place(mark), bottom + 18, across.label(mark), anchor: "middle")
        }
        for mark in up.marks {
            drawing.line(across.start, up.place(mark), across.end, up.place(mark), colour: SVGDrawing.faint)
            drawing.text(across.start - 6, up.place(mark) + 4, up.label(mark), anchor: "end")
        }
        for point in points {
            drawing.circle(
                across.place(point.x), up.place(point.y), radius: 6, colour: colour(of: point.name))
        }
    }
}
