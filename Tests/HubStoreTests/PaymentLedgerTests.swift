import Base
import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Payments")
struct PaymentLedgerTests {
    private func wanted(
        _ key: String, order: String = "o1", amount: Int64 = 100,
        _ state: PaymentAuthorization.State = .authorized
    ) -> PaymentAuthorization {
        PaymentAuthorization(
            key: key, orderId: order, state: state, amount: amount, currency: "CNY",
            approvalCode: state == .authorized ? "1" : nil, declineReason: nil)
    }

    /// A sale of 1,250 that a card pays, which was authorised for it.
    private func cardSale(
        _ key: String, by till: inout Till, on store: TemporaryStore,
        _ state: PaymentAuthorization.State? = .authorized
    ) async throws -> (sale: Mutation, orderId: JSONValue) {
        let sale = till.paid(
            till.sale(),
            by: [
                [
                    "method": "card", "amount": 1250, "authorizationKey": .string(key),
                    "approvalCode": "A1",
                ]
            ])
        let orderId = try #require(sale.payload["orderId"]?.string)
        if let state {
            _ = try await store.ledger.decide(
                wanted(key, order: orderId, amount: 1250, state), by: till.device.terminalId, at: 1,
                within: IntakeLimits())
        }
        return (sale, .string(orderId))
    }

    private func refund(
        of orderId: JSONValue, _ amount: Int64, to key: String, total: Int64? = nil, id: String = Till.ulid(),
        by till: inout Till
    ) -> Mutation {
        till.minted(
            "refund.completed",
            [
                "orderId": orderId, "total": .integer(total ?? amount), "currency": "CNY",
                "payments": [
                    [
                        "method": "card", "amount": .integer(amount), "authorizationKey": .string(key),
                        "state": "refunded",
                    ]
                ],
            ], entityId: id)
    }

    /// The flags of each, or its outcome where it has none.
    private func flags(_ store: TemporaryStore, _ push: IntakeRequest) async throws -> [JSONValue] {
        try await store.take(push)?.results.map { $0.json["flags"] ?? .string("\($0.outcome)") } ?? []
    }

