import HubCore
import HubProtocol
import Pricing

/// Some days of a store with everything in them, drawn from a seed, and what they come to by the tills' own
/// arithmetic.
struct DrawnDays {
    struct Draw: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    struct Sold {
        let mutation: Mutation
        let currency: String
        let total: Int64
        let discounts: Int64
        /// What each tender has of the total, and of the rounding of cash.
        let tenders: [(payment: JSONObject, amount: Int64, rounding: Int64)]
        /// Its payments do not come to its total, which counts alone and for no tender.
        let differs: Bool
        var back = Back.nothing
    }

    enum Back {
        case nothing, aPart, all
    }

    /// What the tills' arithmetic says.
    struct Figures {
        /// By day, by tender and alone, each with the currency; what comes to 0 is left out.
        var byDay: [String: Int64] = [:]
        var byTender: [String: Int64] = [:]
        var byCurrency: [String: Int64] = [:]
        /// By currency, of sales less voids.
        var discounts: [String: Int64] = [:]
        /// By day and currency, of sales whatever came back of them.
        var sold: [String: Int64] = [:]
        var tax: Int64 = 0
    }

    var draw: Draw
    private var sequence: Int64 = 0
    private var previousHash = Mutation.genesisHash
    var sold: [Sold] = []
    /// Keys of cards that were taken offline.
    private(set) var stored: [String] = []
    private var sums = Figures()
    /// What the shift counts, in which all of it happens.
    private(set) var tally = ShiftTally()
    private var from: Int64 = 0
    let opening = ShiftOpening(
        shiftId: "01KB000000000000000000SH1F", businessDay: "2026-11-21", timeZone: "UTC", currency: "CNY",
        openedAt: 1_000, openedBy: nil, float: 700)

    static let device = DeviceIdentity(terminalId: "01KB0000000000000000000T01", storeId: "S1")
    static let member = "01KB000000000000000000MEMB"
    /// By the hub's clock: some hours behind the last of the days, ``days``.
    static let receivedAt: Int64 = 1_795_338_000_000
    static let days = ["2026-11-21", "2026-11-22", "2026-11-23"]
    /// What the store gives a point for, in minor units.
    static let earnEvery: Int64 = 100

    init(seed: UInt64) { draw = Draw(state: seed &* 2 &+ 1) }

    var figures: Figures {
        var figures = sums
        figures.byDay = figures.byDay.filter { $0.value != 0 }
        figures.byTender = figures.byTender.filter { $0.value != 0 }
        figures.discounts = figures.discounts.filter { $0.value != 0 }
        figures.byCurrency = figures.byDay.reduce(into: [:]) {
            $0[String($1.key.suffix(3)), default: 0] += $1.value
        }.filter { $0.value != 0 }
        return figures
    }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &draw) }

    private mutating func oneIn(_ times: Int64) -> Bool { number(1...times) == 1 }

    mutating func ulid() -> String {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        return "01" + String((0..<24).map { _ in alphabet[Int.random(in: 0..<32, using: &draw)] })
    }

    private mutating func minted(
        _ type: String, _ payload: JSONObject, entityId: String? = nil, supersedes: String? = nil,
        inShift: Bool = true
    ) -> Mutation {
        sequence += 1
        var payload = payload
        if inShift, payload["shiftId"] == nil { payload["shiftId"] = .string(opening.shiftId) }
        let mutation = Mutation(
            id: ulid(), sequence: sequence, type: type, entity: String(type.prefix { $0 != "." }),
            entityId: entityId ?? ulid(),
            clientGeneratedAt: "2026-11-21T09:00:00.000Z", previousHash: previousHash, dependsOn: [],
            supersedes: supersedes, payload: .object(payload))
        previousHash = mutation.hash
        return mutation
    }

    private mutating func note(_ mutation: Mutation, voiding sale: Mutation? = nil) {
        tally.add(
            id: mutation.id, type: mutation.type, payload: mutation.payload, voided: sale?.payload)
    }

    private mutating func day() -> String { Self.days[Int(number(0...2))] }

    private mutating func count(
        _ day: String, _ currency: String, _ parts: [(payment: JSONObject, amount: Int64)], tax: Int64
    ) {
        for (payment, amount) in parts {
            sums.byDay["\(day) \(currency)", default: 0] += amount
            let method = payment["kind"] == "cash" ? "cash" : payment["method"]?.string ?? ""
            sums.byTender["\(method) \(currency)", default: 0] += amount
        }
        sums.tax += tax
    }
}

