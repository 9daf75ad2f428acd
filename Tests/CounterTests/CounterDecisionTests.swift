import AgentAPI
import Counter
import HubProtocol
import Testing

@Suite("What waits for a person is decided at the counter")
struct CounterDecisionTests {
    static let unseen = [
        UnseenSalesCall.Sale(
            orderId: "O7", orderNumber: "S1-1-20261122-0007", total: MoneyAmount(2500, "CNY"),
            madeAt: "2026-11-22T09:41:00Z"),
        UnseenSalesCall.Sale(
            orderId: "O8", orderNumber: "S1-1-20261122-0008", total: MoneyAmount(900, "CNY"),
            madeAt: "2026-11-22T09:42:00Z"),
    ]

    static let refusals = [refused("R1", "rejected"), refused("R2", "conflicted")]

    static func refused(_ id: String, _ state: String) -> RefusedMutation {
        RefusedMutation(
            id: id, sequence: 7, type: "order.completed", entityId: "O7", state: state,
            madeAt: "2026-11-22T09:41:00Z", orderNumber: "S1-1-20261122-0007",
            problem: ["detail": "The article MILK-1L is not in the catalogue of this store any more."],
            policy: nil, serverState: nil, payload: [:])
    }

    static func printer(
        _ state: PrinterCall.Response.State, _ jobState: PrintJobRecord.State?,
        _ kind: PrintJobRecord.Kind = .receipt
    ) -> PrinterCall.Response {
        PrinterCall.Response(
            device: "tcp:10.0.0.9:9100", width: 80, language: "en", state: state,
            detail: state == .paperOut ? "the printer has no paper" : nil,
            jobs: jobState.map {
                [
                    PrintJobRecord(
                        id: "O1", kind: kind, title: "S1-1-20261122-0001", orderId: "O1",
                        createdAt: "2026-11-22T09:41:00Z", state: $0, isCopy: false)
                ]
            } ?? [], damaged: 0)
    }

    static let obstacles = [
        CounterStatus.Obstacle(
            module: .card, text: "the hub cannot be reached; cards work again once it can",
            stopsAll: true),
        CounterStatus.Obstacle(
            module: .catalogue, text: "prices are as of the last pull; the way back ends it", stopsAll: false
        ),
    ]

    private var play = CounterPlay()

    private func sent<Value>(_ pick: (CounterRequest) -> Value?) -> [Value] {
        play.requests.compactMap(pick)
    }

    @Test("card sales that nobody saw are shown before the first scan; one is kept, the other is void")
    mutating func unseen() {
        play.unseen = Self.unseen
        play.feed(.status(.shown(unseenCardSales: 2)))
        #expect(play.text.contains("S1-1-20261122-0007"))
        #expect(play.bells == 1)
        play.press(.enter)
        #expect(play.unseen.map(\.orderId) == ["O8"])
        play.refusal = AgentFailure(
            code: "approval_required", message: "manager", exit: 1, details: .init(action: "void"))
        play.press(.typed("v"))
        play.type("walked out\r")
        play.type("li\r987654\r")
        let voids = sent { if case .void(let call) = $0 { call } else { nil } }
        #expect(voids.map(\.reason) == ["walked out", "walked out"])
        #expect(voids.last?.person.approver?.id == "li")
        #expect(play.unseen.isEmpty)
        #expect(play.screen.dialog == nil)
        #expect(play.text.contains("Void: S1-1-20261122-0008, 9.00"))
    }

    @Test("they never cover a cart that is scanned; Alt-W opens them")
    mutating func unseenLater() {
        play.scan("690")
        play.unseen = Self.unseen
        play.feed(.status(.shown(unseenCardSales: 2)))
        #expect(play.screen.dialog == nil)
        #expect(play.text.contains("Alt-W"))
        play.scan("691")
        #expect(play.screen.cart.lines.count == 2)
        play.press(.alt("w"))
        #expect(play.text.contains("S1-1-20261122-0007"))
    }

    @Test("the same number of unseen sales is not shown twice")
    mutating func unseenOnce() {
        play.unseen = Self.unseen
        play.feed(.status(.shown(unseenCardSales: 2)))
        play.press(.escape)
        play.feed(.status(.shown(unseenCardSales: 2)))
        #expect(play.screen.dialog == nil)
    }