    @Test("A key decides once; for anything else it is refused", arguments: StoreKind.all)
    func once(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        #expect(
            try await ledger.decide(wanted("k"), by: "T1", at: 1, within: IntakeLimits())
                == .decided(wanted("k")))
        #expect(
            try await ledger.decide(wanted("k"), by: "T1", at: 2, within: IntakeLimits())
                == .known(wanted("k")))
        #expect(
            try await ledger.decide(wanted("k", amount: 5), by: "T1", at: 2, within: IntakeLimits())
                == .keyReused)
    }

    @Test("A key that another device named is a key of one's own, for every call", arguments: StoreKind.all)
    func byDevice(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let (ledger, limits) = (store.ledger, IntakeLimits())
        for id in ["T1", "T2"] { _ = try await store.enrol(id, key: id) }
        // The second one has a key with the mark by which shared keys are kept apart.
        for key in ["k", "k~T1", "k~T2", "~"] {
            let first = try await ledger.decide(wanted(key, amount: 7), by: "T2", at: 1, within: limits)
            guard case .decided = first else {
                Issue.record("the first device's key \(key): \(first)")
                continue
            }
            #expect(try await ledger.payment(key: key, of: "T1") == nil)
            #expect(try await ledger.capture(key: key, of: "T1") == nil)
            let own = try await ledger.decide(wanted(key), by: "T1", at: 2, within: limits)
            guard case .decided(let kept) = own else {
                Issue.record("the second device's key \(key): \(own)")
                continue
            }
            #expect(EntryKey.mintedPayment(of: kept.key, from: "T1") == key)
            #expect(try await ledger.decide(wanted(key), by: "T1", at: 3, within: limits) == .known(kept))
            #expect(try await ledger.capture(key: key, of: "T1")?.state == .captured)
            #expect(try await ledger.payment(key: key, of: "T2")?.state == .authorized)
            #expect(
                try await ledger.void(key: key, of: "T2", at: 4, within: limits).payment?.state == .voided)
            #expect(try await ledger.payment(key: key, of: "T1")?.state == .captured)
        }
        // One voids a key that the other one is going to use.
        _ = try await ledger.void(key: "next", of: "T2", at: 5, within: limits)
        let next = try await ledger.decide(wanted("next"), by: "T1", at: 6, within: limits)
        guard case .decided(let payment) = next, payment.state == .authorized else {
            Issue.record("the key of tomorrow: \(next)")
            return
        }
        let calls = try await ledger.paymentCalls(limit: 99)
        #expect(Set(calls.map(\.callKey)).count == calls.count && calls.count == 8)
    }

    @Test(
        "A sale is paid by the card that its own device named, also where another device took the key first",
        arguments: StoreKind.all)
    func saleByDevice(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let (ledger, limits) = (store.ledger, IntakeLimits())
        for id in ["T1", "T2"] { _ = try await store.enrol(id, key: id) }
        for key in ["a", "b"] {
            _ = try await ledger.decide(wanted(key, amount: 9), by: "T2", at: 1, within: limits)
        }
        var till = Till("T1")
        let (paid, given) = (
            try await cardSale("a", by: &till, on: store), try await cardSale("b", by: &till, on: store)
        )
        let entries = [
            paid.sale, given.sale, refund(of: paid.orderId, 50, to: "a", by: &till),
            till.minted("order.voided", ["orderId": given.orderId, "total": 1250]),
        ]
        #expect(try await flags(store, till.push(entries)).prefix(2) == [[], []])
        #expect(try await ledger.payment(key: "a", of: "T1")?.state == .captured)
        #expect(try await ledger.payment(key: "b", of: "T1")?.state == .voided)
        for key in ["a", "b"] {
            #expect(try await ledger.payment(key: key, of: "T2")?.state == .authorized)
        }
        let calls = try await ledger.paymentCalls(limit: 9).map(\.callKey)
        #expect(calls.sorted() == ["a~T1:capture", "b~T1:capture"])
    }

    @Test(
        "What is decided late settles an unknown payment once, and nothing that was voided meanwhile",
        arguments: StoreKind.all)
    func settled(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        for key in ["a", "b", "c"] {
            let unknown = PaymentAuthorization(
                key: key, orderId: "o", state: .unknown, amount: 100, currency: "CNY", approvalCode: nil,
                declineReason: nil)
            _ = try await ledger.decide(unknown, by: "T1", at: 1, within: IntakeLimits())
        }
        #expect(try await ledger.undecidedPayments(limit: 9).map(\.payment.key) == ["c", "b", "a"])
        _ = try await ledger.void(key: "c", of: "T1", at: 2, within: IntakeLimits())
        let granted = PaymentDecision.authorized(approvalCode: "A1")
        #expect(try await ledger.settle(key: "a", by: granted, at: 3)?.state == .authorized)
        #expect(try await ledger.settle(key: "a", by: .declined(reason: "x"), at: 4)?.state == .authorized)
        #expect(try await ledger.settle(key: "b", by: .declined(reason: "x"), at: 3)?.state == .declined)
        #expect(try await ledger.settle(key: "c", by: granted, at: 3)?.state == .voided)
        #expect(try await ledger.settle(key: "d", by: granted, at: 3) == nil)
        #expect(try await ledger.undecidedPayments(limit: 9) == [])
        // What was granted although it was voided is voided once more, whatever became of the first void.
        for callKey in ["c:void", "c:void:late"] {
            let calls = try await ledger.paymentCalls(limit: 9)
            #expect(calls.map(\.callKey) == [callKey])
            for call in calls { try await ledger.finish(call, isRefused: false, at: 5) }
        }
        #expect(try await ledger.paymentCalls(limit: 9) == [])
    }

    @Test(
        "A call that is refused for good leaves a debt for a capture, an alarm for a void",
        arguments: StoreKind.all)
    func refused(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        var till = Till()
        let (sale, orderId) = try await cardSale("k", by: &till, on: store)
        _ = try await ledger.decide(wanted("l", amount: 1250), by: "T1", at: 1, within: IntakeLimits())
        let refund = refund(of: orderId, 200, to: "k", by: &till)
        _ = try await store.take(till.push([sale, refund]))
        _ = try await ledger.void(key: "l", of: "T1", at: 2, within: IntakeLimits())
        #expect(try await ledger.paymentCalls(limit: 9).map(\.callKey) == ["k:capture", "l:void"])
        for call in try await ledger.paymentCalls(limit: 9) {
            try await ledger.finish(call, isRefused: true, at: 9)
            // A second process that sent the same call leaves nothing more.
            try await ledger.finish(call, isRefused: true, at: 9)
        }
        let debts = try await ledger.paymentDebts(of: nil)
        #expect(debts.map(\.payment.key) == ["k"] && debts.map(\.payment.amount) == [1050])
        #expect(debts.first?.payment.declineReason == "capture_refused")
        let alarms = try await ledger.alarms(terminal: "T1", limit: 9)
        #expect(
            Set(alarms.map(\.first.kind)) == ["payment_forward_declined", "payment_void_refused"])
        #expect(alarms.allSatisfy { $0.count == 1 })
    }

    @Test(
        "The money of a sale that stands is not given up, and that of a refused one is",
        arguments: StoreKind.all)
    func acceptedSale(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        var till = Till()
        let (sale, orderId) = try await cardSale("k", by: &till, on: store)
        for key in ["l", "m"] {
            _ = try await ledger.decide(
                wanted(key, order: orderId.string ?? "", amount: 1250), by: "T1", at: 1,
                within: IntakeLimits())
        }
        let refund = till.minted(
            "refund.completed",
            [
                "orderId": orderId, "total": 1250, "currency": "CNY",
                "payments": [["method": "cash", "amount": 1250]],
            ])
        let void = till.minted("order.voided", ["orderId": orderId], dependsOn: [sale.id])
        let paymentVoid = till.minted(
            "payment.voided", ["key": "k", "orderId": orderId], entityId: "k", dependsOn: [sale.id])
        // Of the same order, but no payment of the sale: a card that was given up before.
        let other = till.minted("payment.voided", ["key": "l", "orderId": orderId], entityId: "l")
        // Which order it was is what the hub knows of it, not what the terminal names.
        let unnamed = till.minted("payment.voided", ["key": "k"], entityId: "k")
        let misnamed = till.minted("payment.voided", ["key": "k", "orderId": "x"], entityId: "k")
        let entries = [sale, refund, void, paymentVoid, other, unnamed, misnamed]
        let conflict = "conflict conflict"
        #expect(
            try await store.outcomes(till.push(entries))
                == ["applied", "applied", conflict, conflict, "applied", conflict, conflict])
        #expect(
            try await ledger.void(key: "k", of: "T1", at: 2, within: IntakeLimits()).payment?.state
                == .captured)
        #expect(try await ledger.payment(key: "k", of: "T1")?.state == .captured)
        #expect(try await ledger.payment(key: "l", of: "T1")?.state == .voided)
        // A sale that cannot be one, with what depends on it.
        let bad = till.minted("order.completed", ["orderId": "x"])
        let badVoid = till.minted(
            "payment.voided", ["key": "m", "orderId": "x"], entityId: "m", dependsOn: [bad.id])
        #expect(
            try await store.outcomes(till.push([bad, badVoid])) == ["rejected invalid_mutation", "applied"])
        #expect(try await ledger.payment(key: "m", of: "T1")?.state == .voided)
    }

    @Test(
        "A hub that was made of a backup captures what was authorised since, and flags the sale",
        arguments: StoreKind.all)
    func unmatched(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        var (till, other) = (Till(), Till("T2"))
        _ = try await ledger.void(key: "gone", of: "T1", at: 1, within: IntakeLimits())
        _ = try await ledger.decide(wanted("little", amount: 10), by: "T1", at: 1, within: IntakeLimits())
        var sales = [try await cardSale("known", by: &till, on: store).sale]
        for key in ["new", "new", "gone", "two words", "little"] {
            sales.append(try await cardSale(key, by: &till, on: store, nil).sale)
        }
        // The backup is of before the decision, which the sale knows.
        sales.append(try await cardSale("open", by: &till, on: store, .unknown).sale)
        let unmatched: JSONValue = ["payment_unmatched"]
        #expect(
            try await flags(store, till.push(sales)) == [[]] + Array(repeating: unmatched, count: 6))
        let payment = try #require(try await ledger.payment(key: "new", of: "T1"))
        #expect(payment.state == .captured && payment.amount == 1250 && payment.approvalCode == "A1")
        #expect(payment.orderId == sales[1].payload["orderId"]?.string)
        #expect(try await ledger.payment(key: "gone", of: "T1")?.state == .voided)
        #expect(try await ledger.payment(key: "two words", of: "T1") == nil)
        let open = try #require(try await ledger.payment(key: "open", of: "T1"))
        #expect(open.state == .captured && open.approvalCode == "A1")
        // Under another terminal's key there is nothing for this one, so that it has one of its own.
        let foreign = try await cardSale("new", by: &other, on: store, nil).sale
        let raised = try await flags(store, other.push([foreign])).first?.array
        #expect(raised?.contains("payment_unmatched") == true)
        let calls = try await ledger.paymentCalls(limit: 9)
        #expect(
            calls.map(\.callKey).sorted()
                == ["known:capture", "little:capture", "new:capture", "new~T2:capture", "open:capture"])
        // The service has no such authorisation: what the shop never gets is a debt.
        for call in calls where call.key == "new" { try await ledger.finish(call, isRefused: true, at: 2) }
        #expect(try await ledger.paymentDebts(of: nil).map(\.payment.key) == ["new"])
        // A sale whose card was voided before the sale arrived stays without its money.
        let void = other.minted("payment.voided", ["key": "ahead"], entityId: "ahead")
        let late = try await cardSale("ahead", by: &other, on: store, nil).sale
        #expect(try await store.outcomes(other.push([void, late])) == ["applied", "applied"])
        #expect(try await ledger.payment(key: "ahead", of: "T2")?.state == .voided)
    }

    @Test(
        "Tokens go in the order of their arrival, the first of every terminal before the second of any",
        arguments: StoreKind.all)
    func arrival(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        func sale(_ key: String, storedAt: String, by till: inout Till) -> Mutation {
            till.paid(
                till.sale(),
                by: [
                    [
                        "method": "card", "amount": 1250, "authorizationKey": .string(key),
                        "state": "storedOffline", "sealed": ["keyId": "s", "token": "AAAA"],
                        "storedAt": .string(storedAt),
                    ]
                ])
        }
        var (till, other) = (Till(), Till("T2"))
        // The till's clock was set back between the first two, which come in one push.
        let both = [
            sale("z1", storedAt: "2026-11-21T10:00:00.000Z", by: &till),
            sale("a2", storedAt: "2026-11-21T09:00:00.000Z", by: &till),
        ]
        _ = try await store.take(till.push(both, at: 1_000_000))
        let third = sale("a3", storedAt: "2026-11-21T08:00:00.000Z", by: &till)
        _ = try await store.take(till.push([third], at: 1_000_020))
        let first = sale("b1", storedAt: "2026-11-21T12:00:00.000Z", by: &other)
        _ = try await store.take(other.push([first], at: 1_000_030))
        let order = { (limit: Int) in
            try await store.ledger.undecidedPayments(limit: limit).map(\.payment.key)
        }
        #expect(try await order(9) == ["z1", "b1", "a2", "a3"])
        #expect(try await order(2) == ["z1", "b1"])
    }

    @Test(
        "A sale captures its cards, a refund gives back what is left on them, and the service gets each of them once",
        arguments: StoreKind.all)
    func refunds(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        var till = Till()
        let (sale, orderId) = try await cardSale("k", by: &till, on: store)
        let (second, otherId) = try await cardSale("l", by: &till, on: store)
        let first = refund(of: orderId, 1000, to: "k", by: &till)
        let entries = [
            sale, second, first, refund(of: orderId, 10, to: "other", by: &till),
            refund(of: orderId, 240, to: "k", by: &till),
            // Nothing of one sale's money goes back for another one, for less than it says, or by an id that
            // no request can carry.
            refund(of: otherId, 10, to: "k", by: &till),
            refund(of: otherId, 10, to: "l", total: 0, by: &till),
            refund(of: otherId, 10, to: "l", id: "\u{1}", by: &till),
        ]
        let not: JSONValue = ["refund_not_on_card"]
        #expect(
            try await flags(store, till.push(entries))
                == [[], [], [], not, [], not, ["amounts_differ", "payment_differs"], not])
        var kinds: [String] = []
        // The calls of a payment come one after the other.
        while let call = try await ledger.paymentCalls(limit: 9).first(where: { $0.key == "k" }) {
            kinds.append("\(call.kind) \(call.amount)")
            if call.amount == 1000 { #expect(call.callKey == "k:refund:\(first.entityId)") }
            try await ledger.finish(call, isRefused: false, at: 5)
        }
        #expect(kinds == ["capture 1250", "refund 1000", "refund 240"])
        #expect(try await ledger.payment(key: "k", of: till.device.terminalId)?.state == .captured)
    }

    @Test(
        "Calls of a terminal that get no response delay no other terminal's", arguments: StoreKind.all)
    func turns(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (hostile, honest) = (Till("T1"), Till("T2"))
        for number in 0..<9 {
            let sale = try await cardSale("h\(number)", by: &hostile, on: store).sale
            _ = try await store.take(hostile.push([sale]))
        }
        for key in ["a", "b"] {
            let sale = try await cardSale(key, by: &honest, on: store).sale
            _ = try await store.take(honest.push([sale]))
        }
        let calls = try await store.ledger.paymentCalls(limit: 4)
        #expect(calls.map(\.key) == ["h0", "a", "h1", "b"])
        #expect(calls.map(\.terminalId) == ["T1", "T2", "T1", "T2"])
    }

    @Test(
        "A device that was enrolled again goes on with its cards, and no other one does",
        arguments: StoreKind.all)
    func enrolledAgain(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        _ = try await store.enrol("T1", key: "device")
        _ = try await store.enrol("T2", key: "another")
        var old = Till("T1")
        let sold = try await cardSale("sold", by: &old, on: store)
        _ = try await store.take(old.push([sold.sale]))
        let (late, refundable) = (
            try await cardSale("late", by: &old, on: store), try await cardSale("back", by: &old, on: store)
        )
        _ = try await ledger.decide(wanted("open", .unknown), by: "T1", at: 1, within: IntakeLimits())
        _ = try await store.enrol("T3", key: "device")
        var renewed = Till("T3")
        let entries = [
            // Minted under the old id, sent under the new one.
            renewed.paid(renewed.sale(), by: [["method": "cash", "amount": 1250]]),
            renewed.minted("order.completed", late.sale.payload, entityId: late.sale.entityId),
            renewed.minted("order.completed", refundable.sale.payload, entityId: refundable.sale.entityId),
            refund(of: refundable.orderId, 50, to: "back", by: &renewed),
            renewed.minted("order.voided", ["orderId": sold.orderId, "total": 1250]),
        ]
        #expect(try await store.outcomes(renewed.push(entries)) == Array(repeating: "applied", count: 5))
        #expect(try await ledger.payment(key: "late", of: "T3")?.state == .captured)
        #expect(try await ledger.payment(key: "sold", of: "T3")?.state == .voided)
        let calls = try await ledger.paymentCalls(limit: 9).map(\.callKey)
        #expect(Set(calls) == ["sold:capture", "late:capture", "back:capture"])
        #expect(
            try await ledger.decide(wanted("open", .unknown), by: "T3", at: 2, within: IntakeLimits())
                == .known(wanted("open", .unknown)))
        #expect(
            try await ledger.payment(key: "open", of: "T2") == nil)
        #expect(
            try await ledger.void(key: "open", of: "T2", at: 3, within: IntakeLimits()).payment?.orderId == ""
        )
        #expect(
            try await ledger.void(key: "open", of: "T3", at: 3, within: IntakeLimits()).payment?.state
                == .voided)
    }

    @Test(
        "New payments, voids ahead and look-ups count in the terminal's day; money is given up whatever it is",
        arguments: StoreKind.all)
    func quota(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        var limits = IntakeLimits()
        limits.mutationsPerDay = 4
        func decide(_ key: String, at now: Int64 = 1, by terminal: String = "T1") async throws
            -> PaymentOutcome
        {
            try await ledger.decide(wanted(key), by: terminal, at: now, within: limits)
        }
        #expect(try await decide("a") == .decided(wanted("a")))
        #expect(try await decide("b") == .decided(wanted("b")))
        #expect(
            try await ledger.void(key: "ahead", of: "T1", at: 1, within: limits).payment?.state == .voided)
        #expect(try await ledger.count(.lookUp, of: "T1", at: 1, within: limits))
        // The day is used up: nothing new is kept, and what is there goes on.
        #expect(try await decide("c") == .pastQuota)
        #expect(try await ledger.payment(key: "c", of: "T1") == nil)
        #expect(try await ledger.void(key: "more", of: "T1", at: 1, within: limits) == .pastQuota)
        #expect(try await ledger.payment(key: "more", of: "T1") == nil)
        #expect(try await !ledger.count(.lookUp, of: "T1", at: 1, within: limits))
        #expect(try await decide("a") == .known(wanted("a")))
        #expect(try await ledger.void(key: "b", of: "T1", at: 1, within: limits).payment?.state == .voided)
        // Another terminal and the next day have quotas of their own.
        #expect(try await decide("d", by: "T2") == .decided(wanted("d")))
        #expect(try await decide("c", at: 86_400_000) == .decided(wanted("c")))
        limits.mutationsPerDay = 100
        limits.bytesPerDay = 1_000
        #expect(try await decide("e") == .pastQuota)
    }

    @Test("A void by another till of the store gives the card's money back", arguments: StoreKind.all)
    func voidedElsewhere(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (seller, other) = (Till("T1"), Till("T2"))
        for id in ["T1", "T2"] { _ = try await store.enrol(id, key: id) }
        let (sale, orderId) = try await cardSale("k", by: &seller, on: store)
        _ = try await store.take(seller.push([sale]))
        let void = other.minted("order.voided", ["orderId": orderId, "total": 1250])
        #expect(try await store.outcomes(other.push([void])) == ["applied"])
        #expect(try await store.ledger.payment(key: "k", of: "T1")?.state == .voided)
        let calls = try await store.ledger.paymentCalls(limit: 9)
        for call in calls { try await store.ledger.finish(call, isRefused: false, at: 5) }
        #expect(calls.map(\.callKey) == ["k:capture"])
        #expect(try await store.ledger.paymentCalls(limit: 9).map(\.callKey) == ["k:void"])
    }

    @Test(
        "A stored payment is kept with its token until it is forwarded, and a decline is a debt",
        arguments: StoreKind.all)
    func stored(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        _ = try await ledger.changeStoreSettings(
            [
                "offlineCard.perSale": 1250, "offlineCard.perShift": 9000, "offlineCard.perTerminal": 9000,
            ], of: "S1", at: 1)
        var till = Till()
        var mutations: [Mutation] = []
        for key in ["k1", "k2"] {
            mutations.append(
                till.paid(
                    till.sale(),
                    by: [
                        [
                            "method": "card", "amount": 1250, "authorizationKey": .string(key),
                            "state": "storedOffline", "sealed": ["keyId": "s", "token": "dG9rZW4="],
                            "storedAt": "2026-11-21T00:00:00.000Z",
                        ]
                    ]))
        }
        let response = try await store.take(till.push(mutations))
        #expect(response?.results.allSatisfy { $0.json["flags"] == [] } == true)
        let open = try await ledger.undecidedPayments(limit: 9)
        #expect(open.map(\.payment.key) == ["k1", "k2"])
        #expect(open.map(\.sealed?.token) == ["dG9rZW4=", "dG9rZW4="])
        _ = try await ledger.settle(key: "k1", by: .authorized(approvalCode: "A"), at: 3)
        _ = try await ledger.settle(key: "k2", by: .declined(reason: "stolen"), at: 3)
        #expect(try await ledger.paymentCalls(limit: 9).map(\.callKey) == ["k1:capture"])
        let debts = try await ledger.paymentDebts(of: nil)
        #expect(debts.map(\.payment.key) == ["k2"])
        #expect(debts.map(\.payment.amount) == [1250])
        #expect(try await ledger.paymentDebts(of: "nobody") == [])
    }

    @Test("Capture and void can be repeated, and what is voided is never captured", arguments: StoreKind.all)
    func endings(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        _ = try await ledger.decide(wanted("k"), by: "T1", at: 1, within: IntakeLimits())
        #expect(try await ledger.capture(key: "k", of: "T1")?.state == .captured)
        #expect(try await ledger.capture(key: "k", of: "T1")?.state == .captured)
        #expect(
            try await ledger.void(key: "k", of: "T1", at: 2, within: IntakeLimits()).payment?.state == .voided
        )
        #expect(try await ledger.capture(key: "k", of: "T1")?.state == .voided)
        #expect(
            try await ledger.void(key: "k", of: "T2", at: 2, within: IntakeLimits()).payment?.orderId == "")
    }

    @Test(
        "A key voided ahead, by call or by the outbox, voids the authorisation that comes late",
        arguments: StoreKind.all)
    func voidedAhead(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        #expect(
            try await ledger.void(key: "k", of: "T1", at: 1, within: IntakeLimits()).payment?.state == .voided
        )
        var till = Till()
        _ = try await store.take(till.push([till.minted("payment.voided", ["key": "j"])]))
        for key in ["k", "j"] {
            guard
                case .decided(let late) = try await ledger.decide(
                    wanted(key), by: "T1", at: 2, within: IntakeLimits())
            else {
                Issue.record("the late authorisation was not decided")
                continue
            }
            #expect(late.state == .voided)
            #expect(late.amount == 100)
        }
    }
}
