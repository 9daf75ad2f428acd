internal import AgentAPI
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
                let list = try await orders.list(limit: OrderListCall(query: paths.query).limit)
                return AgentAnswer(OrderListResponse(list).json)
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
        } catch let error as RequestRefusal {
            throw TerminalError(error)
        } catch let error as TerminalError {
            throw error
        } catch {
            throw TerminalError(.notDurable, code: "store_unavailable", "nothing was changed: \(error)")
        }
    }

    /// The files of a void are urgent: a correction of money does not wait for an unmetered path.
    private func void(_ id: String) async throws -> AgentAnswer {
        let call = try VoidOrderCall(id: id, body: paths.body)
        let staging = AttachmentStaging(
            attachments: parts.attachments, files: call.files ?? AttachedFiles(paths: []))
        let answer = try await staging.with(isUrgent: true) { attachments in
            document(
                try await orders.void(
                    id, by: PersonClaim(call.person), reason: call.reason, attachments: attachments))
        }
        parts.uploader.nudge()
        return answer
    }

    /// As urgent as a void.
    private func refund(_ id: String) async throws -> AgentAnswer {
        let call = try RefundOrderCall(id: id, body: paths.body)
        let key = try call.checkedKey()
        let payments = try await orders.show(id).sale.content.payments
        let staging = AttachmentStaging(attachments: parts.attachments, files: call.files)
        let refund = try await staging.with(isUrgent: true) { attachments in
            try await orders.refund(
                id, items: call.items, by: PersonClaim(call.person), key: key, reason: call.reason,
                attachments: attachments)
        }
        parts.uploader.nudge()
        // A refund to the card is not possible yet.
        let response = RefundResponse(
            refund: RefundRecord(refund), receipt: orders.receipt(of: refund),
            isPaidByCard: payments.contains { $0.card != nil })
        return AgentAnswer(response.json)
    }

    private func document(_ order: Order) -> AgentAnswer {
        AgentAnswer(OrderResponse(order: OrderEntry(order), receipt: orders.receipt(of: order)).json)
    }

    private var unknown: TerminalError {
        TerminalError(
            .usage, code: "unknown_request",
            "the agent has no \(paths.method) \(paths.path); are the versions equal?")
    }
}
