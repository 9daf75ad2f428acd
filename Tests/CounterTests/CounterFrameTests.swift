import AgentAPI
@testable import Counter
import Pricing
import Testing

@Suite("The screen is a grid of cells that nothing leaves")
struct CounterFrameTests {
    static let states: [String: @Sendable (inout CounterPlay) -> Void] = [
        "empty": { _ in },
        "signed out": { $0.feed(.status(.shown(isSignInRequired: true))) },
        "offline": { $0.feed(.status(.shown(isOffline: true, command: "pos sync now"))) },
        "cart": { $0.scan("690", "2*691", "692") },
        "full": { play in for _ in 0..<80 { play.scan("690") } },
        "large": { $0.scan("9999999*692") },
        "member": {
            $0.scan("690"); $0.press(.function(6)); $0.type("404\r")
        },
        "long refusal": {
            $0.scan("690"); $0.scan(String(repeating: "长", count: 90))
        },
        "refused": { $0.scan("690", "4711") },
        "long scan": { $0.type(String(repeating: "条码", count: 200)) },
        "tender": {
            $0.scan("690"); $0.press(.function(10))
        },
        "tender short": {
            $0.scan("692"); $0.press(.function(10)); $0.type("1\r")
        },
        "paid": {
            $0.scan("690"); $0.press(.function(10)); $0.type("20\r")
        },
        "quantity": {
            $0.scan("690"); $0.press(.function(3)); $0.type("2")
        },
        "PIN": {
            $0.press(.function(11)); $0.type("wang\r12")
        },
        "park": {
            $0.scan("690"); $0.press(.function(8))
        },
        "parked": {
            $0.scan("690"); $0.press(.function(8), .enter, .function(8))
        },
        "no parked": { $0.press(.function(8)) },
        "search": {
            $0.press(.function(2)); $0.type("6")
        },
        "refund": {
            $0.scan("690"); $0.press(.function(10), .enter, .enter, .function(9), .enter, .typed("a"))
        },
        "unseen": { play in
            play.unseen = CounterDecisionTests.unseen
            play.feed(.status(.shown(unseenCardSales: 2)))
        },
        "void": { play in
            play.unseen = CounterDecisionTests.unseen
            play.feed(.status(.shown(unseenCardSales: 2)))
            play.press(.delete)
        },
        "refusals": { play in
            play.refusals = CounterDecisionTests.refusals
            play.press(.alt("w"))
        },
        "refusal": { play in
            play.refusals = CounterDecisionTests.refusals
            play.press(.alt("w"), .enter)
        },
        "obstacles": {
            $0.feed(.status(.shown(isOffline: true, obstacles: CounterDecisionTests.obstacles)))
            $0.press(.function(12))
        },
        "no card": {
            $0.feed(.status(.shown(isOffline: true, tenders: CounterTenderTests.away)))
            $0.scan("690"); $0.press(.function(10))
        },
        "many tenders": { play in
            play.tenders = CounterTenders(tenders: CounterTenderTests.many, points: CounterTenderTests.points)
            play.scan("692"); play.press(.function(6)); play.type("m-1\r"); play.press(.function(10))
            play.type("5\r"); play.press(.down, .down)
        },
        "voucher": { play in
            play.tenders = CounterTenders(tenders: CounterTenderTests.many)
            play.scan("692"); play.press(.function(10)); play.type("1"); play.press(.down, .down, .enter)
        },
        "points": { play in
            play.tenders = CounterTenders(tenders: CounterTenderTests.many, points: CounterTenderTests.points)
            play.scan("692"); play.press(.function(6)); play.type("m-1\r"); play.press(.alt("i"))
        },
        "discount on all": {
            $0.scan("690", "692"); $0.press(.alt("a")); $0.type("10%")
        },
        "no refusals": { $0.press(.alt("w")) },
        "printer": { play in
            play.printer = CounterDecisionTests.printer(.paperOut, .waiting)
            play.press(.alt("t"))
        },
        "no printer": { $0.press(.alt("t")) },
        "tills": { play in
            play.tills = CounterTillsTests.tills(16)
            play.press(.alt("l"), .down)
        },
        "no tills": { $0.press(.alt("l")) },
        "drop": {
            $0.scan("690"); $0.press(.function(8), .enter, .function(8), .delete)
        },
        "no paper": { play in
            play.printer = CounterDecisionTests.printer(.paperOut, .waiting)
            play.scan("690")
            play.press(.function(10), .enter)
            play.feed(.secondPassed)
        },
        "menu": { $0.press(.tab) }, "help": { $0.press(.function(1)) },
        "leave": {
            $0.scan("690"); $0.press(.control("q"))
        },
        "taken": {
            $0.scan("692"); $0.press(.function(10)); $0.type("50\r"); $0.press(.escape)
        },
        "taken at pay": {
            $0.scan("692"); $0.press(.function(10)); $0.type("20"); $0.press(.down, .enter)
        },
        "hand back": {
            $0.scan("692"); $0.press(.function(10)); $0.type("50\r"); $0.press(.escape, .delete)
        },
    ]

