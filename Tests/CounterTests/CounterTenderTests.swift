import AgentAPI
import HubProtocol
import Testing

@testable import Counter

@Suite("The pay dialog offers what the till takes, and nothing else")
struct CounterTenderTests {
    private static func tender(
        _ method: String, _ kind: String, _ route: String, limit: Int64? = nil, needs: [String] = [],
        reason: String? = nil, text: String? = nil
    ) -> TenderState {
        TenderState(
            method: method, kind: kind, route: route, limitMinor: limit, needs: needs, reason: reason,
            ends: AbilityEnd(), texts: text.map { ["en": $0, "zh": $0] })
    }

    static let away = [
        tender("cash", "cash", "local"),
        tender(
            "card", "card", "refused", reason: "card_offline",
            text: "the hub cannot be reached; cards work again once it can"),
    ]
    static let many = [
        tender("cash", "cash", "local"), tender("card", "card", "stored", limit: 5_000),
        tender("gift", "voucher", "local", needs: ["reference"]), tender("alipay", "wallet", "hub"),
        tender("meal", "voucher", "refused", reason: "tender_refused", text: "take another tender"),
    ]
    static let points = PointsState(
        route: "hub", limit: 300, balance: 1_200, valueMinor: 5, minimum: 100, needs: [], reason: nil,
        ends: AbilityEnd(), texts: nil)

    private var play = CounterPlay()

    private var sold: SellCall? {
        play.requests.reversed().lazy.compactMap { if case .sell(let call) = $0 { call } else { nil } }.first
    }

    @Test("while no card can be taken the dialog says why and offers cash alone")
    mutating func noCard() {
        play.feed(.status(.shown(isOffline: true, tenders: Self.away)))
        play.tenders = CounterTenders(tenders: Self.away)
        play.scan("690")
        play.press(.function(10))
        #expect(play.text.contains("head office cannot be reached; cards"))
        #expect(play.screen.tenderChoices("").allSatisfy { $0.method == "cash" })
        #expect(play.screen.tenderChoices("2").map(\.method) == ["cash"])
        play.tenders = CounterTenders(tenders: [])
        play.feed(.status(.shown()))
        #expect(play.screen.tenderChoices("2").map(\.method) == ["cash", "card"])
    }

    @Test("the way to pay that is chosen stays chosen when others go; of one that is gone none is")
    mutating func chosenStays() throws {
        play.tenders = CounterTenders(tenders: Self.many)
        play.scan("690")
        play.press(.function(10))
        func chosen() -> String? {
            guard case .tender(let editor, let selected) = play.screen.dialog else { return nil }
            let choices = play.screen.tenderChoices(String(editor.text))
            return choices.indices.contains(selected) ? choices[selected].method : nil
        }
        let gift = try #require(play.screen.tenderChoices("").firstIndex { $0.method == "gift" })
        for _ in 0..<gift { play.press(.down) }
        play.tenders = CounterTenders(tenders: Self.many.filter { $0.method != "card" })
        play.feed(.status(.shown(tenders: play.tenders.tenders)))
        #expect(chosen() == "gift")
        play.tenders = CounterTenders(tenders: Self.away)
        play.feed(.status(.shown(isOffline: true, tenders: Self.away)))
        #expect(chosen() == nil)
        // Enter chooses the first row and takes nothing yet.
        play.press(.enter)
        #expect(sold == nil && chosen() == "cash")
        play.press(.enter)
        #expect(sold != nil)
    }

    @Test("every tender that is not refused has a row, up to its limit, and the others have their reason")
    mutating func all() {
        play.tenders = CounterTenders(tenders: Self.many)
        play.scan("692")
        play.press(.function(10))
        let others = play.screen.tenderChoices("").filter { $0.kind != "cash" }
        #expect(others.map(\.method) == ["card", "gift", "alipay"])
        #expect(others.map(\.amount) == [5_000, 12_800, 12_800])
        #expect(others.map(\.change) == [-7_800, 0, 0])
        #expect(play.text.contains("meal  not now") && play.text.contains("take another tender"))
        #expect(play.text.contains("Card (stored)  50.00"))
    }

    @Test("rows that the window has no room for are counted, above and below those that it shows")
    mutating func cut() {
        let gifts = (1...9).map { Self.tender("gift\($0)", "voucher", "local", needs: ["reference"]) }
        play.tenders = CounterTenders(tenders: [Self.many[0]] + gifts)
        play.scan("692")
        play.press(.function(10))
        let count = play.screen.tenderChoices("").count
        func shown() -> Int {
            play.text.split(separator: "\n").filter { $0.contains("Cash  ") || $0.contains("gift") }.count
        }
        #expect(play.text.contains("▼ \(count - shown()) more") && !play.text.contains("▲"))
        for _ in 1..<count { play.press(.down) }
        #expect(play.text.contains("gift9"))
        #expect(play.text.contains("▲ \(count - shown()) more") && !play.text.contains("▼"))
    }

