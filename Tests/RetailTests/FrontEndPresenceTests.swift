import Base
import Retail
import Testing

@Suite("Which front ends are there")
struct FrontEndPresenceTests {
    private static let (a, b) = (frontEnd("A"), frontEnd("B"))
    private var presence = FrontEndPresence()

    private static func frontEnd(_ name: String) -> FrontEnd? {
        FrontEnd("01J0000000000000000000000\(name);counter \(name)")
    }

    private static func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    @Test("a connection that closes ends the presence at once")
    mutating func cutOff() throws {
        let a = try #require(Self.a)
        #expect(presence.handle(.watchBegan(a), at: Self.at(0)) == [])
        #expect(presence.deadline == nil)
        #expect(presence.handle(.watchCutOff(a), at: Self.at(1)) == [.leaveCart(of: a)])
        #expect(presence.handle(.timeAdvanced, at: Self.at(60)) == [])
    }

    @Test("between two requests it has ten seconds, and of two requests at once one is enough")
    mutating func betweenRequests() throws {
        let a = try #require(Self.a)
        _ = presence.handle(.watchBegan(a), at: Self.at(0))
        #expect(presence.handle(.watchEnded(a), at: Self.at(25)) == [])
        #expect(presence.deadline == Self.at(35))
        #expect(presence.handle(.watchBegan(a), at: Self.at(34)) == [])
        #expect(presence.deadline == nil)
        _ = presence.handle(.watchBegan(a), at: Self.at(36))
        #expect(presence.handle(.watchCutOff(a), at: Self.at(37)) == [])
        #expect(presence.handle(.watchEnded(a), at: Self.at(40)) == [])
        #expect(presence.handle(.timeAdvanced, at: Self.at(49)) == [])
        #expect(presence.handle(.timeAdvanced, at: Self.at(50)) == [.leaveCart(of: a)])
    }

    @Test("after a restart those that come back within ten seconds keep their carts, the others do not")
    mutating func restarted() throws {
        let (a, b) = (try #require(Self.a), try #require(Self.b))
        #expect(presence.handle(.restarted([a, b]), at: Self.at(0)) == [])
        #expect(presence.handle(.watchBegan(b), at: Self.at(9)) == [])
        #expect(presence.deadline == Self.at(10))
        #expect(presence.handle(.timeAdvanced, at: Self.at(10)) == [.leaveCart(of: a)])
        #expect(presence.handle(.timeAdvanced, at: Self.at(100)) == [])
    }

    @Test("a cart of one that holds no request has ten seconds too")
    mutating func keptWithoutRequest() throws {
        let a = try #require(Self.a)
        #expect(presence.handle(.cartKept(a), at: Self.at(0)) == [])
        #expect(presence.handle(.timeAdvanced, at: Self.at(10)) == [.leaveCart(of: a)])
    }

    @Test(
        "a front end is a ULID, a semicolon and a name of one line",
        arguments: ["", "x;y", "01J0000000000000000000000A", "01J0000000000000000000000A;a\nb"])
    func malformed(_ text: String) {
        #expect(FrontEnd(text) == nil)
        #expect(FrontEnd("01J0000000000000000000000A;" + String(repeating: "x", count: 74)) == nil)
        #expect(FrontEnd("01J0000000000000000000000A;till 2; left")?.name == "till 2; left")
    }
}
