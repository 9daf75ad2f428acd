import HubProtocol
import Pricing
import Testing

@Suite struct OfferShapeTests {
    @Test("promotions, coupons, cashiers and baskets come back as they were written") func roundTrips() throws
    {
        for reduction in [
            Promotion.Reduction.percent(basisPoints: 1_250), .amount(99), .bundle(5), .price(7),
        ] {
            let promotion = Promotion(
                id: "P", name: "Sale", reduction: reduction, sku: "A", department: nil,
                minimumQuantityMilli: 2_000, startsAt: 1_700_000_000_000, endsAt: nil, worksOffline: true,
                needsCoupon: true)
            #expect(try Promotion(json: promotion.json) == promotion)
        }
        let coupon = Coupon(
            code: "C", promotionId: "P", memberId: nil, maximumUses: 3, uses: 1,
            expiresAt: 1_700_000_000_123, worksOffline: false)
        #expect(try Coupon(json: coupon.json) == coupon)
        let cashier = CashierRecord(id: "7", name: "Li", role: .manager, pinHash: "$x")
        #expect(try CashierRecord(json: cashier.json) == cashier)
        #expect(CashierSession(cashier).json["pinHash"] == nil)
        let basket = BasketShape(
            memberId: "M", coupons: ["C"], timeZone: "Asia/Shanghai",
            lines: [.init(sku: "A", department: nil, quantityMilli: 500, unitPrice: 0, discount: 0)])
        #expect(try BasketShape(json: basket.json) == basket)
    }

    @Test("a response's reductions are read back, and a newer hub's objection is one all the same")
    func response()
        throws
    {
        let offers = Offers(
            promotions: [
                Promotion(
                    id: "P", name: "Sale", reduction: .amount(30), sku: nil, department: nil,
                    minimumQuantityMilli: 0, startsAt: nil, endsAt: nil, worksOffline: true,
                    needsCoupon: false)
            ], coupons: [])
        let cut = try offers.reductions(
            for: Basket(
                lines: [.init(sku: "A", department: "", quantityMilli: 1_000, price: 100)],
                coupons: ["gone"], memberId: nil, moment: 0, isOffline: false))
        let shape = ReductionsShape(cut)
        #expect(shape.json["discount"] == 30)
        #expect(try ReductionsShape(json: shape.json) == shape)
        let newer: JSONValue = [
            "lines": [], "coupons": [["code": "C", "outcome": "refused", "reason": "eclipse"]],
        ]
        #expect(try ReductionsShape(json: newer).coupons.first?.objection == .nothingToTakeOff)
    }

    @Test(
        "what is no promotion is refused with the place",
        arguments: [
            (["id": "P", "kind": "gift"], "kind"), (["id": "P", "kind": "percent"], "percentBasisPoints"),
            (["id": "P", "kind": "percent", "percentBasisPoints": 10_001], "percentBasisPoints"),
            (["id": "P", "kind": "amount", "amountMinor": 0], "amountMinor"),
            (["id": "P", "kind": "bundle", "amountMinor": 1, "startsAt": "soon"], "startsAt"),
            (["id": "P", "kind": "amount", "amountMinor": 1, "days": ["day"]], "days"),
            (["id": "P", "kind": "amount", "amountMinor": 1, "fromTime": "9:00"], "fromTime"),
            (["id": "P", "kind": "amount", "amountMinor": 1, "fromTime": "09:00"], "untilTime"),
            (
                ["id": "P", "kind": "amount", "amountMinor": 1, "fromTime": "09:00", "untilTime": "09:00"],
                "untilTime"
            ),
        ] as [(JSONValue, String)]) func refused(json: JSONValue, path: String)
    {
        #expect { try Promotion(json: json) } throws: { ($0 as? ShapeError)?.path == path }
    }

    @Test("baskets are bounded, and a bad line is named by its place") func baskets() {
        let line: JSONValue = ["sku": "A", "quantityMilli": 1_000, "unitPrice": 1]
        let many: JSONValue = ["lines": .array(Array(repeating: line, count: 501))]
        #expect { try BasketShape(json: many) } throws: { ($0 as? ShapeError)?.path == "lines" }
        let bad: JSONValue = ["lines": [line, ["sku": "A", "quantityMilli": 0, "unitPrice": 1]]]
        #expect { try BasketShape(json: bad) } throws: {
            ($0 as? ShapeError)?.path == "lines[1].quantityMilli"
        }
    }

    @Test("a telephone number is looked up by its digits") func digits() {
        #expect(MemberRecord.lookupDigits(of: "+86 138-0013 8000") == "8613800138000")
        #expect(MemberRecord.lookupDigits(of: "none") == nil)
        #expect(MemberRecord.lookupForms(of: "none") == [])
        let forms = ["8613800138000", "008613800138000", "13800138000", "013800138000"]
        #expect(MemberRecord.lookupForms(of: "+86 138-0013 8000") == forms)
        #expect(Set(MemberRecord.lookupForms(of: "0086 13800138000")) == Set(forms))
        #expect(MemberRecord.lookupForms(of: "13800138000").contains("8613800138000"))
        #expect(MemberRecord.lookupForms(of: "8613800138000") == ["8613800138000", "13800138000"])
        #expect(MemberRecord.lookupForms(of: "+44 20 7946 0000").contains("02079460000"))
        #expect(MemberRecord.lookupForms(of: "+353 1 234 5678").contains("12345678"))
        #expect(!MemberRecord.lookupForms(of: "+86 12345").contains("12345"))
        #expect(MemberRecord.lookupForms(of: "12345678") == ["12345678"])
    }

    @Test("a member gets a response with all fields of the profile") func member() throws {
        let member = MemberRecord(id: "M1", value: ["name": "Ann", "colour": "red", "points": -3])
        #expect(try MemberRecord(json: member.json) == member)
        #expect(member.json["colour"] == "red")
        #expect(MemberRecord(id: "M2", value: [:]).json["points"] == 0)
    }
}
