import AgentAPI
import Counter
import HubProtocol
import Testing

@Suite("The drawer's shift at the counter")
struct CounterShiftTests {
    private var play = CounterPlay()

    private var moves: [MoveCashCall] {
        play.requests.compactMap { if case .moveCash(let call) = $0 { call } else { nil } }
    }

    @Test("a shift is opened with its float, cash is moved with a reason, and the drawer is counted")
    mutating func day() {
        play.press(.alt("z"))
        #expect(play.text.contains("No shift is open"))
        play.press(.typed("o"))
        play.type("x\r200.00\r")
        #expect(play.bells == 1)
        #expect(play.shift?.float == 20_000)
        #expect(play.text.contains("Cash expected") && play.text.contains("200.00"))
        play.press(.typed("i"))
        play.type("5\r")
        // Without a reason nothing is recorded.
        play.type("\r")
        #expect(moves.isEmpty && play.bells == 2)
        play.type("coins\r")
        #expect(
            moves.map(\.amount) == [500] && moves.map(\.kind) == [.in] && moves.map(\.reason) == ["coins"])
        #expect(play.text.contains("205.00"))
        play.press(.typed("n"))
        play.type("change\r")
        #expect(moves.last?.kind == .noSale && moves.last?.amount == 0)
        play.press(.typed("c"))
        play.type("204\r")
        #expect(play.text.contains("Difference") && play.text.contains("-1.00"))
        #expect(play.text.contains("closed; head office compares later"))
        // A closed shift is not closed again, and the next one can begin.
        play.press(.typed("c"))
        play.press(.escape, .alt("z"))
        #expect(play.text.contains("No shift is open"))
    }

    @Test("what needs a manager is sent once more with the manager's PIN")
    mutating func approval() {
        play.shift = .shown(float: 1_000)
        play.refusal = AgentFailure(
            code: "approval_required", message: "no", exit: 1, details: .init(action: "cashMovement"))
        play.press(.tab, .typed("z"), .typed("s"))
        play.type("3\rsafe\r")
        #expect(play.text.contains("a movement of cash"))
        play.type("m1\r98765432\r")
        #expect(moves.map(\.kind) == [.drop, .drop] && moves.map(\.amount) == [300, 300])
        #expect(moves[0].person.approver == nil && moves[1].person.approver?.id == "m1")
        #expect(play.text.contains("7.00"))
    }

    @Test("a count that differs is entered twice, and the same count again closes the shift")
    mutating func recount() {
        play.shift = .shown(float: 1_000)
        play.press(.alt("z"), .typed("c"))
        let differs = AgentFailure(
            code: "count_differs", message: "It differs; count again, then confirm it (--confirmed).", exit: 1
        )
        play.refusal = differs
        play.type("7\r")
        #expect(
            play.sentences.contains("To confirm it, enter the same count.") && play.shift?.countedCash == nil)
        // Another count that differs is a first one.
        play.refusal = differs
        play.type("8\r")
        #expect(play.shift?.countedCash == nil)
        play.type("8\r")
        #expect(play.shift?.countedCash == 800)
        let counts = play.requests.compactMap { if case .closeShift(let call) = $0 { call } else { nil } }
        #expect(counts.map(\.isConfirmed) == [false, false, true])
    }

    @Test("more than the drawer has is taken out when it is entered once more")
    mutating func shortDrawer() {
        play.shift = .shown(float: 1_000)
        play.press(.alt("z"), .typed("s"))
        play.refusal = AgentFailure(
            code: "drawer_short", message: "It has 10.00; check, or confirm it (--confirmed).", exit: 1)
        play.type("20\rsafe\r")
        #expect(play.sentences.contains("To confirm it, enter it again."))
        play.type("20\rsafe\r")
        #expect(moves.map(\.isConfirmed) == [false, true] && moves.map(\.amount) == [2_000, 2_000])
    }

    @Test("a drawer that is counted blind shows no cash before the count, and all after it")
    mutating func blind() {
        play.shift = .shown(float: 1_000, isBlind: true)
        play.press(.alt("z"))
        #expect(!play.text.contains("Cash expected") && !play.text.contains("10.00"))
        play.press(.typed("c"))
        play.type("9\r")
        #expect(play.text.contains("Cash counted"))
    }

    @Test("what customers owe of the shift is shown, and whom to inform")
    mutating func debts() {
        play.shift = .shown(float: 1_000, debts: 1_250)
        play.press(.alt("z"))
        #expect(play.text.contains("Owed: cards refused after the sale") && play.text.contains("12.50"))
        #expect(play.text.contains("the customers owe: inform the manager"))
    }

    @Test("the menu shows the marked action in the smallest window, and all in a large one")
    mutating func menu() {
        play.press(.tab, .end)
        #expect(play.text.contains("Leave") && play.text.contains("Shift and drawer"))
        var large = CounterPlay(columns: 100, rows: 40)
        large.press(.tab)
        #expect(large.text.contains("Leave") && large.text.contains("Help"))
    }
}

extension ShiftRecord {
    /// A shift of a till that has sold nothing.
    static func shown(
        float: Int64, moved: Int64 = 0, counted: Int64? = nil, debts: Int64 = 0, isBlind: Bool = false
    ) -> ShiftRecord {
        ShiftRecord(
            shiftId: "S", state: counted == nil ? .open : .provisional, currency: "CNY",
            businessDay: "2026-11-22", openedAt: "2026-11-22T09:00:00.000Z", openedBy: nil,
            closedAt: counted.map { _ in "2026-11-22T18:00:00.000Z" }, closedBy: nil, float: float,
            expectedCash: isBlind ? nil : float + moved, countedCash: counted, sums: ShiftSums(), from: 1,
            to: 1, head: "h",
            statements: [], differences: [], debtTotal: debts, report: nil)
    }
}
