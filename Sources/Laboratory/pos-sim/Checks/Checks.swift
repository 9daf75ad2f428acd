import AgentAPI
import Base
import HubCore
import HubProtocol
import HubServer
import OfflineCore

/// What has to hold in every world, whatever happens to it.
@MainActor
final class Checks {
    let world: World
    /// How often somebody has switched each till offline, and not back yet.
    private var manual: [Int: Int] = [:]
    /// When that changed last, in milliseconds.
    private var lastManual: [Int: Int64] = [:]
    /// How many operators have set a service faulty, and not back yet.
    var overrides = 0
    /// How many acknowledged sales were looked up.
    private(set) var promised = 0
    /// When the last of them took it back, in milliseconds.
    var lastOverride: Int64 = -10_000_000

    init(_ world: World) { self.world = world }

    func manualChanged(of till: Int, to isOn: Bool) {
        manual[till, default: 0] += isOn ? 1 : -1
        lastManual[till] = Trace.now
    }

    /// Whether nobody but the caller has switched a till offline.
    func isSwitchedOnce(_ till: Int) -> Bool { manual[till] == 1 }

    // MARK: After each act

    /// Offline exactly while a cause holds, and the causes are real ones.
    func look(at till: TillNode) async {
        guard case .done(let status) = await till.call(StatusCall()) else { return }
        see(status, of: till)
        till.view?.seeDarkness(status)
        await lookAtOrders(of: till)
    }

    /// What a till shows as arrived the hub has, unless the hub was put back since it was sold.
    private func lookAtOrders(of till: TillNode) async {
        guard world.hub.isUp, case .done(let list) = await till.call(OrderListCall(limit: 5)) else { return }
        for order in list.orders where order.sync == "acknowledged" {
            if await !world.hub.has(order.sale.orderId),
                world.book[order.sale.key].map({ $0.at > world.hub.restoredAt }) ?? false
            {
                world.fail("what a till shows as arrived the hub has", "not \(order.sale.orderNumber)")
            }
        }
    }

    func see(_ status: StatusResponse, of till: TillNode) {
        let causes = status.causes.map(\.rawValue).joined(separator: " ")
        if (status.mode == .offline) != !status.causes.isEmpty {
            world.fail(
                "offline exactly while a cause holds", "\(till.name) is \(status.mode) with [\(causes)]")
        }
        for cause in status.causes {
            guard let doubt = doubt(about: cause, of: till) else { continue }
            world.fail("offline exactly while a cause holds", "\(till.name) \(doubt)")
        }
        if status.store.state == "damaged" {
            world.fail("a store stays whole", "\(till.name): \(status.store.state)")
        }
    }

    /// Why a cause cannot hold; nil: nothing speaks against it.
    private func doubt(about cause: OfflineCause, of till: TillNode) -> String? {
        switch cause {
        case .manual: return manual[till.number, default: 0] == 0 ? "is switched off by nobody" : nil
        case .network:
            // A till that was switched off in an outage begins with it.
            let trouble = max(till.link.lastTrouble, till.lastBegin)
            let isQuiet = !till.link.isTroubled && Trace.now - trouble > Self.longestSuspicion
            return isQuiet ? "sees no network without any trouble" : nil
        case .service:
            // The hub decides by what all tills report. A wait that the hub named holds canary calls back,
            // and so do a person's switch and a disk that fails: they are of the outbox.
            let troubles =
                world.tills.flatMap { [$0.link.lastTrouble, $0.link.sight.waitsUntil] }
                + [lastOverride, till.lastDiskChange, lastManual[till.number] ?? 0]
            let isQuiet =
                overrides == 0 && manual[till.number, default: 0] == 0 && till.hasDisk
                && !world.tills.contains(where: \.link.isTroubled)
                && Trace.now - (troubles.max() ?? 0) > Self.longestSuspicion
            return isQuiet ? "sees a faulty service without any trouble" : nil
        }
    }

    /// Milliseconds that a till may be offline by its network after the last trouble: its next probe and its
    /// hold.
    static let longestSuspicion: Int64 = 1_200_000

