import Base

internal import AgentAPI
internal import HubProtocol
internal import Logging
internal import Retail

/// Parked carts.
struct CartsHandler: RequestHandler {
    let carts: Carts
    let logger: Logger

    var routes: [AgentRoute] {
        [
            AgentRoute("GET", AgentRoutes.carts, on: .background, list),
            AgentRoute("POST", AgentRoutes.carts, park),
            AgentRoute("GET", AgentRoutes.carts + "/{id}", show),
            AgentRoute("POST", AgentRoutes.carts + "/{id}/resume", resume),
            AgentRoute("POST", AgentRoutes.carts + "/{id}/drop", drop),
        ]
    }

    private func list(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        do throws(CartRefusal) {
            return AgentResponse(
                CartListCall.Response(carts: try await carts.list().map(CartRecord.init)).json)
        } catch {
            throw TerminalError(error)
        }
    }

    private func park(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let (basket, name) = try TerminalError.reading { () throws(RequestRefusal) in
            let call = try ParkCartCall(body: request.body)
            return (try SaleRequest(call.basket), call.name)
        }
        return try await responding { () throws(CartRefusal) in
            try await carts.park(basket, name: name)
        }
    }

    private func show(_: AgentRequest, _ path: [String]) async throws(TerminalError) -> AgentResponse {
        try await responding { () throws(CartRefusal) in try await carts.cart(path[0]) }
    }

    private func resume(_: AgentRequest, _ path: [String]) async throws(TerminalError) -> AgentResponse {
        try await responding { () throws(CartRefusal) in try await carts.resume(path[0]) }
    }

    private func drop(_ request: AgentRequest, _ path: [String]) async throws(TerminalError)
        -> AgentResponse
    {
        let reason = try TerminalError.reading { () throws(RequestRefusal) in
            try CartCall.reason(in: request.body)
        }
        return try await responding { () throws(CartRefusal) in
            let cart = try await carts.drop(path[0])
            logger.notice(
                "a parked cart was dropped",
                metadata: [
                    "cart": "\(cart.id)", "total": "\(cart.total) \(cart.currency)", "reason": "\(reason)",
                ])
            return cart
        }
    }

    private func responding(
        _ work: () async throws(CartRefusal) -> ParkedCart
    ) async throws(TerminalError) -> AgentResponse {
        do throws(CartRefusal) {
            return AgentResponse(CartRecord(try await work()).json)
        } catch {
            throw TerminalError(error)
        }
    }
}

extension CartRecord {
    init(_ cart: ParkedCart) {
        self.init(
            cartId: cart.id.description, name: cart.name,
            parkedAt: Timestamp.text(milliseconds: cart.parkedAt),
            resumedAt: cart.resumedAt.map(Timestamp.text(milliseconds:)),
            lines: cart.lines.map { Line($0, in: cart.currency) },
            total: MoneyAmount(cart.total, cart.currency), memberId: cart.memberId,
            coupons: cart.coupons, points: cart.points)
    }
}

extension CartRecord.Line {
    fileprivate init(_ line: ParkedCart.Line, in currency: String) {
        self.init(
            barcode: line.entry.barcode, sku: line.sku, name: line.name,
            quantityMilli: line.entry.quantityMilli, unitPriceMinor: line.entry.unitPriceMinor,
            discountMinor: line.entry.discountMinor, discountReason: line.entry.discountReason,
            total: MoneyAmount(line.total, currency))
        department = line.entry.openItem?.department
        taxBasisPoints = line.entry.openItem?.taxBasisPoints
    }
}
