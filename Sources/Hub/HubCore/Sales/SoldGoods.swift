import HubProtocol
internal import Pricing

/// The amounts of a sale, taken apart. What a hostile payload claims never breaks a sum: an amount that is no
/// money counts as 0, and what its parts do not explain stands in a part without a key.
struct SoldGoods {
    let amounts: SaleAmounts
    let parts: [SalePart]

    init(_ order: CompletedOrder) {
        let (total, tax) = (order.total, Self.money(order.tax))
        do throws(PricingError) {
            let lines = order.lines.map(SoldLine.init)
            // None is below 0, so that no sum of some of them is too large when that of all is not.
            let discounts = try MoneyRange.sum(lines.lazy.map(\.discount))
            let amounts = SaleAmounts(
                orders: 1, gross: total + discounts, discounts: discounts, tax: tax)
            parts =
                Self.products(try Self.byKey(lines) { $0.sku }, of: amounts)
                + Self.tenders(try Self.paid(order), of: amounts)
                + Self.taxes(try Self.byKey(lines) { String($0.rate) }, of: amounts)
            self.amounts = amounts
        } catch {
            let amounts = SaleAmounts(orders: 1, gross: total, tax: tax)
            self.amounts = amounts
            parts = [SalePart.Dimension.product, .tender, .tax].map { SalePart($0, nil, amounts) }
        }
    }

    /// An amount of money; 0 for anything else.
    static func money(_ amount: Int64?) -> Int64 {
        guard let amount, amount.magnitude <= MoneyRange.maximum.magnitude else { return 0 }
        return amount
    }

    /// One line, or all lines of a key together.
    struct SoldLine {
        var sku = ""
        var rate: Int64 = 0
        var total: Int64 = 0
        var discount: Int64 = 0

        init(_ line: CompletedOrder.Line) {
            sku = line.sku
            rate = SaleRules.rate(line.taxBasisPoints)
            total = max(0, SoldGoods.money(line.total))
            discount = max(0, SoldGoods.money(line.given))
        }

        init(_ line: CompletedRefund.Line) {
            sku = line.sku ?? ""
            rate = SaleRules.rate(line.taxBasisPoints)
            total = max(0, SoldGoods.money(line.total))
        }

        /// The tax within the line.
        func tax() throws(PricingError) -> Int64 {
            try MoneyRange.share(of: total, times: rate, over: 10_000 + rate)
        }
    }

    /// What the lines of one key come to.
    struct KeySum {
        let key: String
        var total: Int64 = 0
        var discount: Int64 = 0
        /// By the rates of the lines, before it is rounded for the whole receipt.
        var tax: Int64 = 0
    }

    /// In the order of the first line of each key.
    static func byKey(_ lines: [SoldLine], _ key: (SoldLine) -> String) throws(PricingError) -> [KeySum] {
        _ = try MoneyRange.sum(lines.lazy.map(\.total))
        var sums: [KeySum] = []
        var places: [String: Int] = [:]
        for line in lines {
            let name = key(line)
            let index = places[name] ?? sums.endIndex
            if index == sums.endIndex {
                sums.append(KeySum(key: name))
                places[name] = index
            }
            sums[index].total += line.total
            sums[index].discount += line.discount
            sums[index].tax += try line.tax()
        }
        return sums
    }

    /// The receipt's tax is rounded once for each rate, so the products share it by what their lines have.
    private static func products(_ sums: [KeySum], of amounts: SaleAmounts) -> [SalePart] {
        let taxes = Shares.of(amounts.tax, by: sums.map(\.tax))
        let parts = zip(sums, taxes).map { sum, tax in
            SalePart(
                .product, sum.key,
                SaleAmounts(orders: 1, gross: sum.total + sum.discount, discounts: sum.discount, tax: tax))
        }
        return parts.completed(.product, to: amounts)
    }

    private static func taxes(_ sums: [KeySum], of amounts: SaleAmounts) -> [SalePart] {
        let taxes = Shares.of(amounts.tax, by: sums.map(\.tax))
        let parts = zip(sums, taxes).map { sum, tax in
            SalePart(
                .tax, sum.key,
                SaleAmounts(orders: 1, gross: sum.total + sum.discount, discounts: sum.discount, tax: tax))
        }
        return parts.completed(.tax, to: amounts)
    }

    /// What each method paid of the total: change and the rounding of cash are cash that did not stay.
    static func paid(_ order: CompletedOrder) throws(PricingError) -> [(method: String, amount: Int64)] {
        var paid = try payments(order.payments)
        let change = try MoneyRange.checked(money(order.change) + money(order.cashRounding))
        if change != 0, let cash = paid.firstIndex(where: { $0.method == "cash" }) {
            paid[cash].amount = try MoneyRange.checked(paid[cash].amount - change)
        }
        return paid
    }

