package import AgentAPI
package import HubProtocol
internal import Pricing

/// The cart on the screen. It changes only by what the agent has priced: a refusal never costs a line.
package struct CounterCart: Sendable {
    /// As they were scanned, the newest last.
    package var lines: [EnteredLine] = []
    /// As typed; nil: no member.
    package var member: String?
    /// Codes as typed.
    package var coupons: [String] = []
    /// Points of the member that it spends; nil: none.
    package var points: Int64?
    /// What was taken and does not cover the total yet, as the agent has it on disk.
    package internal(set) var money = TakenMoney()
    /// The line that the last scan is in; nil: nothing was scanned.
    fileprivate(set) var scanned: Int?
    /// What comes back for it; nil: the sale is no exchange.
    package var returned: CounterReturn?
    /// Nil for an empty cart.
    package var quote: QuoteResponse?
    /// One key for the whole sale: paying twice by mistake sells once.
    package private(set) var key: String

    /// An empty cart; `key` is a ULID.
    package init(key: String) {
        self.key = key
    }

    /// ISO 4217; empty for a cart that ``hasNothing``.
    package var currency: String { quote?.total.currency ?? returned?.goods.currency ?? "" }
    /// Minor units, before the rounding of cash.
    package var total: Int64 { quote?.total.amount ?? 0 }
    /// With the rounding to the smallest coin.
    package var cashTotal: Int64 { total + (quote?.cashRounding.amount ?? 0) }
    /// ``money`` as payments of the sale.
    package var tenders: [SellCall.Tender] { money.tenders }
    /// Minor units taken so far.
    package var taken: Int64 { money.sum }
    /// What is still to be paid in cash, and by card; below 0 what the customer gets.
    var rest: (cash: Int64, card: Int64) {
        let covered = taken + (returned?.worth ?? 0)
        return (cashTotal - covered, total - covered)
    }
    /// Whether it has no lines; a member or a coupon alone is no cart.
    package var isEmpty: Bool { lines.isEmpty }
    /// Whether nothing of a customer is in it: no line, and no goods that come back.
    package var hasNothing: Bool { isEmpty && returned == nil }

    /// What `line` of the quote costs without its discount.
    func gross(of line: SoldLine) -> Int64 { line.total + line.discount }

    /// Becomes a cart that was parked or left, with what was taken for it. Its id is the key of its sale:
    /// resumed twice it is sold once.
    ///
    /// - Parameter returned: what comes back for it; nil: nothing, or it is not there any more.
    mutating func resume(_ cart: CartRecord, for returned: CounterReturn?) {
        let call = cart.basket
        (lines, member, coupons, points) = (call.lines, call.memberId, call.coupons, call.points)
        key = cart.cartId
        money = cart.money
        self.returned = returned
    }

    /// What the agent keeps of it: everything but who sells it.
    func kept(taking tenders: [SellCall.Tender]) -> SellCall {
        var call = SellCall(
            key: key, lines: lines, payments: tenders.isEmpty ? nil : tenders, memberId: member,
            coupons: coupons)
        (call.points, call.returns) = (points, returned?.returns)
        return call
    }

    func call(by person: AgentPerson = AgentPerson(), paying: [SellCall.Tender]? = nil) -> SellCall {
        var call = SellCall(
            key: key, lines: lines, payments: paying, memberId: member, coupons: coupons, person: person,
            quotedTotalMinor: paying == nil ? nil : total)
        call.points = points
        if paying != nil { call.returns = returned?.returns }
        return call
    }
}

/// A change of the cart, which counts once the agent has priced it.
enum CartChange: Sendable {
    /// `joining` counts an equal line up.
    case scan(EnteredLine, joining: Bool)
    case quantity(Int, milli: Int64)
    case discount(Int, minor: Int64)
    case price(Int, minor: Int64)
    case remove(Int)
    case member(String?)
    case coupon(String?)
    /// Off each line in turn, in place of its discount.
    case discounts([Int64])
    case points(Int64?)
    case resume(CartRecord, CounterReturn?)
    /// Prices only.
    case reprice

