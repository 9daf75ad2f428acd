/// The few shapes that the charts need, written as SVG 1.1.
struct SVGDrawing {
    static let grey = "#5f6b7a"
    static let faint = "#e6e9ee"
    static let fine = "#dcefe2"
    static let dead = "#c0392b"
    static let offline = "#3b5b92"
    static let wrong = "#f0a030"

    /// Colours that people with red-green colour blindness can distinguish (Okabe and Ito).
    private static let palette = [
        "#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a6a00", "#56b4e9",
    ]

    static func colour(_ index: Int) -> String { palette[index % palette.count] }

    private let width: Double
    private let height: Double
    private var shapes: [String] = []

    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    mutating func text(
        _ x: Double, _ y: Double, _ text: String, size: Int = 13, weight: String = "normal",
        anchor: String = "start", colour: String = "#1f2933"
    ) {
        shapes.append(
            "<text x=\"\(Self.place(x))\" y=\"\(Self.place(y))\" font-size=\"\(size)\" font-weight=\"\(weight)\" "
                + "text-anchor=\"\(anchor)\" fill=\"\(colour)\">\(Self.escaped(text))</text>")
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, colour: String) {
        shapes.append(
            "<line x1=\"\(Self.place(x1))\" y1=\"\(Self.place(y1))\" x2=\"\(Self.place(x2))\" "
                + "y2=\"\(Self.place(y2))\" stroke=\"\(colour)\"/>")
    }

    mutating func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double, colour: String) {
        shapes.append(
            "<rect x=\"\(Self.place(x))\" y=\"\(Self.place(y))\" width=\"\(Self.place(max(0, width)))\" "
                + "height=\"\(Self.place(height))\" fill=\"\(colour)\"/>")
    }

    mutating func circle(_ x: Double, _ y: Double, radius: Double, colour: String) {
        shapes.append(
            "<circle cx=\"\(Self.place(x))\" cy=\"\(Self.place(y))\" r=\"\(Self.place(radius))\" "
                + "fill=\"\(colour)\"/>")
    }

    var document: String {
        let size = "width=\"\(Self.place(width))\" height=\"\(Self.place(height))\""
        let box = "viewBox=\"0 0 \(Self.place(width)) \(Self.place(height))\""
        let start = "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) \(box) font-family=\"sans-serif\">"
        let paper = "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
        return ([start, paper] + shapes + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private static func place(_ value: Double) -> String { fixed(value, places: 1) }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
    }
}
