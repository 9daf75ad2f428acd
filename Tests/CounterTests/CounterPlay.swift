import AgentAPI
import Base
import Counter
import HubProtocol
import OfflineCore
import Pricing

/// A screen with an agent of four articles behind it that responds at once, or when it is `held`.
struct CounterPlay {
    var screen: CounterScreen
    var isHeld = false
    var held: [(Int, CounterRequest)] = []
    var requests: [CounterRequest] = []
    var bells = 0
    var hasLeft = false
    var parked: [CartRecord] = []
    /// Carts on the screens of other windows, as the agent gives them to whoever may take them.
    var elsewhere: [CartRecord] = []
    /// Copies of other tills' carts.
    var copies: [CartRecord] = []
    /// What the screen had kept, without what it waited for.
    var kept: [KeepCartCall] = []
    var orders: [OrderEntry] = []
    /// Orders as the agent shows them with what came back elsewhere.
    var atHub: [OrderEntry] = []
    /// What the agent responds about each receipt; nil: all of it is left, and the hub says so.
    var receiptLeft: CounterResponse?
    /// What the next sale is refused with, once.
    var refusal: AgentFailure?
    /// The agent is gone when the next sale comes, once.
    var isGone = false
    /// When the next sale was made before; nil: now.
    var repeatedOf: String?
    /// Whether the hub has the next sale: `acknowledged` or `pending`.
    var sync = "pending"
    /// What the shop sells, by the code that is scanned.
    var assortment = Self.articles
    /// Of what is sold.
    var currency = "CNY"
    /// What came back for the next sale.
    var exchange: SaleResponse.Exchange?
    var rounding: Int64 = 0
    /// Where the money of a card is that was taken, of a simulator; nil: it is taken.
    var cardState: String?
    /// What the agent says of tenders and points.
    var tenders = CounterTenders(tenders: [])
    var departments = [
        DepartmentRecord(department: "food", taxBasisPoints: 700, currency: "CNY"),
        DepartmentRecord(department: "food", taxBasisPoints: 1900, currency: "CNY"),
    ]
    var unseen: [UnseenSalesCall.Sale] = []
    var shift: ShiftRecord?
    var refusals: [RefusedMutation] = []
    var heldBack: [HeldBackMutation] = []
    /// Nil: no printer is configured.
    var printer: PrinterCall.Response?
    var tills = NeighboursCall.Response()

    init(isChinese: Bool = false, columns: Int = 80, rows: Int = 24) {
        screen = CounterScreen(
            language: isChinese ? .chinese : .english, columns: columns, rows: rows,
            secondsFromUTC: Self.secondsFromUTC
        ) {
            "01J0000000000000000000000A"
        }
    }

    /// Berlin in winter.
    private static func secondsFromUTC(_ zone: String, _: Int64) -> Int64 {
        zone == "Europe/Berlin" ? 3600 : 0
    }

    var text: String { screen.frame().text }

    /// The words of the screen in one line: a sentence of a dialog is found wherever its lines end.
    var sentences: String {
        text.split { $0.isWhitespace || "│╎┃║|".contains($0) }.joined(separator: " ")
    }

    mutating func press(_ keys: Key...) { for key in keys { feed(.key(key)) } }

    mutating func type(_ text: String) {
        var decoder = KeyDecoder()
        for key in decoder.take(text.utf8) { feed(.key(key)) }
    }

    mutating func scan(_ codes: String...) { for code in codes { type(code + "\r") } }

    mutating func feed(_ event: CounterEvent) {
        for effect in screen.handle(event) {
            switch effect {
            case .bell: bells += 1
            case .leave: hasLeft = true
            case .keepCart(let call): kept.append(call)
            case .request(let id, let request):
                requests.append(request)
                if isHeld {
                    held.append((id, request))
                } else {
                    feed(.response(id: id, response(to: request)))
                }
            }
        }
    }

    mutating func release() {
        isHeld = false
        while !held.isEmpty {
            let (id, request) = held.removeFirst()
            feed(.response(id: id, response(to: request)))
        }
    }

    typealias Article = (code: String, sku: String, name: String, price: Int64)

    static let articles: [Article] = [
        ("690", "MILK", "全脂牛奶 1 升", 650), ("691", "APPLE", "Apples", 1280), ("692", "TEA", "Tea", 12800),
        (openCode, "WORK", "Repair", 0), (weighedCode, "CHEESE", "Cheese", 2390),
    ]
    /// An article by weight, whose quantity is entered.
    static let weighedCode = "696"
    /// An article whose price is entered, in a currency without decimals.
    static let openCode = "695"

