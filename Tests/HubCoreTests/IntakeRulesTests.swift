import HubCore
import HubProtocol
import Testing

@Suite("IntakeRules")
struct IntakeRulesTests {
    private static let sale: JSONObject = [
        "orderId": "o1", "orderNumber": "S1-1-20261121-0001", "currency": "CNY", "taxIncluded": true,
        "lines": [
            [
                "sku": "tea", "barcode": "690", "name": "Tea", "quantityMilli": 2000, "unitPrice": 650,
                "discount": 50, "total": 1250, "taxBasisPoints": 1300,
            ]
        ],
        "payments": [["method": "cash", "amount": 1300]], "total": 1250, "tax": 144, "change": 50,
    ]

    private func mutation(
        _ payload: JSONObject, type: String = "order.completed", dependsOn: [String] = []
    ) -> Mutation {
        Mutation(
            id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", sequence: 1, type: type, entity: "order", entityId: "o1",
            clientGeneratedAt: "2026-11-21T00:00:00.000Z", previousHash: Mutation.genesisHash,
            dependsOn: dependsOn, payload: .object(payload))
    }

    private func flags(_ change: (inout JSONObject) -> Void) -> Set<IntakeFlag>? {
        var payload = Self.sale
        change(&payload)
        guard case .accepted(let flags, _) = IntakeRules.assess(mutation(payload)) else { return nil }
        return flags
    }

