package import Base
package import HubProtocol
internal import MachineRuntime
internal import OfflineCore
internal import Pricing
package import OfflineMode

/// What a refund of another terminal's sale needs.
package struct ReceiptPorts: Sendable {
    /// Finds the sale at the hub's service `order`.
    package var hub: any ReceiptFinding
    /// The keys that signed receipts are checked by without the hub.
    package var keys: any ReceiptKeys
    /// Names and taxes of articles, from the terminal's own copy.
    package var catalogue: any Catalogue
    /// Which of the hub's services are waited for; the one of the outbox drainer.
    package var waits: SaleWaits
    /// Decides about refunds and voids at the hub's service `order`; nil: nothing is decided there.
    package var decisions: (any RefundDeciding)?
    /// Decide where the hub does not respond; nil: nobody does.
    package var sellers: (any RefundSelling)?
    /// Those that `decisions` may have granted; whoever signs the journal's heads has the same.
    package var unrecorded: UnrecordedRefunds

    /// Makes the set of ports; without `decisions` every refund is the terminal's own decision.
    package init(
        hub: any ReceiptFinding, keys: any ReceiptKeys, catalogue: any Catalogue, waits: SaleWaits,
        decisions: (any RefundDeciding)? = nil, sellers: (any RefundSelling)? = nil,
        unrecorded: UnrecordedRefunds = UnrecordedRefunds()
    ) {
        self.sellers = sellers
        self.unrecorded = unrecorded
        self.decisions = decisions
        self.hub = hub
        self.keys = keys
        self.catalogue = catalogue
        self.waits = waits
    }
}

/// A refund as a person requests it.
package struct RefundRequest: Hashable, Sendable {
    /// Where the goods came from.
    package enum Origin: Hashable, Sendable {
        /// An order of this terminal, by its id or number.
        case order(String)
        /// The text of a receipt's code.
        case receipt(String)
        /// No receipt at all; the goods are paid at the catalogue's present prices, or at lower ones.
        case nothing
    }

    /// Where the goods came from.
    package let origin: Origin
    /// Empty: all that is left of the sale.
    package let items: [RefundEntry.Item]
    /// Who refunds it, and who approves that where it is required.
    package let claim: PersonClaim
    /// The same key again returns the first refund; nil: a fresh one.
    package let key: ULID?
    /// As typed; nil: none was given.
    package let reason: String?
    /// Whether all of it is paid in cash, also what came from a card.
    package let isInCash: Bool

    /// Makes a request; by default it has a fresh key and no reason, and goes back to what paid the sale.
    package init(
        of origin: Origin, items: [RefundEntry.Item], by claim: PersonClaim, key: ULID? = nil,
        reason: String? = nil, isInCash: Bool = false
    ) {
        self.isInCash = isInCash
        self.origin = origin
        self.items = items
        self.claim = claim
        self.key = key
        self.reason = reason
    }
}

extension Orders {
    /// Refunds goods, and their stock comes back. The money goes back to the tenders that it came from, where
    /// that is possible, else it is paid in cash. Durable when it returns; it does not wait for the
    /// hub to have it. What the terminal's own card machine charged is requested back from it once at once,
    /// then until it responds.
    ///
    /// No more is refunded than was sold, over all refunds of this terminal. Over those of all terminals the
    /// hub decides it within the wait budget, before anything is recorded; without a response the refund is
    /// made, and what is too much the hub reports as a conflict, or flags it where the receipt's code was the
    /// right to refund.
    ///
    /// - Parameter attachments: sent with it; the hub gets the refund once it has all their bytes.
    package func refund(
        _ request: RefundRequest, attachments: [Attachment] = []
    ) async throws(OrderRefusal) -> Refund {
        let waiting = SaleWaiting(budget: delivery.waitBudget, isOfSale: false)
        var draft = try await draft(of: request, attachments, within: waiting)
        var made = try await record(&draft, isNew: request.key == nil, within: waiting)
        delivery.nudge()
        if !made.returns.waiting.isEmpty {
            try? await cardReturns?.send(of: made.id, isAttended: true)
            // What the machine responded is on disk.
            made = ((try? await archive.refund(id: made.id)) ?? nil) ?? made
        }
        made.isCardInCash = draft.isCardInCash
        return made
    }

