internal import Credentials
internal import HubProtocol
internal import MachineRuntime
internal import Pricing

extension Checkout {
    /// Before any tender: a voucher that paid another sale of this terminal needs a confirmation, since some
    /// have money left. What other terminals sold, the hub compares.
    func checkVouchers(of cart: Cart, _ request: SaleRequest) async throws(SaleRefusal) {
        guard !request.isVoucherConfirmed else { return }
        for payment in cart.payments {
            guard let number = payment.reference else { continue }
            let order = try await SaleRefusal.accessing(
                await ports.ledger.order(paidBy: payment.tender.method, number))
            if let order { throw .voucherUsed(number: number, order: order) }
        }
    }

    /// Refuses an empty request, or one over the limits of a sale, before any request to the hub.
    func checkSize(of request: SaleRequest) throws(SaleRefusal) {
        guard !request.lines.isEmpty else { throw .noLines }
        guard request.lines.count <= policy.maximumLines else {
            throw .tooManyLines(count: request.lines.count, limit: policy.maximumLines)
        }
        try checkTexts(of: request)
    }

    /// Checks and prices what was entered, takes off what the store gives, and counts the points of a member
    /// who is known.
    func pricedCart(
        of request: SaleRequest, for member: MemberService.Found?, within waiting: SaleWaiting
    ) async throws(SaleRefusal) -> Cart {
        let spending = try await spending(of: request, by: member, within: waiting)
        var cart = try await cartWithOffers(
            of: request, memberId: member?.member.id, paidByPoints: spending?.value ?? 0, within: waiting)
        if member?.isKnown == true, policy.points.isInForce {
            cart.points = SalePoints(
                earned: policy.points.earned(of: cart.totals.total), spent: spending?.points ?? 0,
                value: spending?.value ?? 0)
        }
        cart.leases = try await (spending?.uses ?? []) + couponUses(of: cart, within: waiting)
        return cart
    }

    private func cartWithOffers(
        of request: SaleRequest, memberId: String?, paidByPoints value: Int64,
        within waiting: SaleWaiting
    ) async throws(SaleRefusal) -> Cart {
        let scanned = try await scannedProducts(of: request.lines)
        var lines: [SaleLine] = []
        lines.reserveCapacity(request.lines.count)
        for (line, product) in zip(request.lines, scanned) {
            lines.append(try priced(line, scanned: product))
        }
        let currency = try commonCurrency(of: scanned.map(\.product))
        guard offers.isRequested(about: request.coupons) else {
            return try settled(
                try paid(lines, byPoints: value, currency: currency), currency: currency, coupons: [],
                payments: request.tenders)
        }
        let departments = Dictionary(
            scanned.map { ($0.product.sku, $0.product.department) }, uniquingKeysWith: { $1 })
        let query = OfferQuery(
            memberId: memberId, coupons: request.coupons,
            zone: policy.calendar.zone(at: ports.time.wallMilliseconds()),
            lines: lines.map { line in
                OfferQuery.Line(sku: line.sku, department: departments[line.sku] ?? "", price: line.price)
            })
        let response = try await offers.response(to: query, within: waiting)
        let reduced = try reduced(lines, by: response.lines, currency: currency)
        var cart = try settled(
            try paid(reduced, byPoints: value, currency: currency), currency: currency,
            coupons: response.coupons.map(\.code), payments: request.tenders)
        cart.leasedCoupons = Set(response.coupons.filter(\.isLeased).map(\.code))
        cart.offerQuery = query
        return cart
    }

    /// What each of `lines` sells: an article of the catalogue, else what its department stands for.
    private func scannedProducts(
        of lines: [EnteredLine]
    ) async throws(SaleRefusal) -> [ScannedProduct] {
        let articles = try await catalogue {
            [codes = ArticleCodes(catalogue: ports.catalogue, rules: policy.barcodeRules)] ()
                throws(CatalogueError) in
            try await codes.articles(of: Set(lines.map(\.barcode)))
        }
        var departments: [Department]?
        var scanned: [ScannedProduct] = []
        scanned.reserveCapacity(lines.count)
        for line in lines {
            if let article = articles[line.barcode] {
                scanned.append(article)
                continue
            }
            guard let department = line.department else { throw unknown(line.barcode) }
            if departments == nil {
                departments = try await catalogue { () throws(CatalogueError) in
                    try await ports.catalogue.departments()
                }
            }
            let chosen = try line.department(department, among: departments ?? [])
            scanned.append(ScannedProduct(openItem: Product(openItem: chosen, code: line.barcode)))
        }
        return scanned
    }

    func catalogue<Value: Sendable>(
        _ body: () async throws(CatalogueError) -> Value
    ) async throws(SaleRefusal) -> Value {
        do throws(CatalogueError) {
            return try await body()
        } catch {
            throw SaleRefusal(error)
        }
    }

