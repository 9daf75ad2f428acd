public import HubCore

extension PostgresLedger {
    public func takeIn(_ request: IntakeRequest) async throws(LedgerError) -> IntakeAnswer {
        try await intake.take(request)
    }

    /// Behind the journal's lock, as the pushes of the terminal are.
    public func note(
        _ claim: HeadClaim, of device: DeviceIdentity, at now: Int64
    ) async throws(LedgerError) {
        let request = IntakeRequest(
            device: device, epoch: nil, lowSequence: nil, mutations: [], receivedAt: now, head: claim)
        try await database.write { connection throws(PostgresError) in
            let intake = PostgresIntake(on: connection, from: HybridLogicalClock())
            try intake.read([request])
            do {
                try HeadRecorder(store: intake, terminalId: device.terminalId, now: now).note(
                    claim, beside: intake.lastEpoch(of: device.terminalId))
            } catch let error as PostgresError {
                throw error
            } catch {
                throw .refused(state: "-----", message: "\(error)")
            }
            _ = try intake.write()
            return .keep(())
        }
    }
}
