internal import AgentAPI
internal import HubProtocol
internal import Counter
internal import Pricing
internal import Agent

/// What was scanned so far. One key for the whole sale, so that paying twice by mistake sells once.
struct Basket {
    var lines: [EnteredLine] = []
    /// The place of the last scan's line, of the last line where that is gone; -1 in an empty basket.
    var scanned: Int {
        guard let last = lastScanned, lines.indices.contains(last) else { return lines.count - 1 }
        return last
    }
    private var lastScanned: Int?
    var member: String?
    var coupons: [String] = []
    /// Points of the member that it spends; nil: none.
    var points: Int64?
    /// What was taken and does not cover the total yet, as the agent has it on disk.
    var money = TakenMoney()
    /// Who sells, and who approves it.
    var person: AgentPerson
    /// The agent's last quote; nil for an empty basket.
    var quote: QuoteResponse?
    /// The cashier knows that the clocks differ.
    var isClockConfirmed = false
    /// The change, above the currency's largest note, that the cashier was shown; the same again is sold.
    var confirmedChange: Int64?
    /// The cashier knows that a voucher of it paid another sale.
    var isVoucherConfirmed = false
    private(set) var key = SaleKey.mint()

    init(person: AgentPerson) {
        self.person = person
    }

    /// A new sale, of the same person.
    func emptied(by person: AgentPerson) -> Basket {
        var next = Basket(person: person)
        next.isClockConfirmed = isClockConfirmed
        return next
    }

    var currency: String { quote?.total.currency ?? "" }
    var total: Int64 { quote?.total.amount ?? 0 }
    var quotedLines: [SoldLine] { quote?.lines ?? [] }

    /// ``money`` as payments of the sale.
    var tenders: [SellCall.Tender] { money.tenders }
    /// Minor units taken so far.
    var taken: Int64 { money.sum }

    /// Becomes a cart that was left, with what was taken for it.
    mutating func resume(_ cart: CartRecord) {
        let call = cart.basket
        (lines, member, coupons, points) = (call.lines, call.memberId, call.coupons, call.points)
        (key, money) = (cart.cartId, cart.money)
    }

    /// Adds what was scanned, as the screen does.
    mutating func scan(_ line: EnteredLine, joining: Bool) {
        lastScanned = ScannedLines.add(line, to: &lines, joining: joining)
    }

    /// Takes a line off; the last one is then where the last scan is looked for.
    mutating func remove(at place: Int) {
        lines.remove(at: place)
        lastScanned = nil
    }

    /// What the agent keeps of it.
    func kept(taking tenders: [SellCall.Tender]) -> SellCall {
        var call = SellCall(
            key: key, lines: lines, payments: tenders.isEmpty ? nil : tenders, memberId: member,
            coupons: coupons)
        call.points = points
        return call
    }

    /// The request for its price.
    var quoteCall: QuoteCall { QuoteCall(kept(taking: [])) }

    /// The request for its sale.
    func sellCall(paying payments: [SellCall.Tender]) -> SellCall {
        var call = SellCall(
            key: key, lines: lines, payments: payments, memberId: member, coupons: coupons, person: person,
            quotedTotalMinor: total, isClockConfirmed: isClockConfirmed)
        call.points = points
        call.isVoucherConfirmed = isVoucherConfirmed
        return call
    }

    /// What comes back of `tenders` where it is more than the currency's largest note; nil: it is not.
    func largeChange(of tenders: [SellCall.Tender]) -> Int64? {
        let given = tenders.reduce(Int64(0)) { $0.addingReportingOverflow($1.amountMinor ?? 0).partialValue }
        let (change, overflows) = given.subtractingReportingOverflow(total)
        return !overflows && change > CashProposals.largestNote(of: currency) ? change : nil
    }

    /// Each line whose price for a whole unit is no longer that of the quote before: name, old and new.
    func changedPrices(since before: QuoteResponse?) -> [(name: String, old: Int64, new: Int64)] {
        zip(before?.lines ?? [], quotedLines).compactMap { old, new in
            guard old.unitPrice != new.unitPrice, old.barcode == new.barcode else { return nil }
            return (new.name, old.unitPrice, new.unitPrice)
        }
    }
}

extension Basket {
    /// `AMOUNT` in minor units or, with a point, in whole ones, or `10%` of the line at `place`.
    func discount(_ text: String, ofLineAt place: Int) -> Int64? {
        guard text.hasSuffix("%") else { return amount(text) }
        guard let percent = SaleArguments.milli(text.dropLast()), percent <= 100_000,
            quotedLines.indices.contains(place),
            let line = try? PricedLine(
                quantityMilli: quotedLines[place].quantityMilli, unitPrice: quotedLines[place].unitPrice,
                discount: 0, taxBasisPoints: 0)
        else { return nil }
        return try? MoneyRange.share(of: line.gross, times: percent, over: 100_000)
    }

    /// `1250` as minor units, `12.50` or `12,50` as whole ones of the basket's currency; nil for anything
    /// else.
    func amount(_ text: some StringProtocol) -> Int64? {
        let text = text.halfWidth
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        guard parts.count == 2 else { return Int64(text) }
        let decimals = AmountText.decimals(of: currency)
        guard !parts[0].isEmpty, (1...max(1, decimals)).contains(parts[1].count), decimals > 0,
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(
            String(parts[0]) + String(parts[1]) + String(repeating: "0", count: decimals - parts[1].count))
    }

    /// `METHOD[:AMOUNT[:NUMBER]]`; without the amount, as `gift::V1`, it pays the rest.
    func payment(_ text: String) -> SellCall.Tender? {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard let method = parts.first.map(String.init), !method.isEmpty else { return nil }
        guard parts.count > 1 else { return SellCall.Tender(method: method) }
        let number = parts.count == 3 ? String(parts[2]) : nil
        if parts[1].isEmpty, number != nil { return SellCall.Tender(method: method, reference: number) }
        return amount(parts[1]).map {
            SellCall.Tender(method: method, amountMinor: $0, reference: number)
        }
    }

    /// `AMOUNT`, as of a line, or `10%` of everything, spread over the lines in place of their discounts; nil
    /// for anything else.
    func discounts(_ text: String) -> [Int64]? {
        let gross = quotedLines.map { $0.total + $0.discount }
        let all = gross.reduce(0, +)
        let amount: Int64?
        if text.hasSuffix("%") {
            amount = SaleArguments.milli(text.dropLast()).flatMap { percent in
                (0...100_000).contains(percent)
                    ? try? MoneyRange.share(of: all, times: percent, over: 100_000) : nil
            }
        } else {
            amount = self.amount(text)
        }
        guard let amount, (0...all).contains(amount) else { return nil }
        return try? MoneyRange.parts(of: amount, over: gross)
    }
}
