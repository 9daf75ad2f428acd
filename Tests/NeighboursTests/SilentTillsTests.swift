import Base
import HubProtocol
import Neighbours
import Testing

@Suite("Tills that let requests wait")
struct SilentTillsTests {
    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    @Test(
        "A till that comes back is requested after its hello; a mute one that says hello costs one wait a minute"
    )
    func repeated() {
        var tills = SilentTills()
        #expect(!tills.isSilent("T2", heardAt: nil, at: at(0)))
        tills.noteSilence(of: "T2", at: at(10))
        #expect(tills.isSilent("T2", heardAt: at(9), at: at(11)))
        #expect(tills.isSilent("T2", heardAt: nil, at: at(500)))
        #expect(!tills.isSilent("T2", heardAt: at(15), at: at(15)))
        var waits = 0
        for second in 15..<615 as Range<Int64> {
            guard !tills.isSilent("T2", heardAt: at(second / 5 * 5), at: at(second)) else { continue }
            tills.noteSilence(of: "T2", at: at(second))
            waits += 1
        }
        #expect(waits == 10)
        tills.noteResponse(of: "T2")
        #expect(!tills.isSilent("T2", heardAt: nil, at: at(615)))
    }

    @Test("Two silences that have nothing to do with each other keep nobody out for a minute")
    func rare() {
        var tills = SilentTills()
        tills.noteSilence(of: "T2", at: at(0))
        tills.noteSilence(of: "T2", at: at(3_600))
        #expect(!tills.isSilent("T2", heardAt: at(3_605), at: at(3_606)))
    }
}
