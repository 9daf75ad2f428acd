internal import PosCLI
import Base

internal import AgentAPI
internal import FaultRelay
internal import HubProtocol
internal import OfflineCore
internal import Agent
internal import Counter

/// The acts of the demo. Each says what it expects; what does not happen fails the demo.
final class DemoStory {
    private let stage: DemoStage
    private let timeline: DemoTimeline
    /// The shift in which everything is sold.
    private var shift: String?

    init(stage: DemoStage, timeline: DemoTimeline) {
        (self.stage, self.timeline) = (stage, timeline)
    }

    func play() async throws {
        try await sellOnline()
        try await loseTheNetwork()
        try await sellOffline()
        try await keepAtTheOtherTill()
        try await bringItBack()
        try await failTheOrderService()
        try await switchOffAndKill()
        try await countersign()
        try await audit()
    }

    private func sellOnline() async throws {
        await timeline.chapter("Online: the sale is durable here first, then the hub has it")
        try await stage.prepare()
        timeline.check(
            till.enrolment.products == DemoCatalogue.articles.count,
            "two tills of one store; each pulled \(till.enrolment.products) articles")
        timeline.check(
            try await reaches(within: .seconds(20)) { $0.network.state == .reachable },
            "till 1 reached the hub")
        timeline.check(try await seeEachOther(), "the tills see each other over the shop's network")
        shift = try await till.send(OpenShiftCall(float: 10_000, person: AgentPerson())).shiftId
        timeline.check(try await drains(), "till 1's shift is open with 100.00, and the hub knows it")
        timeline.note("a cashier reads \"head office\" where this page says hub")
        try await sellAtCounter(0, by: .cash)
        for index in 1..<5 {
            let sale = try await sell(index)
            timeline.check(
                sale.sync == "acknowledged",
                "sold \(sale.sale.orderNumber) \(sale.sale.mode.rawValue), acknowledged, "
                    + "durable in \(words(sale.durableMilliseconds)) ms")
        }
    }

    private func loseTheNetwork() async throws {
        await timeline.chapter("The line goes dead without a word (T1 = 3 s)")
        for till in [till, stage.other] { till.way.setMode(.silentBlackhole) }
        let cut = timeline.now
        timeline.note("every byte between the tills and the hub is dropped from now on")
        _ = try await stage.other.send(sale(0))
        var longest = 0.0
        for index in 5..<8 {
            longest = max(longest, try await sell(index).elapsedMilliseconds)
        }
        timeline.check(
            longest < Self.longestWait,
            "sold 3 more, and one at till 2; the longest waited \(words(longest)) ms: at most 1.5 s, until T1 ends"
        )
        timeline.check(
            try await reaches(within: .seconds(20)) { $0.network.state == .suspect || $0.mode == .offline },
            "till 1 suspects the line")
        let isOffline = try await reaches(within: .seconds(25)) { $0.mode == .offline }
        let after = timeline.now - cut
        timeline.check(
            isOffline && after >= .seconds(3) && after <= .seconds(25),
            "offline \(seconds(after)) s after the cut: \(try await banner())")
    }

    private func sellOffline() async throws {
        await timeline.chapter("Offline: cash, and a card at the shop's own card machine")
        let waiting = try await till.status().outbox.pending ?? 0
        timeline.check(
            waiting == 3, "\(waiting) sales wait to be sent, those since the cut; the next is the fourth")
        try await sellAtCounter(8, by: .card)
        let booked = try stage.cardPayments()
        timeline.check(booked == 1, "the card machine booked \(booked) payment, without the hub")
        var waits: [Double] = []
        for index in 9..<14 { waits.append(try await sell(index).elapsedMilliseconds) }
        waits.sort()
        timeline.check(
            waits[2] < Self.longestWait / 4 && waits[4] < Self.longestWait,
            "sold 5 more for cash, waiting for nothing: \(words(waits[2])) ms each, \(words(waits[4])) ms at most"
        )
    }

