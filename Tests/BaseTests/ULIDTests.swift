import Base
import Testing

@Suite("ULID")
struct ULIDTests {
    @Test("Text and value agree, both ends of the range included")
    func roundTrip() {
        var generator = SplitMix64(seed: 7)
        for milliseconds in [0, 1, 1_700_000_000_000, (1 << 48) - 1] as [UInt64] {
            let id = ULID(milliseconds: milliseconds, using: &generator)
            #expect(ULID(id.description) == id)
            #expect(id.milliseconds == milliseconds)
            #expect(id.description.count == 26)
        }
        #expect(ULID("7ZZZZZZZZZZZZZZZZZZZZZZZZZ") == ULID(high: .max, low: .max))
        #expect(ULID("8ZZZZZZZZZZZZZZZZZZZZZZZZZ") == nil)
        #expect(ULID("01ARZ3NDEKTSV4RRFFQ69G5FAV")?.description == "01ARZ3NDEKTSV4RRFFQ69G5FAV")
    }

    @Test(
        "What is not 26 Crockford characters is refused",
        arguments: ["", "01ARZ3", "01ARZ3NDEKTSV4RRFFQ69G5FAU"])
    func refusal(text: String) {
        #expect(ULID(text) == nil)
    }

    @Test("A new id sorts after the last one even when the clock was set back")
    func monotonic() {
        var generator = SplitMix64(seed: 1)
        let first = ULID.minted(after: nil, now: 1_000, using: &generator)
        let second = ULID.minted(after: first, now: 900, using: &generator)
        let third = ULID.minted(after: second, now: 1_000, using: &generator)
        #expect(first < second && second < third)
        #expect(first.description < second.description && second.description < third.description)
        #expect(ULID(high: 5 << 16, low: .max).successor == ULID(high: 5 << 16 | 1, low: 0))
    }
}