    /// The refusal of a code that names no article, with what is wrong with it where that can be said.
    private func unknown(_ code: String) -> SaleRefusal {
        guard let fault = Scan.fault(in: code, rules: policy.barcodeRules) else {
            return .unknownBarcode(code)
        }
        return .misreadBarcode(code, fault)
    }

    private func reduced(
        _ lines: [SaleLine], by offers: [[Reductions.Part]], currency: String
    ) throws(SaleRefusal) -> [SaleLine] {
        var reduced: [SaleLine] = []
        for (line, parts) in zip(lines, offers) {
            do throws(PricingError) {
                let price = try line.price.reduced(by: parts.reduce(0) { $0 + $1.amount })
                reduced.append(line.priced(price, offers: parts))
            } catch {
                throw SaleRefusal(error, barcode: line.barcode, currency: currency)
            }
        }
        return reduced
    }

    /// Texts that are passed on unread are bounded, so that no sale is larger than the request that carries
    /// it.
    private func checkTexts(of request: SaleRequest) throws(SaleRefusal) {
        guard request.coupons.count <= policy.maximumCoupons else {
            throw .tooManyCoupons(count: request.coupons.count, limit: policy.maximumCoupons)
        }
        let texts =
            [("memberId", request.memberId), ("cashierId", request.cashierId), ("pin", request.pin)]
            + request.coupons.map { ("coupons", $0) }
            + request.lines.map { ("discountReason", $0.discountReason) }
            + request.lines.map { ("department", $0.department) }
        for case (let field, let text?) in texts where text.utf8.count > TextBound.entered {
            throw .textTooLong(field: field, limit: TextBound.entered)
        }
        // The code of an open item is the line's SKU, too.
        for line in request.lines where line.department != nil && line.barcode.utf8.count > TextBound.name {
            throw .textTooLong(field: "barcode", limit: TextBound.name)
        }
    }

    private func priced(_ line: EnteredLine, scanned: ScannedProduct) throws(SaleRefusal) -> SaleLine {
        let product = scanned.product
        if let price = line.unitPriceMinor, price < 0 { throw .negativePrice(barcode: line.barcode) }
        guard line.discountMinor ?? 0 >= 0 else { throw .negativeDiscount(barcode: line.barcode) }
        try checkOpenPrice(of: line, scanned)
        let entered = try entered(line, of: scanned)
        do throws(PricingError) {
            let price = try PricedLine(
                quantityMilli: entered.quantityMilli, unitPrice: entered.unitPrice,
                discount: entered.discount, taxBasisPoints: product.taxBasisPoints)
            return SaleLine(
                sku: product.sku, barcode: product.barcode, name: product.name, price: price,
                listPrice: product.hasOpenPrice
                    ? nil : line.unitPriceMinor.flatMap { $0 == product.price ? nil : product.price },
                discountReason: line.discountReason, isCounted: product.isCounted,
                department: scanned.isOpenItem ? product.department : nil,
                labelRounding: entered.labelRounding)
        } catch {
            throw SaleRefusal(error, barcode: line.barcode, currency: product.currency)
        }
    }

    /// An article without a fixed price is sold at an entered one above zero, or at the price in its code.
    private func checkOpenPrice(of line: EnteredLine, _ scanned: ScannedProduct) throws(SaleRefusal) {
        guard scanned.product.hasOpenPrice, line.unitPriceMinor ?? scanned.price ?? 0 <= 0 else { return }
        throw .priceRequired(
            barcode: line.barcode, name: scanned.product.name, currency: scanned.product.currency)
    }

    /// What is priced, its quantity within bounds.
    private func entered(
        _ line: EnteredLine, of scanned: ScannedProduct
    ) throws(SaleRefusal) -> ScannedProduct.Entered {
        func check(_ quantityMilli: Int64) throws(SaleRefusal) {
            guard quantityMilli > 0, quantityMilli <= policy.maximumQuantityMilli else {
                throw .quantityOutOfRange(
                    barcode: line.barcode, quantityMilli: quantityMilli, limit: policy.maximumQuantityMilli)
            }
        }
        guard line.quantityMilli != nil || !scanned.needsQuantity else {
            throw .quantityRequired(barcode: line.barcode, name: scanned.product.name)
        }
        try check(line.quantityOrOne)
        let entered: ScannedProduct.Entered
        do throws(PricingError) {
            entered = try scanned.entered(
                line.quantityOrOne, unitPrice: line.unitPriceMinor, discount: line.discountMinor ?? 0)
        } catch {
            throw SaleRefusal(error, barcode: line.barcode, currency: scanned.product.currency)
        }
        try check(entered.quantityMilli)
        guard scanned.product.isDivisible || entered.quantityMilli % 1000 == 0 else {
            throw .fractionOfPiece(barcode: line.barcode, quantityMilli: entered.quantityMilli)
        }
        return entered
    }