    private func keepAtTheOtherTill() async throws {
        await timeline.chapter("Till 2 keeps what waits at till 1, and hands it in")
        let pending = try await till.status().outbox.pending ?? 0
        let isKept = try await meets(within: .seconds(40)) { [stage] in
            let copied = try await stage.till.status().outbox.copied
            return try await stage.other.neighbour(1)?.weKeep == copied && copied == pending
        }
        timeline.check(isKept, "till 2 keeps all \(pending) entries, sealed to the hub: it can read none")
        stage.other.way.setMode(.open)
        timeline.note("till 2 gets a mobile stick")
        let isHandedIn = try await meets(within: .seconds(60)) { [stage] in
            let mode = try await stage.other.status().mode
            return try await stage.other.neighbour(1)?.weKeep == 0 && mode == .online
        }
        let (mode, received) = (try await till.status().mode, Int(try received(of: till)))
        timeline.check(
            isHandedIn && mode == .offline && received == timeline.sold,
            "till 1 is still \(mode.rawValue), and the hub has its \(received) sales of \(timeline.sold)")
    }

    private func bringItBack() async throws {
        await timeline.chapter("The line comes back")
        till.way.setMode(.open)
        timeline.note("till 1's bytes pass again")
        timeline.check(
            try await reaches(within: .seconds(40)) { $0.mode == .online },
            "online again after probes were good for the hold")
        timeline.check(try await drains(), "the outbox is empty; what came by till 2 counts once")
    }

    private func failTheOrderService() async throws {
        await timeline.chapter("The order service fails, the network is fine")
        let fault = try OrderServiceFault(database: stage.orderDatabase)
        timeline.note("the hub's order database is locked: 503 on orders")
        for index in 14..<16 { _ = try await sell(index) }
        timeline.check(
            try await reaches(within: .seconds(40)) { status in
                status.causes.contains(.service)
            }, "offline by QoS's decision: \(try await banner())")
        for index in 16..<18 { _ = try await sell(index) }
        try fault.end()
        timeline.note("sold 2 more; the database is free again")
        timeline.check(
            try await reaches(within: .seconds(40)) { $0.mode == .online },
            "QoS withdrew its decision, canaries were good: online")
        timeline.check(try await drains(), "the outbox is empty")
    }

    private func switchOffAndKill() async throws {
        await timeline.chapter("Switched off by hand, and a power cut")
        _ = try await till.send(SetManualCall(isOn: true, reason: "counting the drawer", by: "demo"))
        _ = try await sell(18)
        await till.kill()
        timeline.note("till 1's agent was killed with the switch on")
        try await till.start()
        let status = try await till.status()
        timeline.check(
            status.mode == .offline && status.manual.reason == "counting the drawer",
            "started again, still offline: \(try await banner())")
        _ = try await sell(19)
        _ = try await till.send(SetManualCall(isOn: false))
        timeline.check(
            try await reaches(within: .seconds(40)) { $0.mode == .online },
            "switched back: online")
        timeline.check(try await drains(), "the outbox is empty")
    }

    private func audit() async throws {
        await timeline.chapter("The audit")
        let local = try await till.send(OrderListCall(limit: 1000)).orders.count
        timeline.check(local == timeline.sold, "till 1 has its \(local) sales")
        for (till, sold) in [(till, timeline.sold), (stage.other, 1)] {
            let audit = try stage.audit(of: till)
            let received = audit["orders"]?.integer ?? 0
            let gap = Int64(sold) - received + Int64(audit["missing"]?.array?.count ?? 1)
            let chain = audit["chain"]?.string ?? "-"
            timeline.check(
                gap == 0 && chain == "intact",
                "till \(till.enrolment.terminalNumber): sold \(sold), received \(received), gap \(gap), chain \(chain)"
            )
        }
    }

    /// Counts the drawer, and waits for what the hub signs of the shift.
    private func countersign() async throws {
        await timeline.chapter("The drawer is counted, and the hub countersigns the shift")
        let expected = try await till.send(ShowShiftCall(id: nil)).expectedCash ?? 0
        _ = try await till.send(CloseShiftCall(counted: expected, person: AgentPerson()))
        timeline.note("closed with \(Self.amount(expected)) in the drawer, as it should be")
        let end = timeline.now + .seconds(10)
        var closed = try await till.send(ShowShiftCall(id: shift))
        while closed.statements.isEmpty, timeline.now < end {
            try await Task.sleep(for: .milliseconds(50))
            closed = try await till.send(ShowShiftCall(id: shift))
        }
        let statement = closed.statements.first ?? ShiftStatement()
        let signer = try? await till.send(VerifyStatementCall(statement.json)).keyId
        timeline.check(
            closed.state == .confirmed && statement.gap == 0 && signer != nil
                && statement.sums.sales.count == Int64(timeline.sold),
            "statement: sold \(timeline.sold), received \(statement.sums.sales.count), "
                + "gap \(statement.gap), signed by the hub's key \(signer ?? "-")")
    }

