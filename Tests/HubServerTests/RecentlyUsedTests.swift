import Testing

@testable import HubServer

/// What the hub keeps of the promotions of stores.
@Suite("Computed values are kept as long as they are used")
struct RecentlyUsedTests {
    @Test("A full store of values gives up the one that was used longest ago, and no other")
    func oldest() {
        var kept = RecentlyUsed<Int, String>(most: 300)
        for key in 1...300 { kept.keep("\(key)", of: key, size: 1) }
        #expect(kept.keys.count == 300)
        #expect(kept.value(of: 1) == "1")
        kept.keep("301", of: 301, size: 1)
        #expect(kept.keys == Set(1...301).subtracting([2]))
        // Each of a rotation over all that fit is there again.
        for key in 3...300 { #expect(kept.value(of: key) == "\(key)") }
    }

    @Test("Sizes count: a large value takes the place of several, and one that fits nowhere is alone")
    func sizes() {
        var kept = RecentlyUsed<String, Int>(most: 10)
        kept.keep(1, of: "a", size: 4)
        kept.keep(2, of: "b", size: 4)
        kept.keep(3, of: "a", size: 6)
        #expect(kept.keys == ["a", "b"])
        kept.keep(4, of: "c", size: 5)
        #expect(kept.keys == ["c"])
        kept.keep(5, of: "d", size: 11)
        #expect(kept.keys == ["d"])
        #expect(kept.value(of: "d") == 5 && kept.value(of: "c") == nil)
    }
}
