import OfflineCore
import HubProtocol
import Base
import OfflineMode
import Pricing
import Retail
import Testing

@Suite("Checkout")
struct CheckoutTests {
    private let ports = ScriptedPorts()

    private func request(
        _ lines: [EnteredLine], _ payments: [SaleRequest.Payment] = [], key: ULID? = nil
    ) -> SaleRequest {
        SaleRequest(key: key, lines: lines, payments: payments)
    }

    private func refusal(_ request: SaleRequest) async throws -> SaleRefusal? {
        let checkout = try ports.checkout()
        do throws(SaleRefusal) {
            _ = try await checkout.sell(request)
            return nil
        } catch {
            return error
        }
    }

    @Test("an online sale is recorded first, then waits within the budget")
    func online() async throws {
        let response = try await ports.checkout().sell(
            request(
                [
                    .init(barcode: "4006381333931", quantityMilli: 2000),
                    .init(barcode: "2000001", quantityMilli: 1500),
                ],
                [.init(method: "cash", amountMinor: 1000)]))
        #expect(response.sale.content.totals.total == 750)
        #expect(response.sale.content.lines.map(\.price.total) == [250, 500])
        #expect(response.sale.content.change == 250)
        #expect(response.sale.content.mode == .online)
        #expect(response.sync == .acknowledged)
        #expect(ports.log == ["commit", "nudge", "wait 1500"])
    }

    @Test("a push that does not come back leaves the sale pending")
    func pending() async throws {
        ports.with { $0.isDelivered = false }
        let response = try await ports.checkout().sell(request([.init(barcode: "0")]))
        #expect(response.sync == .pending)
        #expect(ports.log == ["commit", "nudge", "wait 1500"])
    }

    @Test("offline, and once the wait budget is spent, a sale does not wait")
    func noWaiting() async throws {
        ports.with {
            $0.mode = .offline; $0.causes = [.network]
        }
        let offline = try await ports.checkout().sell(request([.init(barcode: "0")]))
        #expect(offline.sync == .pending)
        #expect(offline.sale.content.mode == .offline)
        #expect(offline.receipt.contains("离线"))
        ports.with {
            $0.mode = .online; $0.waitBudget = .zero
        }
        let impatient = try await ports.checkout().sell(request([.init(barcode: "0")]))
        #expect(impatient.sync == .pending)
        #expect(impatient.sale.content.mode == .online)
        #expect(ports.log == ["commit", "nudge", "commit", "nudge"])
    }

    @Test("a note of a million for a small sale is taken, and so is the largest total that a shift adds")
    func large() async throws {
        let milk = "4006381333931"
        let note = try await ports.checkout().sell(
            request([.init(barcode: milk)], [.init(method: "cash", amountMinor: 100_000_125)]))
        #expect(note.sale.content.change == 100_000_000)
        let most = try await ports.checkout().sell(
            request([.init(barcode: milk, unitPriceMinor: 1_000_000_000_000)]))
        #expect(most.sale.content.totals.total == 1_000_000_000_000)
    }

    @Test("a total of zero is a sale paid by nothing")
    func zero() async throws {
        let response = try await ports.checkout().sell(request([.init(barcode: "0")]))
        #expect(response.sale.content.payments.isEmpty)
        #expect(response.sale.content.totals.total == 0)
    }

    @Test("cash is rounded to the smallest coin as its own sum")
    func rounding() async throws {
        let response = try await ports.checkout(smallestCoin: 10).sell(
            request([.init(barcode: "4006381333931")], [.init(method: "cash", amountMinor: 500)]))
        #expect(response.sale.content.cashRounding == 5)
        #expect(response.sale.content.change == 370)
        #expect(response.sale.content.totals.total == 125)
    }

    @Test("the same key again is the first sale, even with another basket, and sells nothing")
    func sameKey() async throws {
        let key = ULID(high: 1, low: 2)
        let checkout = try ports.checkout()
        let first = try await checkout.sell(request([.init(barcode: "0")], key: key))
        let again = try await checkout.sell(request([.init(barcode: "nobody knows")], key: key))
        #expect(again.sale.orderId == first.sale.orderId)
        #expect(again.receipt == first.receipt)
        #expect(ports.log.count(where: { $0 == "commit" }) == 1)
    }

    @Test("an article with an open price is sold at the entered one, which is no other price than its own")
    func openPrice() async throws {
        let sale = request([.init(barcode: "OPEN", quantityMilli: 2000, unitPriceMinor: 4_500)])
        let line = try await ports.checkout().sell(sale).sale.content.lines[0]
        #expect(line.price.total == 9_000)
        #expect(line.listPrice == nil)
    }

