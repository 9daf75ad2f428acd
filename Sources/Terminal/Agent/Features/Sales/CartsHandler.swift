import Base

internal import AgentAPI
internal import HubProtocol
internal import Logging
internal import Retail

/// Carts that are not sold: on screens, left, parked.
struct CartsHandler: RequestHandler {
    let carts: Carts
    let frontEnds: FrontEnds
    /// False for a reader of the disk: then no front end is there.
    let isRunning: Bool
    let logger: Logger

    var routes: [AgentRoute] {
        [
            AgentRoute("GET", AgentRoutes.openCarts, open), AgentRoute("PUT", AgentRoutes.openCarts, keep),
            AgentRoute("GET", AgentRoutes.carts, on: .background, list),
            AgentRoute("POST", AgentRoutes.carts, park),
            AgentRoute("GET", AgentRoutes.carts + "/{id}", show),
            AgentRoute("POST", AgentRoutes.carts + "/{id}/resume", resume),
            AgentRoute("POST", AgentRoutes.carts + "/{id}/take", take),
            AgentRoute("POST", AgentRoutes.carts + "/{id}/copy", copy),
            AgentRoute("POST", AgentRoutes.carts + "/{id}/drop", drop),
        ]
    }

    private func open(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let frontEnd = try FrontEnd(of: request)
        if let seen = request.query[AgentRoutes.watch] {
            await frontEnds.watch(by: frontEnd, after: Int64(seen))
        }
        let revision = frontEnds.revision
        do throws(CartRefusal) {
            let carts = try await carts.list().map { cart in
                var summary = CartSummary(cart, isRunning: isRunning)
                summary.wantedBy = frontEnds.wanting(cart.id)
                return summary
            }
            return AgentResponse(OpenCartsCall.Response(carts: carts, revision: revision))
        } catch {
            throw TerminalError(error)
        }
    }

    private func keep(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let (call, sale) = try TerminalError.reading { () throws(RequestRefusal) in
            let call = try KeepCartCall(body: request.body)
            return (call, try call.cart.map { cart throws(RequestRefusal) in try SaleRequest(cart) })
        }
        guard let frontEnd = try FrontEnd(of: request) else {
            throw TerminalError(CartRefusal.frontEndMissing)
        }
        do throws(CartRefusal) {
            guard let sale else {
                if try await carts.leave(frontEnd) > 0 { frontEnds.noteChanged() }
                return AgentResponse(KeepCartCall.Response(cart: nil))
            }
            let cart = try await carts.keep(
                sale, for: call.cart?.returns.map(RefundRequest.init), revision: call.revision, by: frontEnd)
            frontEnds.noteKept(cart.id, by: frontEnd)
            return AgentResponse(KeepCartCall.Response(cart: CartSummary(cart, isRunning: isRunning)))
        } catch {
            throw TerminalError(error)
        }
    }

    /// Those that nobody has on a screen, then those of the store's other tills.
    private func list(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        do throws(CartRefusal) {
            let free = try await carts.list().filter { cart in
                if isRunning, case .open = cart.state { false } else { true }
            }
            let (others, currency) = try await carts.elsewhere()
            let own = free.map { cart in
                var record = CartRecord(cart)
                record.owner = carts.terminalId
                record.reachable = carts.terminalId == nil ? nil : true
                return record
            }
            return AgentResponse(
                CartListCall.Response(carts: own + others.map { CartRecord($0, in: currency) }))
        } catch {
            throw TerminalError(error)
        }
    }

    private func park(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let (basket, returns, name) = try TerminalError.reading { () throws(RequestRefusal) in
            let call = try ParkCartCall(body: request.body)
            return (
                try SaleRequest(call.basket), call.basket.returns.map(RefundRequest.init), call.name
            )
        }
        let frontEnd = try FrontEnd(of: request)
        return try await changing { () throws(CartRefusal) in
            try await carts.park(basket, for: returns, name: name, by: frontEnd)
        }
    }

    private func show(_: AgentRequest, _ path: [String]) async throws(TerminalError) -> AgentResponse {
        do throws(CartRefusal) {
            return AgentResponse(CartRecord(try await carts.cart(path[0])))
        } catch {
            throw TerminalError(error)
        }
    }

    private func resume(
        _ request: AgentRequest, _ path: [String]
    ) async throws(TerminalError) -> AgentResponse {
        let frontEnd = try FrontEnd(of: request)
        let taker = try TerminalError.reading { () throws(RequestRefusal) in
            try CartCall.taker(in: request.body)
        }
        return try await changing { () throws(CartRefusal) in
            do throws(CartRefusal) {
                let cart = try await carts.resume(
                    path[0], by: frontEnd, taking: taker.map(PersonClaim.init))
                if taker != nil { note(cart, takenBy: frontEnd, taker) }
                return cart
            } catch {
                // The window that has it can park it for whoever wants it.
                if error.isOfAnotherScreen, let id = ULID(path[0]) {
                    frontEnds.noteWanted(id, by: frontEnd)
                }
                throw error
            }
        }
    }

    /// Another till's cart; a front end has it on its screen then.
    private func take(_ request: AgentRequest, _ path: [String]) async throws(TerminalError) -> AgentResponse
    {
        let frontEnd = try FrontEnd(of: request)
        return try await changing { () throws(CartRefusal) in
            try await shown(try await carts.take(path[0]), by: frontEnd)
        }
    }

