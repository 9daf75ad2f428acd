internal import AgentAPI
internal import HubProtocol
internal import Pricing

/// The goods of a sale that can come back: of an order of this till, or of a receipt that was scanned.
package struct CounterRefund: Hashable, Sendable {
    /// A line as the screen shows it.
    package struct Line: Hashable, Sendable {
        let barcode: String
        /// The article's name; of a receipt its barcode, until the agent has responded with the names.
        let name: String
        /// Thousandths of a unit that can come back.
        let quantityMilli: Int64
        /// Minor units that were paid for them.
        let total: Int64
        /// The line's place in the sale.
        let place: Int
    }

    let origin: RefundOrderCall.Origin
    let orderNumber: String
    let currency: String
    let lines: [Line]
    /// What came back of it at other terminals, oldest first.
    private(set) var elsewhere: [ReceiptSale.Refund] = []
    /// Who says what is left; nil: the agent has not responded, and ``lines`` may have come back.
    private(set) var leftBy: LeftBy?

    /// What is left of an order of this till: all that its own refunds and, where the agent has responded
    /// with it, those of other terminals did not take.
    init(_ order: OrderEntry) {
        origin = .order(order.sale.orderId)
        orderNumber = order.sale.orderNumber
        currency = order.sale.total.currency
        (elsewhere, leftBy) = (order.returnedElsewhere, order.leftBy)
        let left = order.left ?? Self.left(of: order)
        lines = zip(order.sale.lines, left).enumerated().compactMap { place, pair in
            let (line, left) = pair
            guard left > 0 else { return nil }
            let total = Self.part(of: line.total, left, sold: line.quantityMilli)
            return Line(
                barcode: line.barcode, name: line.name, quantityMilli: left, total: total, place: place)
        }
    }

    /// By this till's own refunds.
    private static func left(of order: OrderEntry) -> [Int64] {
        guard order.voidedAt == nil else { return order.sale.lines.map { _ in 0 } }
        var gone: [String: Int64] = [:]
        for line in order.refunds.flatMap(\.lines) { gone[line.sku, default: 0] += line.quantityMilli }
        return order.sale.lines.map { line in
            let part = min(line.quantityMilli, gone[line.sku] ?? 0)
            gone[line.sku] = (gone[line.sku] ?? 0) - part
            return line.quantityMilli - part
        }
    }

    /// For the screen; what the customer gets the agent decides.
    private static func part(of total: Int64, _ left: Int64, sold: Int64) -> Int64 {
        left == sold ? total : (try? MoneyRange.share(of: total, times: left, over: max(1, sold))) ?? total
    }

    /// What a receipt lists; nil for a text that is no receipt's code. Whether it is signed the agent finds
    /// out.
    init?(receipt text: String) {
        guard let code = try? ReceiptCode(text: text) else { return nil }
        origin = .receipt(text)
        orderNumber = code.orderNumber
        currency = code.currency
        lines = code.lines.enumerated().map { place, line in
            Line(
                barcode: line.barcode, name: line.barcode, quantityMilli: line.quantityMilli,
                total: line.amount, place: place)
        }
    }

    /// What is left of the sale of a receipt.
    init(_ receipt: ReceiptLeftResponse, code: String) {
        origin = .receipt(code)
        (orderNumber, currency) = (receipt.orderNumber, receipt.currency)
        (elsewhere, leftBy) = (receipt.returnedElsewhere, receipt.leftBy)
        lines = receipt.lines.enumerated().compactMap { place, line in
            guard line.left > 0 else { return nil }
            return Line(
                barcode: line.barcode, name: line.name, quantityMilli: line.left,
                total: Self.part(of: line.total, line.left, sold: line.quantityMilli), place: place)
        }
    }

    /// What the agent responded about it; nil where that is about something else.
    func updated(by response: CounterResponse) -> CounterRefund? {
        switch (response, origin) {
        case (.order(let order), .order(let id)) where id == order.sale.orderId: CounterRefund(order)
        case (.receiptLeft(let receipt), .receipt(let code)): CounterRefund(receipt, code: code)
        default: nil
        }
    }

    /// Whether both have the same lines with the same quantities, so that marks of one are those of the
    /// other.
    func hasLines(of other: CounterRefund) -> Bool {
        lines.map(\.place) == other.lines.map(\.place)
            && lines.map(\.quantityMilli) == other.lines.map(\.quantityMilli)
    }

    /// Whether a scan is the code of a receipt and no article.
    static func isReceiptCode(_ text: some StringProtocol) -> Bool { text.hasPrefix("HF1.") }

    /// Minor units that were paid for the marked lines.
    func worth(_ marked: Set<Int>) -> Int64 {
        lines.indices.filter(marked.contains).reduce(0) { $0 + lines[$1].total }
    }

    /// The request for the marked lines.
    func call(_ marked: Set<Int>, reason: String?, by person: AgentPerson) -> RefundOrderCall {
        RefundOrderCall(
            of: origin, lines: goods(marked), reason: reason, key: nil, person: person,
            files: AttachedFiles(paths: []))
    }

    /// Of an article that is marked in all its lines everything that is left comes back.
    fileprivate func goods(_ marked: Set<Int>) -> [RefundOrderCall.Line] {
        var articles: [String] = []
        for place in marked.sorted() where !articles.contains(lines[place].barcode) {
            articles.append(lines[place].barcode)
        }
        return articles.map { barcode in
            let places = lines.indices.filter { lines[$0].barcode == barcode }
            let isComplete = places.allSatisfy(marked.contains)
            let quantity = places.filter(marked.contains).reduce(0) { $0 + lines[$1].quantityMilli }
            return RefundOrderCall.Line(article: barcode, quantityMilli: isComplete ? nil : quantity)
        }
    }
}

