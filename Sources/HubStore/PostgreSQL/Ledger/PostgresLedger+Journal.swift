public import HubCore
public import HubProtocol

extension PostgresLedger {
    public func takeIn(_ request: IntakeRequest) async throws(LedgerError) -> IntakeAnswer {
        try await intake.take(request)
    }

    public func keepTelemetry(
        _ document: JSONValue, of terminalId: String, at now: Int64
    ) async throws(LedgerError) {
        _ = try await database.ask { connection throws(PostgresError) in
            try connection.ask(
                "INSERT INTO telemetry VALUES ($1, $2, $3) ON CONFLICT (terminal_id) DO UPDATE "
                    + "SET received_at = excluded.received_at, document = excluded.document",
                [.text(terminalId), .integer(now), .text(document.canonicalText)])
        }
    }
}
