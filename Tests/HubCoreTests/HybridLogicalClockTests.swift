import HubCore
import Testing

@Suite("HybridLogicalClock")
struct HybridLogicalClockTests {
    @Test("It follows the wall clock, counts within a millisecond and never steps back")
    func ticks() {
        var clock = HybridLogicalClock()
        var seen: [String] = []
        for now in [1_000, 1_000, 999, 1_001] as [Int64] {
            clock.tick(now: now)
            seen.append(clock.description)
        }
        #expect(
            seen == [
                "0000000001000-000000", "0000000001000-000001", "0000000001000-000002",
                "0000000001001-000000",
            ])
        #expect(seen == seen.sorted())
    }

    @Test("A full counter runs over into the next millisecond")
    func overflow() throws {
        var clock = try #require(HybridLogicalClock("0000000001000-999999"))
        clock.tick(now: 5)
        #expect(clock.description == "0000000001001-000000")
    }

    @Test(
        "Anything but its own form is no clock",
        arguments: ["", "1-2", "0000000001000-00000", "0000000001000000000", "-000000001000-000000"])
    func malformed(text: String) {
        #expect(HybridLogicalClock(text) == nil)
    }
}
