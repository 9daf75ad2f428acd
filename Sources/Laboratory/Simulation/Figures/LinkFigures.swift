import Base

internal import OfflineCore

/// The figures of a till on a link: what it showed, compared with the true state of the link.
package struct LinkFigures: Hashable, Sendable {
    /// The shortest outage that a till should detect.
    package static let trueOutage = Duration.seconds(30)

    /// How long the till was watched.
    package private(set) var watched = Duration.zero
    /// Changes of the mode, either way.
    package private(set) var switches = 0
    /// Times it went offline without overlap with a true outage.
    package private(set) var needless = 0
    /// Shown offline while the link was fine.
    package private(set) var falseOffline = Duration.zero
    /// Shown online while the link was dead.
    package private(set) var deadShownOnline = Duration.zero
    /// How many outages lasted ``trueOutage`` or longer.
    package private(set) var trueOutages = 0
    /// True outages that ended before they were detected.
    package private(set) var missed = 0
    /// From each true outage's start until it was shown; a missed one counts its complete length, and one
    /// that began while the till was already offline counts zero.
    package private(set) var findings: [Duration] = []
    /// The sum of all detection times.
    package var finding: Duration { findings.reduce(.zero, +) }
    /// The longest of ``findings``; zero without a true outage.
    package var slowestFinding: Duration { findings.max() ?? .zero }
    /// The average detection time; nil when there was no outage.
    package var meanFinding: Duration? { trueOutages > 0 ? finding / trueOutages : nil }
    /// The median of the detection times; nil when there was no outage.
    package var medianFinding: Duration? {
        findings.isEmpty ? nil : findings.sorted()[(findings.count - 1) / 2]
    }

    /// How long cashiers waited.
    package private(set) var waiting = Duration.zero
    /// Pings and probes sent because nothing else was.
    package private(set) var activeProbes = 0

    package init() {}

    /// - Parameters:
    ///   - outages: when the link was dead, within the time that was watched.
    ///   - offline: when the till showed offline, within the same time.
    package init(
        watched: Duration, outages: TimeRanges, offline: TimeRanges, waiting: Duration, activeProbes: Int
    ) {
        self.watched = watched
        self.waiting = waiting
        self.activeProbes = activeProbes
        let both = outages.overlap(with: offline)
        falseOffline = offline.total - both
        deadShownOnline = outages.total - both
        let worthFinding = outages.all.filter { $0.length >= Self.trueOutage }
        trueOutages = worthFinding.count
        needless = offline.all.count { entry in
            !worthFinding.contains { $0.overlap(with: entry) > .zero }
        }
        for outage in worthFinding { find(outage, in: offline) }
    }

    private mutating func find(_ outage: TimeRanges.Interval, in offline: TimeRanges) {
        let entry = offline.all.first { $0.overlap(with: outage) > .zero }
        if entry == nil { missed += 1 }
        findings.append(entry.map { max(.zero, $0.start - outage.start) } ?? outage.length)
    }

    /// Adds the number of changes of the mode.
    package mutating func count(switches: Int) { self.switches += switches }

    /// Both, one after the other.
    package static func + (left: LinkFigures, right: LinkFigures) -> LinkFigures {
        var sum = left
        sum.watched += right.watched
        sum.switches += right.switches
        sum.needless += right.needless
        sum.falseOffline += right.falseOffline
        sum.deadShownOnline += right.deadShownOnline
        sum.trueOutages += right.trueOutages
        sum.missed += right.missed
        sum.findings += right.findings
        sum.waiting += right.waiting
        sum.activeProbes += right.activeProbes
        return sum
    }

    /// `amount` for each hour that was watched; 0 where none was.
    package func perHour(_ amount: Double) -> Double {
        watched > .zero ? amount * 3_600 / watched.inSeconds : 0
    }

    /// The cost of an hour, in seconds of a cashier: the waiting, 0.3 of each second of a wrong display, 5
    /// for each switch.
    package var costPerHour: Double {
        let wrong = deadShownOnline.inSeconds + falseOffline.inSeconds
        return perHour(waiting.inSeconds + 0.3 * wrong + 5 * Double(switches))
    }
}

extension Duration {
    /// The duration as a figure, for sums and tables.
    package var inSeconds: Double { Double(wholeNanoseconds) / 1e9 }
}

/// `value` with `places` digits after the decimal point.
package func fixed(_ value: Double, places: Int) -> String {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let whole = Int64((value.magnitude * scale).rounded())
    let part = String(whole % Int64(scale))
    let sign = value < 0 && whole > 0 ? "-" : ""
    let padding = String(repeating: "0", count: max(0, places - part.count))
    return "\(sign)\(whole / Int64(scale))" + (places > 0 ? ".\(padding)\(part)" : "")
}
