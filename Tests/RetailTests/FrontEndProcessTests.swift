import Retail
import Testing

@Suite("Where a front end ran")
struct FrontEndProcessTests {
    private static let counter = FrontEndProcess(bootId: "b1", identity: .init(pid: 7, startedAt: 100))

    private func hasEnded(_ process: FrontEndProcess, now: String, _ found: FrontEndProcess.Found) -> Bool {
        process.hasEnded(now: now) { pid in
            #expect(pid == 7)
            return found
        }
    }

    @Test(
        "it cannot come back once the system has started again, or its process is not that process any more")
    func ended() {
        #expect(hasEnded(Self.counter, now: "b2", .startedAt(100)))
        #expect(hasEnded(Self.counter, now: "b1", .none))
        #expect(hasEnded(Self.counter, now: "b1", .startedAt(101)))
        #expect(hasEnded(FrontEndProcess(bootId: "b1"), now: "b2", .unknown))
    }

    @Test("what is not known is waited for")
    func unknown() {
        #expect(!hasEnded(Self.counter, now: "b1", .startedAt(100)))
        #expect(!hasEnded(Self.counter, now: "b1", .unknown))
        #expect(!hasEnded(Self.counter, now: "", .none))
        #expect(!hasEnded(FrontEndProcess(bootId: "b1"), now: "b1", .none))
        #expect(!hasEnded(FrontEndProcess(bootId: ""), now: "b1", .none))
    }

    @Test("its text is read back, and nothing else is")
    func text() {
        for process in [Self.counter, FrontEndProcess(bootId: "b1"), FrontEndProcess(bootId: "")] {
            #expect(FrontEndProcess(process.text) == process)
        }
        for text in ["b1 7", "b1 7 x", "b1 -7 1", "b1 0 1", "b1 7 1 2"] {
            #expect(FrontEndProcess(text) == nil, "\(text)")
        }
    }
}
