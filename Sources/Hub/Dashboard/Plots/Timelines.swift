internal import Base

/// The states of a service over the last day, a row for each scope that had a change.
struct ServiceTimeline {
    let service: ServiceSummary
    let wording: Wording

    private static let span: Int64 = 24 * 3_600_000
    private static let rowHeight = 26
    private static let labelWidth = 130.0
    private static let width = 900
    /// More rows than fit a screen show nothing; the list below the plot has all.
    private static let maximumRows = 8

    private struct Row: Hashable {
        let scope: String
        let subject: String
    }

    var svg: String {
        let changes = service.history.filter { $0.at > wording.now - Self.span }
        var rows = [Row(scope: "global", subject: "")]
        for change in changes {
            let row = Row(scope: change.scope, subject: change.subject)
            if !rows.contains(row), rows.count < Self.maximumRows { rows.append(row) }
        }
        let axis = TimeAxis(
            from: wording.now - Self.span, to: wording.now, left: Self.labelWidth,
            width: Double(Self.width) - Self.labelWidth - 4)
        let bottom = rows.count * Self.rowHeight + 4
        let bars = rows.enumerated().map { index, row in
            self.bars(of: row, at: index * Self.rowHeight + 4, on: axis)
        }
        let label = wording.texts.states(of: wording.texts.name(ofService: service.name))
        return Plot.drawing(
            width: Self.width, height: bottom + 20, label: label,
            axis.grid(top: 2, bottom: bottom) + bars.joined())
    }

    private func bars(of row: Row, at top: Int, on axis: TimeAxis) -> String {
        let changes = service.history.filter { $0.scope == row.scope && $0.subject == row.subject }
            .sorted { $0.at < $1.at }
        let name =
            row.scope == "global"
            ? wording.texts.service(.chain)
            : String((row.subject.isEmpty ? row.scope : row.subject).suffix(16))
        var bars = Plot.text(x: 0, y: top + 15, name)
        let first = changes.last { $0.at <= axis.from }
        var (state, begin) = (first?.state ?? .healthy, axis.from)
        func bar(to end: Int64) -> String {
            let title =
                "\(wording.texts.state(state)), \(wording.span(end - begin)), "
                + Timestamp.text(milliseconds: begin).prefix(16)
            return Plot.bar(
                x: axis.x(begin), y: top, width: axis.x(end) - axis.x(begin) - 1, height: 18,
                tone: "fill-\(state.rawValue)", title: title)
        }
        for change in changes where change.at > axis.from {
            bars += bar(to: change.at)
            (state, begin) = (change.state, change.at)
        }
        return bars + bar(to: axis.to)
    }
}

/// Offline periods of terminals, a row for each.
struct OfflineTimeline {
    /// What a row is called, where it leads, and its periods.
    struct Row {
        let name: String
        let periods: [OfflinePeriod]
    }

    let rows: [Row]
    let wording: Wording
    /// Milliseconds back from now.
    let span: Int64

    private static let rowHeight = 20
    private static let labelWidth = 110.0
    private static let width = 900

    var svg: String {
        let axis = TimeAxis(
            from: wording.now - span, to: wording.now, left: Self.labelWidth,
            width: Double(Self.width) - Self.labelWidth - 4)
        let bottom = rows.count * Self.rowHeight + 4
        let body = rows.enumerated().map { index, row in
            let top = index * Self.rowHeight + 4
            let bars = row.periods.filter { ($0.end ?? wording.now) > axis.from }.map { period in
                bar(of: period, at: top, on: axis)
            }
            return Plot.text(x: 0, y: top + 12, String(row.name.prefix(16))) + bars.joined()
        }
        return Plot.drawing(
            width: Self.width, height: bottom + 20,
            label: wording.texts.fleet(.periodsPlot),
            axis.grid(top: 2, bottom: bottom) + body.joined())
    }

    private func bar(of period: OfflinePeriod, at top: Int, on axis: TimeAxis) -> String {
        let end = period.end ?? wording.now
        let causes = period.causes.map(wording.cause).joined(separator: ", ")
        let span = wording.span(max(0, end - period.start))
        let title = "\(causes), \(span), \(Timestamp.text(milliseconds: period.start).prefix(16))"
        let tone =
            period.causes.contains("network")
            ? "network" : period.causes.contains("service") ? "service" : "manual"
        return Plot.bar(
            x: axis.x(period.start), y: top, width: axis.x(end) - axis.x(period.start), height: 14,
            tone: "fill-\(tone)" + (period.end == nil ? " fill-open" : ""),
            title: period.end == nil ? wording.texts.stillLasts(title) : title)
    }
}