/// The shift and its drawer, and the member.
extension DrawnDays {
    /// A member, and a week of sales by which the measure of a day's points is known; each with the moment
    /// at which the hub gets it.
    mutating func weekBefore() -> [(mutation: Mutation, receivedAt: Int64)] {
        let begin = Self.receivedAt - 9 * 86_400_000
        var all = [
            (minted("member.created", ["name": "Li"], entityId: Self.member, inShift: false), begin),
            (
                minted(
                    "points.adjusted",
                    ["memberId": .string(Self.member), "delta": 500, "reason": "opening"], inShift: false),
                begin
            ),
        ]
        for number in 1...7 {
            let sale = sale(of: [line(price: 1_000)], on: "2026-11-\(12 + number)", isOfMember: true)
            all.append((sale, begin + Int64(number) * 86_400_000))
        }
        return all
    }

    mutating func opened() -> Mutation {
        from = sequence + 1
        return minted(ShiftOpening.type, opening.json.object ?? [:])
    }

    /// The Z report, by the same arithmetic as a till's.
    mutating func closed() -> Mutation {
        let closing = ShiftClosing(
            opening: opening, closedAt: 2_000, closedBy: nil,
            cash: ShiftClosing.Cash(
                expected: tally.sums.expectedCash(float: opening.float), counted: 0), counted: [],
            sums: tally.sums, from: from, to: sequence, head: previousHash)
        return minted(ShiftClosing.type, closing.json.object ?? [:])
    }

    /// Cash into the drawer or out of it, or the drawer opened for nothing.
    mutating func cashMove() -> Mutation {
        let kind = [CashMove.Kind.in, .out, .drop, .noSale][Int(number(0...3))]
        let move = CashMove(
            moveId: ulid(), shiftId: opening.shiftId, kind: kind,
            amount: kind == .noSale ? 0 : number(1...9_000),
            currency: "CNY", reason: "r", cashierId: "c1", businessDay: opening.businessDay, timeZone: "UTC")
        let mutation = minted(CashMove.type, move.json.object ?? [:], entityId: move.moveId)
        note(mutation)
        return mutation
    }
}

/// Sales.
extension DrawnDays {
    private mutating func line(price: Int64? = nil) -> JSONObject {
        let (amount, rate) = (
            price ?? number(1...4_000), [0, 700, 1_900][Int(number(0...2))] as Int64
        )
        let discount = price == nil && oneIn(4) ? number(0...amount) : 0
        var line: JSONObject = [
            "sku": .string("sku\(number(1...5))"), "name": "thing", "quantityMilli": 1000,
            "unitPrice": .integer(amount), "discount": .integer(discount),
            "total": .integer(amount - discount), "taxBasisPoints": .integer(rate),
        ]
        if discount > 1, oneIn(2) {
            line["offers"] = [
                [
                    "promotionId": "P1", "name": "ten", "coupon": oneIn(2) ? "C0FFEE" : .null,
                    "amount": .integer(discount / 2),
                ]
            ]
        }
        return line
    }

    /// A sale, sometimes behind one that the hub refuses and that a person edited.
    mutating func sale() -> [Mutation] {
        var refused: [Mutation] = []
        if oneIn(10) { refused = [minted("order.completed", ["currency": "CNY"])] }
        let lines = (0..<number(1...4)).map { _ in line() }
        let sale = sale(of: lines, on: day(), isOfMember: oneIn(3), supersedes: refused.first?.id)
        note(sale)
        return refused + [sale]
    }

    /// A sale that earns more than the measure of a day, so that its points wait for a person.
    mutating func largeSale() -> Mutation {
        let sale = sale(of: [line(price: 10_000_100)], on: Self.days[2], isOfMember: true)
        note(sale)
        return sale
    }

