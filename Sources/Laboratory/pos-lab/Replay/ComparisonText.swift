internal import Agent
internal import Foundation
internal import HubProtocol
internal import Simulation

/// A comparison as a table for people and as a document for programs; always with both figures.
enum ComparisonText {
    private static let heading = [
        "", "switches", "needless", "false offline", "dead shown online", "found after", "longest", "missed",
        "waited", "probes/h", "cost s/h",
    ]

    static func table(_ comparison: Comparison) -> String {
        let rows = [heading] + comparison.runs.map(row)
        let widths = heading.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    private static func row(_ run: LinkRun) -> [String] {
        let figures = run.figures
        return [
            run.name, "\(figures.switches)", "\(figures.needless)", seconds(figures.falseOffline),
            seconds(figures.deadShownOnline), figures.meanFinding.map(seconds) ?? "-",
            figures.trueOutages > 0 ? seconds(figures.slowestFinding) : "-",
            "\(figures.missed)/\(figures.trueOutages)", seconds(figures.waiting),
            fixed(figures.perHour(Double(figures.activeProbes)), places: 0),
            fixed(figures.costPerHour, places: 1),
        ]
    }

    private static func seconds(_ duration: Duration) -> String {
        "\(fixed(duration.inSeconds, places: 1)) s"
    }

    static func document(_ comparison: Comparison) -> JSONValue {
        [
            "watchedMs": milliseconds(comparison.span),
            "deadMs": milliseconds(comparison.outages.total),
            "lives": .array(comparison.runs.map(document)),
        ]
    }

    private static func document(_ run: LinkRun) -> JSONValue {
        let figures = run.figures
        return [
            "name": .string(run.name), "switches": JSONValue(Int64(figures.switches)),
            "needless": JSONValue(Int64(figures.needless)),
            "falseOfflineMs": milliseconds(figures.falseOffline),
            "deadShownOnlineMs": milliseconds(figures.deadShownOnline),
            "trueOutages": JSONValue(Int64(figures.trueOutages)), "missed": JSONValue(Int64(figures.missed)),
            "meanFindingMs": figures.meanFinding.map(milliseconds) ?? .null,
            "longestFindingMs": figures.trueOutages > 0 ? milliseconds(figures.slowestFinding) : .null,
            "waitingMs": milliseconds(figures.waiting),
            "activeProbes": JSONValue(Int64(figures.activeProbes)),
            "costMsPerHour": JSONValue(Int64((figures.costPerHour * 1_000).rounded())),
        ]
    }

    private static func milliseconds(_ duration: Duration) -> JSONValue {
        JSONValue(Int64((duration.inSeconds * 1_000).rounded()))
    }
}

/// Where a chart is written.
struct ChartFile {
    let path: String

    func write(_ chart: ComparisonChart) throws(TerminalError) {
        guard FileManager.default.createFile(atPath: path, contents: Data(chart.svg.utf8)) else {
            throw TerminalError(
                .usage, code: "chart_unwritable",
                text: { _ in "cannot write \(path); name another --svg file" })
        }
    }
}
