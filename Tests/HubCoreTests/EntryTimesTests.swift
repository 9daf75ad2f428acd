import Base
import HubProtocol
import Testing

@testable import HubCore

@Suite("When an entry was made")
struct EntryTimesTests {
    private static let (hub, own) = (
        Timestamp.text(milliseconds: 7_000), Timestamp.text(milliseconds: 5_000)
    )

    @Test("The hub's time comes before the terminal's own clock, and what is no time is left out")
    func order() {
        #expect(EntryTimes.made(Self.hub, Self.own) == [7_000, 5_000])
        #expect(EntryTimes.made(nil, Self.own) == [5_000])
        #expect(EntryTimes.made("noon", Self.own) == [5_000])
        #expect(EntryTimes.made(Self.hub, nil) == [7_000])
        #expect(EntryTimes.made(nil, "1970") == [])
    }
}
