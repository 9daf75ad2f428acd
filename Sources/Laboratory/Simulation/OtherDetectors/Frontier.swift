/// Two figures that trade off against each other: how late an outage is detected, and how often or how long
/// the till is offline without one.
package struct Frontier: Sendable {
    /// Both figures as a heading, the delay first.
    package let name: String
    /// Smaller is better, for both.
    private let delay: @Sendable (LinkFigures) -> Double
    private let falseOffline: @Sendable (LinkFigures) -> Double

    /// The median detection time, against needless switches to offline an hour.
    package static let usual = Frontier(
        name: "median delay, needless an hour",
        delay: { $0.medianFinding?.inSeconds ?? 0 }, falseOffline: { $0.perHour(Double($0.needless)) })

    /// The longest detection time, against the share of time shown offline while the link was fine.
    package static let worst = Frontier(
        name: "longest delay, offline while fine",
        delay: { $0.slowestFinding.inSeconds }, falseOffline: { $0.perHour($0.falseOffline.inSeconds) })

    /// The detectors that are better than `run` in one figure and no worse in the other.
    ///
    /// A detector that shows offline for more than half of the time while the link is fine has detected
    /// nothing and is left out. One that pings where pings get no response is an example.
    package func better(than run: LinkRun, among others: [LinkRun]) -> [String] {
        let mine = (delay(run.figures), falseOffline(run.figures))
        return others.filter { other in
            guard other.figures.falseOffline * 2 <= other.figures.watched else { return false }
            let theirs = (delay(other.figures), falseOffline(other.figures))
            return theirs.0 <= mine.0 && theirs.1 <= mine.1 && theirs != mine
        }.map(\.name)
    }
}