    @Test("a refused sale is sent again, given up with a reason, or one side of a conflict stays")
    mutating func refusals() {
        play.refusals = Self.refusals
        play.feed(.status(.shown(command: "pos sync rejected")))
        play.press(.function(12), .enter)
        #expect(play.text.contains("MILK-1L is not in the catalogue"))
        play.press(.typed("d"))
        play.type("\r")
        #expect(play.text.contains("Say why"))
        play.type("sold under another code\r")
        #expect(play.refusals.map(\.id) == ["R2"])
        play.press(.enter, .typed("d"), .typed("r"), .typed("S"))
        let decisions = sent { if case .resolve(let call) = $0 { call.decision } else { nil } }
        #expect(
            decisions == [
                .discard(reason: "sold under another code", by: nil), .resolve(keep: .server, by: nil),
            ])
        #expect(play.text.contains("Nothing waits for a decision"))
    }

    @Test("what is held back comes first and is only sent again")
    mutating func heldBack() {
        play.refusals = [Self.refused("R1", "rejected")]
        play.heldBack = [
            HeldBackMutation(
                id: "H1", sequence: 3, type: "order.completed", madeAt: "2026-11-22T09:40:00Z",
                orderNumber: "S1-1-20261122-0003", payload: nil)
        ]
        play.press(.alt("w"), .enter)
        #expect(play.text.contains("S1-1-20261122-0003"))
        play.press(.typed("d"), .typed("r"))
        let decisions = sent { if case .resolve(let call) = $0 { call } else { nil } }
        #expect(decisions.map(\.id) == ["H1"])
        #expect(decisions.map(\.decision) == [.retry])
    }

    @Test("a parked cart is dropped with a reason only, and the list shows what is left")
    mutating func drop() {
        play.scan("690")
        play.press(.function(8))
        play.type("blue coat\r")
        play.press(.function(8), .delete)
        play.type("\r")
        #expect(play.parked.count == 1)
        play.type("left the shop\r")
        #expect(play.parked.isEmpty)
        #expect(play.text.contains("No cart is parked"))
        let reasons = sent { if case .drop(_, let reason, _) = $0 { reason } else { nil } }
        #expect(reasons == ["left the shop"])
    }

    @Test("the report of a shift that waits has its name in the till's language")
    func shiftPaper() {
        for (isChinese, name) in [(false, "  shift "), (true, "班次单")] {
            var play = CounterPlay(isChinese: isChinese)
            play.printer = Self.printer(.paperOut, .waiting, .shift)
            play.press(.alt("t"))
            #expect(play.text.contains(name))
        }
    }

    @Test("a receipt that is not printed is said with the sale, until it is printed; the next scan goes on")
    mutating func paper() {
        play.printer = Self.printer(.paperOut, .waiting)
        play.scan("690")
        play.press(.function(10), .enter)
        #expect(!play.text.contains("receipt"))
        #expect(play.screen.wantsSeconds)
        play.feed(.secondPassed)
        #expect(play.text.contains("The receipt waits: out of paper. Alt-T"))
        play.scan("691")
        #expect(play.screen.cart.lines.count == 1)
        play.press(.function(10), .enter)
        play.printer = Self.printer(.ready, .printing)
        play.feed(.secondPassed)
        #expect(play.text.contains("the receipt is printing"))
        play.printer = Self.printer(.ready, nil)
        play.feed(.secondPassed)
        #expect(play.text.contains("the receipt is printed"))
        #expect(!play.screen.wantsSeconds)
    }

    @Test("the banner's key lists what does not work, why, and what ends it; with nothing to list it says so")
    mutating func obstacles() {
        play.feed(.status(.shown(isOffline: true, obstacles: Self.obstacles)))
        play.press(.function(12))
        #expect(play.text.contains("Cards"))
        #expect(play.text.contains("Prices and articles"))
        #expect(play.text.contains("the way back ends it"))
        play.feed(.status(.shown(isOffline: true, command: "pos sync now", obstacles: Self.obstacles)))
        play.press(.enter, .function(12))
        #expect(play.text.contains("Prices and articles"))
        #expect(sent { if case .retry = $0 { true } else { nil } } == [true])
        play.feed(.status(.shown()))
        #expect(play.screen.dialog == nil)
        play.press(.function(12))
        #expect(play.screen.dialog == nil)
        #expect(play.text.contains("All is well"))
    }

    @Test("without a printer nothing is said of paper, and the screen looks once")
    mutating func noPrinter() {
        play.scan("690")
        play.press(.function(10), .enter)
        play.feed(.secondPassed)
        #expect(!play.text.contains("receipt"))
        #expect(!play.screen.wantsSeconds)
    }

    @Test("the printer's dialog prints again, a test page, and a copy of the last receipt")
    mutating func printer() {
        play.scan("690")
        play.press(.function(10), .enter, .enter)
        play.printer = Self.printer(.ready, .interrupted)
        play.press(.alt("t"))
        #expect(play.text.contains("interrupted: R prints a copy"))
        play.press(.typed("r"), .typed("t"), .typed("c"))
        let words: [String] = sent {
            switch $0 {
            case .printAgain: "again"
            case .printTestPage: "test"
            case .printCopy(let id): id
            default: nil
            }
        }
        #expect(words == ["again", "test", "O1"])
    }
}