    private mutating func sale(
        of lines: [JSONObject], on day: String, isOfMember: Bool, supersedes: String? = nil
    ) -> Mutation {
        let currency = ["CNY", "JPY", "KWD"][Int(number(0...2))]
        var (lines, spent) = (lines, Int64(0))
        if isOfMember {
            for place in lines.indices {
                let value = (lines[place]["discount"]?.integer ?? 0) / 2
                lines[place]["pointsValue"] = .integer(value)
                spent += value
            }
        }
        let total = lines.reduce(0) { $0 + ($1["total"]?.integer ?? 0) }
        let tax = Self.tax(of: lines)
        var (tenders, change, rounding) = paid(total)
        let differs = !isOfMember && sold.count % 7 == 4 && tenders.last?.payment["kind"] == "cash"
        if differs, let paid = tenders.last?.payment["amount"]?.integer {
            tenders[tenders.count - 1].payment["amount"] = .integer(paid + 7)
        }
        let coupons = Set(
            lines.flatMap { $0["offers"]?.array ?? [] }.compactMap { $0["coupon"]?.string })
        var payload: JSONObject = [
            "orderId": .string(ulid()), "orderNumber": .string("S1-1-20261121-\(sequence + 1)"),
            "currency": .string(currency), "businessDay": .string(day), "taxIncluded": true,
            "timeZone": "UTC", "cashierId": .string("c\(number(1...2))"),
            "lines": .array(lines.map(JSONValue.object)), "hubTime": "2026-11-21T09:00:01.000Z",
            "payments": .array(tenders.map { .object($0.payment) }), "total": .integer(total),
            "coupons": .array(coupons.map(JSONValue.string)), "tax": .integer(tax),
            "change": .integer(change), "cashRounding": .integer(rounding),
        ]
        if isOfMember {
            payload["memberId"] = .string(Self.member)
            payload["points"] = [
                "earned": .integer(total / Self.earnEvery), "spent": .integer(spent),
                "value": .integer(spent),
            ]
        }
        let mutation = minted("order.completed", payload, supersedes: supersedes, inShift: from > 0)
        if differs { tenders = [([:], total, 0)] }
        count(day, currency, tenders.map { ($0.payment, $0.amount) }, tax: differs ? 0 : tax)
        let discounts = differs ? 0 : lines.reduce(0) { $0 + ($1["discount"]?.integer ?? 0) }
        sums.discounts[currency, default: 0] += discounts
        sums.sold["\(day) \(currency)", default: 0] += total
        sold.append(
            Sold(
                mutation: mutation, currency: currency, total: total, discounts: discounts, tenders: tenders,
                differs: differs))
        return mutation
    }

    private static func tax(of lines: [JSONObject]) -> Int64 {
        let paid = lines.map { ($0["taxBasisPoints"]?.integer ?? 0, $0["total"]?.integer ?? 0) }
        return (try? ReceiptTotals(paid: paid))?.taxes.reduce(0) { $0 + $1.tax } ?? 0
    }

    private static func rounding(of cash: Int64) -> Int64 { (cash + 2) / 5 * 5 - cash }

    /// How a total is paid: cash is rounded to 5 and has change, the rest of it is exact. Some cash is of
    /// the store's other tender of this kind.
    private mutating func paid(
        _ total: Int64
    ) -> (tenders: [(payment: JSONObject, amount: Int64, rounding: Int64)], change: Int64, rounding: Int64) {
        let card = oneIn(3) ? number(0...total) : 0
        let voucher = oneIn(3) ? number(0...(total - card)) : 0
        let cash = total - card - voucher
        let rounding = cash > 0 ? Self.rounding(of: cash) : 0
        let change = cash > 0 && oneIn(2) ? 5 * number(1...40) : 0
        var tenders: [(payment: JSONObject, amount: Int64, rounding: Int64)] = []
        func add(_ method: String, _ kind: String, _ amount: Int64, of total: Int64, _ rounding: Int64 = 0) {
            tenders.append(
                (
                    ["method": .string(method), "kind": .string(kind), "amount": .integer(amount)], total,
                    rounding
                ))
        }
        if card > 0 {
            let key = ulid()
            stored.append(key)
            add("visa", "card", card, of: card)
            let token: JSONObject = [
                "authorizationKey": .string(key), "state": "storedOffline",
                "sealed": ["keyId": "s", "token": "dG9rZW4="], "storedAt": "2026-11-21T09:00:00.000Z",
            ]
            for (name, value) in token { tenders[0].payment[name] = value }
        }
        if voucher > 0 { add("gift", "voucher", voucher, of: voucher) }
        let coins = cash > 3 && oneIn(3) ? number(1...(cash - 3)) : 0
        if coins > 0 { add("coins", "cash", coins, of: coins) }
        if cash > 0 {
            // Coins alone are rounded, and have change, as cash does.
            let method = coins == 0 && oneIn(5) ? "coins" : "cash"
            add(method, "cash", cash - coins + rounding + change, of: cash - coins, rounding)
        }
        return (tenders, change, rounding)
    }
}

