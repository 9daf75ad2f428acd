import Base

internal import OfflineCore

/// A comparison as one SVG picture. Above: both kinds of wrong display against each other, a point for each
/// simulation run. Below: a bar for the link and one for each run.
package struct ComparisonChart {
    static let width = 960.0
    static let labelWidth = 200.0
    static let plotHeight = 300.0
    static let barHeight = 22.0

    let comparison: Comparison
    let title: String

    /// Makes a chart of all runs of `comparison`; `title` is printed on top as it is.
    package init(_ comparison: Comparison, title: String) {
        self.comparison = comparison
        self.title = title
    }

    /// The complete picture, a document of its own.
    package var svg: String {
        let barsTop = 96 + Self.plotHeight + 84
        let height = barsTop + Double(comparison.runs.count + 1) * (Self.barHeight + 8) + 76
        var drawing = SVGDrawing(width: Self.width, height: height)
        drawing.text(24, 34, title, size: 18, weight: "bold")
        drawing.text(24, 56, "watched for \(comparison.span.asText)", colour: SVGDrawing.grey)
        drawScatter(&drawing, top: 96)
        drawBars(&drawing, top: barsTop)
        return drawing.document
    }

    // MARK: Both figures against each other

    private func drawScatter(_ drawing: inout SVGDrawing, top: Double) {
        let points = comparison.runs.map { run in
            (
                name: run.name, x: run.figures.perHour(run.figures.deadShownOnline.inSeconds),
                y: run.figures.perHour(run.figures.falseOffline.inSeconds)
            )
        }
        let across = Axis(upTo: points.map(\.x).max() ?? 0, from: Self.labelWidth, to: Self.width - 150)
        let up = Axis(upTo: points.map(\.y).max() ?? 0, from: top + Self.plotHeight, to: top)
        drawAxes(&drawing, across, up)
        var labels: [(x: Double, y: Double)] = []
        for (index, point) in points.enumerated() {
            let (x, y) = (across.place(point.x), up.place(point.y))
            drawing.circle(x, y, radius: 5, colour: SVGDrawing.colour(index))
            var label = (x: x + 9, y: y + 4)
            // A label that would cover another one is moved below it.
            while labels.contains(where: { abs($0.x - label.x) < 170 && abs($0.y - label.y) < 14 }) {
                label.y += 15
            }
            labels.append(label)
            drawing.text(label.x, label.y, point.name, colour: SVGDrawing.colour(index))
        }
    }

    private func drawAxes(_ drawing: inout SVGDrawing, _ across: Axis, _ up: Axis) {
        for mark in across.marks {
            drawing.line(across.place(mark), up.end, across.place(mark), up.start, colour: SVGDrawing.faint)
            drawing.text(across.place(mark), up.start + 18, across.label(mark), anchor: "middle")
        }
        for mark in up.marks {
            drawing.line(across.start, up.place(mark), across.end, up.place(mark), colour: SVGDrawing.faint)
            drawing.text(across.start - 8, up.place(mark) + 4, up.label(mark), anchor: "end")
        }
        drawing.line(across.start, up.start, across.end, up.start, colour: SVGDrawing.grey)
        drawing.line(across.start, up.start, across.start, up.end, colour: SVGDrawing.grey)
        let middle = (across.start + across.end) / 2
        drawing.text(middle, up.start + 40, "dead, shown online (seconds an hour)", anchor: "middle")
        drawing.text(across.start, up.end - 14, "offline while the link was fine (seconds an hour)")
    }

    // MARK: What was shown when

    private func drawBars(_ drawing: inout SVGDrawing, top: Double) {
        let across = Axis(
            exactly: max(1e-9, comparison.span.inSeconds), from: Self.labelWidth, to: Self.width - 24)
        var y = top
        drawBar(
            &drawing, "the link", across, y, base: SVGDrawing.fine, [(comparison.outages, SVGDrawing.dead)])
        for run in comparison.runs {
            y += Self.barHeight + 8
            let right = run.offline.intersection(with: comparison.outages)
            drawBar(
                &drawing, run.name, across, y, base: SVGDrawing.fine,
                [
                    (comparison.outages, SVGDrawing.dead), (run.offline, SVGDrawing.wrong),
                    (right, SVGDrawing.offline),
                ])
        }
        drawKey(&drawing, top: y + Self.barHeight + 30)
    }

    private func drawBar(
        _ drawing: inout SVGDrawing, _ name: String, _ across: Axis, _ y: Double, base: String,
        _ layers: [(TimeRanges, String)]
    ) {
        drawing.text(across.start - 8, y + Self.barHeight - 7, name, anchor: "end")
        drawing.box(across.start, y, across.end - across.start, Self.barHeight, colour: base)
        for (intervals, colour) in layers {
            var drawnTo = 0.0
            for interval in intervals.all {
                let start = max(drawnTo, across.place(interval.start.seconds))
                let end = max(start + 0.6, across.place(interval.end.seconds))
                // An interval inside a pixel that is already drawn is left out.
                guard across.place(interval.end.seconds) > drawnTo else { continue }
                drawing.box(start, y, min(end, across.end) - start, Self.barHeight, colour: colour)
                drawnTo = end
            }
        }
    }

    private func drawKey(_ drawing: inout SVGDrawing, top: Double) {
        let labels = [
            (SVGDrawing.fine, "fine, shown online"), (SVGDrawing.dead, "dead, shown online"),
            (SVGDrawing.offline, "dead, shown offline"), (SVGDrawing.wrong, "fine, shown offline"),
        ]
        for (index, (colour, label)) in labels.enumerated() {
            let x = Self.labelWidth + Double(index) * 180
            drawing.box(x, top, 14, 14, colour: colour)
            drawing.text(x + 20, top + 12, label)
        }
    }
}

extension Instant {
    fileprivate var seconds: Double { Double(nanoseconds) / 1e9 }
}

extension Duration {
    /// The duration for people: `90 s`, `2.5 h`, `12.0 days`.
    package var asText: String {
        switch inSeconds {
        case ..<600: "\(fixed(inSeconds, places: 0)) s"
        case ..<172_800: "\(fixed(inSeconds / 3_600, places: 1)) h"
        default: "\(fixed(inSeconds / 86_400, places: 1)) days"
        }
    }
}
