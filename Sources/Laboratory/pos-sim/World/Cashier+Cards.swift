import AgentAPI
import Base
import HubCore
import HubProtocol
import HubServer

/// Customers who pay by card.
extension Cashier {
    /// Whether the next customer does. Drawn apart, so that worlds without a machine stay as they were.
    func paysByCard() -> Bool { world.schedule.hasCards && cardDraw.below(2) == 0 }

    /// Sells by card. Without a machine that takes it the customer pays in cash; while nobody knows whether
    /// the card was charged, the customer waits, or leaves and the cart is dropped.
    func sellByCard(_ basket: Basket) async {
        let call = call(basket, key: key(), paidBy: "card")
        let longest = Int(cardDraw.below(4))
        for _ in 0...longest {
            guard let outcome = await insist(call) else { return }
            if case .refused(let code) = outcome { world.trace.note(till.name, "card refused \(code)") }
            switch outcome {
            case .done(let response): return note(response.sale, of: basket, call)
            case .refused("card_outcome_unknown"):
                await pause(20)
                await till.decideCards()
            case .refused(let code):
                if !["card_declined", "machine_unreachable", "machine_busy", "machine_undecided"]
                    .contains(code)
                {
                    world.checks.refused("a card", code, at: till)
                }
                if code == "machine_undecided" { await till.decideCards() }
                return await sell(basket, again: false)
            case .unknown: return
            }
        }
        if let cart = call.key { till.unknownCards.append(cart) }
    }
}

extension TillNode {
    /// Drops carts whose customers left before anybody knew what became of their card.
    ///
    /// - Returns: how many still wait for the machine.
    func dropUnknownCards() async -> Int {
        let forCard = await decideCards()
        for cart in unknownCards {
            switch await call(CartCall(id: cart, .drop(reason: "left"))) {
            case .done, .refused("unknown_cart"):
                world.trace.note(name, "drops \(cart)")
                unknownCards.removeAll { $0 == cart }
            case .refused, .unknown: break
            }
        }
        return unknownCards.count + forCard
    }

    /// A person looks at the machine's paper where the machine proves nothing, and lets customers present
    /// their cards for what goes back.
    ///
    /// - Returns: for how many that is not done yet.
    @discardableResult
    func decideCards() async -> Int {
        var forCard = 0
        if case .done(let owed) = await call(CardReturnsCall()) {
            for card in owed.returns where card.needsCard {
                forCard += 1
                _ = await call(ReturnToCardCall(refundId: card.refundId, person: AgentPerson()))
            }
        }
        guard case .done(let status) = await call(CardMachineCall()) else { return forCard }
        for open in status.waiting where open.isForPerson {
            let paper = terminal.zvt.paper
            world.trace.note(name, "decides \(open.key) by \(paper.map(String.init) ?? "no paper")")
            _ = await call(
                DecideCardCall(
                    key: open.key, isCharged: paper != nil, text: paper.map(String.init) ?? "no paper",
                    person: AgentPerson()))
            world.decided.insert(open.key)
        }
        return forCard
    }
}

extension Checks {
    /// Each machine holds what was sold by card, less what went back, and nothing else; and so has the hub.
    func compareCards() async throws {
        guard world.schedule.hasCards else { return }
        for till in world.tills where !till.isRolledBack {
            var sold: [String: Book.Sold] = [:]
            for sale in world.book.sold where sale.till == till.number {
                if let card = sale.card { sold[card] = sale }
            }
            for booking in till.terminal.bookings {
                let sale = sold.removeValue(forKey: booking.approval)
                let due = sale?.cardDue ?? 0
                // In ZVT what goes back in part names no booking.
                let isKept = world.schedule.speaksZVT && booking.back == 0 && sale != nil
                if booking.held != (isKept ? booking.amount : due) {
                    world.fail(
                        "nothing charged is forgotten",
                        "\(till.name): \(booking) is held, \(due) of \(sale?.number ?? "no sale")")
                }
            }
            let back = world.book.sold.filter { $0.till == till.number && $0.card != nil }
            let due = back.reduce(Int64(0)) { $0 + $1.cardDue }
            if till.terminal.held != due {
                world.fail("sums to the cent", "\(till.name): \(till.terminal.held) are held, \(due) are due")
            }
            for sale in sold.values { world.fail("a card sale was charged", "\(sale.number) was not") }
        }
        guard !world.tills.contains(where: \.isRolledBack) else { return }
        let report = try await world.hub.perform(.backOffice(.sales(by: .tender, SalesFilter())))
        let rows = (report["rows"]?.array ?? []).filter { $0["key"]?["method"]?.string == "card" }
        let cards = rows.reduce(Int64(0)) { sum, row in sum + (row["net"]?.integer ?? 0) }
        let held = world.tills.reduce(Int64(0)) { $0 + $1.terminal.held }
        if cards != held {
            world.fail("sums to the cent", "the hub has \(cards) by card, the machines \(held)")
        }
    }
}

extension Book.Sold {
    /// What a machine has to hold of it, in minor units.
    fileprivate var cardDue: Int64 { isVoid ? 0 : total - refunded }
}
