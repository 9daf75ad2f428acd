import Base

/// Which backups of a folder stay: the newest of each of the last days, weeks and months that have one.
///
/// A day without a backup uses up none, so that a machine that was off for a month keeps as many as before.
/// Days, weeks (from Monday) and months are those of UTC.
package struct BackupRotation: Hashable, Sendable {
    /// From 1 on. Default 7: one of each day of the last week.
    package let daily: Int
    /// From 0 on. Default 5: one of each week of the last month.
    package let weekly: Int
    /// From 0 on. Default 12: one of each month of the last year.
    package let monthly: Int

    /// The most that each of the three may be: ten years of days. More is a typing error.
    package static let range = 0...3_660

    /// 7 days, 5 weeks and 12 months.
    package static let standard = BackupRotation(known: (7, 5, 12))

    private init(known counts: (daily: Int, weekly: Int, monthly: Int)) {
        (daily, weekly, monthly) = counts
    }

    /// Nil where a number is out of its range.
    package init?(daily: Int, weekly: Int, monthly: Int) {
        guard daily >= 1, [daily, weekly, monthly].allSatisfy(Self.range.contains) else { return nil }
        self.init(known: (daily, weekly, monthly))
    }

    /// Which of some backups, by when they were made (milliseconds since 1970), are kept. The newest always is.
    package func kept(of moments: [Int64]) -> Set<Int64> {
        let newestFirst = moments.sorted(by: >)
        func newest<Period: Hashable>(_ count: Int, of period: (Int64) -> Period) -> [Int64] {
            var seen: Set<Period> = []
            return newestFirst.filter { seen.count < count && seen.insert(period(Self.day(of: $0))).inserted }
        }
        return Set(
            newest(daily) { $0 }
                // 1970-01-01 was a Thursday.
                + newest(weekly) { ($0 + 3).floorDivided(by: 7).quotient }
                + newest(monthly) { day in
                    let date = CivilDate(daysSince1970: day)
                    return date.year * 12 + date.month
                })
    }

    private static func day(of moment: Int64) -> Int64 { moment.floorDivided(by: 86_400_000).quotient }
}
