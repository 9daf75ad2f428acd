internal import HubProtocol
internal import OfflineMode
internal import Retail

/// Answers the requests below `/v1/orders`.
struct OrdersView {
    let parts: AgentParts
    let paths: AgentRequest

    private var orders: Orders { parts.orders }

    func answer() async throws(TerminalError) -> AgentAnswer {
        let parts = paths.path.split(separator: "/").map(String.init)
        guard parts.count >= 2, parts[0] == "v1", parts[1] == "orders" else { throw unknown }
        do {
            switch (paths.method, parts.count) {
            case ("GET", 2):
                let limit = min(1_000_000, max(1, paths.query["limit"].flatMap { Int($0) } ?? 50))
                let list = try await orders.list(limit: limit)
                return AgentAnswer(OrderListDocument(orders: list).json)
            case ("GET", 3):
                return document(try await orders.show(parts[2]))
            case ("POST", 4) where parts[3] == "void":
                return try await void(parts[2])
            case ("POST", 4) where parts[3] == "refund":
                return try await refund(parts[2])
            default:
                return AgentAnswer(unknown)
            }
        } catch let error as OrderRefusal {
            throw TerminalError(error)
        } catch let error as TerminalError {
            throw error
        } catch {
            throw TerminalError(.notDurable, code: "store_unavailable", "nothing was changed: \(error)")
        }
    }

    /// What corrects money waits for no cheap path: its slips are urgent.
    private func void(_ id: String) async throws -> AgentAnswer {
        let body = paths.body
        let claim = try PersonClaim(json: body, of: .request)
        let staging = AttachmentStaging(attachments: parts.attachments, body: body)
        let answer = try await staging.with(isUrgent: true) { attachments in
            document(
                try await orders.void(
                    id, by: claim, reason: body?["reason"]?.string,
                    attachments: attachments))
        }
        parts.uploader.nudge()
        return answer
    }

    /// As urgent as a void.
    private func refund(_ id: String) async throws -> AgentAnswer {
        let wish = try RefundRequest(json: paths.body)
        let payments = try await orders.show(id).sale.content.payments
        let staging = AttachmentStaging(attachments: parts.attachments, body: paths.body)
        let refund = try await staging.with(isUrgent: true) { attachments in
            try await orders.refund(
                id, items: wish.items, by: wish.claim, key: wish.key, reason: wish.reason,
                attachments: attachments)
        }
        parts.uploader.nudge()
        var members = RefundDocument.refund(refund).object ?? [:]
        members["receipt"] = .string(orders.receipt(of: refund))
        // Back to the card is not possible yet.
        if payments.contains(where: { $0.card != nil }) { members["paidByCard"] = true }
        return AgentAnswer(.object(members))
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
