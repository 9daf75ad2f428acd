internal import HubProtocol
internal import Pricing
internal import Terminal

/// What was scanned so far. One key for the whole sale, so that paying twice by mistake sells once.
struct Basket {
    var lines: [JSONObject] = []
    var member: String?
    var coupons: [String] = []
    /// What was tendered and does not cover the total yet.
    var tenders: [JSONValue] = []
    /// Who sells, and who approves it.
    var person: JSONObject
    /// The agent's last word on what it comes to; nil for an empty one.
    var quote: JSONValue?
    /// The cashier knows that the clocks differ.
    var isClockConfirmed = false
    private(set) var key = SaleKey.mint()

    init(person: JSONObject) {
        self.person = person
    }

    /// A new sale, of the same person.
    func emptied(by person: JSONObject) -> Basket {
        var next = Basket(person: person)
        next.isClockConfirmed = isClockConfirmed
        return next
    }

    var currency: String { quote?["total"]?["currency"]?.string ?? "" }
    var total: Int64 { quote?["total"]?["amount"]?.integer ?? 0 }
    var quotedLines: [JSONValue] { quote?["lines"]?.array ?? [] }

    /// Minor units tendered so far.
    var taken: Int64 { tenders.reduce(0) { $0 + ($1["amountMinor"]?.integer ?? 0) } }

    /// A request for its price, or for its sale when `payments` are given.
    func request(paying payments: [JSONValue]? = nil) -> JSONValue {
        var members: JSONObject = [
            "key": .string(key), "lines": .array(lines.map(JSONValue.object)),
            "coupons": .array(coupons.map(JSONValue.string)),
        ]
        members["memberId"] = member.map(JSONValue.string)
        guard let payments else { return .object(members) }
        members["payments"] = .array(payments)
        members["quotedTotalMinor"] = .integer(total)
        if isClockConfirmed { members["clockConfirmed"] = true }
        for (name, value) in person { members[name] = value }
        return .object(members)
    }

    /// Each line whose price for a whole unit is no longer that of the quote before: name, old and new.
    func changedPrices(since before: JSONValue?) -> [(name: String, old: Int64, new: Int64)] {
        zip(before?["lines"]?.array ?? [], quotedLines).compactMap { old, new in
            guard let was = old["unitPrice"]?.integer, let now = new["unitPrice"]?.integer, was != now,
                old["barcode"] == new["barcode"]
            else { return nil }
            return (new["name"]?.string ?? "", was, now)
        }
    }
}

extension Basket {
    /// `AMOUNT` in minor units or, with a point, in whole ones, or `10%` of the line at `place`.
    func discount(_ text: String, ofLineAt place: Int) -> Int64? {
        guard text.hasSuffix("%") else { return amount(text) }
        guard let percent = SaleArguments.milli(text.dropLast()), percent <= 100_000,
            quotedLines.indices.contains(place), let price = quotedLines[place]["unitPrice"]?.integer,
            let quantity = quotedLines[place]["quantityMilli"]?.integer,
            let line = try? PricedLine(
                quantityMilli: quantity, unitPrice: price, discount: 0, taxBasisPoints: 0)
        else { return nil }
        return try? MoneyRange.share(of: line.gross, times: percent, over: 100_000)
    }

    /// `1250` as minor units, `12.50` as whole ones of the basket's currency; nil for anything else.
    func amount(_ text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return Int64(text) }
        let decimals = AmountText.decimals(of: currency)
        guard !parts[0].isEmpty, (1...max(1, decimals)).contains(parts[1].count), decimals > 0,
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(
            String(parts[0]) + String(parts[1]) + String(repeating: "0", count: decimals - parts[1].count))
    }

    /// `METHOD[:AMOUNT]`.
    func payment(_ text: String) -> JSONValue? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let method = parts.first.map(String.init), !method.isEmpty else { return nil }
        guard parts.count == 2 else { return ["method": .string(method)] }
        return amount(parts[1]).map { ["method": .string(method), "amountMinor": .integer($0)] }
    }
}