    private func copy(_ request: AgentRequest, _ path: [String]) async throws(TerminalError) -> AgentResponse
    {
        let frontEnd = try FrontEnd(of: request)
        let person = try TerminalError.reading { () throws(RequestRefusal) in
            try CartCall.copier(in: request.body)
        }
        return try await changing { () throws(CartRefusal) in
            let cart = try await carts.copy(path[0], by: PersonClaim(person))
            logger.notice(
                "a cart of another till is in use here",
                metadata: [
                    "cart": "\(path[0])", "as": "\(cart.id)", "total": "\(cart.total) \(cart.currency)",
                    "approver": "\(person.approver?.id ?? "-")",
                ])
            return try await shown(cart, by: frontEnd, PersonClaim(person))
        }
    }

    /// Without a screen, too: nobody takes away a cart that somebody works on.
    ///
    /// - Parameter copier: who decided that another till may have the cart as well; nil: nobody did.
    private func shown(
        _ cart: KeptCart, by frontEnd: FrontEnd?, _ copier: PersonClaim? = nil
    ) async throws(CartRefusal) -> KeptCart {
        try await carts.resume(cart.id.description, by: frontEnd, taking: copier)
    }

    private func note(_ cart: KeptCart, takenBy frontEnd: FrontEnd?, _ person: AgentPerson?) {
        logger.notice(
            "a cart was taken from another window",
            metadata: [
                "cart": "\(cart.id)", "total": "\(cart.total) \(cart.currency)",
                "by": "\(frontEnd?.name ?? "a command")", "approver": "\(person?.approver?.id ?? "-")",
            ])
    }

    private func drop(
        _ request: AgentRequest, _ path: [String]
    ) async throws(TerminalError) -> AgentResponse {
        let reason = try TerminalError.reading { () throws(RequestRefusal) in
            try CartCall.reason(in: request.body)
        }
        let frontEnd = try FrontEnd(of: request)
        return try await changing { () throws(CartRefusal) in
            let cart = try await carts.drop(
                path[0], isHandedBack: CartCall.isHandedBack(in: request.body), by: frontEnd)
            logger.notice(
                "a cart was dropped",
                metadata: [
                    "cart": "\(cart.id)", "total": "\(cart.total) \(cart.currency)",
                    "handedBack": "\(cart.inHand)", "reason": "\(reason)",
                ])
            return cart
        }
    }

    private func changing(
        _ work: () async throws(CartRefusal) -> KeptCart
    ) async throws(TerminalError) -> AgentResponse {
        do throws(CartRefusal) {
            let cart = try await work()
            frontEnds.noteChanged(cart.id)
            return AgentResponse(CartRecord(cart))
        } catch {
            throw TerminalError(error)
        }
    }
}

extension FrontEnd {
    /// Who sends `request`; nil: no front end.
    init?(of request: AgentRequest) throws(TerminalError) {
        guard let text = request.frontEnd else { return nil }
        guard var frontEnd = FrontEnd(text, isOfAgent: request.isOfAgent) else {
            throw TerminalError(CartRefusal.frontEndMissing)
        }
        frontEnd.process = request.process.flatMap { FrontEndProcess($0) }
        self = frontEnd
    }
}

extension CartState {
    fileprivate init(_ state: KeptCart.State) {
        self =
            switch state {
            case .open: .open
            case .left: .left
            case .parked: .parked
            }
    }
}

extension CartSummary {
    /// - Parameter isRunning: without an agent nobody works on a cart.
    init(_ cart: KeptCart, isRunning: Bool) {
        let state: CartState = if !isRunning, case .open = cart.state { .left } else { CartState(cart.state) }
        self.init(
            cartId: cart.id.description, frontEnd: cart.state.frontEnd?.text, state: state,
            lines: Int64(cart.lines.count), total: MoneyAmount(cart.total, cart.currency),
            taken: cart.taken.map { AgentAPI.TakenTender($0, in: cart.currency) },
            cashierId: cart.cashierId, memberId: cart.memberId, coupons: cart.coupons,
            since: Timestamp.text(milliseconds: cart.since))
        name = cart.name
        returnedLines = cart.returns.map { Int64($0.items.count) }
    }
}

extension AgentAPI.TakenTender {
    init(_ tender: Retail.TakenTender, in currency: String) {
        self.init(
            method: tender.method, amount: MoneyAmount(tender.amount, currency), isInHand: tender.isInHand,
            reference: tender.reference)
    }
}

extension CartRecord {
    init(_ cart: KeptCart) {
        self.init(
            cartId: cart.id.description, name: cart.name,
            parkedAt: Timestamp.text(milliseconds: cart.since),
            resumedAt: cart.resumedAt.map(Timestamp.text(milliseconds:)),
            lines: cart.lines.map {
                Line(
                    entry: $0.entry, sku: $0.sku, name: $0.name, total: MoneyAmount($0.total, cart.currency))
            },
            total: MoneyAmount(cart.total, cart.currency), memberId: cart.memberId,
            coupons: cart.coupons, points: cart.points)
        state = CartState(cart.state)
        copiedFrom = cart.journey?.copiedFrom
        returns = cart.returns.map(SellCall.Returns.init)
        taken = cart.taken.map { AgentAPI.TakenTender($0, in: cart.currency) }
    }
}

extension CartRecord {
    /// Of another till: its lines are there.
    fileprivate init(_ cart: CartElsewhere, in currency: String) {
        let begun = ULID(cart.id).map { Int64(clamping: $0.milliseconds) } ?? 0
        self.init(
            cartId: cart.id, name: cart.name, parkedAt: Timestamp.text(milliseconds: begun), resumedAt: nil,
            lines: [], total: MoneyAmount(cart.total, currency), memberId: nil, coupons: [])
        (owner, ownerNumber, reachable, count) = (cart.owner, cart.ownerNumber, cart.isReachable, cart.count)
    }
}
