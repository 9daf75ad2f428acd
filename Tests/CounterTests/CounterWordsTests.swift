import AgentAPI
import Base
import Foundation
import HubProtocol
import OfflineCore
import Testing

@testable import Counter

@Suite("The counter says what is true in the words of a shop")
struct CounterWordsTests {
    private var play = CounterPlay()

    @Test(
        "a text of the agent names the key of the screen in place of a command, and head office for the hub",
        arguments: [
            ("nobody is signed in; ends with `pos sign-in CASHIER`", "nobody is signed in; ends with F11"),
            ("尚未登录；运行 `pos sign-in 工号` 登录后恢复", "尚未登录；按 F11 登录后恢复"),
            ("the hub's service order is down", "head office's service order is down"),
            ("2 refused by the hub: see `pos sync rejected`", "2 refused by head office: see Alt-W"),
            ("try now: `pos sync now`", "try now: F12"), ("see `pos doctor`", "see `pos doctor`"),
            ("an odd ` sign of the hub", "an odd ` sign of the hub"),
        ])
    func words(text: String, shown: String) {
        let language = text.utf8.allSatisfy { $0 < 0x80 } ? Language.english : .chinese
        #expect(language.counterTexts.words(text) == shown)
    }

    @Test("what a manager approves has a word in every language", arguments: Language.allCases)
    func approvals(language: Language) {
        func hint(_ action: String) -> String {
            language.counterTexts.hint(of: .approver(action: action), currency: "EUR")
        }
        for action in ApprovalAction.allCases.map(\.rawValue) {
            #expect(hint(action) != hint("?").replacing("?", with: action))
        }
    }

    @Test(
        "each F-key is on the cashiers' pages, and every other key in the reference",
        arguments: Language.allCases)
    func pages(language: Language) throws {
        let docs = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../docs").standardized
        func page(_ name: String) throws -> String {
            try String(contentsOf: docs.appendingPathComponent(name), encoding: .utf8)
        }
        let (cashiers, reference) = (
            try page("cashiers/counter.\(language.rawValue).md"), try page("reference/cli-sell.md")
        )
        for action in CounterAction.allCases {
            let label = language.counterTexts.label(action, isCartEmpty: false, isSignedIn: true)
            if let key = action.functionKey {
                #expect(cashiers.contains("F\(key) \(label)"))
            } else {
                #expect(reference.contains("Alt-\(String(action.letter).uppercased())"), "\(label)")
            }
        }
    }

    private static func refused(
        _ type: String, _ state: String, payload: JSONValue, detail: String = "no"
    ) -> RefusedMutation {
        RefusedMutation(
            id: "R1", sequence: 7, type: type, entityId: "O7", state: state,
            madeAt: "2026-11-22T09:41:00Z", orderNumber: "S1-1-20261122-0007",
            problem: ["detail": .string(detail)],
            policy: nil, serverState: nil, payload: payload)
    }

    @Test("a refused refund says what it is, its money, what left the drawer, and what each key does")
    mutating func refusedRefund() {
        play.refusals = [
            Self.refused(
                "refund.completed", "conflicted",
                payload: [
                    "currency": "EUR", "total": 3954,
                    "payments": [["method": "cash", "kind": "cash", "amount": 3954]],
                ], detail: "The hub has something else.")
        ]
        play.press(.alt("w"))
        #expect(play.text.contains("Refund S1-1-20261122-0007"))
        #expect(play.text.contains("39.54 EUR · differs"))
        play.press(.enter)
        #expect(play.text.contains("Head office has something else."))
        #expect(play.text.contains("39.54 EUR in cash left the drawer then"))
        #expect(play.text.contains("No key moves"))
        #expect(play.text.contains("M sends it again") && play.text.contains("S leaves it"))
    }

    @Test("a reason of the hub is in Chinese on a Chinese screen, as far as its code has one")
    func chineseReason() {
        var play = CounterPlay(isChinese: true)
        play.refusals = [
            RefusedMutation(
                id: "R1", sequence: 7, type: "refund.completed", entityId: "O7", state: "conflicted",
                madeAt: "2026-11-22T09:41:00Z", orderNumber: "S1-1-20261122-0007",
                problem: ["code": "conflict", "detail": "The sale came to 5000 JPY."], policy: nil,
                serverState: nil, payload: ["currency": "JPY", "total": 5000, "payments": []])
        ]
        play.press(.alt("w"), .enter)
        #expect(play.text.contains("按总部的记录") && !play.text.contains("came to"))
        #expect(play.text.contains("退货 S1-1-20261122-0007"))
    }

    @Test("a refused sale counts the change as what did not stay in the drawer; a card leaves it alone")
    mutating func refusedSale() {
        let cash: JSONValue = [
            "currency": "EUR", "total": 1250, "change": 750,
            "payments": [["method": "cash", "kind": "cash", "amount": 2000]],
        ]
        play.refusals = [Self.refused("order.completed", "rejected", payload: cash)]
        play.press(.alt("w"), .enter)
        #expect(play.text.contains("12.50 EUR in cash came into the drawer then"))
        #expect(play.text.contains("D gives it up") && play.text.contains("R sends it again"))
        play.press(.escape)
        let card: JSONValue = [
            "currency": "EUR", "total": 1250,
            "payments": [["method": "card", "kind": "card", "amount": 1250]],
        ]
        play.refusals = [Self.refused("order.completed", "rejected", payload: card)]
        play.press(.alt("w"), .enter)
        #expect(play.text.contains("The drawer has nothing to do with it."))
    }

