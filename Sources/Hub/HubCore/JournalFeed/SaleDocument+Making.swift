import HubProtocol
internal import Pricing

/// The one place where a sale and what came back of it are taken apart. What a hostile payload claims never
/// breaks a sum: an amount that is no money counts as 0, and one that the parts do not explain leaves the
/// total alone (``differs``).
extension SaleDocument {
    /// A finished sale.
    init(of order: CompletedOrder) {
        lines = order.lines.map(Line.init)
        (total, tax) = (order.total, Self.money(order.tax))
        payments = (order.payments ?? []).map(Payment.init)
        change = Self.money(order.change)
        cashRounding = Self.money(order.cashRounding)
        approverId = order.approverId.map(TextBound.key)
        cashierId = order.cashierId.map(TextBound.key)
        memberId = order.pointsMember
        points = order.points.map(Points.init)
        shareTax()
    }

    /// What was given back; its points are known once the sale was looked up.
    ///
    /// A refund that names no payments went back in cash, and one without its tax has that of its rates.
    /// Where no line has an amount, they share the total by their quantities; without lines there is one
    /// without goods.
    init(of refund: CompletedRefund) {
        lines = (refund.lines ?? []).map(Line.init)
        total = Self.money(refund.total)
        if lines.isEmpty { lines = [Line()] }
        if refund.lines?.contains(where: { $0.total != nil }) != true {
            let weights = lines.map { $0.quantityMilli ?? 1 }
            for (index, share) in Shares.of(total, by: weights).enumerated() { lines[index].total = share }
        }
        cashRounding = Self.money(refund.cashRounding)
        payments = refund.payments.map { $0.map(Payment.init) } ?? [.cash(Self.money(total + cashRounding))]
        approverId = refund.approverId.map(TextBound.key)
        cashierId = refund.cashierId.map(TextBound.key)
        tax = refund.tax.map(Self.money) ?? Self.tax(of: lines)
        shareTax()
        // Of lines without rates nothing says whose it is.
        if !taxes.isEmpty, taxes.allSatisfy({ $0.tax == 0 }) {
            taxes[0].tax = tax
            lines[0].tax = tax
        }
    }

    /// A void of a sale; nil: of one that the hub does not have, which takes nothing back and says what the
    /// terminal states, for a person.
    init(of void: VoidedOrder, taking sale: CompletedOrder?) {
        if let sale {
            self = SaleDocument(of: sale).takenBack
        } else {
            self.init()
            statedTotal = Self.money(void.total)
        }
        approverId = void.approverId.map(TextBound.key)
        cashierId = void.cashierId.map(TextBound.key)
        points = nil
    }

    /// The same amounts on their way back: change was cash that did not stay.
    private var takenBack: SaleDocument {
        var back = self
        back.change = 0
        back.payments =
            change == 0
            ? payments
            : kept.filter { !$0.isNothing }.map { kept in
                var payment = kept.payment
                payment.amount = Self.money(payment.amount - kept.change)
                return payment
            }
        return back
    }

    /// A payment with its part of what did not stay in the drawer; minor units.
    package struct Kept {
        package let payment: Payment
        /// What of it went back as change.
        package var change: Int64 = 0
        /// What rounding added to it; of a return, to what went back.
        package var cashRounding: Int64 = 0

        /// What the payment has of the total.
        package var amount: Int64 { payment.amount - change - cashRounding }

        fileprivate var isNothing: Bool { payment.amount == 0 && change == 0 }
    }

    /// What stays of each payment (``MoneyBack``): the amounts come to the total. The rounding is with the
    /// tender `cash`, else with the first one of this kind; what no cash explains, as change of a card, is a
    /// payment of nothing by the tender `cash`.
    package var kept: [Kept] {
        let back = MoneyBack.change(change, from: payments.map { ($0.tender, $0.amount) })
        var kept = zip(payments, back.parts).map { Kept(payment: $0, change: $1) }
        guard back.rest != 0 || cashRounding != 0 else { return kept }
        var plain = payments.firstIndex { $0.tender == .cash }
        if plain == nil, back.rest == 0 { plain = payments.firstIndex { $0.tender.isCash } }
        if plain == nil { kept.append(Kept(payment: .cash(0))) }
        let place = plain ?? payments.endIndex
        kept[place].change += back.rest
        kept[place].cashRounding = cashRounding
        return kept
    }

    /// Whether one of the sums does not hold, so that the total alone counts.
    package var differs: Bool {
        do throws(PricingError) {
            let paid = try MoneyRange.sum(payments.map(\.amount) + [-change, -cashRounding])
            let taxed = try MoneyRange.sum(taxes.map(\.tax))
            let sold = try MoneyRange.sum(lines.map(\.total))
            _ = try MoneyRange.sum(lines.compactMap(\.discount))
            return paid != total || sold != total || taxed != tax
        } catch {
            return true
        }
    }