    private static func amount(_ minor: Int64) -> String {
        let cents = String(minor % 100)
        return "\(minor / 100)." + (cents.count < 2 ? "0" : "") + cents
    }
}

/// What the acts are made of.
extension DemoStory {
    /// How the customer at the counter pays.
    private enum Tender { case cash, card }

    /// Milliseconds: twice what a sale waits for the hub at most, since the machine may be busy.
    private static let longestWait = 3_000.0

    private var till: DemoTill { stage.till }

    /// Waits until each till has heard the other. A till that was enrolled first gets the other's key with
    /// its next pull.
    private func seeEachOther() async throws -> Bool {
        for till in [till, stage.other] { _ = try await till.send(SyncNowCall()) }
        return try await meets(within: .seconds(40)) { [stage] in
            let states = [
                try await stage.till.neighbour(2)?.state, try await stage.other.neighbour(1)?.state,
            ]
            return states.allSatisfy { $0 == .reachable }
        }
    }

    /// Sells two articles at the full-screen counter, as a cashier does: two scans, F10, Enter.
    private func sellAtCounter(_ index: Int, by tender: Tender) async throws {
        var counter = try await DemoCounter(till.agentConnection)
        let articles = DemoCatalogue.articles
        await counter.scan(articles[index * 7 % articles.count].barcode)
        await counter.scan("2*" + articles[index * 13 % articles.count].barcode)
        await counter.press(.function(10))
        // Cash comes first, the exact amount at its top; cards come last.
        if tender == .card { await counter.chooseLastTender() }
        timeline.note("the counter, with a customer in front of it:")
        await timeline.show(counter)
        await counter.press(.enter)
        guard let sold = counter.sold else { return timeline.check(false, "sold at the counter") }
        timeline.countSale()
        let method = sold.sale.paid.first?.method ?? "-"
        timeline.check(
            method == "\(tender)", "sold at the counter: \(sold.sale.orderNumber), paid by \(method)")
        guard tender == .card else { return }
        try await counter.follow()
        await timeline.show(counter)
    }

    /// Two articles for exact cash.
    private func sale(_ index: Int) -> SellCall {
        let articles = DemoCatalogue.articles
        return SellCall(lines: [
            EnteredLine(barcode: articles[index * 7 % articles.count].barcode),
            EnteredLine(barcode: articles[index * 13 % articles.count].barcode, quantityMilli: 2000),
        ])
    }

    /// Sells at till 1.
    private func sell(_ index: Int) async throws -> SaleResponse {
        let sale = try await till.send(sale(index))
        timeline.countSale()
        return sale
    }

    /// Sales of `till` that the hub has.
    private func received(of till: DemoTill) throws -> Int64 {
        try stage.audit(of: till)["orders"]?.integer ?? 0
    }

    /// Waits until till 1's status meets `condition`.
    private func reaches(within limit: Duration, _ condition: (StatusResponse) -> Bool) async throws -> Bool {
        try await meets(within: limit) { [till] in condition(try await till.status()) }
    }

    /// Waits until the hub has whatever till 1 sold.
    private func drains() async throws -> Bool {
        try await reaches(within: .seconds(30)) { $0.outbox.pending == 0 }
    }

    private func meets(within limit: Duration, _ condition: () async throws -> Bool) async throws -> Bool {
        let end = timeline.now + limit
        while timeline.now < end {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await condition()
    }

    /// The banner of till 1, as its counter says it.
    private func banner() async throws -> String {
        ShopWords.text(StatusText.banner(try await till.status()))
    }

    private func seconds(_ duration: Duration) -> String {
        let tenths =
            duration.components.seconds * 10 + duration.components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }

    private func words(_ milliseconds: Double) -> String {
        "\((milliseconds * 10).rounded() / 10)"
    }
}
