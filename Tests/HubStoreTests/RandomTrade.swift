import HubCore
import HubProtocol

/// Random trade of some tills, with what it has to come to by the results that the hub gave.
///
/// Reproducible: the same seed gives the same sequence but for ids.
struct RandomTrade {
    private struct Drawn: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private struct Sold {
        let mutation: Mutation
        let till: Int
        var left: Int64
        var currency: String
    }

    private var random: Drawn
    private(set) var tills: [Till]
    private var sold: [Sold] = []
    /// What each mutation adds to the net sum of its currency and day, if it is applied.
    private(set) var worth: [String: (currency: String, day: String, net: Int64)] = [:]

    init(seed: UInt64, tills: [Till]) {
        random = Drawn(state: seed &* 2 &+ 1)
        self.tills = tills
    }

    private mutating func draw(_ range: ClosedRange<Int64>) -> Int64 {
        .random(in: range, using: &random)
    }

    private mutating func day() -> String { "1970-01-0\(draw(1...3))" }

    /// The next push of one till: sales, voids, refunds and exchanges, some of which the hub refuses.
    mutating func push() throws -> IntakeRequest {
        let till = Int(draw(0...Int64(tills.count - 1)))
        var mutations: [Mutation] = []
        for _ in 0..<draw(1...6) {
            switch draw(0...9) {
            case 0...4: mutations.append(sale(by: till))
            case 5: if let void = void(by: till) { mutations.append(void) }
            case 6, 7: if let refund = refund(by: till) { mutations.append(refund) }
            case _:
                if let refund = refund(by: till) { mutations += [refund, sale(by: till)] }
            }
        }
        return try tills[till].push(mutations)
    }

    private mutating func sale(by till: Int) -> Mutation {
        var lines: [JSONValue] = []
        var total: Int64 = 0
        for _ in 0..<draw(1...3) {
            let price = draw(0...2_000)
            let discount = draw(0...3) == 0 ? draw(0...price) : 0
            total += price - discount
            lines.append([
                "sku": .string("sku\(draw(1...4))"), "quantityMilli": 1000, "unitPrice": .integer(price),
                "discount": .integer(discount), "total": .integer(price - discount),
                "taxBasisPoints": .integer([0, 900, 1_300][Int(draw(0...2))]),
            ])
        }
        // Now and then what a till must not write: the figures stay consistent also then.
        let said = draw(0...9) == 0 ? total + draw(0...500) : total
        let card = draw(0...1) == 0 ? draw(0...total) : 0
        let currency = draw(0...5) == 0 ? "USD" : "CNY"
        let day = day()
        let mutation = tills[till].minted(
            "order.completed",
            [
                "orderId": .string(Till.ulid()), "orderNumber": .string("S-\(tills[till].sequence)"),
                "currency": .string(currency), "businessDay": .string(day), "taxIncluded": true,
                "lines": .array(lines), "cashierId": .string("c\(draw(1...3))"),
                "payments": [
                    ["method": "card", "amount": .integer(card)],
                    ["method": "cash", "amount": .integer(total - card + 7)],
                ],
                "total": .integer(said), "tax": .integer(total / 11), "change": 7,
            ])
        worth[mutation.id] = (currency, day, said)
        sold.append(Sold(mutation: mutation, till: till, left: said, currency: currency))
        return mutation
    }

    private mutating func void(by till: Int) -> Mutation? {
        guard let index = picked() else { return nil }
        let (sale, day) = (sold[index], day())
        let mutation = tills[till].minted(
            "order.voided",
            [
                "orderId": sale.mutation.payload["orderId"] ?? .null, "businessDay": .string(day),
                "cashierId": "c1",
            ], dependsOn: sale.till == till ? [sale.mutation.id] : [])
        worth[mutation.id] = (sale.currency, day, -(sale.mutation.payload["total"]?.integer ?? 0))
        return mutation
    }

    private mutating func refund(by till: Int) -> Mutation? {
        guard let index = picked() else { return nil }
        let (sale, day) = (sold[index], day())
        let amount = draw(0...max(0, sale.left) + 50)
        var payload: JSONObject = [
            "orderId": sale.mutation.payload["orderId"] ?? .null, "total": .integer(amount),
            "businessDay": .string(day), "tax": .integer(amount / 11), "cashierId": "c2",
            "payments": [["method": "cash", "amount": .integer(amount)]],
            "lines": [["sku": "sku1", "total": .integer(amount), "taxBasisPoints": 900]],
        ]
        // One without a currency counts in that of its sale.
        if draw(0...1) == 0 { payload["currency"] = .string(sale.currency) }
        let mutation = tills[till].minted(
            "refund.completed", .object(payload), dependsOn: sale.till == till ? [sale.mutation.id] : [])
        worth[mutation.id] = (sale.currency, day, -amount)
        return mutation
    }

    private mutating func picked() -> Int? {
        sold.isEmpty ? nil : Int(draw(0...Int64(sold.count - 1)))
    }
}