    @Test(
        "modules with one reason stand together, so that all of what does not work is on the smallest screen")
    mutating func obstacles() {
        let modules: [TillModule] = [
            .checkout, .card, .coupons, .exchange, .member, .marketing, .notes, .park,
        ]
        let reason = "head office cannot be reached; ends by itself once it responds"
        play.feed(
            .status(
                .shown(
                    isOffline: true,
                    obstacles: modules.map { .init(module: $0, text: reason, stopsAll: true) }
                        + [.init(module: .catalogue, text: "prices are of yesterday", stopsAll: false)])))
        play.press(.function(12))
        #expect(play.text.components(separatedBy: reason).count == 2)
        #expect(play.text.contains("Sales, Cards, Coupons, Exchanges"))
        #expect(play.text.contains("prices are of yesterday"))
    }

    @Test("a list that goes on above or below its box says so, the menu too")
    mutating func marks() {
        func hasMark(_ mark: String) -> Bool { play.text.contains(mark + "─") }
        play.press(.tab)
        #expect(hasMark("▼") && !hasMark("▲"))
        play.press(.end)
        #expect(hasMark("▲") && !hasMark("▼"))
        #expect(play.text.contains("Leave"))
    }

    @Test("no dialog covers what the status says, however many rows that needs")
    mutating func bannerInSight() {
        let banner =
            "OFFLINE · nothing comes back from head office: the shop's internet is down, or head office; "
            + "check the router · sales are kept here and sent by themselves · 7 waiting to be sent"
        play.feed(.status(.shown(isOffline: true, command: "pos sync now", banner: banner)))
        play.scan("690")
        for open in [Key.function(10), .tab, .function(1), .alt("z")] {
            play.press(open)
            #expect(play.screen.dialog != nil)
            let rows = play.text.split(separator: "\n").prefix(4).joined(separator: " ")
            #expect(rows.contains("7 waiting to be sent"))
            play.press(.escape)
        }
    }

    @Test("the menu, the last rows and the status row have one name for F12")
    mutating func bannerKey() {
        play.feed(.status(.shown(command: "pos sync rejected")))
        #expect(play.text.contains("F12 decide"))
        play.press(.tab)
        #expect(play.text.contains("b  decide"))
        #expect(!play.text.contains("Retry"))
    }

    @Test("a paper that waits is in the first row until it is printed, whatever is scanned")
    mutating func paperWaits() {
        play.printer = CounterDecisionTests.printer(.paperOut, .waiting)
        play.scan("690")
        play.press(.function(10), .enter)
        play.feed(.secondPassed)
        play.scan("691")
        #expect(play.text.split(separator: "\n")[0].contains("! printer: Alt-T"))
        #expect(play.screen.wantsSeconds)
        play.printer = CounterDecisionTests.printer(.ready, nil)
        play.feed(.secondPassed)
        #expect(!play.text.contains("! printer") && !play.screen.wantsSeconds)
    }

    @Test("the seconds of a PIN that was wrong too often count down; a wrong PIN wants the PIN alone")
    mutating func pins() {
        var play = play
        play.feed(.status(.shown(isSignInRequired: true)))
        play.press(.function(11))
        play.type("wang\r0000\r")
        #expect(play.text.contains("That is not the PIN. Enter it again."))
        play.press(.escape)
        play.scan("690")
        play.refusal = AgentFailure(
            code: "pin_locked", message: "wait", exit: 1, details: .init(waitMilliseconds: 2_100))
        play.press(.function(10), .enter)
        #expect(play.text.contains("wait 3 s"))
        play.feed(.secondPassed)
        #expect(play.text.contains("wait 2 s"))
        play.feed(.secondPassed)
        play.feed(.secondPassed)
        #expect(!play.text.contains("Too many wrong PINs"))
        #expect(!play.screen.wantsSeconds)
    }

    @Test("digits that may be a PIN are not repeated by the refusal of a scan; a code is")
    mutating func typedPIN() {
        play.scan("4011")
        #expect(play.text.contains("No article has the code 4011"), "there are no PINs in this store")
        play.feed(.status(.shown(till: Self.till)))
        play.scan("280613")
        #expect(!play.text.contains("280613") && play.text.contains("No article has the code ••••"))
        play.scan("6900000000999")
        #expect(play.text.contains("No article has the code 6900000000999"))
    }

    private static let till = TillState(
        storeName: "S1", number: 1, timeZone: "UTC",
        cashier: .init(
            id: "c1", name: "Anna", role: "cashier", signedInAt: "2026-11-22T09:00:00Z",
            expiresAt: "2026-11-22T09:15:00Z"), shiftId: "X")

    @Test("full-width digits of a Chinese input method are digits")
    mutating func fullWidth() {
        play.scan("２＊６９０")
        #expect(play.screen.cart.lines.map(\.barcode) == ["690"])
        #expect(play.screen.cart.lines.first?.quantityMilli == 2000)
        play.press(.function(10))
        play.type("２０\r")
        #expect(play.text.contains("Cash 20.00") && play.text.contains("Change"))
    }

    @Test("what came back in an exchange is no cash")
    mutating func exchange() {
        let goods = MoneyAmount(8900, "CNY")
        play.exchange = SaleResponse.Exchange(
            refund: RefundRecord(
                refundId: "R", orderId: "O", orderNumber: nil, mode: .online, madeAt: "2026-11-22T09:41:00Z",
                total: goods, tax: MoneyAmount(0, "CNY"), cashRounding: MoneyAmount(0, "CNY"), paid: goods,
                reason: nil, cashierId: nil, approverId: nil, sync: "pending", lines: [], shortCode: nil),
            receipt: "",
            due: MoneyAmount(3900, "CNY"))
        play.scan("692")
        play.press(.function(10))
        play.type("89\r39\r")
        #expect(play.text.contains("Goods back 89.00 + Cash 39.00"))
    }
}