    @Test("what the catalogue does not have is sold by department, with its tax and the scanned code")
    func openItem() async throws {
        let sale = request([
            .init(
                barcode: "x", quantityMilli: 2000, unitPriceMinor: 500,
                department: "home"),
            .init(
                barcode: "", unitPriceMinor: 100, department: "food", taxBasisPoints: 1900),
            // The catalogue has it by now: it is sold as itself, at another price.
            .init(barcode: "4006381333931", unitPriceMinor: 99, department: "home"),
        ])
        let lines = try await ports.checkout().sell(sale).sale.content.lines
        #expect(lines.map(\.barcode) == ["x", "food", "4006381333931"])
        #expect(lines.map(\.department) == ["home", "food", nil])
        #expect(lines.map(\.price.taxBasisPoints).prefix(2) == [1300, 1900])
        #expect(lines.map(\.price.total) == [1000, 100, 99])
        #expect(lines.map(\.isCounted).prefix(2) == [false, false])
        #expect(lines.map { $0.listPrice == nil } == [true, true, false])
    }

    @Test("what cannot be sold is refused with its code, and nothing is recorded")
    func refusals() async throws {
        let milk = "4006381333931"
        let table: [(SaleRequest, String, RefusalExit)] = [
            (request([]), "no_lines", .usage),
            (request(Array(repeating: .init(barcode: milk), count: 501)), "too_many_lines", .rule),
            (request([.init(barcode: "x")]), "unknown_barcode", .rule),
            (
                request([.init(barcode: milk, discountReason: String(repeating: "x", count: 201))]),
                "text_too_long", .usage
            ),
            (
                SaleRequest(
                    lines: [.init(barcode: milk)], coupons: Array(repeating: "c", count: 51)),
                "too_many_coupons", .rule
            ),
            (request([.init(barcode: milk, quantityMilli: 0)]), "quantity_out_of_range", .rule),
            (request([.init(barcode: milk, quantityMilli: -1000)]), "quantity_out_of_range", .rule),
            (request([.init(barcode: milk, quantityMilli: 10_001_000)]), "quantity_out_of_range", .rule),
            (request([.init(barcode: milk, quantityMilli: 1500)]), "fraction_of_piece", .rule),
            (request([.init(barcode: milk, unitPriceMinor: -1)]), "negative_price", .rule),
            (request([.init(barcode: "2000001")]), "quantity_required", .rule),
            (request([.init(barcode: "OPEN")]), "price_required", .rule),
            (request([.init(barcode: "x", department: "home")]), "price_required", .rule),
            (
                request([.init(barcode: "x", unitPriceMinor: 1, department: "food")]),
                "department_rate_required", .rule
            ),
            (
                request([
                    .init(
                        barcode: "x", unitPriceMinor: 1,
                        department: "home", taxBasisPoints: 700)
                ]), "department_rate_required", .rule
            ),
            (
                request([.init(barcode: "x", unitPriceMinor: 1, department: "toys")]),
                "department_unknown", .rule
            ),
            (
                request([
                    .init(
                        barcode: String(repeating: "x", count: 129), unitPriceMinor: 1,
                        department: "home")
                ]), "text_too_long", .usage
            ),
            (request([.init(barcode: "OPEN", unitPriceMinor: 0)]), "price_required", .rule),
            (request([.init(barcode: "OPEN", unitPriceMinor: -1)]), "negative_price", .rule),
            (request([.init(barcode: milk, discountMinor: -1)]), "negative_discount", .rule),
            (request([.init(barcode: milk, discountMinor: 126)]), "discount_above_line", .rule),
            (request([.init(barcode: milk, unitPriceMinor: .max)]), "amount_too_large", .rule),
            (
                request([.init(barcode: milk, quantityMilli: 10_000_000, unitPriceMinor: 1 << 52)]),
                "amount_too_large", .rule
            ),
            (request([.init(barcode: milk, unitPriceMinor: 1_000_000_000_001)]), "amount_too_large", .rule),
            (
                request([.init(barcode: milk)], [.init(method: "cash", amountMinor: 690_123_456_789_200)]),
                "amount_too_large", .rule
            ),
            (
                request([.init(barcode: milk)], [.init(method: "cash", amountMinor: 100_000_126)]),
                "change_too_large", .rule
            ),
            (request([.init(barcode: milk), .init(barcode: "EUR")]), "mixed_currencies", .rule),
            (request([.init(barcode: milk)], [.init(method: "gold")]), "unknown_payment_method", .usage),
            (
                request([.init(barcode: milk)], [.init(method: "cash", amountMinor: 124)]), "payment_short",
                .rule
            ),
            (
                request([.init(barcode: milk)], [.init(method: "cash", amountMinor: -1)]),
                "negative_payment", .rule
            ),
            (
                request([.init(barcode: milk)], [.init(method: "cash"), .init(method: "cash")]),
                "several_open_payments", .usage
            ),
            (
                request(
                    [.init(barcode: milk)],
                    [
                        .init(method: "card", amountMinor: 1), .init(method: "card", amountMinor: 1),
                        .init(method: "card"),
                    ]), "several_cards", .usage
            ),
            (
                request([.init(barcode: milk)], [.init(method: "card", amountMinor: 126)]),
                "card_above_total", .rule
            ),
        ]
        for (request, code, exit) in table {
            let refused = try await refusal(request)
            #expect(refused?.code == code)
            #expect(refused?.exit == exit)
            #expect(refused?.message.contains("\n") == false)
        }
        #expect(ports.log.isEmpty)
    }

