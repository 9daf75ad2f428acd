public import Replay

/// Two figures that stand for each other: how late an outage is found, and how often or how long the till is
/// offline without one.
public struct Frontier: Sendable {
    public let name: String
    /// Smaller is better, for both.
    private let delay: @Sendable (LinkFigures) -> Double
    private let falseOffline: @Sendable (LinkFigures) -> Double

    /// Half of all outages are found so soon, against needless entries an hour.
    public static let usual = Frontier(
        name: "median delay, needless an hour",
        delay: { $0.medianFinding?.inSeconds ?? 0 }, falseOffline: { $0.perHour(Double($0.needless)) })

    /// The outage that was found last, against the share of time shown offline while the link was fine.
    public static let worst = Frontier(
        name: "longest delay, offline while fine",
        delay: { $0.slowestFinding.inSeconds }, falseOffline: { $0.perHour($0.falseOffline.inSeconds) })

    /// Who is better than `life` in one figure and no worse in the other.
    ///
    /// Who shows offline for more than half of the time while the line is fine, as one that pings where no
    /// ping is answered, has found nothing and is left out.
    public func better(than life: LinkLife, among others: [LinkLife]) -> [String] {
        let mine = (delay(life.figures), falseOffline(life.figures))
        return others.filter { other in
            guard other.figures.falseOffline * 2 <= other.figures.watched else { return false }
            let theirs = (delay(other.figures), falseOffline(other.figures))
            return theirs.0 <= mine.0 && theirs.1 <= mine.1 && theirs != mine
        }.map(\.name)
    }
}