    private func commonCurrency(of products: [Product]) throws(SaleRefusal) -> String {
        guard let currency = products.first?.currency else { throw .noLines }
        if let other = products.first(where: { $0.currency != currency }) {
            throw .mixedCurrencies(currency, other.currency)
        }
        return currency
    }

    private func settled(
        _ lines: [SaleLine], currency: String, coupons: [String], payments: [SaleRequest.Payment]
    ) throws(SaleRefusal) -> Cart {
        let tenders = try tenders(of: payments)
        do throws(PricingError) {
            let totals = try ReceiptTotals(lines: lines.map(\.price))
            guard PayloadRange.count.contains(totals.total) else { throw PricingError.overflow }
            let settlement = try Settlement(
                total: totals.total,
                tenders: tenders.map { tender, payment in
                    Settlement.Tender(
                        method: Settlement.Method(tender.method, isCash: tender.kind == .cash),
                        amount: payment.amountMinor)
                }, smallestCoin: policy.smallestCoin)
            // A shift adds no larger ones.
            guard settlement.payments.allSatisfy({ PayloadRange.count.contains($0.amount) }) else {
                throw PricingError.overflow
            }
            var cart = Cart(
                lines: lines, currency: currency, coupons: coupons, totals: totals, settlement: settlement)
            cart.payments = settlement.payments.map { paid in
                PlannedPayment(
                    tender: tenders[paid.place].tender, amount: paid.amount,
                    reference: tenders[paid.place].payment.reference)
            }
            return cart
        } catch {
            throw SaleRefusal(error, barcode: "", currency: currency)
        }
    }
}

extension Checkout {
    /// At most two cards: with more nobody at the counter can see what was granted and what was voided.
    static let maximumCards = 2

    /// The store's tenders that `payments` name, cash behind all others: cards are authorised first.
    private func tenders(
        of payments: [SaleRequest.Payment]
    ) throws(SaleRefusal) -> [(tender: Tender, payment: SaleRequest.Payment)] {
        var found: [(tender: Tender, payment: SaleRequest.Payment)] = []
        for payment in payments.isEmpty ? [.init(method: Tender.cash.method)] : payments {
            guard let tender = policy.tender(payment.method) else {
                throw .unknownPaymentMethod(
                    payment.method, known: policy.tenders.tenders.map(\.method))
            }
            if let reference = payment.reference {
                guard tender.kind == .voucher else { throw .referenceUnused(payment.method) }
                guard reference.utf8.count <= TextBound.name else {
                    throw .textTooLong(field: "reference", limit: TextBound.name)
                }
            }
            if tender.kind == .voucher, payment.reference?.isEmpty != false {
                throw .referenceRequired(payment.method)
            }
            found.append((tender, payment))
        }
        var numbers: Set<[String]> = []
        for case (let tender, let number?) in found.map({ ($0.tender, $0.payment.reference) }) {
            guard numbers.insert([tender.method, CouponCode.normalForm(of: number)]).inserted else {
                throw .voucherUsed(number: number, order: nil)
            }
        }
        let cards = found.count { $0.tender.kind.isChargedWithSale }
        guard cards <= Self.maximumCards else { throw .severalCards }
        return found.filter { $0.tender.kind != .cash } + found.filter { $0.tender.kind == .cash }
    }
}

extension SaleRequest {
    /// The payments with the worth of what comes back, which counts as cash; what the customer pays beside it
    /// is cash unless the request names something else.
    fileprivate var tenders: [Payment] {
        guard let worth = returned?.promised else { return payments }
        let cash = Settlement.Method.cash.name
        return [Payment(method: cash, amountMinor: worth)]
            + (payments.isEmpty ? [Payment(method: cash)] : payments)
    }
}

extension SaleRefusal {
    /// The refusal for the cashier when pricing refused the line of `barcode`.
    init(_ error: PricingError, barcode: String, currency: String) {
        func text(_ amount: Int64) -> String {
            AmountText.text(amount, currency: currency)
        }
        switch error {
        case .overflow: self = .amountTooLarge
        case .negativeAmount: self = .negativePayment
        case .discountAboveLine(let discount, let gross):
            self = .discountAboveLine(barcode: barcode, discount: text(discount), line: text(gross))
        case .tenderShort(let due, let tendered):
            self = .paymentShort(due: text(due), tendered: text(tendered))
        case .cardAboveTotal(let total, let card):
            self = .cardAboveTotal(total: text(total), card: text(card))
        case .severalOpenTenders: self = .severalOpenPayments
        }
    }
}
