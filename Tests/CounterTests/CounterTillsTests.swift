import AgentAPI
import Base
import Testing

@testable import Counter

@Suite("The other tills on the counter's screen")
struct CounterTillsTests {
    /// A store with so many other tills: the first is online and keeps entries of this one, the second is
    /// offline with entries that wait, the third is silent, and of the others nothing was heard.
    static func tills(_ count: Int) -> NeighboursCall.Response {
        var response = NeighboursCall.Response()
        response.isEnabled = true
        response.neighbours = (0..<count).map { place in
            var till = NeighboursCall.Till()
            (till.terminalId, till.number) = ("T\(place + 2)", Int64(place + 2))
            guard place < 3 else { return till }
            (till.heardAt, till.state) = ("2026-11-27T06:02:00.000Z", place < 2 ? .reachable : .silent)
            (till.mode, till.pending) = (place == 0 ? "online" : "offline", place == 1 ? 7 : 0)
            till.keepsForUs = place == 0 ? 10 : 0
            return till
        }
        return response
    }

    private static let till = TillState(
        storeName: "Corner Shop", number: 1, timeZone: "Asia/Shanghai", cashier: nil, shiftId: "S")

    @Test(
        "The first row says how many are there while one is not, and nothing otherwise",
        arguments: Language.allCases)
    func title(language: Language) {
        var play = CounterPlay(isChinese: language == .chinese)
        func show(_ counts: NeighbourCounts?) -> String {
            play.feed(.status(.shown(till: Self.till, neighbours: counts)))
            return play.text.prefix { $0 != "\n" }.description
        }
        let words = language == .chinese ? "其他 3 台中 2 台可连通" : "2 of 3 other tills"
        #expect(show(NeighbourCounts(reachable: 2, silent: 1, unknown: 0)).contains(words))
        #expect(show(NeighbourCounts(reachable: 2, silent: 0, unknown: 1)).contains(words))
        #expect(!show(NeighbourCounts(reachable: 3, silent: 0, unknown: 0)).contains("3"))
        #expect(!show(nil).contains(language == .chinese ? "其他" : "other"))
    }

    @Test("Alt-L lists who is there, what waits there, and what they have of this till")
    func list() {
        var play = CounterPlay()
        play.feed(.status(.shown(till: Self.till)))
        play.tills = Self.tills(4)
        play.press(.alt("l"))
        for words in [
            "till 2 · online", "last heard 06:02 · has 10 of ours", "till 3 · offline", "7 wait there",
            "till 4 · not heard since", "till 5 · not heard yet",
        ] {
            #expect(play.text.contains(words), "\(words)")
        }
        #expect(!play.text.contains("confirmed"))
        play.press(.escape)
        #expect(play.screen.dialog == nil)
        play.tills.notConfirmedSince = "2026-11-20T06:02:00.000Z"
        play.tills.isBehind = true
        play.press(.alt("l"))
        #expect(play.text.contains("not confirmed these tills since"))
        #expect(play.text.contains("Call your manager"))
    }

    @Test("A shop whose tills do not see each other, or that has one till, says so")
    func none() {
        var play = CounterPlay()
        play.press(.alt("l"))
        #expect(play.text.contains("do not see each other"))
        play.press(.escape)
        play.tills.isEnabled = true
        play.press(.alt("l"))
        #expect(play.text.contains("no other till"))
    }
}
