internal import Base

/// Pieces of SVG. Colours come from the page's style sheet by class, so that a plot follows the theme; no
/// element carries a style of its own, which the page's policy forbids.
enum Plot {
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case _: escaped.append(character)
            }
        }
        return escaped
    }

    /// A drawing with a name for screen readers; its parts have titles of their own.
    static func drawing(width: Int, height: Int, label: String, _ body: String) -> String {
        "<div class=\"scroll\" tabindex=\"0\"><svg class=\"plot\" viewBox=\"0 0 \(width) \(height)\" role=\"img\" "
            + "aria-label=\"\(escaped(label))\">" + body + "</svg></div>"
    }

    static func bar(x: Double, y: Int, width: Double, height: Int, tone: String, title: String) -> String {
        "<rect class=\"\(tone)\" x=\"\(short(x))\" y=\"\(y)\" width=\"\(short(max(width, 1.5)))\" "
            + "height=\"\(height)\" rx=\"2\"><title>\(escaped(title))</title></rect>"
    }

    static func text(x: Double, y: Int, anchor: String = "start", _ text: String) -> String {
        "<text x=\"\(short(x))\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(escaped(text))</text>"
    }

    static func line(x: Double, from top: Int, to bottom: Int) -> String {
        "<line class=\"grid\" x1=\"\(short(x))\" x2=\"\(short(x))\" y1=\"\(top)\" y2=\"\(bottom)\"/>"
    }

    /// One digit behind the point is a tenth of a pixel.
    private static func short(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(abs(tenths % 10))"
    }
}

/// The span of time that a plot shows, on a horizontal axis.
struct TimeAxis {
    let from: Int64
    let to: Int64
    let left: Double
    let width: Double

    func x(_ moment: Int64) -> Double {
        let part = Double(min(max(moment, from), to) - from) / Double(max(1, to - from))
        return left + part * width
    }

    /// Lines at whole hours, about six of them, with the hour in UTC below.
    func grid(top: Int, bottom: Int) -> String {
        let hours = max(1, (to - from) / 3_600_000)
        let step = max(1, (hours + 5) / 6) * 3_600_000
        let first = (from / step + 1) * step
        return stride(from: first, to: to, by: Int64.Stride(step)).map { moment in
            let clock = String(Timestamp.text(milliseconds: moment).dropFirst(11).prefix(5))
            return Plot.line(x: x(moment), from: top, to: bottom)
                + Plot.text(x: x(moment), y: bottom + 14, anchor: "middle", clock)
        }.joined()
    }
}