    /// Records a draft that the hub allows. The draft's key again returns the first refund.
    ///
    /// - Parameter isNew: whether the key was made for this request.
    private func record(
        _ draft: inout RefundDraft, isNew: Bool, within waiting: SaleWaiting
    ) async throws(OrderRefusal) -> Refund {
        do throws(StorageError) {
            let first = isNew ? nil : try await archive.refund(id: draft.entry.key.description)
            if let first, !PlantedBug.refundKeyNotLookedUp.isPlanted { return first }
        } catch {
            throw OrderRefusal(error)
        }
        draft = try await decided(draft, within: waiting)
        let refund: Result<Refund, OrderRefusal>
        do throws(StorageError) {
            refund = try await archive.refund(draft)
        } catch {
            await release(draft, after: error)
            throw OrderRefusal(error)
        }
        if case .failure = refund { await release(draft) }
        end(draft)
        return try refund.get()
    }

    /// Sends to the card machine once more what waits of a refund or void, with the customer there: it may
    /// take the card that gets the money.
    ///
    /// - Parameter refundId: of ``CardReturn/refundId``.
    /// - Returns: all of it, as it is then.
    package func returnToCards(
        _ refundId: String, by claim: PersonClaim
    ) async throws(OrderRefusal) -> [CardReturn] {
        guard let cardReturns else { throw .unknownCardReturn(refundId) }
        let before = try await OrderRefusal.accessing(await cardReturns.ledger.returns(of: refundId))
        guard !before.isEmpty else { throw .unknownCardReturn(refundId) }
        guard !before.allSatisfy(\.isSettled) else { throw .cardReturnSettled(refundId) }
        _ = try await authorize(claim, .refund)
        try await OrderRefusal.accessing(await cardReturns.send(of: refundId, isAttended: true))
        return try await OrderRefusal.accessing(await cardReturns.ledger.returns(of: refundId))
    }

    /// Pays in cash what the card machine refused to give back, or what waits for a card. It
    /// needs an approver in a store with
    /// cashiers, whatever the store lists.
    ///
    /// - Parameter refundId: of ``CardReturn/refundId``.
    /// - Returns: the movement of cash, durable.
    package func payInCash(_ refundId: String, by claim: PersonClaim) async throws(OrderRefusal) -> CashMove {
        guard let cardReturns else { throw .unknownCardReturn(refundId) }
        let person = try await authorize(claim, .refund, isApproved: true)
        let now = time.wallMilliseconds()
        let payment = CardReturnPayment(
            refundId: refundId, person: person, madeAt: now, businessDay: policy.calendar.day(at: now),
            timeZone: policy.calendar.timeZone)
        let result = try await OrderRefusal.accessing(await cardReturns.payInCash(payment))
        let move = try result.get()
        delivery.nudge()
        return move
    }

    /// What the card machine has to give back, or refused and nobody has paid; oldest first.
    package func owedToCards() async throws(OrderRefusal) -> [CardReturn] {
        return try await OrderRefusal.accessing(await cardReturns?.open() ?? [])
    }

    /// Finds the sale and lets the person do it. Without the hub's description of a sale that is not here an
    /// approver is needed, whatever the store lists, and for cash in place of a card.
    ///
    /// - Parameter waiting: for the hub; nil: a wait of its own.
    func draft(
        of request: RefundRequest, _ attachments: [Attachment] = [], within waiting: SaleWaiting? = nil
    ) async throws(OrderRefusal) -> RefundDraft {
        let waiting = waiting ?? SaleWaiting(budget: delivery.waitBudget, isOfSale: false)
        let source: RefundDraft.Source
        let isCardInCash: Bool
        let isApproved: Bool
        if request.origin != .nothing, let priced = request.items.first(where: { $0.unitPriceMinor != nil }) {
            throw .priceOfReceipt(article: priced.article)
        }
        if let order = try await order(of: request.origin) {
            source = .order(order.sale.orderId)
            // What a card, a wallet or a voucher paid needs an approver to become cash.
            let (byHub, byMachine) = (repaidTenders(request), machineTenders(request))
            isCardInCash = order.sale.content.payments.contains { payment in
                payment.kind != .cash
                    && !RefundSource.takesBack(payment, to: byHub, byMachine: byMachine)
            }
            isApproved = isCardInCash
        } else {
            let absent = try await absentSale(of: request, within: waiting)
            source = .absent(absent)
            // Whatever charged it is another terminal's: its machine cannot be reached from here.
            isCardInCash = absent.limits == nil && absent.isPaidByCard
            isApproved = absent.limits != nil || absent.isPaidByCard
        }
        // Without a receipt the goods are all that there is to come back.
        let items = request.origin == .nothing ? [] : try await named(request.items)
        func draft(by person: Authorization) -> RefundDraft {
            var entry = entry(of: request, by: person, attachments)
            entry.items = items
            var draft = RefundDraft(of: source, with: entry)
            draft.isCardInCash = isCardInCash
            return draft
        }
        // Where nobody can approve, what is above the limits is refused when it is recorded.
        let nobody = Authorization(cashierId: nil, approverId: nil)
        let isAbove = authority.hasPeople ? try await isAboveLimits(draft(by: nobody)) : false
        let person = try await authorize(
            request.claim, isAbove ? .refundLimit : .refund, isApproved: isApproved || isAbove)
        var approved = draft(by: person)
        approved.isAboveLimits = isAbove
        return approved
    }

