internal import HubProtocol
internal import Terminal

/// What the acts are made of.
extension DemoStory {
    func document(_ request: AgentRequest) async throws -> JSONValue {
        guard let connection = stage.connection else {
            throw TerminalError(.tryAgain, code: "agent_gone", "the demo's agent is not running")
        }
        return try await connection.document(request)
    }

    func status() async throws -> JSONValue {
        try await document(AgentRequest("GET", AgentRoutes.status))
    }

    /// Sells two articles for exact cash.
    func sell(_ index: Int) async throws -> JSONValue {
        let articles = DemoCatalogue.articles
        let body: JSONValue = [
            "lines": [
                ["barcode": .string(articles[index * 7 % articles.count].barcode)],
                [
                    "barcode": .string(articles[index * 13 % articles.count].barcode),
                    "quantityMilli": .integer(2000),
                ],
            ]
        ]
        let sale = try await document(AgentRequest("POST", AgentRoutes.sales, body: body))
        timeline.countSale()
        return sale
    }

    /// Waits until the status meets `condition`, and prints each change of mode or suspicion until then.
    func reaches(within limit: Duration, _ condition: (JSONValue) -> Bool) async throws -> Bool {
        let end = timeline.now + limit
        while timeline.now < end {
            if condition(try await status()) { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return condition(try await status())
    }

    func drains(within limit: Duration) async throws -> Bool {
        try await reaches(within: limit) { $0["outbox"]?["pending"]?.integer == 0 }
    }

    func seconds(_ duration: Duration) -> String {
        let tenths =
            duration.components.seconds * 10 + duration.components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// The number in a document; infinite when there is none, so that no check of it can pass.
    func milliseconds(_ value: JSONValue?) -> Double {
        switch value {
        case .integer(let whole): Double(whole)
        case .double(let exact): exact
        default: .infinity
        }
    }

    func words(_ milliseconds: Double) -> String {
        "\((milliseconds * 10).rounded() / 10)"
    }
}
