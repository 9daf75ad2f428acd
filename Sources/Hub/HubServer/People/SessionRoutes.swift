internal import HubCore
internal import HubProtocol
internal import HubStore

/// The account service: verifies a cashier's PIN (http.md section 6).
struct SessionRoutes: Sendable {
    let ledger: any Ledger
    let pins: PINService

    var routes: [Route] { [Route(.post, Routes.sessions, .confirmedDevice, response: begin)] }

    @Sendable private func begin(_ request: HubRequest) async throws -> HubResponse {
        let device = try request.requireDevice()
        let body = try await request.json()
        let cashierId = try Problem.reading(body.requiredString("cashierId"))
        let pin = try Problem.reading(body.requiredString("pin"))
        let cashier = try await cashier(cashierId, in: device.storeId)
        // By the digest of the id, which may be of any length.
        let person = device.terminalId + " " + Digest.sha256Hex(Array(cashierId.utf8))
        let result = await pins.check(pin, of: cashier, as: person, at: device.terminalId)
        switch (result, cashier) {
        case (.right, let cashier?): return .json(CashierSession(cashier).json, status: 201)
        case (.locked(let wait), _): throw Problem.pinLocked(wait)
        case (.tooMany(let wait), _): throw Problem.tooManyPINChecks(wait)
        case (.wrong, _), (.right, nil): throw Problem.pinRefused
        }
    }

    /// Somebody of another store is as unknown as nobody.
    private func cashier(_ id: String, in storeId: String) async throws -> CashierRecord? {
        let key = EntityKey("cashier", id)
        let cashier = try await ledger.entities([key])[key].flatMap { try? CashierRecord(json: $0) }
        return cashier?.works(in: storeId) == true ? cashier : nil
    }
}

extension Problem {
    fileprivate static let pinRefused = Problem(
        status: 422, code: .pinRefused, title: "The PIN is refused",
        detail: "No cashier has this id and this PIN.")

    fileprivate static func tooManyPINChecks(_ wait: Int64) -> Problem {
        Problem(
            status: 429, code: .tooManyPINChecks, title: "Too many PINs at once",
            detail: "This terminal sends too many requests. No PIN was checked and none counted as wrong.",
            extensions: ["retryAfterMs": .integer(wait)])
    }

    fileprivate static func pinLocked(_ wait: Int64) -> Problem {
        Problem(
            status: 422, code: .pinLocked, title: "Too many wrong PINs",
            detail: "This cashier waits at this terminal for the time in Retry-After.",
            extensions: ["retryAfterMs": .integer(wait)])
    }
}
