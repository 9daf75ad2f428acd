import Credentials
import Testing

@Suite("PINs that were found right")
struct KnownPINsTests {
    @Test("hold for the same person, PIN and hash, and for nothing else")
    func exact() {
        var known = KnownPINs()
        #expect(!known.holds("1234", of: "c1", hash: "h"))
        known.remember("1234", of: "c1", hash: "h")
        #expect(known.holds("1234", of: "c1", hash: "h"))
        #expect(!known.holds("1235", of: "c1", hash: "h"))
        #expect(!known.holds("1234", of: "c2", hash: "h"))
        #expect(!known.holds("1234", of: "c1", hash: "changed"))
        #expect(!known.holds("1234", of: "c1", hash: nil))
        #expect(!known.holds("34", of: "c1", hash: "h12"))
    }

    @Test("end on request or with a newer PIN, and are bounded")
    func ends() {
        var known = KnownPINs()
        known.remember("1234", of: "c1", hash: nil)
        known.remember("9999", of: "c1", hash: nil)
        #expect(!known.holds("1234", of: "c1", hash: nil))
        for number in 0...KnownPINs.capacity { known.remember("1", of: "c\(number)", hash: nil) }
        let held = (0...KnownPINs.capacity).count { known.holds("1", of: "c\($0)", hash: nil) }
        #expect(held == KnownPINs.capacity)
    }
}
