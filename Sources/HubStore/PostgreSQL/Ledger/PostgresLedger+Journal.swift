public import HubCore

extension PostgresLedger {
    public func takeIn(_ request: IntakeRequest) async throws(LedgerError) -> IntakeAnswer {
        try await intake.take(request)
    }
}
