internal import AgentAPI
internal import HubProtocol
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// The orders of this terminal, their voids and refunds.
struct OrdersHandler: RequestHandler {
    let orders: Orders
    let attachments: SQLiteAttachments
    let uploader: AttachmentUploader
    let printing: PrintingFeature
    let receipts: ReceiptSigner

    var routes: [AgentRoute] {
        [
            AgentRoute("GET", AgentRoutes.orders, on: .background, list),
            AgentRoute("GET", AgentRoutes.orders + "/{id}", on: .background, show),
            AgentRoute("POST", AgentRoutes.orders + "/{id}/void", void),
            AgentRoute("POST", AgentRoutes.orders + "/{id}/refund", refund),
            AgentRoute("POST", AgentRoutes.refunds, refundOfAbsent),
            AgentRoute("POST", AgentRoutes.receiptLeft, on: .background, leftOfReceipt),
            AgentRoute("GET", AgentRoutes.cardReturns, on: .background, owed),
            AgentRoute("POST", AgentRoutes.cardReturns + "/{id}/cash", payInCash),
            AgentRoute("GET", AgentRoutes.grantedRefunds, on: .background, granted),
            AgentRoute("POST", AgentRoutes.grantedRefunds + "/{id}/take-back", takeBack),
        ]
    }

    private func list(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        try await refusing {
            guard OrderSearchCall.isSearch(request.query) else {
                return AgentResponse(try await page(OrderListCall(query: request.query), OrderSearch()))
            }
            let call = try OrderSearchCall(query: request.query)
            return AgentResponse(try await page(call, OrderSearch(call)))
        }
    }

    /// The page is full where there may be more.
    private func page(
        _ call: some OrderPageCall, _ search: OrderSearch
    ) async throws -> OrderListResponse {
        let limit = min(call.limit, OrderListCall.page)
        let found = try await orders.search(search, limit: limit, before: call.before)
        return OrderListResponse(found, isFull: found.count == limit)
    }

    private func show(_: AgentRequest, _ path: [String]) async throws(TerminalError) -> AgentResponse {
        try await refusing {
            let order = try await orders.show(path[0])
            let code = receipts.code(of: order.sale)
            var entry = OrderEntry(order, receiptCode: code)
            let left = await orders.left(of: order, code: code)
            (entry.left, entry.leftBy) = (left.quantities, LeftBy(left))
            entry.returnedElsewhere = left.elsewhere
            return AgentResponse(OrderResponse(order: entry, receipt: orders.receipt(of: order)))
        }
    }

    private func void(_ request: AgentRequest, _ path: [String]) async throws(TerminalError) -> AgentResponse
    {
        try await refusing { try await void(VoidOrderCall(id: path[0], body: request.body)) }
    }

    private func refund(_ request: AgentRequest, _ path: [String]) async throws(TerminalError)
        -> AgentResponse
    {
        try await refusing { try await refund(RefundOrderCall(id: path[0], body: request.body)) }
    }

    private func refundOfAbsent(_ request: AgentRequest, _: [String]) async throws(TerminalError)
        -> AgentResponse
    {
        try await refusing { try await refund(RefundOrderCall(body: request.body)) }
    }

    private func leftOfReceipt(_ request: AgentRequest, _: [String]) async throws(TerminalError)
        -> AgentResponse
    {
        try await refusing {
            let goods = try await orders.left(ofReceipt: ReceiptLeftCall(body: request.body).receiptCode)
            return AgentResponse(ReceiptLeftResponse(goods))
        }
    }

    private func refusing(
        _ work: () async throws -> AgentResponse
    ) async throws(TerminalError) -> AgentResponse {
        try await refusing({ (error: OrderRefusal) in TerminalError(error) }, work)
    }

    /// The files of a void are urgent: a correction of money does not wait for an unmetered path.
    private func void(_ call: VoidOrderCall) async throws -> AgentResponse {
        let staging = AttachmentStaging(
            attachments: attachments, files: call.files ?? AttachedFiles(paths: []))
        let order = try await staging.with(isUrgent: true) { attachments in
            try await orders.void(
                call.id, by: PersonClaim(call.person), reason: call.reason, attachments: attachments)
        }
        uploader.nudge()
        await printing.printVoid(of: order.sale)
        return document(order)
    }

    /// As urgent as a void.
    private func refund(_ call: RefundOrderCall) async throws -> AgentResponse {
        let key = try call.checkedKey()
        let before = try await before(call.origin)
        let staging = AttachmentStaging(attachments: attachments, files: call.files)
        let request = RefundRequest(
            of: RefundRequest.Origin(call.origin), items: call.items, by: PersonClaim(call.person), key: key,
            reason: call.reason, isInCash: call.isInCash)
        let refund = try await staging.with(isUrgent: true) { attachments in
            try await orders.refund(request, attachments: attachments)
        }
        uploader.nudge()
        // A repeated request finds its refund: that slip was printed, or waits. Of a sale that is not here
        // the spool leaves a second slip of the same id out.
        if before?.refunds.contains(where: { $0.id == refund.id }) != true { await printing.print(refund) }
        var response = RefundResponse(
            refund: RefundRecord(refund), receipt: orders.receipt(of: refund),
            isPaidByCard: refund.isCardInCash)
        response.arbiter = refund.content.judgement?.arbiter.rawValue
        response.unseen = refund.content.judgement?.unseen
        return AgentResponse(response)
    }

    private func owed(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        try await refusing {
            let owed = try await orders.owedToCards()
            return AgentResponse(CardReturnsCall.Response(returns: owed.map(CardReturnRecord.init)))
        }
    }

    private func payInCash(
        _ request: AgentRequest, _ path: [String]
    ) async throws(TerminalError) -> AgentResponse {
        try await refusing {
            let call = try PayCardReturnCall(refundId: path[0], body: request.body)
            let move = try await orders.payInCash(call.refundId, by: PersonClaim(call.person))
            printing.openDrawer(for: printing.shifts.slip(of: move, in: printing.language))
            return AgentResponse(MoveCashCall.Response(move))
        }
    }

    private func granted(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        try await refusing {
            let granted = try await orders.grantedRefunds()
            return AgentResponse(GrantedRefundsCall.Response(granted: granted.map(GrantedRefundRecord.init)))
        }
    }

    private func takeBack(
        _ request: AgentRequest, _ path: [String]
    ) async throws(TerminalError) -> AgentResponse {
        try await refusing {
            let call = try TakeBackRefundCall(refundId: path[0], body: request.body)
            let refund = try await orders.takeBack(call.refundId, by: PersonClaim(call.person))
            return AgentResponse(GrantedRefundRecord(refund))
        }
    }

    /// The order of this terminal that is refunded; nil for one that is not here.
    private func before(_ origin: RefundOrderCall.Origin) async throws -> Order? {
        guard case .order(let id) = origin else { return nil }
        return try await orders.show(id)
    }

    private func document(_ order: Order) -> AgentResponse {
        AgentResponse(
            OrderResponse(
                order: OrderEntry(order, receiptCode: receipts.code(of: order.sale)),
                receipt: orders.receipt(of: order)
            ))
    }
}