    private mutating func response(to request: CounterRequest) -> CounterResponse {
        switch request {
        case .quote(let call): return quote(call)
        case .sell(let call): return sell(call)
        case .tenders: return .tenders(tenders)
        case .signOut: return .session(SessionResponse(nil))
        case .signIn(let id, let pin):
            guard pin == "1234" else {
                return .refused(AgentFailure(code: "wrong_pin", message: "That is not the PIN.", exit: 1))
            }
            return .session(
                SessionResponse(
                    .init(
                        id: id, name: "王小明", role: "cashier", signedInAt: "2026-11-22T09:00:00Z",
                        expiresAt: "2026-11-22T09:15:00Z")))
        case .search(let text, _):
            return .products(
                Self.articles.filter { ($0.name + $0.sku + $0.code).contains(text) }.map {
                    .init(sku: $0.sku, barcode: $0.code, name: $0.name, priceMinor: $0.price, currency: "CNY")
                })
        case .departments: return .departments(departments)
        case .park(let call, let name):
            guard case .quote(let quote) = quote(call) else { return .done }
            let cart = CartRecord(
                cartId: call.key ?? "", name: name, parkedAt: "2026-11-22T09:41:00Z", resumedAt: nil,
                lines: zip(call.lines, quote.lines).map {
                    .init(entry: $0, sku: $1.sku, name: $1.name, total: MoneyAmount($1.total, "CNY"))
                }, total: quote.total, memberId: call.memberId, coupons: call.coupons)
            var taking = cart
            taking.taken = Self.taken(call.payments ?? [])
            taking.returns = call.returns
            parked.append(taking)
            return .parked(taking)
        case .parkedCarts: return .parkedCarts(parked)
        case .resume(let id):
            if let refusal {
                self.refusal = nil
                return .refused(refusal)
            }
            guard let place = parked.firstIndex(where: { $0.cartId == id }) else { return .done }
            return .resumed(parked.remove(at: place))
        case .takeCart(let id, let person):
            guard person.approver != nil else {
                return .refused(
                    AgentFailure(
                        code: "approval_required", message: "A manager approves.", exit: 1,
                        details: .init(action: "cartCopy")))
            }
            return elsewhere.first { $0.cartId == id }.map(CounterResponse.resumed) ?? .done
        case .fetchCart(let id):
            guard let place = parked.firstIndex(where: { $0.cartId == id }) else { return .done }
            guard parked[place].reachable == true else {
                return .refused(AgentFailure(code: "owner_silent", message: "It does not respond.", exit: 75))
            }
            return .resumed(parked.remove(at: place))
        case .copyCart(let id, let person):
            guard person.approver != nil else {
                return .refused(
                    AgentFailure(
                        code: "approval_required", message: "A manager approves.", exit: 1,
                        details: .init(action: "cartCopy")))
            }
            if let refusal {
                self.refusal = nil
                return .refused(refusal)
            }
            return copies.first { $0.copiedFrom == id }.map(CounterResponse.resumed) ?? .done
        case .orders: return .orders(orders)
        case .order(let id):
            return (atHub + orders).first { $0.sale.orderId == id }.map(CounterResponse.order) ?? .done
        case .receiptLeft(let code):
            return receiptLeft ?? .receiptLeft(Self.goods(of: code, left: nil, by: .hub))
        case .take(let call), .handBack(let call):
            if let refusal {
                self.refusal = nil
                return .refused(refusal)
            }
            return .kept(
                CartSummary(
                    cartId: call.cart?.key ?? "", frontEnd: nil, state: .open, lines: 1,
                    total: MoneyAmount(0, "CNY"), taken: Self.taken(call.cart?.payments ?? []),
                    cashierId: nil, memberId: nil, coupons: [], since: "2026-11-22T09:41:00Z"))
        case .empty: return .done
        case .drop(let id, _, _):
            parked.removeAll { $0.cartId == id }
            return .done
        case .unseenSales(let seen):
            unseen.removeAll { $0.orderId == seen }
            return .unseenSales(unseen)
        case .void(let call): return void(call)
        case .refusals:
            return .refusals(.init(items: refusals, heldBack: heldBack, sales: 0, amounts: []))
        case .resolve(let call):
            refusals.removeAll { $0.id == call.id }
            heldBack.removeAll { $0.id == call.id }
            return .done
        case .printer:
            return .printer(
                printer
                    ?? .init(
                        device: nil, width: 80, language: "en", state: .none, detail: nil, jobs: [],
                        damaged: 0))
        case .tills: return .tills(tills)
        case .addMember(let call): return .member(.init(memberId: "N1", name: call.name, isNew: true))
        case .shift, .openShift, .moveCash, .closeShift: return shift(request)
        case .giveUp, .setManual, .retry, .refund, .printAgain, .printTestPage, .printCopy: return .done
        }
    }

