internal import Base
internal import HubProtocol
internal import Logging
internal import MachineRuntime
internal import Pricing
internal import Printing
internal import Retail

/// Paper and drawer: what is sold or refunded is printed after it is durable, beside everything else.
///
/// Nothing here is waited for by a sale. Without a printer in the configuration nothing is spooled.
struct PrintingFeature: Sendable {
    let service: PrinterService?
    let paper: PaperWidth
    let language: Language
    let orders: Orders
    let shifts: Shifts
    let receipts: ReceiptSigner
    let time: any SystemTime
    private let cardMachine: CardDevice?
    private let laterReturns: AsyncStream<CardReturn>
    private let requestedVoids: AsyncStream<DeviceRequest>
    private let logger: Logger

    /// - Parameter isReader: whether it only shows what lies in the spool.
    init(_ foundation: AgentFoundation, _ sales: SalesFeature, isReader: Bool) {
        let (configuration, logger) = (foundation.configuration, foundation.logger)
        self.logger = logger
        paper = configuration.paper
        language = configuration.receiptLanguage
        orders = sales.orders
        shifts = sales.shifts
        cardMachine = sales.cardMachine
        (laterReturns, requestedVoids) = (sales.laterReturns.stream, sales.requestedVoids)
        receipts = foundation.link.receipts
        time = foundation.storeTime
        let folder = SpoolFolder(foundation.home.path + "/spool")
        if configuration.printer == nil, !isReader { folder.noteNoPrinter() }
        service = configuration.printer.map { address in
            PrinterService(
                address, paper: configuration.paper, folder: folder, time: foundation.time, isReader: isReader
            ) { logger.warning("\($0)") }
        }
    }

    func run() async {
        guard let service else { return }
        await printMissed(since: service.missedSince())
        async let papers: Void = printLaterPapers()
        async let voids: Void = printRequestedVoids()
        await service.run()
        await papers
        await voids
    }

    /// Charges without a sale have no slip: that their void was requested is a paper of its own, until the
    /// task is cancelled.
    private func printRequestedVoids() async {
        for await charge in requestedVoids {
            let texts = language.receiptTexts
            let money = AmountText.money(charge.amount, charge.currency)
            let lines = [texts.back(to: money)] + texts.backToCard(.requested)
            let papers =
                await cardMachine?.papers(of: CardDevice.undoKey(of: charge.key), in: language) ?? []
            let document = ReceiptDocument(lines.map { .text($0, .plain) } + [.cut])
            service?.submit(opensDrawer: false) {
                job(.void, title: money, orderId: nil, isCopy: false, document.followed(by: papers))
            }
        }
    }

    /// The machine's papers of what goes back once its slip was printed, until the task is cancelled. A slip
    /// that is not made yet has them itself.
    private func printLaterPapers() async {
        for await card in laterReturns { await printLater(card) }
    }

    /// The machine's papers of what went back to a card behind its slip.
    func printLater(_ card: CardReturn) async {
        let slips = [card.refundId, Self.paper(after: card.refundId, at: card.madeAt)]
        guard let service, slips.contains(where: service.has) else { return }
        let papers = await cardMachine?.papers(of: card.key, backBy: card.refundId, in: language) ?? []
        guard !papers.isEmpty else { return }
        let title = ReceiptDocument([.text(card.orderNumber, .init(.center, isBold: true))])
        service.submit(opensDrawer: false) {
            job(
                .refund, title: card.orderNumber, orderId: card.orderId, isCopy: false,
                title.followed(by: papers))
        }
    }

    /// What a kill left without its paper. The drawer stays shut.
    private func printMissed(since: Int64) async {
        do throws(OrderRefusal) {
            for event in try await orders.events(since: since) {
                switch event {
                case .sold(let sale): await print(sale, opensDrawer: false)
                case .voided(let sale): await printVoid(of: sale, opensDrawer: false)
                case .refunded(let refund): await print(refund, opensDrawer: false)
                }
            }
        } catch {
            logger.warning("papers that a kill left out are not printed: \(error.message)")
        }
        do throws(ShiftRefusal) {
            for shift in try await shifts.list(limit: Self.newestShifts) {
                guard let closing = shift.closing, closing.closedAt >= since else { continue }
                print(shift, opensDrawer: false)
            }
        } catch {
            logger.warning("reports that a kill left out are not printed: \(error.message)")
        }
    }

