/// What happens later in a world of tills, the earliest first; steps of one moment in the order in which they
/// were added.
struct TimedSteps<Step> {
    private var steps: [(at: Int64, step: Step)] = []
    /// How many were ever added.
    private(set) var added = 0

    /// - Parameter moment: in milliseconds.
    mutating func add(_ step: Step, at moment: Int64) {
        added += 1
        var (low, high) = (0, steps.count)
        while low < high {
            let middle = (low + high) / 2
            if steps[middle].at <= moment { low = middle + 1 } else { high = middle }
        }
        steps.insert((moment, step), at: low)
    }

    /// Takes the first one out; nil: none is due at `moment`.
    mutating func next(until moment: Int64) -> (at: Int64, step: Step)? {
        guard let next = steps.first, next.at <= moment else { return nil }
        return steps.removeFirst()
    }
}
