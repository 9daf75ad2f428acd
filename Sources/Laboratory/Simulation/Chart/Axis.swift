/// A linear scale from zero, from values to positions in the picture.
struct Axis {
    let start: Double
    let end: Double
    private let largest: Double
    /// Values that get a mark.
    let marks: [Double]

    /// Ends at the round number above `value`.
    init(upTo value: Double, from start: Double, to end: Double) {
        let step = Self.step(for: max(value, 1e-3))
        var marks = [0.0]
        while let last = marks.last, last < value { marks.append(last + step) }
        if marks.count == 1 { marks.append(step) }
        self.marks = marks
        largest = marks.last ?? step
        (self.start, self.end) = (start, end)
    }

    /// Ends at `value` itself, without marks.
    init(exactly value: Double, from start: Double, to end: Double) {
        marks = []
        largest = value
        (self.start, self.end) = (start, end)
    }

    func place(_ value: Double) -> Double { start + (end - start) * value / largest }

    func label(_ mark: Double) -> String {
        let step = marks.count > 1 ? marks[1] : largest
        return fixed(mark, places: step >= 1 ? 0 : step >= 0.1 ? 1 : 4)
    }

    /// 1, 2 or 5 times a power of ten, four to eight of which reach `value`.
    private static func step(for value: Double) -> Double {
        var power = 1e-4
        while power * 10 * 5 < value { power *= 10 }
        for factor in [1.0, 2, 5] where power * factor * 6 >= value { return power * factor }
        return power * 10
    }
}