    /// The sale of a receipt.
    ///
    /// - Parameter left: thousandths of each line; nil: all.
    static func goods(
        of text: String, left: [Int64]?, by source: LeftBy, _ elsewhere: [ReceiptSale.Refund] = []
    ) -> ReceiptLeftResponse {
        guard let code = try? ReceiptCode(text: text) else {
            return ReceiptLeftResponse(
                orderNumber: "", currency: "CNY", lines: [], leftBy: source, returnedElsewhere: [])
        }
        let lines = code.lines.enumerated().map { place, line in
            let article = articles.first { $0.code == line.barcode }
            return ReceiptLeftResponse.Line(
                sku: article?.sku ?? line.barcode, barcode: line.barcode, name: article?.name ?? line.barcode,
                quantityMilli: line.quantityMilli, total: line.amount,
                left: left?[place] ?? line.quantityMilli)
        }
        return ReceiptLeftResponse(
            orderNumber: code.orderNumber, currency: code.currency, lines: lines, leftBy: source,
            returnedElsewhere: elsewhere)
    }

    private static func taken(_ tenders: [SellCall.Tender]) -> [TakenTender] {
        tenders.map {
            TakenTender(
                method: $0.method, amount: MoneyAmount($0.amountMinor ?? 0, "CNY"),
                isInHand: $0.method != "card", reference: $0.reference)
        }
    }

    private mutating func shift(_ request: CounterRequest) -> CounterResponse {
        if case .shift = request {
            return .shift(CounterShift(shift?.countedCash == nil ? shift : nil, currency: "CNY"))
        }
        if let refusal {
            self.refusal = nil
            return .refused(refusal)
        }
        switch request {
        case .openShift(let call): shift = .shown(float: call.float)
        case .moveCash(let call):
            let sign: Int64 = call.kind == .in ? 1 : -1
            let (float, expected) = (shift?.float ?? 0, shift?.expectedCash ?? 0)
            shift = .shown(float: float, moved: expected - float + sign * call.amount)
            return .done
        case .closeShift(let call):
            shift = .shown(
                float: shift?.float ?? 0, moved: (shift?.expectedCash ?? 0) - (shift?.float ?? 0),
                counted: call.counted)
        default: break
        }
        return .shift(CounterShift(shift, currency: "CNY"))
    }

    private mutating func void(_ call: VoidOrderCall) -> CounterResponse {
        if let refusal {
            self.refusal = nil
            return .refused(refusal)
        }
        guard let sale = unseen.first(where: { $0.orderId == call.id }) else { return .done }
        unseen.removeAll { $0.orderId == call.id }
        let record = SaleRecord(
            key: "", orderId: sale.orderId, orderNumber: sale.orderNumber, mode: .online, total: sale.total,
            tax: MoneyAmount(0, "CNY"), paid: [], cashRounding: MoneyAmount(0, "CNY"),
            change: MoneyAmount(0, "CNY"), lines: [], shortCode: nil)
        return .voided(
            OrderResponse(
                order: OrderEntry(
                    sale: record, sync: "pending", cashierId: nil, approverId: nil,
                    voidedAt: "2026-11-22T09:50:00Z", refunded: MoneyAmount(0, "CNY"), refunds: [],
                    madeAt: sale.madeAt), receipt: ""))
    }