/// Goods of an earlier sale that come back for what is in the cart.
package struct CounterReturn: Hashable, Sendable {
    /// The earlier sale.
    let goods: CounterRefund
    /// Places of its lines.
    let marked: Set<Int>
    /// Minor units; what comes back is worth cash.
    let smallestCoin: Int64

    init(goods: CounterRefund, marked: Set<Int>, smallestCoin: Int64) {
        (self.goods, self.marked, self.smallestCoin) = (goods, marked, smallestCoin)
    }

    /// Of a cart that was kept; nil where nothing of it can come back any more.
    init?(_ returns: SellCall.Returns, of goods: CounterRefund, smallestCoin: Int64) {
        var marked: Set<Int> = returns.lines.isEmpty ? Set(goods.lines.indices) : []
        for line in returns.lines {
            var open = line.quantityMilli ?? .max
            for (place, sold) in goods.lines.enumerated()
            where sold.barcode == line.article && sold.quantityMilli <= open {
                marked.insert(place)
                open -= sold.quantityMilli
            }
        }
        guard !marked.isEmpty else { return nil }
        self.init(goods: goods, marked: marked, smallestCoin: smallestCoin)
    }

    /// Minor units that were paid for them, rounded as the cash that would be given back for them. The agent
    /// decides it with the sale.
    var worth: Int64 {
        let paid = goods.worth(marked)
        return paid
            + ((try? Settlement(total: paid, tenders: [], smallestCoin: smallestCoin).cashRounding) ?? 0)
    }

    var returns: SellCall.Returns { SellCall.Returns(of: goods.origin, lines: goods.goods(marked)) }
}

/// The keys of a refund.
extension CounterScreen {
    /// Enter takes what is typed of a receipt, else the selected order.
    mutating func takeAtOrders(
        _ key: Key, _ orders: [OrderEntry]?, _ editor: LineEditor, _ selected: Int
    ) {
        let typed = String(editor.text).trimmed
        if key == .enter, !typed.isEmpty { return openReceipt(String(typed), among: orders ?? []) }
        let move = { CounterDialog.orders(orders, editor, selected: $0) }
        if let place = choose(key, selected, of: orders?.count ?? 0, move) {
            if let orders { openOrder(orders[place]) }
            return
        }
        // A scanner sends its keys one by one, or as a paste that ends with Enter.
        var edited = editor
        for single in key.pressed where single != .enter { _ = edited.take(single) }
        guard edited.text != editor.text else { return }
        dialog = .orders(orders, edited, selected: selected)
        if key.pressed.last == .enter { takeAtOrders(.enter, orders, edited, selected) }
    }

    /// Opens the sale of a receipt that was scanned, or whose number was typed from its end.
    private mutating func openReceipt(_ typed: String, among orders: [OrderEntry]) {
        if CounterRefund.isReceiptCode(typed) { return refund(receipt: typed) }
        let wanted = typed.lowercased()
        let found = orders.filter {
            $0.sale.orderNumber.lowercased().hasSuffix(wanted) || $0.sale.shortCode?.lowercased() == wanted
        }
        dialog = .orders(orders, LineEditor(), selected: 0)
        guard let order = found.first else { return complain(text.unknownReceipt(typed)) }
        openOrder(order)
    }

    /// Shows what this till knows at once, and what came back elsewhere once the agent has responded.
    private mutating func openOrder(_ order: OrderEntry) {
        dialog = .refund(CounterRefund(order), marked: [], selected: 0)
        lookingForLeft = send(.order(id: order.sale.orderId))
    }

    /// Opens the sale of a receipt's code: what it lists at once, and what of that is left, with the names,
    /// once the agent has responded.
    mutating func refund(receipt: String) {
        guard let goods = CounterRefund(receipt: receipt), !goods.lines.isEmpty else {
            return complain(text.unreadableReceipt)
        }
        dialog = .refund(goods, marked: [], selected: 0)
        lookingForLeft = send(.receiptLeft(code: receipt))
    }

    /// What is left of the sale of the dialog. The lines may be fewer now; what was marked is marked again by
    /// whoever looks at them. A receipt that is refused is not refunded, either.
    mutating func receive(left response: CounterResponse) {
        guard case .refund(let goods, let marked, let selected) = dialog else { return }
        if let found = goods.updated(by: response) {
            let isSame = found.hasLines(of: goods)
            dialog = .refund(found, marked: isSame ? marked : [], selected: isSame ? selected : 0)
        } else if case .refused(let failure) = response {
            dialog = nil
            complain(text.refusal(failure, of: nil))
        } else if case .gone = response {
            complain(text.gone)
        }
    }

    mutating func takeAtRefund(
        _ key: Key, _ goods: CounterRefund, _ marked: Set<Int>, _ selected: Int
    ) {
        let lines = goods.lines
        switch key {
        case .typed(" "):
            dialog = .refund(goods, marked: marked.symmetricDifference([selected]), selected: selected)
        case .typed("a"), .typed("A"):
            let all = marked.count == lines.count ? [] : Set(lines.indices)
            dialog = .refund(goods, marked: all, selected: selected)
        case .typed("x"), .typed("X"):
            guard !marked.isEmpty else { return complain(text.nothingMarked) }
            let returned = CounterReturn(goods: goods, marked: marked, smallestCoin: smallestCoin)
            cart.returned = returned
            dialog = nil
            keepCart()
            say(text.exchanged(returned.worth, goods.currency))
        default:
            let move = { CounterDialog.refund(goods, marked: marked, selected: $0) }
            guard choose(key, selected, of: lines.count, move) != nil else { return }
            guard !marked.isEmpty else { return complain(text.nothingMarked) }
            dialog = .entry(.refundReason(goods, marked: marked), LineEditor())
        }
    }
}