    /// A decision that ends a fault is followed within its hold and the canary calls, where nothing is in the
    /// way: not only when the fault's own decision would have expired.
    func requireUse(by link: Link) {
        guard let since = link.sight.usableSince else { return }
        let moment = max(link.sight.heldUntil, since) + Self.longestDwell
        Task { [world] in
            await world.pause(until: moment)
            let till = world.tills[link.number]
            // What a till cannot note it does not try.
            guard till.hasDisk, till.lastDiskChange < since, link.sight.usableSince == since,
                link.lastObstacle < since, !link.isTroubled,
                link.sight.waitsUntil < Trace.now - Self.longestDwell,
                till.startedAt < since, case .done(let status) = await till.call(StatusCall()),
                status.causes == [.service]
            else { return }
            world.fail(
                "a healthy service is used",
                "\(till.name) does not \((Trace.now - since) / 1000) s after it learned that: "
                    + "\(status.services)")
        }
    }

    /// Milliseconds of the longest dwell between two switches, and of two canary calls.
    private static let longestDwell: Int64 = 150_000

    /// What the hub has acknowledged it has.
    func acknowledged(_ request: [UInt8], _ response: [UInt8]) async {
        guard let pushed = try? JSONParser.parse(request), let answer = try? JSONParser.parse(response) else {
            return
        }
        let sequences = (pushed["mutations"]?.array ?? []).compactMap { $0["sequence"]?.integer }
        if sequences != sequences.sorted() {
            world.fail("entries arrive in order", "a push has \(sequences)")
        }
        let sales = Set(
            (pushed["mutations"]?.array ?? [pushed]).filter { $0["type"]?.string == "order.completed" }
                .compactMap { $0["id"]?.string })
        for result in answer["results"]?.array ?? [answer] where result["outcome"]?.string == "applied" {
            guard let id = result["id"]?.string, sales.contains(id) else { continue }
            promised += 1
            PowerCutImages.current?.acknowledges(id)
            if await !world.hub.has(id) {
                world.fail("what the hub acknowledges it has", "not the sale \(id)")
            }
        }
    }

    /// What is lent is spent once. A hub that was put back has forgotten some leases.
    func lookAtPoints() {
        guard world.fired[.hubRestore] == nil, let overspent = world.members.overspent else { return }
        world.fail("nothing is spent twice", overspent)
    }

    /// No fault of today is a cause for a till to refuse a sale, a shift or its closing.
    func refused(_ what: String, _ code: String, at till: TillNode) {
        world.trace.note(till.name, "\(what) refused \(code)")
        world.fail("nobody is refused without a cause", "\(till.name): \(what) was refused with \(code)")
    }

    // MARK: At the end

    /// What still waits: every entry has to be at the hub, and every till online with the prices of now.
    ///
    /// - Returns: nil when nothing does.
    func waiting() async -> String? {
        for till in world.tills {
            guard case .done(let status) = await till.call(StatusCall()) else {
                return "\(till.name) does not respond"
            }
            if status.mode != .online { return "\(till.name) is offline by \(status.causes.map(\.rawValue))" }
            if status.outbox.pending != 0 { return "\(till.name) has \(status.outbox.pending ?? -1) to send" }
            if let price = await otherPrice(at: till) { return "\(till.name) \(price)" }
        }
        guard let audit = try? await world.hub.perform(.audit(terminal: nil))["terminals"]?.array else {
            return "the hub has no audit"
        }
        if !audit.allSatisfy({ ($0["missing"]?.array ?? []).isEmpty }) { return "the hub lacks entries" }
        let orders = audit.compactMap { $0["orders"]?.integer }.reduce(0, +)
        return orders < Int64(world.book.sold.count) ? "the hub has \(orders) orders" : nil
    }

