/// A length of time as an operator types it: `90s`, `15m`, `12h`, `7d`.
struct Lifetime {
    let milliseconds: Int64

    /// Nil for anything but a positive number with a unit.
    init?(_ text: String) {
        let factors: [Character: Int64] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let unit = text.last, let factor = factors[unit], let number = Int64(text.dropLast()),
            number > 0
        else { return nil }
        let (milliseconds, overflows) = number.multipliedReportingOverflow(by: factor)
        guard !overflows else { return nil }
        self.milliseconds = milliseconds
    }
}
