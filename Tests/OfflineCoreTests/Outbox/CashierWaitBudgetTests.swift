import Base
import OfflineCore
import Testing

/// A row of sales, one after the other, at a hub whose services respond as drawn: `.` at once, a digit after
/// so many tenths of a second, `S` after two seconds, `h` never.
private struct SaleRow {
    /// No sum of the drawn times.
    static let budget = Duration.milliseconds(1_555)
    var waits = CashierWaitBudget()
    /// What each sale waited: `-` nothing, `.` some of the budget, `B` all of it.
    var drawing = ""
    var spentSales = 0

    /// The services in the order in which a sale needs them, each with one character for each sale.
    init(_ services: [(name: String, timeline: String)]) {
        let timelines = services.map { ($0.name, Array($0.timeline)) }
        for sale in 0..<(timelines.first?.1.count ?? 0) {
            sell(timelines.map { ($0.0, Self.latency($0.1[sale])) })
        }
    }

    private static func latency(_ character: Character) -> Duration? {
        switch character {
        case "h": nil
        case "S": .seconds(2)
        case ".": .milliseconds(10)
        default: .milliseconds(100 * Int64(character.wholeNumberValue ?? 0))
        }
    }

    private mutating func sell(_ needs: [(name: String, latency: Duration?)]) {
        var wait = SaleWait(budget: Self.budget)
        for (name, latency) in needs {
            if waits.waits(for: name), wait.remaining > .zero {
                let share = min(latency ?? wait.remaining, wait.remaining)
                wait.add(share, for: name)
                if latency.map({ $0 > share }) ?? true { waits.spend(wait, waitingFor: name) }
            }
        }
        // What no sale waits for responds before the next one.
        for (name, latency) in needs {
            if let latency { waits.noteResponse(of: name, took: latency) }
        }
        let isSpent = wait.remaining == .zero
        spentSales += isSpent ? 1 : 0
        drawing += isSpent ? "B" : wait.remaining == Self.budget ? "-" : "."
    }
}

@Suite("The cashier's wait budget")
struct CashierWaitBudgetTests {
    private let order = CashierWaitBudget.order

    @Test("is one for a sale: what one service took is not there for the next")
    func shared() {
        var wait = SaleWait(budget: .milliseconds(1_500))
        wait.add(.milliseconds(1_000), for: "account")
        wait.add(.milliseconds(400), for: "member")
        #expect(wait.remaining == .milliseconds(100))
        wait.add(.milliseconds(300), for: "marketing")
        #expect(wait.remaining == .zero)
        #expect(SaleWait(budget: .seconds(-1)).remaining == .zero)
    }

    @Test("once spent by pushes alone, is there again after a push inside it")
    func pushes() {
        var waits = CashierWaitBudget()
        #expect(waits.wait(forPushOf: nil, .milliseconds(1_500)) == .milliseconds(1_500))
        #expect(waits.wait(forPushOf: .milliseconds(1_501), .milliseconds(1_500)) == .zero)
        #expect(waits.wait(forPushOf: .milliseconds(1_500), .milliseconds(1_500)) == .zero)
        #expect(waits.wait(forPushOf: .milliseconds(10), .milliseconds(1_500)) == .milliseconds(10))
    }

    @Test("is spent once by a service that hangs, and the other services are waited for as before")
    func hangingService() {
        let row = SaleRow([("member", "hhhhhhhh"), (order, "........")])
        #expect(row.drawing == "B.......")
        #expect(row.waits.slowServices == ["member"])
    }

    @Test("is spent once by a hub that hangs, whatever the next sales need")
    func hangingHub() {
        let row = SaleRow([("account", "hhhh...."), ("marketing", "hhhh...."), (order, "hhhh....")])
        #expect(row.drawing == "B----...")
    }

    @Test("is spent once by a slow service, which is waited for again once it is quick")
    func slowService() {
        #expect(SaleRow([("member", "SSSSS....."), (order, "..........")]).drawing == "B.........")
        #expect(SaleRow([("member", "SSSSS"), (order, "SSSSS")]).drawing == "BB---")
        #expect(SaleRow([("member", "SSS..SS"), (order, ".......")]).drawing == "B....B.")
    }

    @Test("is charged to the service that took most of it, not to the one that was left too little")
    func twoServices() {
        let row = SaleRow([("member", "99999999"), ("marketing", "77777777"), (order, "........")])
        #expect(row.drawing == "B.......")
        #expect(row.waits.slowServices == ["member"])
    }

    @Test(
        "of more than one sale is spent by no service, whatever their times",
        arguments: 0..<200 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let times = Array(".123456789Sh")
        let services = ["account", "member", "marketing", order].map { name in
            (name, String(repeating: times[Int(random.below(UInt64(times.count)))], count: 30))
        }
        let row = SaleRow(services)
        #expect(row.spentSales <= services.count, "\(services) gave \(row.drawing)")
        // Once each of them has spent it, none does.
        #expect(!row.drawing.suffix(20).contains("B"), "\(services) gave \(row.drawing)")
    }

    @Test("lets a request without a response be sent again nine times, and four of them be pending")
    func trials() {
        var waits = CashierWaitBudget()
        let early = waits.takeTrial(of: "member")
        #expect(!early)
        var wait = SaleWait(budget: .seconds(1))
        wait.add(.seconds(1), for: "member")
        waits.spend(wait, waitingFor: "member")
        let begun = (0..<5).map { _ in waits.beginUnawaited("member") }
        #expect(begun == [true, true, true, true, false])
        waits.endUnawaited("member")
        let again = waits.beginUnawaited("member")
        #expect(again)
        let taken = (0..<10).map { _ in waits.takeTrial(of: "member") }
        #expect(taken == Array(repeating: true, count: 9) + [false])
        waits.spend(wait, waitingFor: "member")
        waits.noteResponse(of: "member", took: .seconds(2))
        let late = waits.takeTrial(of: "member")
        #expect(!late, "a slow response is a response")
        #expect(!waits.waits(for: "member"))
    }
}