    @Test("what a manager can approve above the limit is a row of its own")
    mutating func approved() {
        var card = Self.tender("card", "card", "stored", limit: 5_000)
        card.canExceed = true
        play.tenders = CounterTenders(tenders: [Self.many[0], card])
        play.scan("692")
        play.press(.function(10))
        let cards = play.screen.tenderChoices("").filter { $0.kind == "card" }
        #expect(cards.map(\.amount) == [5_000, 12_800])
        #expect(cards.map(\.needsApproval) == [false, true])
        #expect(play.text.contains("a manager approves"))
        #expect(play.screen.tenderChoices("20").filter { $0.kind == "card" }.map(\.amount) == [2_000])
    }

    @Test("a voucher pays with its number, without one nothing is tendered, and a card is charged at the end")
    mutating func voucher() {
        play.tenders = CounterTenders(tenders: Self.many)
        play.scan("692")
        play.press(.function(10))
        play.type("50")
        play.press(.down, .down, .enter)
        #expect(play.text.contains("Number of gift"))
        play.press(.enter)
        #expect(play.text.contains("number is missing"))
        play.type("V-7\r")
        #expect(play.text.contains("gift · V-7") && play.text.contains("78.00 CNY"))
        play.type("50")
        play.press(.down, .enter)
        #expect(play.text.contains("Card · charged at the end"))
        // The limit of stored cards is used up, so the card is not offered again.
        #expect(play.screen.tenderChoices("").map(\.method).filter { $0 != "cash" } == ["gift", "alipay"])
        play.press(.enter)
        #expect(sold?.payments?.map(\.method) == ["gift", "card", "cash"])
        #expect(sold?.payments?.first?.reference == "V-7")
    }

    @Test("change above the largest note is taken when the same amount is entered once more")
    mutating func largeChange() {
        play.scan("692")
        play.press(.function(10))
        play.type("2500\r")
        #expect(sold == nil && play.text.contains("The change would be"))
        play.type("250\r")
        #expect(sold == nil, "another amount is asked about anew")
        play.type("2500\r")
        #expect(sold?.payments?.last?.amountMinor == 250_000)
    }

    @Test("points show what the member has and can spend, come off the total, and go with another member")
    mutating func points() {
        play.tenders = CounterTenders(tenders: Self.many, points: Self.points)
        play.scan("692")
        play.press(.alt("i"))
        #expect(play.text.contains("Points need a member"))
        play.press(.function(6))
        play.type("m-1\r")
        #expect(play.text.contains("1200 points"))
        play.press(.function(10))
        let row = play.screen.tenderChoices("").last
        #expect(row?.method == "points" && row?.amount == 1_500)
        play.press(.up, .up, .up)
        for _ in 0..<20 { play.press(.down) }
        play.press(.enter)
        #expect(play.text.contains("1200 of the member") && play.text.contains("300 can be spent now"))
        play.type("200\r")
        #expect(play.screen.cart.points == 200)
        // The dialog is open again with the new total.
        play.press(.enter)
        #expect(sold?.points == 200)
        play.press(.enter)
        play.scan("690")
        #expect(play.screen.cart.points == nil && play.screen.tenders.points == nil)
    }

    @Test("a card that is stored is shown as not approved yet, whoever would approve it")
    mutating func storedCard() throws {
        play.tenders = CounterTenders(tenders: Self.many)
        for (state, shown) in [(nil, "Card 6.50 (simulated)"), ("storedOffline", "(not approved yet)")] {
            play.cardState = state
            play.scan("690")
            play.press(.function(10))
            let card = try #require(play.screen.tenderChoices("").firstIndex { $0.kind == "card" })
            for _ in 0..<card { play.press(.down) }
            play.press(.enter)
            #expect(play.text.contains(shown), "\(play.text)")
            play.press(.enter)
        }
    }

    @Test("what the member had at the last pull is not shown as what the member has")
    mutating func oldBalance() {
        play.tenders = CounterTenders(tenders: Self.many, points: Self.points)
        play.feed(.status(.shown(isOffline: true)))
        play.scan("692")
        play.press(.function(6))
        play.type("m-1\r")
        #expect(play.text.contains("had 1200 points"))
        play.press(.alt("i"))
        #expect(play.text.contains("the member had 1200 · 300 can be spent now"))
        play.feed(.status(.shown()))
        #expect(play.text.contains("1200 of the member"))
    }

    @Test("a cart that is taken up shows its member's points, like the cart before it")
    mutating func pointsOfKeptCart() {
        play.tenders = CounterTenders(tenders: Self.many, points: Self.points)
        play.scan("692")
        play.press(.function(6))
        play.type("m-1\r")
        play.press(.function(8))
        play.type("\r")
        #expect(!play.text.contains("1200 points"))
        play.press(.function(8), .enter)
        #expect(play.screen.cart.member == "m-1" && play.text.contains("1200 points"))
    }