    /// Whether more would come back of a sale that is not here than ``AbsentSale/limits`` allow.
    private func isAboveLimits(_ draft: RefundDraft) async throws(OrderRefusal) -> Bool {
        guard case .absent(let sale) = draft.source, sale.limits != nil else { return false }
        do throws(OrderRefusal) {
            _ = try await plan(draft)
        } catch {
            guard case .aboveLimit = error else { throw error }
            return true
        }
        return false
    }

    /// `items` with the skus of their codes: a line has the article's main barcode, and what comes back may
    /// be scanned by another one, or by its label with a weight.
    private func named(_ items: [RefundEntry.Item]) async throws(OrderRefusal) -> [RefundEntry.Item] {
        guard !items.isEmpty else { return items }
        let articles = try await articles(of: items)
        return items.map { item in
            var named = item
            named.sku = articles[item.article]?.product.sku
            return named
        }
    }

    private func articles(
        of items: [RefundEntry.Item]
    ) async throws(OrderRefusal) -> [String: ScannedProduct] {
        let codes = ArticleCodes(catalogue: receipts.catalogue, rules: policy.barcodeRules)
        return try await read { () throws(CatalogueError) in
            try await codes.articles(of: Set(items.map(\.article)))
        }
    }

    /// The order of this terminal that the request names, by its number or by its receipt; nil: another's.
    func order(of origin: RefundRequest.Origin) async throws(OrderRefusal) -> Order? {
        switch origin {
        case .order(let idOrNumber): return try await show(idOrNumber)
        case .receipt(let text):
            let code = try Self.code(text)
            return try await OrderRefusal.accessing(await archive.order(code.orderNumber))
        case .nothing: return nil
        }
    }

    private func absentSale(
        of request: RefundRequest, within waiting: SaleWaiting
    ) async throws(OrderRefusal) -> AbsentSale {
        guard case .receipt(let text) = request.origin else { return try await goods(request.items) }
        return try await absent(try Self.code(text), within: waiting)
    }

    func entry(
        of request: RefundRequest, by person: Authorization, _ attachments: [Attachment]
    ) -> RefundEntry {
        let now = time.wallMilliseconds()
        var generator = SystemRandomNumberGenerator()
        return RefundEntry(
            key: request.key ?? ULID(milliseconds: UInt64(clamping: now), using: &generator),
            items: request.items, mode: modes.status.mode, madeAt: now,
            businessDay: policy.calendar.day(at: now), cashierId: person.cashierId,
            approverId: person.approverId, reason: request.reason, smallestCoin: policy.smallestCoin,
            timeZone: policy.calendar.timeZone, attachments: attachments,
            repaidTenders: repaidTenders(request), machineTenders: machineTenders(request))
    }

    /// The tenders beside `cash` that the money of `request` goes back to.
    private func repaidTenders(_ request: RefundRequest) -> Set<String> {
        guard !request.isInCash else { return [] }
        let tenders = policy.tenders.tenders.filter { tender in
            switch tender.kind {
            case _ where !tender.isRefundable || tender.method == Tender.cash.method: false
            case .cash, .voucher: true
            case .card, .wallet: policy.refundsCards
            }
        }
        return Set(tenders.map(\.method))
    }

    /// The tenders that the terminal's own card machine gives back to what it charged, whatever the hub's
    /// payment service can do.
    private func machineTenders(_ request: RefundRequest) -> Set<String> {
        guard !request.isInCash, policy.hasCardMachine else { return [] }
        let tenders = policy.tenders.tenders + [policy.tender(Tender.card.method)].compactMap(\.self)
        return Set(
            tenders.filter { $0.isRefundable && $0.kind.isChargedWithSale }.map(\.method))
    }

