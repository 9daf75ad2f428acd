import Base
import HubCore
import Testing

@Suite("Backups that rotate")
struct BackupRotationTests {
    /// One backup a night for some days, each as the days since the first that stay behind it.
    private func kept(_ rotation: BackupRotation, nights: Int64, from day: Int64 = 0) throws -> [Int64] {
        var left: Set<Int64> = []
        for night in 0..<nights {
            left.insert((day + night) * 86_400_000 + 7_200_000)
            left = rotation.kept(of: Array(left))
        }
        return left.map { $0 / 86_400_000 - day }.sorted()
    }

    @Test("After a year of nights there are 7 days, 5 weeks and 12 months, each with its newest night")
    func year() throws {
        let begin = try #require(CivilDate(year: 2026, month: 1, day: 1).daysSince1970)
        let days = try kept(.standard, nights: 365, from: begin)
        let dates = days.map { CivilDate(daysSince1970: $0 + begin) }
        let december = dates.filter { $0.month == 12 }.map(\.day)
        // 2026-12-31 is a Thursday: Sundays are the newest of the weeks before.
        #expect(december == [6, 13, 20, 25, 26, 27, 28, 29, 30, 31])
        #expect(dates.filter { $0.month < 12 }.map(\.month) == Array(1...11))
        let ends = dates.filter { $0.month < 12 }.map(\.day)
        #expect(ends == [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30])
    }

    @Test("A pause uses up nothing, and several on one day count once")
    func pauses() throws {
        let rotation = try #require(BackupRotation(daily: 2, weekly: 0, monthly: 0))
        let day: Int64 = 86_400_000
        #expect(rotation.kept(of: [5 * day, 900 * day, 900 * day + 1]) == [5 * day, 900 * day + 1])
        #expect(rotation.kept(of: []) == [])
    }

    @Test("At least one day is kept, and nothing out of the range is taken")
    func range() {
        #expect(BackupRotation(daily: 0, weekly: 5, monthly: 5) == nil)
        #expect(BackupRotation(daily: 1, weekly: -1, monthly: 0) == nil)
        #expect(BackupRotation(daily: 1, weekly: 0, monthly: 3_661) == nil)
        #expect(BackupRotation(daily: 7, weekly: 5, monthly: 12) == .standard)
    }
}