    /// What a till does not sell by its price of now; nil: it sells every article by it.
    private func otherPrice(at till: TillNode) async -> String? {
        let basket = SellCall(
            lines: Book.articles.map { .init(barcode: $0.barcode, quantityMilli: 1000) },
            isClockConfirmed: true)
        let outcome = await till.call(QuoteCall(basket))
        guard case .done(let quote) = outcome, quote.lines.count == Book.articles.count else {
            return "gives no quote: \(outcome)"
        }
        let place = Book.articles.indices.first { quote.lines[$0].unitPrice != world.book.price($0) }
        return place.map {
            "sells \(Book.articles[$0].sku) for \(quote.lines[$0].unitPrice), not \(world.book.price($0))"
        }
    }

    /// Compares till, hub and book, once everything has converged.
    func audit() async {
        lookForSecrets()
        for till in world.tills {
            await compare(till)
            await compareHistory(till)
        }
        do {
            try await compareHub()
            try await compareShifts()
            try await comparePoints()
            try await compareFlags()
            try await compareFigures()
            try await compareFeed()
            try await compareCards()
        } catch {
            world.fail("the hub responds", "\(error)")
        }
    }

    private func compare(_ till: TillNode) async {
        let own = world.book.sold.filter { $0.till == till.number }
        guard case .done(let list) = await till.call(OrderListCall(limit: 1_000_000)) else {
            return world.fail("a till comes back", "\(till.name) lists no orders")
        }
        var orders = list.orders
        var next = list.next
        while let before = next {
            guard case .done(let page) = await till.call(OrderListCall(limit: 1_000_000, before: before))
            else { break }
            orders += page.orders
            next = page.next
        }
        let byId = Dictionary(orders.map { ($0.sale.orderId, $0) }) { first, _ in first }
        for sale in own where !sale.isLostAtTill {
            guard let order = byId[sale.orderId] else {
                world.fail("nothing sold is lost", "\(till.name) does not have \(sale.number)")
                continue
            }
            if order.sale.total.amount != sale.total || order.refunded.amount != sale.refunded
                || (order.voidedAt != nil) != sale.isVoid
            {
                world.fail("sums to the cent", "\(till.name) has another \(sale.number)")
            }
        }
        if orders.count != own.count, !till.isRolledBack {
            world.fail(
                "nothing sold without its commit",
                "\(till.name) has \(orders.count) orders, sold \(own.count)")
        }
        if !till.isRolledBack, case .done(let list) = await till.call(CartListCall()) {
            for cart in list.carts where world.book[cart.cartId] != nil {
                world.fail("a sold cart is gone", "\(till.name) still has \(cart.cartId)")
            }
        }
        if Set(orders.map(\.sale.orderNumber)).count != orders.count {
            world.fail("one order for each number", "\(till.name) has a number twice")
        }
    }

    /// A wall clock that was set makes no period in the history longer than it was: of a till whose process
    /// never ended, since what another one has seen is known by the wall clock alone.
    private func compareHistory(_ till: TillNode) async {
        guard till.generation == 0, case .done(let history) = await till.call(HistoryCall()) else { return }
        for period in history.periods {
            guard let start = Timestamp.milliseconds(of: period.start),
                let end = period.end.flatMap(Timestamp.milliseconds(of:))
            else { continue }
            if end - start > till.longestOffline + 60_000 || end < start {
                world.fail(
                    "the history is true",
                    "\(till.name) was offline from \(period.start) to \(period.end ?? ""), "
                        + "and never longer than \(till.longestOffline) ms")
            }
        }
    }

