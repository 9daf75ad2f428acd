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
        try await bringItBack()
        try await failTheOrderService()
        try await switchOffAndKill()
        try await countersign()
        try await audit()
    }

    private func sellOnline() async throws {
        await timeline.chapter("Online: the sale is durable here first, then the hub has it")
        let products = try stage.prepare()
        timeline.check(products == DemoCatalogue.articles.count, "the till pulled \(products) articles")
        try await stage.startAgent()
        timeline.check(
            try await reaches(within: .seconds(10)) { $0.network.state == .reachable },
            "the till reached the hub")
        shift = try await send(OpenShiftCall(float: 10_000, person: AgentPerson())).shiftId
        try await sellAtCounter(0)
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
        stage.relay.setMode(.silentBlackhole)
        let cut = timeline.now
        timeline.note("the relay swallows every byte from now on")
        var longest = 0.0
        for index in 5..<8 {
            longest = max(longest, try await sell(index).elapsedMilliseconds)
        }
        timeline.check(longest < 1900, "sold 3 more; the longest sale waited \(words(longest)) ms")
        timeline.check(
            try await reaches(within: .seconds(10)) { $0.network.state == .suspect },
            "the till suspects the line")
        let isOffline = try await reaches(within: .seconds(13)) { $0.mode == .offline }
        let after = seconds(timeline.now - cut)
        timeline.check(
            isOffline && timeline.now - cut >= .seconds(3) && timeline.now - cut <= .seconds(12),
            "offline \(after) s after the cut: \(StatusText.banner(try await status()))")
        var offline: [Double] = []
        try await sellAtCounter(8)
        for index in 9..<14 { offline.append(try await sell(index).elapsedMilliseconds) }
        offline.sort()
        timeline.check(
            offline[2] < 50 && offline[4] < 500,
            "sold 5 offline, waiting for nothing: \(words(offline[2])) ms each, \(words(offline[4])) ms at most"
        )
    }

    private func bringItBack() async throws {
        await timeline.chapter("The line comes back")
        stage.relay.setMode(.open)
        timeline.note("the relay passes bytes again")
        timeline.check(
            try await reaches(within: .seconds(29)) { $0.mode == .online },
            "online again after probes were good for the hold")
        timeline.check(try await drains(within: .seconds(10)), "the outbox is empty, the hub has them all")
    }

    private func failTheOrderService() async throws {
        await timeline.chapter("The order service fails, the network is fine")
        let fault = try OrderServiceFault(database: stage.orderDatabase)
        timeline.note("the hub's order database is locked: 503 on orders")
        for index in 14..<16 { _ = try await sell(index) }
        timeline.check(
            try await reaches(within: .seconds(20)) { status in
                status.causes.contains(.service)
            }, "offline by QoS's decision: \(StatusText.banner(try await status()))")
        for index in 16..<18 { _ = try await sell(index) }
        try fault.end()
        timeline.note("sold 2 more; the database is free again")
        timeline.check(
            try await reaches(within: .seconds(40)) { $0.mode == .online },
            "QoS withdrew its decision, canaries were good: online")
        timeline.check(try await drains(within: .seconds(10)), "the outbox is empty")
    }

    private func switchOffAndKill() async throws {
        await timeline.chapter("Switched off by hand, and a power cut")
        _ = try await send(SetManualCall(isOn: true, reason: "counting the drawer", by: "demo"))
        _ = try await sell(18)
        await stage.killAgent()
        timeline.note("the agent was killed with the switch on")
        try await stage.startAgent()
        let status = try await status()
        timeline.check(
            status.mode == .offline && status.manual.reason == "counting the drawer",
            "started again, still offline: \(StatusText.banner(status))")
        _ = try await sell(19)
        _ = try await send(SetManualCall(isOn: false))
        timeline.check(
            try await reaches(within: .seconds(15)) { $0.mode == .online },
            "switched back: online")
        timeline.check(try await drains(within: .seconds(10)), "the outbox is empty")
    }

    private func audit() async throws {
        await timeline.chapter("The audit")
        let terminal = try stage.audit()["terminals"]?.array?.first ?? .null
        let local = try await send(OrderListCall(limit: 1000)).orders.count
        let received = terminal["orders"]?.integer ?? 0
        let gap = terminal["missing"]?.array?.count ?? -1
        timeline.check(
            local == timeline.sold && received == Int64(timeline.sold) && gap == 0
                && terminal["chain"]?.string == "intact",
            "sold \(timeline.sold), received \(received), gap \(Int64(timeline.sold) - received), "
                + "chain \(terminal["chain"]?.string ?? "-")")
    }

    /// Counts the drawer, and waits for what the hub signs of the shift.
    private func countersign() async throws {
        await timeline.chapter("The drawer is counted, and the hub countersigns the shift")
        let expected = try await send(ShowShiftCall(id: nil)).expectedCash ?? 0
        _ = try await send(CloseShiftCall(counted: expected, person: AgentPerson()))
        timeline.note("closed with \(Self.amount(expected)) in the drawer, as it should be")
        let end = timeline.now + .seconds(10)
        var closed = try await send(ShowShiftCall(id: shift))
        while closed.statements.isEmpty, timeline.now < end {
            try await Task.sleep(for: .milliseconds(50))
            closed = try await send(ShowShiftCall(id: shift))
        }
        let statement = closed.statements.first ?? ShiftStatement()
        let signer = try? await send(VerifyStatementCall(statement.json)).keyId
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
    private func send<Call: AgentCall>(_ call: Call) async throws -> Call.Response {
        guard let connection = stage.connection else {
            throw TerminalError(
                .tryAgain, code: "agent_gone", text: { _ in "the demo's agent is not running" })
        }
        return try await connection.send(call)
    }

    private func status() async throws -> StatusResponse { try await send(StatusCall()) }

    /// Sells two articles at the full-screen counter, as a cashier does: two scans, F10, Enter.
    private func sellAtCounter(_ index: Int) async throws {
        guard let connection = stage.connection else { return }
        var counter = try await DemoCounter(connection)
        let articles = DemoCatalogue.articles
        await counter.scan(articles[index * 7 % articles.count].barcode)
        await counter.scan("2*" + articles[index * 13 % articles.count].barcode)
        await counter.press(.function(10))
        timeline.note("the counter, with a customer in front of it:")
        await timeline.show(counter)
        await counter.press(.enter)
        if counter.sold != nil { timeline.countSale() }
        timeline.check(counter.sold != nil, "sold at the counter: \(counter.sold?.sale.orderNumber ?? "-")")
        await timeline.show(counter)
    }

    /// Sells two articles for exact cash.
    private func sell(_ index: Int) async throws -> SaleResponse {
        let articles = DemoCatalogue.articles
        let call = SellCall(lines: [
            SellCall.Line(barcode: articles[index * 7 % articles.count].barcode),
            SellCall.Line(barcode: articles[index * 13 % articles.count].barcode, quantityMilli: 2000),
        ])
        let sale = try await send(call)
        timeline.countSale()
        return sale
    }

    /// Waits until the status meets `condition`, and prints each change of mode or suspicion until then.
    private func reaches(within limit: Duration, _ condition: (StatusResponse) -> Bool) async throws -> Bool {
        let end = timeline.now + limit
        while timeline.now < end {
            if condition(try await status()) { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return condition(try await status())
    }

    private func drains(within limit: Duration) async throws -> Bool {
        try await reaches(within: limit) { $0.outbox.pending == 0 }
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