    /// An amount of money; 0 for anything else.
    fileprivate static func money(_ amount: Int64?) -> Int64 {
        guard let amount, amount.magnitude <= MoneyRange.maximum.magnitude else { return 0 }
        return amount
    }

    /// The receipt's tax is rounded once for each rate. Rates share it by what their lines have in it, and so
    /// do the lines of each rate.
    private mutating func shareTax() {
        guard let rates = try? Self.rates(of: lines) else { return }
        let shares = Shares.of(tax, by: rates.map { $0.tax.tax })
        taxes = zip(rates, shares).map { rate, share in
            var tax = rate.tax
            tax.tax = share
            return tax
        }
        for (rate, share) in zip(rates, shares) {
            let ofLines = Shares.of(share, by: rate.places.map { lines[$0].ownTax })
            for (place, share) in zip(rate.places, ofLines) { lines[place].tax = share }
        }
    }

    /// In the order of the first line of each rate, each with the tax of its lines by themselves, and where
    /// they are.
    private static func rates(of lines: [Line]) throws(PricingError) -> [(tax: Tax, places: [Int])] {
        _ = try MoneyRange.sum(lines.lazy.map(\.total))
        var rates: [(tax: Tax, places: [Int])] = []
        var known: [Int64: Int] = [:]
        for (place, line) in lines.enumerated() {
            let index = known[line.taxBasisPoints] ?? rates.endIndex
            if index == rates.endIndex {
                known[line.taxBasisPoints] = index
                rates.append((Tax(), []))
                rates[index].tax.basisPoints = line.taxBasisPoints
            }
            rates[index].tax.gross += line.total
            rates[index].tax.tax += line.ownTax
            rates[index].places.append(place)
        }
        return rates
    }

    /// The tax of lines that name none, rounded once for each rate.
    private static func tax(of lines: [Line]) -> Int64 {
        let rates = (try? rates(of: lines)) ?? []
        return rates.reduce(0) { $0 + Line.tax(within: $1.tax.gross, at: $1.tax.basisPoints) }
    }
}

extension SaleDocument.Line {
    fileprivate init(_ line: CompletedOrder.Line) {
        barcode = line.barcode
        department = line.department
        discount = line.given.map { max(0, SaleDocument.money($0)) }
        name = line.name
        offers = line.offers
        pointsValue = line.pointsValue
        quantityMilli = line.quantityMilli
        sku = line.sku
        taxBasisPoints = SaleRules.rate(line.taxBasisPoints)
        total = max(0, SaleDocument.money(line.total))
        unitPrice = line.unitPrice
    }

    fileprivate init(_ line: CompletedRefund.Line) {
        barcode = line.barcode
        name = line.name
        quantityMilli = line.quantityMilli
        sku = line.sku
        taxBasisPoints = SaleRules.rate(line.taxBasisPoints)
        total = max(0, SaleDocument.money(line.total))
    }

    /// The tax within the line, before it is rounded for the whole receipt.
    fileprivate var ownTax: Int64 { Self.tax(within: total, at: taxBasisPoints) }

    /// It is less than the amount, so that there is room for it.
    fileprivate static func tax(within amount: Int64, at rate: Int64) -> Int64 {
        (try? MoneyRange.share(of: amount, times: rate, over: 10_000 + rate)) ?? 0
    }
}

extension SaleDocument.Payment {
    fileprivate init(_ payment: RecordedPayment) {
        amount = max(0, SaleDocument.money(payment.amount))
        method = payment.method.map { TextBound.key($0) } ?? ""
        key = payment.authorizationKey.map { TextBound.key($0) }
        kind = payment.kind?.rawValue
    }

    fileprivate static func cash(_ amount: Int64) -> Self {
        var payment = Self()
        (payment.amount, payment.kind) = (amount, TenderKind.cash.rawValue)
        payment.method = Settlement.Method.cash.name
        return payment
    }

    /// Its way to pay, by which it is counted.
    var tender: Settlement.Method {
        Settlement.Method(method, isCash: kind == TenderKind.cash.rawValue)
    }
}

extension SaleDocument.Points {
    init(_ points: SalePoints) {
        (earned, spent, value) = (points.earned, points.spent, points.value)
    }

    init(_ points: ReturnedPoints, value: Int64?) {
        (earnedReturned, spentReturned) = (points.earnedReturned, points.spentReturned)
        self.value = value
    }
}
