import OfflineMode
import Testing

@testable import Retail

@Suite("Wrong PINs in a row")
struct FailedPINsTests {
    private func moment(_ milliseconds: Int64, shift: Int64 = 0, boot: String = "a") -> MachineMoment {
        MachineMoment(wall: 1_000_000_000 + milliseconds + shift, boot: milliseconds, bootId: boot)
    }

    @Test("cause no wait up to the fourth, then 60 s and twice as long with each, at most 15 min")
    func waits() {
        let waits = (1...12).map { FailedPINs(count: $0, last: moment(0)).wait(at: moment(0)) }
        #expect(
            waits == [
                nil, nil, nil, nil, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000, 900_000, 900_000,
            ])
        #expect(FailedPINs.wait(after: .max) == 900_000)
    }

    @Test("end their wait when both clocks have passed it, whatever was done to one of them")
    func clocks() {
        let failed = FailedPINs(count: 5, last: moment(1000))
        #expect(failed.wait(at: moment(60_999)) == 1)
        #expect(failed.wait(at: moment(61_000)) == nil)
        // The wall clock was set a day ahead, or back: the boot clock counts.
        #expect(failed.wait(at: moment(2000, shift: 86_400_000)) == 59_000)
        #expect(failed.wait(at: moment(2000, shift: -86_400_000)) == 59_000)
        #expect(failed.wait(at: moment(61_000, shift: -86_400_000)) == nil)
        // Another boot: its duration, and no more than the wall clock has counted.
        #expect(failed.wait(at: moment(500, shift: 86_400_000, boot: "b")) == 59_500)
        #expect(failed.wait(at: moment(60_000, shift: 86_400_000, boot: "b")) == nil)
        #expect(failed.wait(at: moment(60_000, shift: -58_000, boot: "b")) == 59_000)
        #expect(failed.wait(at: MachineMoment(wall: .min, boot: 0, bootId: "b")) == 60_000)
    }

    @Test("count as passed for a right that lasts, once neither clock is usable")
    func mostPassed() {
        let start = moment(1000)
        #expect(start.mostPassed(until: moment(2000)) == 1000)
        #expect(start.mostPassed(until: moment(2000, shift: 5000)) == 6000)
        #expect(start.mostPassed(until: moment(2000, shift: -5000)) == 1000)
        #expect(start.mostPassed(until: moment(0, shift: 9000, boot: "b")) == 8000)
        #expect(start.mostPassed(until: moment(0, shift: -9000, boot: "b")) == .max)
    }

    @Test("are counted for each id, and unknown ids are bounded: the oldest are removed")
    func bounded() {
        var table = FailedPINTable()
        let known: (String) -> Bool = { $0.hasPrefix("c") }
        for id in ["c1", "c2", "c1"] { #expect(table.noteWrong(id, at: moment(0), isKnown: known) == []) }
        for number in 1...FailedPINTable.maximumUnknown {
            #expect(table.noteWrong("x\(number)", at: moment(Int64(number)), isKnown: known) == [])
        }
        #expect(table.noteWrong("x1", at: moment(500), isKnown: known) == [])
        #expect(table.noteWrong("y", at: moment(501), isKnown: known) == ["x2"])
        #expect(table.noteWrong("c3", at: moment(502), isKnown: known) == [])
        #expect(table.rows.count == FailedPINTable.maximumUnknown + 3)
        #expect(table.rows["c1"]?.count == 2)
        #expect(table.rows["x1"]?.count == 2)
        #expect(table.rows["x2"] == nil)
    }
}
