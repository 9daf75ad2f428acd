/// How a total is paid. Cards, wallets and vouchers pay to the unit; the part that is left to cash is rounded
/// to the smallest coin, and only cash gives change.
package struct Settlement: Hashable, Sendable {
    /// A way to pay, by its name in the store's list of tenders.
    package struct Method: Hashable, Sendable {
        /// `method` in requests and payloads.
        package let name: String
        /// Whether it is counted in the drawer: rounded, and with change.
        package let isCash: Bool

        /// The name by which it is counted in shifts and figures: all that is in the drawer is `cash`.
        package var counted: String { isCash ? Self.cash.name : name }

        /// A way to pay; `isCash` is false by default.
        package init(_ name: String, isCash: Bool = false) {
            (self.name, self.isCash) = (name, isCash)
        }

        /// What every store takes.
        package static let cash = Method("cash", isCash: true)
        /// The method that stores without a list of tenders take cards by.
        package static let card = Method("card")
    }

    /// What the customer hands over; nil takes the rest, whatever it is.
    package struct Tender: Hashable, Sendable {
        /// Decides about rounding and change.
        package let method: Method
        /// Minor units, not negative; at most one tender of a settlement is nil.
        package let amount: Int64?

        /// Makes a tender; the settlement checks the amount.
        package init(method: Method, amount: Int64?) {
            self.method = method
            self.amount = amount
        }
    }

    /// What was handed over, in the order of the tenders; a tender of nothing is left out.
    package struct Payment: Hashable, Sendable {
        /// As in the tender.
        package let method: Method
        /// Minor units, positive. Of cash this is what was tendered, ``Settlement/change`` still in it.
        package let amount: Int64
        /// The tender's place among those that were settled, from 0.
        package let place: Int

        /// Makes a payment without a check; `amount` is minor units above 0, and `place` is 0 by default.
        package init(method: Method, amount: Int64, place: Int = 0) {
            self.method = method
            self.amount = amount
            self.place = place
        }
    }

    /// In the order of the tenders; empty for a total of 0 that nothing was tendered for.
    package let payments: [Payment]
    /// Added to the total by rounding the cash part; negative when rounded down, 0 without a smallest coin.
    package let cashRounding: Int64
    /// Given back in cash.
    package let change: Int64

    /// Settles `total` with `tenders`; none at all means exact cash.
    ///
    /// - Parameters:
    ///   - total: minor units, not negative.
    ///   - smallestCoin: minor units; 0 or 1 rounds nothing.
    package init(total: Int64, tenders: [Tender], smallestCoin: Int64) throws(PricingError) {
        let tenders = tenders.isEmpty ? [Tender(method: .cash, amount: nil)] : tenders
        guard tenders.count(where: { $0.amount == nil }) <= 1 else { throw .severalOpenTenders }
        for case let amount? in tenders.map(\.amount) where amount < 0 { throw .negativeAmount(amount) }
        let stated = (card: try Self.stated(false, in: tenders), cash: try Self.stated(true, in: tenders))
        let open = tenders.first { $0.amount == nil }?.method

        // An open card settles what the cash leaves to the unit, so there is nothing to round.
        let cardRest = open?.isCash == false ? max(0, total - stated.card - stated.cash) : 0
        let card = try MoneyRange.checked(stated.card + cardRest)
        guard card <= total else { throw .cardAboveTotal(total: total, card: card) }
        let roundsCash = open?.isCash != false && tenders.contains(where: \.method.isCash)
        let cashDue = roundsCash ? try Self.rounded(total - card, to: smallestCoin) : total - card

        let cashRest = open?.isCash == true ? max(0, cashDue - stated.cash) : 0
        let cash = try MoneyRange.checked(stated.cash + cashRest)
        guard cash >= cashDue else { throw .tenderShort(due: card + cashDue, tendered: card + cash) }

        payments = tenders.enumerated().compactMap { place, tender in
            let amount = tender.amount ?? cardRest + cashRest
            return amount == 0 ? nil : Payment(method: tender.method, amount: amount, place: place)
        }
        cashRounding = cashDue - (total - card)
        change = cash - cashDue
    }

    private static func stated(_ isCash: Bool, in tenders: [Tender]) throws(PricingError) -> Int64 {
        try MoneyRange.sum(tenders.lazy.filter { $0.method.isCash == isCash }.compactMap(\.amount))
    }

    /// `amount` to the nearest multiple of `coin`, half away from zero.
    private static func rounded(_ amount: Int64, to coin: Int64) throws(PricingError) -> Int64 {
        guard coin > 1 else { return amount }
        return try MoneyRange.checked(try MoneyRange.share(of: amount, times: 1, over: coin) * coin)
    }
}