    /// Shifts that can have been closed since the last paper: more than a terminal has in some days.
    private static let newestShifts = 10

    /// Prints the receipt of a sale that is durable now, and opens the drawer where cash was paid.
    func print(_ sale: Sale) async { await print(sale, opensDrawer: isPaidInCash(sale)) }

    /// The receipt of a sale that is void now, and the drawer for the cash that goes back.
    func printVoid(of sale: Sale) async { await printVoid(of: sale, opensDrawer: isPaidInCash(sale)) }

    private func printVoid(of sale: Sale, opensDrawer: Bool) async {
        guard let service else { return }
        let document = await document(of: sale).followed(
            by: papers(of: sale.content.payments, backBy: sale.orderId))
        service.submit(opensDrawer: opensDrawer) {
            PrintJob(
                id: Self.voidPaper(of: sale), kind: .void, title: "\(sale.orderNumber)",
                orderId: sale.orderId,
                createdAt: time.wallMilliseconds(), language: language, document: document)
        }
    }

    /// The same for every paper of the same void, so that it is printed once, and in order with the others:
    /// the void's time with the order's random bits, and another last bit than the order's own paper.
    private static func voidPaper(of sale: Sale) -> String {
        paper(after: sale.orderId, at: sale.voidedAt ?? 0)
    }

    private static func paper(after id: String, at milliseconds: Int64) -> String {
        let first = ULID(id) ?? ULID(high: 0, low: 0)
        let moment = UInt64(clamping: milliseconds)
        return ULID(high: moment << 16 | first.high & 0xFFFF, low: first.low ^ 1).description
    }

    private func isPaidInCash(_ sale: Sale) -> Bool {
        sale.content.payments.contains { $0.method.isCash && $0.amount != 0 }
    }

    private func print(_ sale: Sale, opensDrawer: Bool) async {
        guard let service else { return }
        let document = await wholeDocument(of: sale)
        service.submit(opensDrawer: opensDrawer) {
            PrintJob(
                id: sale.orderId, kind: .receipt, title: "\(sale.orderNumber)", orderId: sale.orderId,
                createdAt: time.wallMilliseconds(), language: language, document: document)
        }
    }

    /// The same for the slip of a refund, as far as it goes back in cash.
    func print(_ refund: Refund) async { await print(refund, opensDrawer: refund.content.paidInCash != 0) }

    private func print(_ refund: Refund, opensDrawer: Bool) async {
        guard let service else { return }
        let document = await ReceiptDocument(
            orders.paper(of: refund, in: language), language: language, receiptCode: nil
        ).followed(by: papers(of: refund.content.payments, backBy: refund.id))
        service.submit(opensDrawer: opensDrawer) {
            PrintJob(
                id: refund.id, kind: .refund, title: refund.orderNumber ?? "", orderId: refund.orderId,
                createdAt: time.wallMilliseconds(), language: language, document: document)
        }
    }

    /// Prints the report of a shift that is closed now, and opens the drawer, which is emptied.
    func print(_ shift: Shift) { print(shift, opensDrawer: true) }

    private func print(_ shift: Shift, opensDrawer: Bool) {
        service?.submit(opensDrawer: opensDrawer) {
            PrintJob(
                id: Self.closingPaper(of: shift), kind: .shift, title: "", orderId: shift.opening.shiftId,
                createdAt: time.wallMilliseconds(), language: language,
                document: ReceiptDocument(
                    shifts.report(of: shift, in: language), language: language, receiptCode: nil))
        }
    }

    /// The same for every paper of the same closing, as ``voidPaper(of:)``.
    private static func closingPaper(of shift: Shift) -> String {
        paper(after: shift.opening.shiftId, at: shift.closing?.closedAt ?? 0)
    }

    /// Opens the drawer for cash that is counted or moved, with a slip about it.
    func openDrawer(for slip: [ReceiptPart]) {
        service?.submit(opensDrawer: true) {
            job(
                .shift, title: "", orderId: nil, isCopy: false,
                ReceiptDocument(slip, language: language, receiptCode: nil))
        }
    }