    @Test("A sale that adds up is accepted without a flag, with its order and its stock")
    func sale() throws {
        let order = try CompletedOrder(json: .object(Self.sale))
        #expect(order.orderNumber == "S1-1-20261121-0001")
        #expect(order.lines.map(\.unitPrice) == [650])
        #expect(
            IntakeRules.assess(mutation(Self.sale))
                == .accepted(
                    flags: [], effects: [.recordOrder(order), .countStock(sku: "tea", soldMilli: 2000)]))
    }

    @Test("A sale with a text that is too long is accepted with a flag, and looked up by a short key")
    func longTexts() {
        let long = JSONValue.string(String(repeating: "x", count: 900_000))
        for name in ["orderId", "orderNumber", "cashierId", "memberId", "anything"] {
            #expect(flags { $0[name] = long } == [.textTooLong], "\(name)")
        }
        #expect(flags { $0[String(repeating: "k", count: 129)] = 1 } == [.textTooLong])
        #expect(flags { $0["name"] = .string(String(repeating: "x", count: 256)) } == [])
        var payload = Self.sale
        payload["orderId"] = long
        guard case .accepted(_, let effects) = IntakeRules.assess(mutation(payload)),
            case .recordOrder(let order)? = effects.first
        else { return #expect(Bool(false), "refused") }
        #expect(order.orderId.utf8.count <= TextBound.name)
        #expect(
            IntakeRules.assess(mutation(["orderId": long], type: "order.voided"))
                == .accepted(
                    flags: [.textTooLong], effects: [.voidOrder(orderId: order.orderId)]))
    }

    @Test("A sale that a card pays takes the card's money with it")
    func capture() {
        var payload = Self.sale
        payload["payments"] = [["method": "card", "amount": 1250, "authorizationKey": "k1"]]
        payload["change"] = 0
        guard case .accepted(let flags, let effects) = IntakeRules.assess(mutation(payload)) else {
            Issue.record("refused")
            return
        }
        #expect(flags == [] && effects.last == .capturePayment(key: "k1"))
        // For a hub that was made of a backup since the card was authorised.
        #expect(
            effects.dropLast().last
                == .keepPayment(
                    PaymentAuthorization(
                        key: "k1", orderId: "o1", state: .authorized, amount: 1250, currency: "CNY",
                        approvalCode: nil, declineReason: nil)))
    }

    @Test(
        "Cards that no money can be requested for are flagged, and so is a refund that differs from its money"
    )
    func implausibleCards() {
        func flags(_ type: String, _ payments: JSONValue, total: Int64 = 1250) -> Set<IntakeFlag>? {
            var payload = Self.sale
            payload["payments"] = payments
            payload["total"] = .integer(total)
            payload["change"] = 0
            guard case .accepted(let flags, _) = IntakeRules.assess(mutation(payload, type: type)) else {
                return nil
            }
            return flags.subtracting([.totalDiffers, .taxDiffers])
        }
        func card(_ amount: Int64, key: String = "k") -> JSONValue {
            ["method": "card", "amount": .integer(amount), "authorizationKey": .string(key)]
        }
        let stored: JSONValue = [
            "method": "card", "amount": 1250, "authorizationKey": "k", "state": "storedOffline",
        ]
        #expect(flags("order.completed", [card(1250)]) == [])
        #expect(flags("order.completed", [card(1250, key: "two words")]) == [.paymentUnmatched])
        #expect(flags("order.completed", [card(1 << 53 - 1)])?.contains(.paymentUnmatched) == true)
        // Without a token there is nothing to forward.
        #expect(flags("order.completed", [stored])?.contains(.paymentUnmatched) == true)
        let many = (0...PaymentRules.mostCards).map { card(1, key: "k\($0)") }
        #expect(flags("order.completed", .array(many))?.contains(.paymentUnmatched) == true)
        #expect(flags("refund.completed", [card(500)], total: 500) == [])
        #expect(flags("refund.completed", [card(1 << 53 - 1)])?.contains(.refundNotOnCard) == true)
        #expect(flags("refund.completed", .array(many), total: 21) == [.refundNotOnCard])
        #expect(flags("refund.completed", [card(400), ["method": "cash", "amount": 100]], total: 500) == [])
        #expect(flags("refund.completed", [card(500)], total: 5) == [.paymentDiffers])
    }

    @Test("What the terminal's own card machine charged and gave back is none of the payment service's")
    func machine() {
        let machine: JSONValue = ["reference": "M-1", "approvalCode": "MC1", "key": "k1"]
        var payload = Self.sale
        payload["payments"] = [["method": "card", "amount": 1250, "machine": machine]]
        payload["change"] = 0
        func effects(_ type: String) -> [IntakeEffect]? {
            guard case .accepted([], let effects) = IntakeRules.assess(mutation(payload, type: type)) else {
                return nil
            }
            return effects.filter { effect in
                switch effect {
                case .capturePayment, .refundPayment, .voidPayment, .storePayment: true
                case _: false
                }
            }
        }
        #expect(effects("order.completed") == [])
        payload["payments"] = [
            ["method": "card", "amount": 1250, "state": "refunded", "machine": machine]
        ]
        #expect(effects("refund.completed") == [])
        #expect(effects("order.voided") == [])
    }

    @Test("A sale uses each of its coupons once, fifty at most; a redemption names one")
    func coupons() {
        func effects(_ payload: JSONObject, type: String = "order.completed") -> [IntakeEffect] {
            guard case .accepted([], let effects) = IntakeRules.assess(mutation(payload, type: type)) else {
                return []
            }
            return effects.filter { if case .countCoupon = $0 { true } else { false } }
        }
        var payload = Self.sale
        #expect(effects(payload) == [])
        payload["coupons"] = ["B", "A", 5, "B", .null]
        #expect(
            effects(payload) == [.countCoupon(code: "B", uses: 1), .countCoupon(code: "A", uses: 1)])
        payload["coupons"] = .array((0..<60).map { .string("\($0)") })
        #expect(effects(payload).count == 50)
        payload["coupons"] = "A"
        #expect(effects(payload) == [])
        #expect(effects(["code": "C"], type: "coupon.redeemed") == [.countCoupon(code: "C", uses: 1)])
    }

    @Test("Sums that disagree are flagged, never a reason to refuse what was sold")
    func disagreements() {
        #expect(flags { $0["total"] = 1251 } == [.totalDiffers, .paymentDiffers])
        #expect(flags { $0["tax"] = 145 } == [.taxDiffers])
        #expect(flags { $0["change"] = 0 } == [.paymentDiffers])
        #expect(flags { $0["cashRounding"] = 0 } == [])
        let line: JSONValue = [
            "sku": "tea", "quantityMilli": 2000, "unitPrice": 650, "discount": 50, "total": 1249,
            "taxBasisPoints": 1300,
        ]
        #expect(flags { $0["lines"] = [line] } == [.lineTotalDiffers])
    }

    @Test("Amounts that overflow are flagged and do not trap")
    func overflow() {
        let line: JSONValue = [
            "sku": "tea", "quantityMilli": 9_007_199_254_740_991, "unitPrice": 9_007_199_254_740_991,
            "total": 0, "discount": -9_007_199_254_740_991,
        ]
        #expect(flags { $0["lines"] = [line, line] }?.contains(.totalDiffers) == true)
    }

    @Test(
        "What cannot be a sale at all is rejected",
        arguments: ["orderId", "orderNumber", "lines", "total", "currency"])
    func noSale(missing: String) {
        #expect(flags { $0[missing] = nil } == nil)
    }

    @Test("No lines, a negative quantity, a negative total or a made-up currency are no sale")
    func nonsense() {
        #expect(flags { $0["lines"] = [] } == nil)
        #expect(flags { $0["lines"] = [["sku": "a", "quantityMilli": -1, "unitPrice": 1]] } == nil)
        #expect(flags { $0["total"] = -1 } == nil)
        #expect(flags { $0["currency"] = "yuan" } == nil)
    }

    @Test("Points, leases, payments and shifts that cannot be read are flagged, and the fact is accepted")
    func details() {
        let unreadable: Set<IntakeFlag> = [.detailsUnreadable]
        #expect(flags { $0["points"] = ["earned": 1, "spent": 0, "value": 0] } == [])
        #expect(flags { $0["points"] = ["earned": -1, "spent": 0, "value": 0] } == unreadable)
        #expect(flags { $0["leases"] = [["leaseId": "L"]] } == unreadable)
        #expect(flags { $0["shiftId"] = 7 } == unreadable)
        #expect(flags { $0["payments"] = [["amount": 1300, "state": "lost"]] } == unreadable)
        let opening = ShiftOpening(
            shiftId: "s", businessDay: "2026-11-23", timeZone: "UTC", currency: "CNY", openedAt: 0,
            openedBy: nil, float: 0)
        let move = CashMove(
            moveId: "m", shiftId: "s", kind: .drop, amount: 1, currency: "CNY", reason: nil, cashierId: nil,
            businessDay: "2026-11-23", timeZone: "UTC")
        func assessed(_ payload: JSONValue, _ type: String) -> IntakeRules.Assessment {
            IntakeRules.assess(mutation(payload.object ?? [:], type: type))
        }
        #expect(
            assessed(opening.json, "shift.opened") == .accepted(flags: [], effects: [.openShift(opening)]))
        #expect(assessed(move.json, "cash.moved") == .accepted(flags: [], effects: []))
        #expect(
            assessed(opening.json, "shift.closed") == .accepted(flags: unreadable, effects: []))
        #expect(assessed([:], "shift.closed") == .accepted(flags: [], effects: []))
        #expect(assessed(opening.json, "cash.moved") == .accepted(flags: unreadable, effects: []))
        #expect(
            assessed(["points": ["earnedReturned": 1]], "order.voided")
                == .accepted(flags: unreadable, effects: [.voidOrder(orderId: "o1")]))
    }

    @Test("A decision about a card machine is always flagged, its end of day where the sums differ")
    func cardMachine() {
        func assessed(_ payload: JSONValue, _ type: String) -> IntakeRules.Assessment {
            IntakeRules.assess(mutation(payload.object ?? [:], type: type))
        }
        var decision = CardDecision()
        (decision.key, decision.amount, decision.currency) = ("K", 1250, "CNY")
        (decision.verdict, decision.reference) = (.charged, "143")
        #expect(assessed(decision.json, "card.decided") == .accepted(flags: [.cardDecided], effects: []))
        #expect(
            assessed([:], "card.decided")
                == .accepted(flags: [.cardDecided, .detailsUnreadable], effects: []))
        var day = CardDayClosing()
        (day.kind, day.machine, day.till, day.currency) = ("nexo", 1250, 1250, "CNY")
        #expect(assessed(day.json, "card.dayClosed") == .accepted(flags: [], effects: [.closeMachineDay]))
        for till: Int64 in [1249, 0, -5] {
            day.till = till
            #expect(
                assessed(day.json, "card.dayClosed")
                    == .accepted(flags: [.cardDayDiffers], effects: [.closeMachineDay]))
        }
        (day.machine, day.till) = (nil, 1250)
        #expect(assessed(day.json, "card.dayClosed") == .accepted(flags: [], effects: [.closeMachineDay]))
        #expect(
            assessed([:], "card.dayClosed")
                == .accepted(flags: [.detailsUnreadable], effects: [.closeMachineDay]))
    }

    @Test("An unknown type, an unknown schema and a dependency on itself are rejected")
    func envelope() {
        func isRejected(_ mutation: Mutation) -> Bool {
            if case .rejected = IntakeRules.assess(mutation) { true } else { false }
        }
        #expect(isRejected(mutation([:], type: "order.invented")))
        #expect(isRejected(mutation([:], type: "shift.opened", dependsOn: ["01ARZ3NDEKTSV4RRFFQ69G5FAV"])))
        #expect(isRejected(mutation([:], type: "mutation.discarded")))
        #expect(!isRejected(mutation([:], type: "shift.opened")))
    }

    @Test("Mutations of schema 1 and of schema 2 are accepted, of a later one not")
    func schemas() {
        for (schema, isTaken) in [
            (Int64(1), true), (2, true), (Schema.current, true), (Schema.current + 1, false),
        ] {
            let mutation = Mutation(
                id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", sequence: 1, type: "shift.opened", entity: "shift",
                entityId: "s1", schema: schema, clientGeneratedAt: "2026-11-21T00:00:00.000Z",
                previousHash: Mutation.genesisHash, payload: [:])
            let assessment = IntakeRules.assess(mutation)
            let isRejected = if case .rejected = assessment { true } else { false }
            #expect(isRejected != isTaken, "\(schema)")
        }
    }

    @Test("A void gives the stock back and a payment's void names its key")
    func effects() {
        let payload: JSONObject = ["lines": [["sku": "tea", "quantityMilli": 2000]]]
        #expect(
            IntakeRules.assess(mutation(payload, type: "order.voided"))
                == .accepted(
                    flags: [],
                    effects: [.voidOrder(orderId: "o1"), .countStock(sku: "tea", soldMilli: -2000)]))
        #expect(
            IntakeRules.assess(mutation(["key": "k"], type: "payment.voided"))
                == .accepted(flags: [], effects: [.voidPayment(key: "k")]))
    }
}

@Suite("ReceivedMutation")
struct ReceivedMutationTests {
    @Test("Without a ULID and a sequence there is nothing to judge; anything else gets a result")
    func reading() throws {
        #expect(throws: ShapeError.self) { try ReceivedMutation(json: ["sequence": 1]) }
        #expect(throws: ShapeError.self) { try ReceivedMutation(json: ["id": "short", "sequence": 1]) }
        let partial = try ReceivedMutation(json: ["id": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "sequence": 1])
        #expect(throws: ShapeError.self) { try partial.content.get() }
    }

    @Test("The digest is another one for any other content, also under a wrong hash")
    func digest() throws {
        let one = Mutation(
            id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", sequence: 1, type: "shift.opened", entity: "shift",
            entityId: "s", clientGeneratedAt: "", previousHash: "", payload: ["float": 1])
        var members = try #require(one.json.object)
        members["payload"] = ["float": 2]
        let other = try ReceivedMutation(json: .object(members))
        let first = try ReceivedMutation(json: one.json)
        #expect(first.isHashRight)
        #expect(!other.isHashRight)
        #expect(first.digest != other.digest)
        #expect(try ReceivedMutation(json: one.json).digest == first.digest)
    }
}