    /// Payments by method, in the order of their first one.
    static func payments(
        _ payments: [RecordedPayment]?
    ) throws(PricingError) -> [(method: String, amount: Int64)] {
        let payments = (payments ?? []).map { payment in
            // As a shift counts it: what is in the drawer is cash, whatever the tender is called.
            (
                method: payment.shownDetails.kind == .cash ? "cash" : payment.method ?? "",
                amount: max(0, money(payment.amount))
            )
        }
        _ = try MoneyRange.sum(payments.lazy.map(\.amount))
        var paid: [(method: String, amount: Int64)] = []
        var places: [String: Int] = [:]
        for payment in payments {
            let index = places[payment.method] ?? paid.endIndex
            if index == paid.endIndex {
                paid.append((payment.method, 0))
                places[payment.method] = index
            }
            paid[index].amount += payment.amount
        }
        return paid
    }

    /// Discounts and tax belong to no tender; tenders share them by what they paid.
    private static func tenders(
        _ paid: [(method: String, amount: Int64)], of amounts: SaleAmounts
    ) -> [SalePart] {
        let discounts = Shares.of(amounts.discounts, by: paid.map(\.amount))
        let taxes = Shares.of(amounts.tax, by: paid.map(\.amount))
        return paid.indices.map { index in
            SalePart(
                .tender, paid[index].method,
                SaleAmounts(
                    orders: 1, gross: paid[index].amount + discounts[index], discounts: discounts[index],
                    tax: taxes[index]))
        }.completed(.tender, to: amounts)
    }
}

/// The amounts of a refund, taken apart.
struct ReturnedGoods {
    let amounts: SaleAmounts
    let parts: [SalePart]

    init(_ refund: CompletedRefund) {
        let total = refund.total ?? 0
        let amounts = SaleAmounts(refunds: total, tax: -SoldGoods.money(refund.tax))
        self.amounts = amounts
        do throws(PricingError) {
            let lines = (refund.lines ?? []).map(SoldGoods.SoldLine.init)
            let paid = try SoldGoods.payments(refund.payments)
            // Cash is rounded: what the tenders gave back is not the total to the cent.
            let returned = Shares.of(total, by: paid.map(\.amount))
            let taxes = Shares.of(amounts.tax, by: paid.map(\.amount))
            let tenders = paid.indices.map { index in
                SalePart(
                    .tender, paid[index].method, SaleAmounts(refunds: returned[index], tax: taxes[index]))
            }
            parts =
                Self.parts(.product, try SoldGoods.byKey(lines) { $0.sku }, of: amounts)
                + tenders.completed(.tender, to: amounts)
                + Self.parts(.tax, try SoldGoods.byKey(lines) { String($0.rate) }, of: amounts)
        } catch {
            parts = [SalePart.Dimension.product, .tender, .tax].map { SalePart($0, nil, amounts) }
        }
    }

    private static func parts(
        _ dimension: SalePart.Dimension, _ sums: [SoldGoods.KeySum], of amounts: SaleAmounts
    ) -> [SalePart] {
        let taxes = Shares.of(amounts.tax, by: sums.map(\.tax))
        return zip(sums, taxes).map { sum, tax in
            SalePart(dimension, sum.key, SaleAmounts(refunds: sum.total, tax: tax))
        }.completed(dimension, to: amounts)
    }
}

extension [SalePart] {
    /// With a part without a key for what these do not explain.
    fileprivate func completed(_ dimension: SalePart.Dimension, to amounts: SaleAmounts) -> [SalePart] {
        let explained = reduce(SaleAmounts()) { $0 + $1.amounts }
        var rest = amounts + -explained
        rest.orders = isEmpty ? amounts.orders : 0
        return rest.isEmpty && !isEmpty ? self : self + [SalePart(dimension, nil, rest)]
    }
}

/// Shares of an amount of money by weights.
enum Shares {
    /// Each the floor of its share; what is left over goes one unit each to the largest remainders, the
    /// first of equal ones first. All 0 where no weight is positive.
    static func of(_ amount: Int64, by weights: [Int64]) -> [Int64] {
        let weights = weights.map { Int128(Swift.max(0, $0)) }
        let whole = weights.reduce(0, +)
        guard whole > 0, amount != 0 else { return weights.map { _ in 0 } }
        let size = Int128(amount.magnitude)
        var shares = weights.map { Int64(size * $0 / whole) }
        var rest = Int64(size) - shares.reduce(0, +)
        let order = weights.indices.sorted { left, right in
            let (first, second) = (size * weights[left] % whole, size * weights[right] % whole)
            return first == second ? left < right : first > second
        }
        for index in order where rest > 0 {
            shares[index] += 1
            rest -= 1
        }
        return amount < 0 ? shares.map { -$0 } : shares
    }
}