/// What comes back.
extension DrawnDays {
    /// A void, or a refund of all or of one line, of a sale that nothing came back of yet; nil where there is
    /// none.
    mutating func reversal() -> Mutation? {
        let open = sold.indices.filter {
            if case .nothing = sold[$0].back { sold[$0].mutation.sequence > from } else { false }
        }
        guard let place = open.randomElement(using: &draw) else { return nil }
        if sold[place].differs {
            sold[place].back = .all
            return void(sold[place])
        }
        if oneIn(4) {
            sold[place].back = .aPart
            return refundOfLine(sold[place])
        }
        sold[place].back = .all
        return oneIn(3) ? void(sold[place]) : refund(sold[place])
    }

    /// Some name no currency; they count in that of their sale.
    private mutating func common(_ sale: Sold, on day: String) -> JSONObject {
        [
            "orderId": sale.mutation.payload["orderId"] ?? .null, "businessDay": .string(day),
            "cashierId": "c1", "currency": sequence % 2 == 0 ? .string(sale.currency) : nil,
            "timeZone": "UTC", "total": .integer(sale.total),
        ]
    }

    private mutating func void(_ sale: Sold) -> Mutation {
        let day = day()
        let tax = sale.differs ? 0 : sale.mutation.payload["tax"]?.integer ?? 0
        count(day, sale.currency, sale.tenders.map { ($0.payment, -$0.amount) }, tax: -tax)
        sums.discounts[sale.currency, default: 0] -= sale.discounts
        let void = minted("order.voided", common(sale, on: day))
        note(void, voiding: sale.mutation)
        return void
    }

    private mutating func refund(_ sale: Sold) -> Mutation {
        let (day, payload) = (day(), sale.mutation.payload)
        let tax = payload["tax"]?.integer ?? 0
        count(day, sale.currency, sale.tenders.map { ($0.payment, -$0.amount) }, tax: -tax)
        var members = common(sale, on: day)
        for name in ["tax", "cashRounding", "lines"] { members[name] = payload[name] }
        members["payments"] = .array(
            sale.tenders.filter { $0.amount + $0.rounding != 0 }.map { payment, amount, rounding in
                var back = payment
                back["amount"] = .integer(amount + rounding)
                for name in ["sealed", "storedAt"] { back[name] = nil }
                if payment["kind"] == "card" { back["state"] = "refunded" }
                return .object(back)
            })
        let refund = minted("refund.completed", members)
        note(refund)
        return refund
    }

    /// In cash, whatever paid the sale.
    private mutating func refundOfLine(_ sale: Sold) -> Mutation {
        let day = day()
        let line = (sale.mutation.payload["lines"]?.array ?? []).randomElement(using: &draw)?.object ?? [:]
        let total = line["total"]?.integer ?? 0
        let (tax, rounding) = (Self.tax(of: [line]), Self.rounding(of: total))
        let payment: JSONObject = [
            "method": "cash", "kind": "cash", "amount": .integer(total + rounding),
        ]
        count(day, sale.currency, [(payment, -total)], tax: -tax)
        var members = common(sale, on: day)
        members["total"] = .integer(total)
        members["tax"] = .integer(tax)
        members["cashRounding"] = .integer(rounding)
        members["lines"] = [.object(line)]
        members["payments"] = [.object(payment)]
        let refund = minted("refund.completed", members)
        note(refund)
        return refund
    }
}