    func applied(to cart: CounterCart) -> CounterCart {
        var next = cart
        switch self {
        case .scan(let line, let joining):
            next.scanned = ScannedLines.add(line, to: &next.lines, joining: joining)
        case .quantity(let place, let milli): next.lines[place].quantityMilli = milli
        case .discount(let place, let minor): next.lines[place].discountMinor = minor == 0 ? nil : minor
        case .price(let place, let minor): next.lines[place].unitPriceMinor = minor
        case .remove(let place): next.lines.remove(at: place)
        case .member(let id): (next.member, next.points) = (id, id == next.member ? next.points : nil)
        case .discounts(let parts):
            for (place, minor) in parts.enumerated() {
                next.lines[place].discountMinor = minor == 0 ? nil : minor
            }
        case .points(let points): next.points = points
        case .coupon(let code?): next.coupons.append(code)
        case .coupon(nil): next.coupons = []
        case .resume(let kept, let returned): next.resume(kept, for: returned)
        case .reprice: break
        }
        return next
    }

    /// Whether the line that it changes is still there.
    func isPossible(in cart: CounterCart) -> Bool {
        switch self {
        case .quantity(let place, _), .discount(let place, _), .price(let place, _), .remove(let place):
            cart.lines.indices.contains(place)
        case .discounts(let parts): parts.count == cart.lines.count
        case .scan, .member, .coupon, .points, .resume, .reprice: true
        }
    }
}

/// Numbers as a cashier types them.
enum Entry {
    /// `2` or `0.357`, with a point or a comma, in thousandths; nil for anything else and for 0.
    static func milli(_ text: some StringProtocol) -> Int64? {
        number(text, decimals: 3).flatMap { $0 > 0 ? $0 : nil }
    }

    /// `12.50` or `12` in whole units of the currency, as minor units; nil also for a barcode, which a
    /// scanner types into whatever field is open.
    static func amount(_ text: some StringProtocol, currency: String) -> Int64? {
        TradeItemCode.isLikely(text) ? nil : number(text, decimals: AmountText.decimals(of: currency))
    }

    /// A scan: `CODE`, `CODE:QTY` or `QTY*CODE`.
    static func line(_ text: String) -> EnteredLine {
        if let star = text.firstIndex(of: "*"), let quantity = milli(text[..<star].trimmed) {
            let code = text[text.index(after: star)...].trimmed
            if !code.isEmpty { return EnteredLine(barcode: String(code), quantityMilli: quantity) }
        }
        if let colon = text.lastIndex(of: ":"), colon > text.startIndex,
            let quantity = milli(text[text.index(after: colon)...].trimmed)
        {
            return EnteredLine(barcode: String(text[..<colon].trimmed), quantityMilli: quantity)
        }
        return EnteredLine(barcode: text)
    }

    /// Whether a scan has a quantity in front that cannot be read: `0*CODE`, `-1*CODE`, `*CODE`.
    static func hasMalformedQuantity(_ text: String) -> Bool {
        guard let star = text.firstIndex(of: "*") else { return false }
        let front = text[..<star].trimmed
        return milli(front) == nil && front.allSatisfy { $0.isNumber || "+-.,".contains($0) }
    }

    private static func number(_ text: some StringProtocol, decimals: Int) -> Int64? {
        let text = text.halfWidth
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        guard (1...2).contains(parts.count), !text.isEmpty, text.utf8.count <= 16,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), !parts[0].isEmpty,
            parts.count == 1 || (1...max(1, decimals)).contains(parts[1].count) && decimals > 0
        else { return nil }
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        return Int64(parts[0] + fraction + String(repeating: "0", count: decimals - fraction.count))
    }
}

extension StringProtocol {
    /// Without spaces at both ends.
    var trimmed: SubSequence {
        guard let first = firstIndex(where: { $0 != " " }), let last = lastIndex(where: { $0 != " " }) else {
            return self[endIndex...]
        }
        return self[first...last]
    }
}