    /// A copy of a sale's receipt.
    func copy(of sale: Sale) async -> PrintJob {
        job(
            .receipt, title: "\(sale.orderNumber)", orderId: sale.orderId, isCopy: true,
            await wholeDocument(of: sale))
    }

    /// What a printer gets for the receipt of a sale.
    func bytes(of sale: Sale, isCopy: Bool) -> [UInt8] {
        let document = document(of: sale)
        return EscPosEncoder(paper: paper, language: language)
            .encode(isCopy ? document.markedAsCopy(in: language) : document)
    }

    /// A page that shows the printer's letters, its code and its knife.
    func testPage() -> PrintJob {
        let document = ReceiptDocument(
            orders.receiptHeader.map { .text($0, .init(.center, isBold: true)) } + [
                .rule, .text(language.printerTexts.letters, .plain),
                .row("58 mm: 32, 80 mm: 48", "\(paper.columns)"),
                .row("TOTAL", "0.00", .init(isBold: true, isDoubleHeight: true)), .rule,
                .qrCode("holdfast test"), .cut,
            ])
        return job(.test, title: "", orderId: nil, isCopy: false, document)
    }

    /// The receipt, and behind it the papers of the till's card machine. A copy of a void sale's has those of
    /// what went back, too.
    private func wholeDocument(of sale: Sale) async -> ReceiptDocument {
        let payments = sale.content.payments
        var papers = await papers(of: payments)
        if sale.voidedAt != nil { papers += await self.papers(of: payments, backBy: sale.orderId) }
        return document(of: sale).followed(by: papers)
    }

    /// The machine's papers of payments, the customer's and then the shop's of each.
    ///
    /// - Parameter refundId: of the refund, or the order of the void, by which they went back; nil: those of
    ///   the charges.
    private func papers(of payments: [SalePayment], backBy refundId: String? = nil) async -> [[String]] {
        var papers: [[String]] = []
        for case let key? in payments.map(\.details.machine?.key) {
            papers += await cardMachine?.papers(of: key, backBy: refundId, in: language) ?? []
        }
        return papers
    }

    private func document(of sale: Sale) -> ReceiptDocument {
        ReceiptDocument(
            orders.paper(of: sale, in: language), language: language,
            receiptCode: receipts.code(of: sale))
    }

    private func job(
        _ kind: PrintJob.Kind, title: String, orderId: String?, isCopy: Bool, _ document: ReceiptDocument
    ) -> PrintJob {
        let now = time.wallMilliseconds()
        var generator = SystemRandomNumberGenerator()
        return PrintJob(
            id: ULID(milliseconds: UInt64(clamping: now), using: &generator).description, kind: kind,
            title: title, orderId: orderId, createdAt: now, isCopy: isCopy, language: language,
            document: document)
    }
}

extension ReceiptDocument {
    /// This, and each paper of a card machine behind it, cut off.
    fileprivate func followed(by papers: [[String]]) -> ReceiptDocument {
        ReceiptDocument(elements + papers.flatMap { $0.map { .text($0, .plain) } + [.cut] })
    }

    /// The parts of a receipt on paper.
    ///
    /// - Parameter receiptCode: what the QR code at its foot carries; nil: it has none.
    init(_ parts: [ReceiptPart], language: Language, receiptCode: String?) {
        self.init(
            parts.map { Element($0, language) } + (receiptCode.map { [.qrCode($0)] } ?? []) + [.cut])
    }
}

extension ReceiptDocument.Element {
    fileprivate init(_ part: ReceiptPart, _ language: Language) {
        self =
            switch part {
            case .title(let text): .text(text, .init(.center, isBold: true))
            case .mark(let mark):
                .text(
                    mark.text(from: language.receiptTexts),
                    .init(.center, isBold: true, isDoubleHeight: true))
            case .note(let text): .text(text, .init(.center))
            case .text(let text): .text(text, .plain)
            case .row(let left, let right): .row(left, right)
            case .total(let left, let right): .row(left, right, .init(isBold: true, isDoubleHeight: true))
            case .rule: .rule
            }
    }
}
