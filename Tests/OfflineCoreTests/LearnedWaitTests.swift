import Base
@testable import OfflineCore
import Testing

@Suite("Learned wait")
struct LearnedWaitTests {
    @Test(
        "The study's vectors: silences and returns in seconds, wait and hold",
        arguments: [
            ([], [], 9, 4), ([12], [], 13, 4), ([14, 14, 14, 14], [], 20, 4),
            ([25, 25, 25, 25, 25, 25, 25, 25], [], 4, 4), ([180, 180, 180, 180], [15, 18, 20, 600], 9, 25),
        ] as [([Int64], [Int64], Int64, Int64)])
    func vectors(silences: [Int64], returns: [Int64], wait: Int64, hold: Int64) throws {
        let memory = try #require(
            SilenceMemory(silences: silences.map { $0 * 1_000 }, returns: returns.map { $0 * 1_000 }))
        for interval in [5, 15] {
            let learned = LearnedWait(memory: memory, pingInterval: .seconds(interval))
            #expect(learned.wait == wait * 1_000)
            #expect(learned.hold == hold * 1_000)
        }
    }

    @Test("The rings keep the newest, nothing beyond ten minutes and nothing below zero")
    func rings() {
        var memory = SilenceMemory()
        for second in 1...40 {
            memory.note(silence: .seconds(second))
            memory.note(return: .seconds(second - 3))
        }
        memory.note(silence: .seconds(86_400))
        #expect(memory.silences.count == 32)
        #expect(memory.silences.first == 10_000 && memory.silences.last == 600_000)
        #expect(memory.returns.count == 16)
        memory.note(return: .seconds(-1))
        #expect(memory.returns.last == 0)
        #expect(SilenceMemory(silences: memory.silences, returns: memory.returns) == memory)
    }

    @Test("Stored values that do not fit are not restored")
    func corrupt() {
        let many = [Int64](repeating: 1, count: 33)
        #expect(SilenceMemory(silences: many, returns: []) == nil)
        #expect(SilenceMemory(silences: [], returns: many) == nil)
        #expect(SilenceMemory(silences: [600_001], returns: []) == nil)
        #expect(SilenceMemory(silences: [], returns: [-1]) == nil)
    }

    @Test("Whatever was observed, wait and hold are values of the grids", arguments: UInt64(0)..<50)
    func bounds(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var learned = LearnedWait(pingInterval: .seconds(15))
        for _ in 0..<60 {
            let length = Duration.milliseconds(Int64(random.below(700_000)))
            if random.below(2) == 0 { learned.note(silence: length) } else { learned.note(return: length) }
            #expect([4_000, 6_000, 9_000, 13_000, 20_000].contains(learned.wait))
            #expect([4_000, 6_000, 10_000, 16_000, 25_000, 40_000, 60_000].contains(learned.hold))
        }
    }
}
