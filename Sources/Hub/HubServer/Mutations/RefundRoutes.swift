internal import HubCore
internal import HubProtocol
internal import HubStore

/// Decides about refunds and voids before money moves (http.md section 6).
struct RefundRoutes: Sendable {
    let ledger: any Ledger
    let now: @Sendable () -> Int64

    var routes: [Route] {
        [
            Route(.post, Routes.refundDecisions, .confirmedDevice, response: decide),
            Route(.delete, Routes.refundDecision, .confirmedDevice, response: release),
        ]
    }

    @Sendable private func decide(_ request: HubRequest) async throws -> HubResponse {
        let device = try request.requireDevice()
        let body = try await request.json()
        let inquiry = try Problem.reading(RefundInquiry(json: body))
        switch try await ledger.decide(inquiry, by: device, at: now()) {
        case .decided(let decision):
            return HubResponse.json(decision.json).with("Cache-Control", "no-store")
        case .receiptInvalid: throw Problem.receiptCodeInvalid
        case .tooMany: throw Self.tooMany
        }
    }

    @Sendable private func release(_ request: HubRequest) async throws -> HubResponse {
        let device = try request.requireDevice()
        try await ledger.releaseRefund(request.parameters["refundId"] ?? "", of: device)
        return HubResponse(status: 204)
    }

    private static let tooMany = Problem(
        status: 429, code: .tooManyRefundDecisions, title: "Too many refunds are reserved",
        detail:
            "This terminal has \(RefundInquiry.mostOpen) refunds reserved that it neither made nor gave back; they "
            + "end with its next push, or with DELETE.")
}

extension Problem {
    /// A receipt's code that no terminal of this hub signed, or that is none.
    static let receiptCodeInvalid = Problem(
        status: 422, code: .receiptCodeInvalid, title: "The receipt's code is not valid",
        detail: "It is no code, or no terminal of this hub signed it; scan the receipt again.")
}
