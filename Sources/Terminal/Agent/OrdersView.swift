internal import HubProtocol
internal import Retail

/// Answers the requests below `/v1/orders`.
struct OrdersView {
    let orders: Orders
    let paths: AgentRequest

    func answer() async throws(TerminalError) -> AgentAnswer {
        let parts = paths.path.split(separator: "/").map(String.init)
        guard parts.count >= 2, parts[0] == "v1", parts[1] == "orders" else { throw unknown }
        do throws(OrderRefusal) {
            switch (paths.method, parts.count) {
            case ("GET", 2):
                let limit = min(1_000_000, max(1, paths.query["limit"].flatMap { Int($0) } ?? 50))
                let list = try await orders.list(limit: limit)
                return AgentAnswer(OrderListDocument(orders: list).json)
            case ("GET", 3):
                return document(try await orders.show(parts[2]))
            case ("POST", 4) where parts[3] == "void":
                let body = paths.body
                return document(
                    try await orders.void(
                        parts[2], cashierId: body?["cashierId"]?.string, reason: body?["reason"]?.string))
            default:
                return AgentAnswer(unknown)
            }
        } catch {
            throw TerminalError(error)
        }
    }

    private func document(_ order: Order) -> AgentAnswer {
        var members = SaleDocument.order(order).object ?? [:]
        members["receipt"] = .string(orders.receipt(of: order))
        return AgentAnswer(.object(members))
    }

    private var unknown: TerminalError {
        TerminalError(
            .usage, code: "unknown_request",
            "the agent has no \(paths.method) \(paths.path); are the versions equal?")
    }
}
