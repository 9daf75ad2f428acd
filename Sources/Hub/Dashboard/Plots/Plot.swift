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
    static func drawing(
        _ kind: String, width: Int, height: Int, label: String, _ body: String
    ) -> String {
        "<svg class=\"plot \(kind)\" viewBox=\"0 0 \(width) \(height)\" role=\"group\" "
            + "aria-label=\"\(escaped(label))\">" + body + "</svg>"
    }

    static func link(to path: String, _ body: String) -> String {
        "<a href=\"\(escaped(path))\">\(body)</a>"
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
    let zone: PageZone

    func x(_ moment: Int64) -> Double {
        let part = Double(min(max(moment, from), to) - from) / Double(max(1, to - from))
        return left + part * width
    }

    /// Half of the width of `20:00`.
    private static let halfLabel = 18.0

    /// Lines at whole hours or days of the zone, `labels` of them at most, with the time below: the hour, and
    /// at midnight the month and day, without which the lines of a week would all be named alike.
    func grid(top: Int, bottom: Int, labels: Int64) -> String {
        let hours = max(1, (to - from) / 3_600_000)
        let day: Int64 = 24
        let step =
            ([1, 2, 3, 4, 6, 12].first { hours <= labels * $0 }
                ?? ((hours - 1) / (labels * day) + 1) * day) * 3_600_000
        // By the clock of now: a day on which the clocks change has lines that are an hour off.
        let offset = zone.offset(at: to)
        let first = ((from + offset) / step + 1) * step - offset
        return stride(from: first, to: to, by: Int64.Stride(step)).map { moment in
            let text = zone.text(moment)
            let clock = text.dropFirst(11).prefix(5)
            let isDay = clock == "00:00" || step >= day * 3_600_000
            let label = String(isDay ? text.dropFirst(5).prefix(5) : clock)
            // A label in the middle of a line at the edge would be cut.
            let place = min(max(x(moment), left + Self.halfLabel), left + width - Self.halfLabel)
            return Plot.line(x: x(moment), from: top, to: bottom)
                + Plot.text(x: place, y: bottom + 14, anchor: "middle", label)
        }.joined()
    }
}
