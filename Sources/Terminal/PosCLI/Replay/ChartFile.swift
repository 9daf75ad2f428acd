internal import Foundation
internal import Replay
internal import Agent

/// Where a chart is written.
struct ChartFile {
    let path: String

    func write(_ chart: ComparisonChart) throws(TerminalError) {
        guard FileManager.default.createFile(atPath: path, contents: Data(chart.svg.utf8)) else {
            throw TerminalError(
                .usage, code: "chart_unwritable", "cannot write \(path); name another --svg file")
        }
    }
}