    private func compareHub() async throws {
        let audit = try await world.hub.perform(.audit(terminal: nil))["terminals"]?.array ?? []
        for terminal in audit {
            let id = terminal["terminalId"]?.string ?? ""
            guard let till = world.tills.first(where: { $0.terminalId == id }) else {
                world.fail("the audit is intact", "the hub knows a terminal \(id)")
                continue
            }
            if terminal["chain"]?.string != "intact" || !(terminal["missing"]?.array ?? []).isEmpty {
                world.fail("the audit is intact", "\(till.name): \(terminal.canonicalText)")
            }
            let own = world.book.sold.filter { $0.till == till.number }
            if terminal["orders"]?.integer != Int64(own.count) {
                world.fail(
                    "nothing sold is lost", "\(till.name) sold \(own.count): \(terminal.canonicalText)")
            }
        }
        try await compareAlarms()
        var (seen, cursor) = ([String: JSONValue](), String?.none)
        repeat {
            let page = BackOfficeCall.Page(.init(), cursor: cursor, limit: BackOfficeCall.Page.maximumLimit)
            let list = try await world.hub.perform(.backOffice(.listOrders(page)))
            for order in list["orders"]?.array ?? [] {
                guard let number = order["orderNumber"]?.string else { continue }
                if seen.updateValue(order, forKey: number) != nil {
                    world.fail("one order for each number", "the hub has \(number) twice")
                }
            }
            cursor = list["cursor"]?.string
        } while cursor != nil
        for sale in world.book.sold {
            guard let order = seen[sale.number] else {
                world.fail("nothing sold is lost", "the hub does not have \(sale.number)")
                continue
            }
            // A copy of a till's database has the person signed in who was when it was made.
            if order["cashierId"]?.string != sale.person, !world.tills[sale.till].isRolledBack {
                world.fail(
                    "who signs in is signed in", "\(sale.person ?? "nobody") sold \(order.canonicalText)")
            }
            let state =
                sale.isVoid
                ? "voided"
                : sale.refunded == 0
                    ? "completed" : sale.refunded < sale.total ? "refundedInPart" : "refunded"
            if order["total"]?.integer != sale.total || order["refunded"]?.integer != sale.refunded
                || order["state"]?.string != state
            {
                world.fail(
                    "sums to the cent",
                    "the hub has \(order.canonicalText), sold for \(sale.total), \(sale.refunded) back, \(state)"
                )
            }
        }
    }

    /// Whether the database of a terminal was put back, or repaired.
    func isRolledBack(_ terminalId: JSONValue?) -> Bool {
        world.tills.contains { $0.isRolledBack && $0.terminalId == terminalId?.string }
    }

    /// Of a journal that went back the hub raises an alarm.
    private func requireAlarms(_ alarms: [JSONValue]) {
        let known = ["journal_forked", "head_regressed"]
        let seen = Set(
            alarms.filter { known.contains($0["kind"]?.string ?? "") }.compactMap { $0["terminalId"]?.string }
        )
        for till in world.tills where till.isForked && !seen.contains(till.terminalId ?? "") {
            world.fail("every alarm is seen", "none of the journal of \(till.name), which went back")
        }
    }

    /// A journal forks, or is a copy, only where a database was put back.
    private func compareAlarms() async throws {
        let page = BackOfficeCall.Page(.init(), limit: BackOfficeCall.Page.maximumLimit)
        let list = try await world.hub.perform(.backOffice(.listAlarms(page, all: true)))
        requireAlarms(list["alarms"]?.array ?? [])
        for alarm in list["alarms"]?.array ?? [] {
            let kind = alarm["kind"]?.string ?? ""
            world.trace.note("hub", "has the alarm \(kind), \(alarm["detail"]?.string ?? "")")
            guard !isRolledBack(alarm["terminalId"]), let kind = alarm["kind"]?.string,
                ["journal_forked", "terminal_cloned", "epoch_invalid"].contains(kind)
            else { continue }
            world.fail("no alarm without a cause", alarm.canonicalText)
        }
    }

    /// Every closed shift was compared with what arrived of it, and is the same.
    private func compareShifts() async throws {
        var cursor = String?.none
        repeat {
            let page = BackOfficeCall.Page(.init(), cursor: cursor, limit: BackOfficeCall.Page.maximumLimit)
            let list = try await world.hub.perform(.backOffice(.listShifts(page, state: nil)))
            for shift in list["shifts"]?.array ?? [] where shift["state"]?.string != "open" {
                // The closing of a database that was put back may not be in it: the shift goes on there.
                let isPutBack = world.tills.contains {
                    $0.isRolledBack && $0.terminalId == shift["terminalId"]?.string
                }
                if shift["state"]?.string != "confirmed", !isPutBack {
                    world.fail("shifts are confirmed", shift.canonicalText)
                }
            }
            cursor = list["cursor"]?.string
        } while cursor != nil
    }
}