    private func quote(_ call: SellCall) -> CounterResponse {
        var lines: [SoldLine] = []
        for line in call.lines {
            let openItem = line.department.map {
                (code: line.barcode, sku: line.barcode, name: $0, price: Int64(0))
            }
            guard let article = assortment.first(where: { $0.code == line.barcode }) ?? openItem else {
                return .refused(AgentFailure(code: "unknown_barcode", message: "No article", exit: 1))
            }
            if article.code == Self.weighedCode, line.quantityMilli == nil {
                return .refused(
                    AgentFailure(
                        code: "quantity_required", message: "No quantity", exit: 1,
                        details: .init(article: article.name)))
            }
            if article.code == Self.openCode, line.unitPriceMinor ?? 0 <= 0 {
                return .refused(
                    AgentFailure(
                        code: "price_required", message: "No price", exit: 1,
                        details: .init(article: article.name, currency: "JPY")))
            }
            let (quantity, price) = (line.quantityMilli ?? 1000, line.unitPriceMinor ?? article.price)
            lines.append(
                SoldLine(
                    sku: article.sku, barcode: article.code, name: article.name, quantityMilli: quantity,
                    unitPrice: price, discount: line.discountMinor ?? 0,
                    total: Self.share(price, quantity, 1000) - (line.discountMinor ?? 0),
                    taxBasisPoints: 1300,
                    offers: []))
        }
        let total = lines.reduce(0) { $0 + $1.total }
        return .quote(
            QuoteResponse(
                lines: lines, total: MoneyAmount(total, currency),
                tax: MoneyAmount(Self.share(total, 13, 113), currency),
                cashRounding: MoneyAmount(rounding, currency),
                member: call.memberId.map {
                    .init(memberId: $0, name: $0.hasPrefix("404") ? nil : "李四", isKnown: !$0.hasPrefix("404"))
                }))
    }

    /// Rounded as the agent rounds: 0.357 × 2.99 is 1.07.
    private static func share(_ amount: Int64, _ factor: Int64, _ divisor: Int64) -> Int64 {
        (try? MoneyRange.share(of: amount, times: factor, over: divisor)) ?? .max
    }

    private mutating func sell(_ call: SellCall) -> CounterResponse {
        if isGone {
            isGone = false
            return .gone
        }
        if let refusal {
            self.refusal = nil
            return .refused(refusal)
        }
        guard case .quote(let quote) = quote(call) else { return .done }
        let paid = (call.payments ?? []).reduce(0) { $0 + ($1.amountMinor ?? 0) }
        let sale = SaleRecord(
            key: call.key ?? "", orderId: "O1", orderNumber: "S1-1-20261122-0001", mode: .online,
            total: quote.total, tax: quote.tax,
            paid: (call.payments ?? []).map {
                .init(
                    method: $0.method, amount: MoneyAmount($0.amountMinor ?? 0, currency), approvalCode: nil,
                    isSimulated: $0.method == "card", kind: $0.method,
                    state: $0.method == "card" ? cardState : nil)
            }, cashRounding: quote.cashRounding, change: MoneyAmount(paid - quote.total.amount, currency),
            lines: quote.lines, shortCode: nil)
        orders.insert(
            OrderEntry(
                sale: sale, sync: "pending", cashierId: nil, approverId: nil, voidedAt: nil,
                refunded: MoneyAmount(0, "CNY"), refunds: [], madeAt: "2026-11-22T09:41:00Z"), at: 0)
        var response = SaleResponse(
            sale: sale, receipt: "", sync: sync, durableMicroseconds: 1, elapsedMicroseconds: 1,
            exchange: exchange)
        response.repeatedOf = repeatedOf
        return .sold(response)
    }
}

extension CounterStatus {
    static func shown(
        isOffline: Bool = false, isSignInRequired: Bool = false, command: String? = nil,
        unseenCardSales: Int = 0,
        obstacles: [CounterStatus.Obstacle] = [], tenders: [TenderState] = [], banner: String? = nil,
        level: BannerAdvice.Level? = nil, till: TillState? = nil, cardStep: DeviceProgress? = nil,
        foreignBooking: Int64? = nil,
        neighbours: NeighbourCounts? = nil
    ) -> CounterStatus {
        CounterStatus(
            storeId: "S1", isOffline: isOffline,
            banner: banner ?? (isOffline ? "OFFLINE · the hub does not respond" : "ONLINE"),
            level: level ?? (isOffline || command != nil ? .alert : .calm), command: command,
            isSignInRequired: isSignInRequired, unseenCardSales: unseenCardSales,
            obstacles: obstacles, tenders: tenders, till: till, cardStep: cardStep,
            foreignBooking: foreignBooking, neighbours: neighbours)
    }
}
