/// Figures for a collector: version 0.0.4 of Prometheus' text format
/// (prometheus.io/docs/instrumenting/exposition_formats). The hub serves it, a terminal prints it.
package struct MetricPage: Sendable {
    /// What a collector may do with the values.
    package enum Kind: String, Sendable {
        /// Only grows, and begins at 0 with the process.
        case counter
        case gauge
        /// Counts of what was at most so much.
        case histogram
    }

    private struct Family {
        let kind: Kind
        let help: String
        /// Each line by the labels that order it.
        var lines: [(labels: String, suffix: String, value: String)] = []
        /// The labels that have lines of their own.
        var keys: Set<String> = []
        /// The names of the labels behind the last of them, and the sum of their values.
        var others: (names: [String], sum: Double)?

        /// Whether a value with these labels gets lines of its own.
        mutating func takes(_ labels: [(String, String)]) -> Bool {
            let key = MetricPage.text(of: labels)
            guard keys.count >= MetricPage.mostKeys, !keys.contains(key) else {
                keys.insert(key)
                return true
            }
            return false
        }

        var othersLine: (labels: String, suffix: String, value: String)? {
            others.map { others in
                let labels = others.names.map { ($0, MetricPage.others) }
                return (MetricPage.text(of: labels), "", MetricPage.text(of: others.sum))
            }
        }
    }

    /// How many combinations of labels a metric has lines for. The values of the labels behind them are
    /// summed up in one line, with ``others`` as each label's value; histograms behind them are left out.
    /// With half of it a chain of 150 stores does not see all of them; twice as many double the page.
    package static let mostKeys = 200
    /// The value of the labels of what has no line of its own.
    package static let others = "others"

    private var families: [String: Family] = [:]

    /// A page without figures.
    package init() {}

    /// Names a metric, which stands on the page from then on, also without a value.
    ///
    /// - Parameter help: one line for people, without a backslash.
    package mutating func declare(_ name: String, _ kind: Kind, _ help: String) {
        families[name] = families[name] ?? Family(kind: kind, help: help)
    }

    /// Adds a value of a metric that was declared; one of an undeclared metric is left out.
    package mutating func add(_ name: String, _ value: Double, _ labels: [(String, String)] = []) {
        guard families[name]?.takes(labels) ?? false else {
            let before = families[name]?.others?.sum ?? 0
            families[name]?.others = (labels.map(\.0), before + value)
            return
        }
        families[name]?.lines.append((Self.text(of: labels), "", Self.text(of: value)))
    }

    /// Adds a histogram: `counts` of the bounds in their order, each without those of the bounds before it,
    /// and at the end the count of what was more than all of them.
    package mutating func add(
        _ name: String, _ labels: [(String, String)] = [], bounds: [Double], counts: [Int64], sum: Double
    ) {
        guard families[name]?.takes(labels) ?? false else { return }
        var total: Int64 = 0
        let names = bounds.map(Self.text(of:)) + ["+Inf"]
        let order = Self.text(of: labels)
        for (bound, count) in zip(names, counts) {
            total += count
            families[name]?.lines.append(
                (Self.text(of: labels + [("le", bound)]), "_bucket", String(total)))
        }
        families[name]?.lines.append((order, "_sum", Self.text(of: sum)))
        families[name]?.lines.append((order, "_count", String(total)))
    }

    /// The page: of each metric its help, its type and its values, in the order of the names; the values in
    /// the order in which they were added.
    package var text: String {
        families.sorted { $0.key < $1.key }.map { name, family in
            let lines = (family.lines + [family.othersLine].compactMap(\.self)).map {
                "\(name)\($0.suffix)\($0.labels) \($0.value)\n"
            }
            return "# HELP \(name) \(family.help)\n# TYPE \(name) \(family.kind.rawValue)\n" + lines.joined()
        }.joined()
    }

    /// Labels as they stand behind a name; empty without any.
    package static func text(of labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
    }

    /// A whole number without a point; exact to 2^53.
    private static func text(of value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? String(value)
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in TextBound.shown(value).printableLines.unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case _: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
