internal import AgentAPI
internal import HubProtocol
internal import Agent

/// What the acts are made of.
extension DemoStory {
    func send<Call: AgentCall>(_ call: Call) async throws -> Call.Response {
        guard let connection = stage.connection else {
            throw TerminalError(.tryAgain, code: "agent_gone", "the demo's agent is not running")
        }
        return try await connection.send(call)
    }

    func status() async throws -> StatusResponse { try await send(StatusCall()) }

    /// Sells two articles for exact cash.
    func sell(_ index: Int) async throws -> SaleResponse {
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
    func reaches(within limit: Duration, _ condition: (StatusResponse) -> Bool) async throws -> Bool {
        let end = timeline.now + limit
        while timeline.now < end {
            if condition(try await status()) { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return condition(try await status())
    }

    func drains(within limit: Duration) async throws -> Bool {
        try await reaches(within: limit) { $0.outbox.pending == 0 }
    }

    func seconds(_ duration: Duration) -> String {
        let tenths =
            duration.components.seconds * 10 + duration.components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }

    func words(_ milliseconds: Double) -> String {
        "\((milliseconds * 10).rounded() / 10)"
    }
}