    @Test("points pay what is left after other tenders, and no more")
    mutating func pointsBehindOthers() {
        play.tenders = CounterTenders(tenders: Self.many, points: Self.points)
        play.scan("692")
        play.press(.function(6))
        play.type("m-1\r")
        play.press(.function(10))
        play.type("120\r")
        #expect(play.screen.cart.taken == 12_000)
        let row = play.screen.tenderChoices("").last
        // 8.00 are left, at 0.05 a point.
        #expect(row?.method == "points" && row?.amount == 800)
        for _ in 0..<20 { play.press(.down) }
        play.press(.enter)
        #expect(play.text.contains("160 can be spent now"))
        play.type("100\r")
        #expect(play.screen.cart.points == 100)
        play.press(.enter)
        #expect(sold?.points == 100 && sold?.payments?.first?.amountMinor == 12_000)
    }

    @Test("points whose number the hub decides are offered up to what the member has, else up to what is due")
    mutating func pointsOfHub() {
        func points(balance: Int64?) -> PointsState {
            PointsState(
                route: "hub", limit: nil, balance: balance, valueMinor: 1, minimum: 10, needs: [],
                reason: nil, ends: AbilityEnd(), texts: nil)
        }
        for (balance, offered) in [(1_200, 1_200), (nil, 12_800), (50_000, 12_800)] as [(Int64?, Int64)] {
            play.tenders = CounterTenders(tenders: Self.many, points: points(balance: balance))
            play.scan("692")
            play.press(.function(6))
            play.type("m-1\r")
            play.press(.function(10))
            #expect(play.screen.tenderChoices("").last?.amount == offered)
            #expect(play.text.contains("up to \(offered)"))
            play.press(.escape, .delete)
        }
    }

    @Test("a discount on the whole cart is spread over its lines to the cent, from the pay dialog too")
    mutating func discount() {
        play.scan("690", "691", "692")
        play.press(.alt("a"))
        play.type("10\r")
        #expect(play.screen.cart.lines.map(\.discountMinor) == [44, 87, 869])
        #expect(play.screen.cart.total == 13_730)
        play.press(.function(10), .function(4))
        play.type("10%\r")
        #expect(play.screen.cart.lines.compactMap(\.discountMinor).reduce(0, +) == 1_473)
        guard case .tender? = play.screen.dialog else { return #expect(Bool(false), "the dialog is closed") }
        play.press(.function(4))
        play.type("0\r")
        #expect(play.screen.cart.lines.allSatisfy { $0.discountMinor == nil })
        play.press(.escape, .alt("a"))
        play.type("500\r")
        #expect(play.bells == 1)
    }

    @Test("the last sale is voided by a key, whichever window made it, and its cash goes back")
    mutating func voidLast() {
        play.press(.alt("v"))
        #expect(play.text.contains("no last sale"))
        play.scan("690")
        play.press(.function(10), .enter, .enter, .alt("v"))
        #expect(play.text.contains("Void S1-1-20261122-0001"))
        play.type("wrong\r")
        let voids = play.requests.compactMap { if case .void(let call) = $0 { call } else { nil } }
        #expect(voids.map(\.id) == ["O1"] && voids.map(\.reason) == ["wrong"])
    }

    @Test("proposals are the notes of the currency")
    func notes() {
        #expect(CashProposals.amounts(for: 129, currency: "EUR") == [500, 1_000, 2_000, 5_000])
        #expect(CashProposals.amounts(for: 9_581, currency: "EUR") == [10_000, 20_000])
        #expect(CashProposals.amounts(for: 25_619, currency: "JPY") == [26_000, 30_000])
        #expect(CashProposals.amounts(for: 80_860, currency: "KWD") == [81_000, 85_000, 90_000, 100_000])
        #expect(CashProposals.amounts(for: 20_000, currency: "EUR") == [])
        #expect(CashProposals.amounts(for: 650, currency: "XXX") == [1_000, 2_000, 5_000, 10_000])
        #expect(CashProposals.amounts(for: .max, currency: "EUR") == [])
    }

    @Test("a status with other tenders is seen in the open dialog")
    mutating func fresh() {
        play.feed(.status(.shown(isSignInRequired: true, tenders: Self.away)))
        play.tenders = CounterTenders(tenders: Self.away)
        play.scan("690")
        play.press(.function(10))
        #expect(play.text.contains("not now"))
        play.tenders = CounterTenders(tenders: Self.many)
        play.feed(.status(.shown(tenders: Self.many)))
        #expect(play.screen.tenderChoices("").contains { $0.method == "alipay" })
    }
}
