import HubCore
import HubProtocol
import Testing

@Suite("Payment rules")
struct PaymentRulesTests {
    private func payment(
        order: String = "o1", amount: Int64 = 100, currency: String = "CNY",
        _ state: PaymentAuthorization.State = .authorized
    ) -> PaymentAuthorization {
        PaymentAuthorization(
            key: "k", orderId: order, state: state, amount: amount, currency: currency,
            approvalCode: state == .authorized ? "1" : nil, declineReason: nil)
    }

    @Test("An authorisation under a new key is kept")
    func new() {
        #expect(PaymentRules.decide(payment(), over: nil) == .decided(payment()))
    }

    @Test(
        "The same order, amount and currency get the payment as it is now",
        arguments: [PaymentAuthorization.State.authorized, .declined, .captured, .voided])
    func known(state: PaymentAuthorization.State) {
        let kept = payment(state)
        #expect(PaymentRules.decide(payment(), over: kept) == .known(kept))
    }

    @Test("Another order, amount or currency under a known key is refused")
    func reused() {
        for other in [payment(order: "o2"), payment(amount: 101), payment(currency: "EUR")] {
            #expect(PaymentRules.decide(other, over: payment()) == .keyReused)
        }
    }

    @Test("A key that was voided ahead gets order and amount from its authorisation, and stays voided")
    func voidedAhead() {
        let ahead = PaymentRules.voidedAhead(key: "k")
        #expect(ahead.state == .voided && ahead.orderId.isEmpty)
        let outcome = PaymentRules.decide(payment(), over: ahead)
        #expect(outcome == .decided(payment(.voided)))
    }

    @Test("A sale's card is the one that was authorised for it, and no other")
    func evidence() {
        func evidence(_ kept: PaymentAuthorization) -> CardEvidence {
            PaymentRules.evidence(of: payment(), in: kept)
        }
        for state in [PaymentAuthorization.State.authorized, .captured, .refunded] {
            #expect(evidence(payment(state)) == .authorized)
        }
        #expect(evidence(payment(.unknown)) == .undecided)
        for state in [PaymentAuthorization.State.declined, .voided, .storedOffline, .forwardDeclined] {
            #expect(evidence(payment(state)) == .contrary)
        }
        for other in [payment(order: "o2"), payment(amount: 101), payment(currency: "EUR")] {
            #expect(evidence(other) == .contrary)
        }
    }

    @Test("Only an authorised payment is captured; what is not final is voided, and said to the service")
    func transitions() {
        #expect(PaymentRules.capturable == [.authorized])
        #expect(
            PaymentRules.voidable == [.authorized, .captured, .unknown, .storedOffline, .forwardDeclined])
        // A token may be on its way to the service.
        #expect(PaymentRules.voidedAtService == [.authorized, .captured, .unknown, .storedOffline])
        #expect(PaymentRules.settled(payment(.authorized), by: .declined(reason: "late")) == nil)
        #expect(PaymentRules.settled(payment(.voided), by: .authorized(approvalCode: "late")) == nil)
        let stored = payment(.storedOffline)
        #expect(PaymentRules.settled(stored, by: .authorized(approvalCode: "A"))?.state == .captured)
        #expect(PaymentRules.settled(stored, by: .declined(reason: "no"))?.state == .forwardDeclined)
    }
}

@Suite("Listed products")
struct ListedProductTests {
    private let line = CompletedOrder.Line(
        shown: ["sku": "A", "quantityMilli": 1_000, "unitPrice": 250])

    @Test("Another price or currency than the catalogue's is flagged")
    func differences() {
        func flags(_ price: Int64, _ currency: String) -> Set<IntakeFlag> {
            ListedProduct(price: price, currency: currency, stockMilli: nil).flags(
                of: line, in: "CNY", at: "S1", [0])
        }
        #expect(flags(250, "CNY") == [])
        #expect(flags(251, "CNY") == [.priceDiffers])
        #expect(flags(250, "EUR") == [.currencyDiffers])
        #expect(flags(249, "EUR") == [.priceDiffers, .currencyDiffers])
        let open = ListedProduct(price: 0, currency: "EUR", stockMilli: nil, hasOpenPrice: true)
        #expect(open.flags(of: line, in: "CNY", at: "S1", [0]) == [.currencyDiffers])
    }

    @Test("A price of the store and of the moment goes first; by the terminal's clock or the hub's")
    func storePrices() {
        let listed = ListedProduct(price: 300, currency: "CNY", stockMilli: nil)
        let prices = [
            PriceRecord(sku: "A", storeId: "S1", priceMinor: 250, startsAt: 100, endsAt: 200),
            PriceRecord(sku: "A", storeId: "S2", priceMinor: 250),
        ]
        func isFlagged(_ store: String, _ moments: [Int64]) -> Bool {
            listed.flags(of: line, in: "CNY", by: prices, at: store, moments) == [.priceDiffers]
        }
        #expect(!isFlagged("S1", [100, 999]))
        #expect(!isFlagged("S1", [999, 199]))
        #expect(isFlagged("S1", [99, 200]))
        #expect(!isFlagged("S2", [0]))
        #expect(isFlagged("S3", [150]))
    }

    @Test("The last unit is not flagged, one thousandth more is; what comes back and uncounted stock never")
    func stock() {
        let listed = ListedProduct(price: 250, currency: "CNY", stockMilli: 5_000)
        #expect(listed.flags(selling: 1_000, upTo: 5_000) == [])
        #expect(listed.flags(selling: 1_000, upTo: 5_001) == [.stockNegative])
        #expect(listed.flags(selling: -1_000, upTo: 6_000) == [])
        #expect(ListedProduct(price: 1, currency: "CNY", stockMilli: nil).flags(selling: 1, upTo: 9) == [])
    }
}