    /// The receipt of a refund, printed again.
    package func receipt(of refund: Refund) -> String {
        RefundReceipt(refund: refund, policy: policy).text
    }
}

/// Sales that this terminal does not hold.
extension Orders {
    static func code(_ text: String) throws(OrderRefusal) -> ReceiptCode {
        do throws(ShapeError) {
            return try ReceiptCode(text: text.filter { !$0.isWhitespace })
        } catch {
            throw .receiptUnreadable
        }
    }

    /// The hub describes the sale within the wait budget; without it the signed code itself counts.
    func absent(
        _ code: ReceiptCode, within waiting: SaleWaiting
    ) async throws(OrderRefusal) -> AbsentSale {
        let store = try await read { () throws(CatalogueError) in try await receipts.catalogue.currency() }
        if let store, store != code.currency { throw .receiptCurrency(code.currency, store: store) }
        let inquiry = HubInquiry(modes: modes, time: time, waits: receipts.waits)
        let found = await inquiry.query(.order, within: waiting) {
            [hub = receipts.hub] () throws(InquiryError) in
            try await hub.find(code)
        }
        let articles = try await read { () throws(CatalogueError) in
            try await receipts.catalogue.products(barcodes: Set(code.lines.map(\.barcode)))
        }
        switch found {
        case .sale(let sale):
            guard !sale.isVoided else { throw .voidedAtHub(orderNumber: code.orderNumber) }
            let counted = articles.values.filter(\.isCounted).map(\.sku)
            if let absent = AbsentSale(sale, of: code, counted: Set(counted)) { return absent }
        case .invalid: throw .receiptInvalid
        case .unmatched, nil: break
        }
        guard let key = receipts.keys.key(of: code.terminalId) else { throw .receiptUnchecked }
        // A terminal's signature is no right to the sales of another store.
        guard OrderNumberParts(code.orderNumber)?.belongs(to: key.storeId, nil) == true,
            code.isSigned(by: key.publicKey)
        else { throw .receiptInvalid }
        return AbsentSale(code, articles: articles, limits: policy.refundLimits.limits(in: code.currency))
    }

    private func goods(_ items: [RefundEntry.Item]) async throws(OrderRefusal) -> AbsentSale {
        guard !items.isEmpty else { throw .goodsMissing }
        let articles = try await articles(of: items)
        var goods: [(article: Product, entered: ScannedProduct.Entered)] = []
        for item in items {
            guard let article = articles[item.article] else { throw .articleUnknown(item.article) }
            goods.append((article.product, try entered(item, of: article)))
        }
        let currency = goods[0].article.currency
        return try AbsentSale(
            goods: goods, currency: currency, limits: policy.refundLimits.limits(in: currency))
    }

    /// Goods without a receipt, at the catalogue's price or at a lower one that was entered; an article
    /// without a fixed price needs one.
    private func entered(
        _ item: RefundEntry.Item, of scanned: ScannedProduct
    ) throws(OrderRefusal) -> ScannedProduct.Entered {
        let article = scanned.product
        func check(_ quantity: Int64) throws(OrderRefusal) {
            guard (1...policy.maximumQuantityMilli).contains(quantity),
                article.isDivisible || quantity % 1000 == 0
            else { throw .quantityInvalid(article: item.article) }
        }
        guard item.quantityMilli != nil || !scanned.needsQuantity else {
            throw .quantityRequired(article: item.article, name: article.name)
        }
        let quantity = item.quantityMilli ?? 1000
        try check(quantity)
        if let price = item.unitPriceMinor {
            guard price >= 0, price <= (article.hasOpenPrice ? MoneyRange.maximum : article.price) else {
                throw .priceAboveCatalogue(
                    article: item.article, price: AmountText.money(article.price, article.currency))
            }
        } else if article.hasOpenPrice, scanned.price == nil {
            throw .priceRequired(article: item.article, name: article.name, currency: article.currency)
        }
        let entered: ScannedProduct.Entered
        do throws(PricingError) {
            entered = try scanned.entered(quantity, unitPrice: item.unitPriceMinor, discount: 0)
        } catch {
            throw .amountTooLarge
        }
        try check(entered.quantityMilli)
        return entered
    }

    private func read<Value: Sendable>(
        _ body: () async throws(CatalogueError) -> Value
    ) async throws(OrderRefusal) -> Value {
        do throws(CatalogueError) {
            return try await body()
        } catch {
            switch error {
            case .unavailable(let detail): throw .notRecorded(detail: detail)
            }
        }
    }
}
