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
    }

    @Test("Behind the last id each next one has random bits of its own, so that nobody can foresee it")
    func unforeseen() {
        var generator = SplitMix64(seed: 1)
        var last = ULID.minted(after: nil, now: 1_000, using: &generator)
        var bits: Set<UInt64> = [last.low]
        for step in 1...100 as ClosedRange<UInt64> {
            let next = ULID.minted(after: last, now: 900, using: &generator)
            #expect(next > last && next.milliseconds == 1_000 + step)
            bits.insert(next.low &- last.low)
            last = next
        }
        #expect(bits.count == 101)
        let end = ULID(milliseconds: 1 << 48 - 1, using: &generator)
        #expect(ULID.minted(after: end, now: 1, using: &generator).milliseconds == 1 << 48 - 1)
    }
}