    @Test(
        "every state fits every window in both languages, and each row is as wide as the window",
        arguments: states.keys.sorted(), [(80, 24), (100, 30), (200, 60)])
    func grid(_ state: String, _ size: (Int, Int)) {
        for isChinese in [false, true] {
            var play = CounterPlay(isChinese: isChinese, columns: size.0, rows: size.1)
            Self.states[state]?(&play)
            let frame = play.screen.frame()
            #expect(frame.cells.count == size.0 * size.1)
            for row in 0..<size.1 {
                let cells = frame.cells[row * size.0..<(row + 1) * size.0]
                let width = cells.compactMap(\.character).reduce(0) { $0 + TextWidth.columns($1) }
                #expect(width == size.0, "row \(row) of \(state)")
            }
            if let cursor = frame.cursor {
                #expect((0..<size.1).contains(cursor.row) && (0..<size.0).contains(cursor.column))
            }
        }
    }

    @Test("a window below 80 × 24 says so in one line", arguments: [(79, 24), (80, 23), (1, 1), (10, 2)])
    func small(_ size: (Int, Int)) {
        let frame = CounterPlay(columns: size.0, rows: size.1).screen.frame()
        #expect(frame.text.split(separator: "\n").count <= 1)
        if size.0 >= 79 { #expect(frame.text.contains("smaller than 80 × 24")) }
    }

    @Test("an empty counter says what to do first")
    func empty() {
        #expect(CounterPlay().text.contains("Scan the first article"))
        #expect(CounterPlay(isChinese: true).text.contains("请扫描第一件商品"))
        var signedOut = CounterPlay()
        signedOut.feed(.status(.shown(isSignInRequired: true)))
        #expect(signedOut.text.contains("F11  sign in first"))
    }

    @Test("a cart in English")
    func english() {
        var play = CounterPlay()
        play.feed(.status(.shown()))
        play.scan("690", "0.357*691")
        let rows = play.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(rows[0] == " POS   store S1")
        #expect(rows[1] == " ● ONLINE")
        #expect(rows[2] == "  #  SKU        Article                       Qty     Price  Discount    Amount")
        #expect(rows[3] == "   1 MILK       全脂牛奶 1 升                   1      6.50                6.50")
        #expect(rows[4] == "▶  2 APPLE      Apples                      0.357     12.80                4.57")
        #expect(rows[14].hasPrefix("                                                  TOTAL CNY"))
        #expect(rows[21] == " Scan ▸")
    }

    @Test(
        "the first row has the store, the till, whether a shift is open and who is signed in, as the agent says"
    )
    func place() {
        func till(_ cashier: String?, shift: String?) -> CounterEvent {
            let signedIn = cashier.map {
                SessionResponse.Cashier(id: $0, name: $0, role: "cashier", signedInAt: "", expiresAt: "")
            }
            return .status(
                .shown(
                    till: TillState(
                        storeName: "Corner Shop 街角店", number: 2, timeZone: "Europe/Berlin",
                        cashier: signedIn, shiftId: shift)))
        }
        var play = CounterPlay()
        play.feed(till("Anna", shift: nil))
        let first = play.text.split(separator: "\n")[0]
        #expect(first.hasPrefix(" Corner Shop 街角店 · till 2 · no shift is open  "))
        #expect(first.hasSuffix("Anna · cashier"))
        // Another window signs somebody else in.
        play.feed(till("Wang", shift: "X"))
        let second = play.text.split(separator: "\n")[0]
        #expect(second.hasPrefix(" Corner Shop 街角店 · till 2  ") && second.hasSuffix("Wang · cashier"))
        play.feed(till(nil, shift: "X"))
        #expect(play.screen.cashier == nil)
    }

    @Test("times are those of the store's clock")
    func storeTime() {
        var play = CounterPlay()
        #expect(play.screen.time("2026-11-25T19:07:30.000Z") == "19:07")
        play.feed(
            .status(
                .shown(
                    till: TillState(
                        storeName: "S1", number: 1, timeZone: "Europe/Berlin", cashier: nil, shiftId: nil))))
        #expect(play.screen.time("2026-11-25T19:07:30.000Z") == "20:07")
        #expect(play.screen.time("2026-11-25T23:30:00Z") == "00:30")
        #expect(play.screen.time("soon") == "soon")
    }

    @Test("a long banner takes a second row, and what to do at its end is not cut")
    func longBanner() {
        var play = CounterPlay()
        let banner =
            "OFFLINE · nothing comes back from the hub: the shop's internet may be down, check the router "
            + "· 7 waiting to be sent"
        play.feed(.status(.shown(isOffline: true, command: "retry", banner: banner)))
        play.scan("690")
        let rows = play.text.split(separator: "\n").map(String.init)
        #expect(rows[1].hasSuffix("F12 what to do"))
        #expect((rows[1] + rows[2]).contains("check the router") && rows[2].hasSuffix("7 waiting to be sent"))
        #expect(rows[3].hasPrefix("  #  SKU") && rows[4].contains("MILK"))
    }

    @Test("an example of an amount is one of the currency")
    func example() {
        let text = CounterPlay().screen.text
        #expect(text.malformedAmount("EUR").contains("12.50."))
        #expect(text.hint(of: .shiftFloat(currency: "JPY"), currency: "JPY") == "in JPY: 1250")
        #expect(text.hint(of: .price, currency: "KWD") == "in KWD: 12.500")
        for field in [CounterDialog.Field.discount, .discountAll] {
            #expect(text.hint(of: field, currency: "JPY").hasPrefix("1250 off"))
            #expect(text.hint(of: field, currency: "KWD").hasPrefix("12.500 off"))
        }
        #expect(text.malformedDiscount("JPY") == "A discount is 1250 or 10%.")
    }

    @Test("a long message takes two rows, and none of it is cut")
    func longMessage() {
        var play = CounterPlay()
        play.scan("690")
        play.refusal = AgentFailure(
            code: "card_declined",
            message: "The card was declined by its bank for want of money; take another card, or cash.",
            exit: 1)
        play.press(.function(10), .enter)
        #expect(
            play.text.contains("! The card was declined by its bank for want of money; take another card, or")
        )
        #expect(play.text.contains("   cash."))
    }

    @Test("what is wide takes two cells, and what a screen would act on is not drawn")
    func wide() {
        var play = CounterPlay()
        play.type("茶\u{1B}[200~a\u{9B}2Jb\u{1B}[201~")
        #expect(play.text.contains("Scan ▸ 茶a2Jb"))
        #expect(play.screen.frame().cursor?.column == 14)
    }
}
