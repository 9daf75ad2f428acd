internal import Simulation

/// One line of the table: a figure, its yardstick, and whether it is good enough.
struct Row {
    /// What is wanted of the figure.
    enum Aim {
        case atMost(Double)
        case atLeast(Double)
        /// At most so many times the yardstick.
        case ratioAtMost(Double)
        /// At least so many times the yardstick.
        case ratioAtLeast(Double)
    }

    let name: String
    let figure: Double
    let unit: Unit
    /// Nil where the figure speaks for itself.
    var yardstick: (name: String, value: Double)?
    /// Nil for what is shown without being judged.
    var aim: Aim?

    static let heading = columns("measure", "figure", "yardstick", "ratio", "aim", "")

    var text: String {
        Self.columns(
            name, unit.text(figure),
            yardstick.map { "\(unit.text($0.value)) \($0.name)" } ?? "-",
            ratio.map { "\(fixed($0, places: 2)) x" } ?? "-",
            aim.map(aimText) ?? "-", isMet.map { $0 ? "met" : "MISSED" } ?? "")
    }

    /// Nil when nothing is wanted of it.
    var isMet: Bool? {
        switch aim {
        case nil: nil
        case .atMost(let limit): figure <= limit
        case .atLeast(let limit): figure >= limit
        case .ratioAtMost(let limit): ratio.map { $0 <= limit } ?? false
        case .ratioAtLeast(let limit): ratio.map { $0 >= limit } ?? false
        }
    }

    private var ratio: Double? {
        guard let yardstick, yardstick.value > 0 else { return nil }
        return figure / yardstick.value
    }

    private func aimText(_ aim: Aim) -> String {
        switch aim {
        case .atMost(let limit): "<= \(unit.text(limit))"
        case .atLeast(let limit): ">= \(unit.text(limit))"
        case .ratioAtMost(let limit): "<= \(fixed(limit, places: 2)) x"
        case .ratioAtLeast(let limit): ">= \(fixed(limit, places: 2)) x"
        }
    }

    private static func columns(_ texts: String...) -> String {
        let line = zip(texts, [46, 14, 38, 10, 14, 0]).map { text, width in
            text + String(repeating: " ", count: max(0, width - text.count))
        }.joined(separator: " ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}