    @Test("a full disk refuses before the tender, a failed commit after it, both with exit 5")
    func notRecorded() async throws {
        ports.with { $0.readinessError = .diskFull(path: "/home") }
        let full = try await refusal(request([.init(barcode: "0")], [.init(method: "card")]))
        #expect(full == .diskFull(path: "/home"))
        #expect(full?.exit == .notRecorded)
        #expect(ports.log.isEmpty)
        ports.with {
            $0.readinessError = nil; $0.commitError = .unavailable(detail: "I/O error")
        }
        #expect(try await refusal(request([.init(barcode: "0")])) == .notRecorded(detail: "I/O error"))
    }

    @Test("a quote is the sale's total to the cent, needs no PIN and sells nothing")
    func quoted() async throws {
        let basket = SaleRequest(
            lines: [
                .init(barcode: "4006381333931", quantityMilli: 3000),
                .init(barcode: "2000001", quantityMilli: 357),
            ],
            memberId: "M9")
        let checkout = try ports.checkout()
        ports.copy.with { $0.pins = ["c1": "1234"] }
        let quote = try await checkout.quote(basket)
        #expect(ports.log.isEmpty)
        #expect(quote.member?.id == "M9" && !quote.isMemberKnown)
        ports.copy.with { $0.pins = [:] }
        var bought = basket
        bought.quotedTotalMinor = quote.totals.total
        #expect(try await checkout.sell(bought).sale.content.totals == quote.totals)
    }

    @Test("another total than the one that was shown is refused before anything is paid")
    func priceChanged() async throws {
        let basket = SaleRequest(
            lines: [.init(barcode: "4006381333931")], payments: [.init(method: "card")], quotedTotalMinor: 124
        )
        await #expect(throws: SaleRefusal.priceChanged(quoted: "1.24 CNY", total: "1.25 CNY")) {
            try await ports.checkout().sell(basket)
        }
        #expect(ports.log.isEmpty)
    }

    @Test(
        "a clock that is more than 25 h off the hub's sells only when a person confirms it",
        arguments: [(90_000_000, true), (90_000_001, false), (-90_000_000, true), (-90_000_001, false)])
    func wrongClock(ahead: Int64, sells: Bool) async throws {
        ports.with { $0.hubAhead = ahead }
        let checkout = try ports.checkout()
        var basket = SaleRequest(lines: [.init(barcode: "4006381333931")])
        if sells {
            _ = try await checkout.sell(basket)
        } else {
            let refusal = await #expect(throws: SaleRefusal.self) { try await checkout.sell(basket) }
            #expect(refusal?.code == "clock_differs")
            #expect(ports.log.isEmpty)
            basket.isClockConfirmed = true
            _ = try await checkout.sell(basket)
        }
        #expect(ports.log.contains("commit"))
    }

    @Test("a clock of the hub that leapt refuses no sale, however far the clocks are apart")
    func wrongHub() async throws {
        ports.with { ($0.hubAhead, $0.isHubsFault) = (900_000_000, true) }
        _ = try await ports.checkout().sell(SaleRequest(lines: [.init(barcode: "4006381333931")]))
        #expect(ports.log.contains("commit"))
    }
}
