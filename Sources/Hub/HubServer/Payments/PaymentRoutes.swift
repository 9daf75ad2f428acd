internal import HubCore
internal import HubProtocol
internal import HubStore
internal import ServiceLifecycle

/// The payment service: none, or the simulator, in which no money moves; every response states this.
/// Idempotent by key; a key that was voided ahead stays voided (http.md section 6).
struct PaymentRoutes: Sendable {
    let ledger: any PaymentLedger
    let service: PaymentService
    let now: @Sendable () -> Int64

    /// How long the silent behaviour delays its response; longer than any terminal waits.
    private static let silence: Duration = .seconds(90)

    var routes: [Route] {
        [
            Route(.post, Routes.authorizations, response: authorize),
            Route(.get, Routes.authorization, response: show),
            Route(.post, Routes.authorizationCapture, response: capture),
            Route(.post, Routes.authorizationVoid, response: void),
        ]
    }

    @Sendable private func authorize(_ request: HubRequest) async throws -> HubResponse {
        let device = try request.requireDevice()
        let key = try Self.key(request)
        let simulation = try requireService()
        let wanted = try Self.decided(key, try await request.json(), simulation)
        let outcome = try await ledger.decide(wanted, by: device.terminalId, at: now())
        if simulation == .silent {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.silence) }
        }
        switch outcome {
        case .decided(let payment): return Self.simulated(payment, status: 201)
        case .known(let payment):
            return Self.simulated(payment).with(HeaderNames.idempotentReplayed, "true")
        case .keyReused: throw Problem.paymentKeyReused
        }
    }

    private static func key(_ request: HubRequest) throws(Problem) -> String {
        let key = request.idempotencyKey ?? ""
        // Visible ASCII alone: other bytes could read as the same text and two keys as one.
        let isReadable = key.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }
        guard (1...64).contains(key.utf8.count), isReadable else { throw .paymentKeyMissing }
        return key
    }

    private static func simulated(_ payment: PaymentAuthorization, status: Int = 200) -> HubResponse {
        var payment = payment
        payment.isSimulated = true
        return .json(payment.json, status: status)
    }

    private static func decided(
        _ key: String, _ json: JSONValue, _ simulation: PaymentService.Simulation
    ) throws(Problem) -> PaymentAuthorization {
        do throws(ShapeError) {
            let money = try json.requiredObject("amount")
            let declines = simulation == .decline
            return PaymentAuthorization(
                key: key, orderId: try json.requiredString("orderId"),
                state: declines ? .declined : .authorized,
                amount: try money.requiredInteger("amount", in: 1...(1 << 53 - 1)),
                currency: try money.requiredString("currency"),
                approvalCode: declines ? nil : approvalCode(of: key),
                declineReason: declines ? "insufficient_funds" : nil)
        } catch {
            throw .malformed(error)
        }
    }

    /// Six digits that the receipt shows; the same for the same key.
    private static func approvalCode(of key: String) -> String {
        let digest = Digest.sha256Hex(Array(key.utf8))
        let number = (Int(digest.prefix(8), radix: 16) ?? 0) % 1_000_000
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    @Sendable private func show(_ request: HubRequest) async throws -> HubResponse {
        try requireService()
        let device = try request.requireDevice()
        let key = request.parameters["key"] ?? ""
        guard let payment = try await ledger.payment(key: key, of: device.terminalId) else {
            throw Problem.paymentUnknown
        }
        return Self.simulated(payment)
    }

    @Sendable private func capture(_ request: HubRequest) async throws -> HubResponse {
        try requireService()
        let device = try request.requireDevice()
        let key = request.parameters["key"] ?? ""
        guard let payment = try await ledger.capture(key: key, of: device.terminalId) else {
            throw Problem.paymentUnknown
        }
        switch payment.state {
        case .captured: return Self.simulated(payment)
        case .authorized, .declined, .voided:
            throw Problem.conflict("The payment is \(payment.state.rawValue).")
        }
    }

    @Sendable private func void(_ request: HubRequest) async throws -> HubResponse {
        try requireService()
        let device = try request.requireDevice()
        let key = request.parameters["key"] ?? ""
        guard (1...64).contains(key.utf8.count) else { throw Problem.paymentUnknown }
        guard let payment = try await ledger.void(key: key, of: device.terminalId, at: now()) else {
            throw Problem.paymentUnknown
        }
        return Self.simulated(payment)
    }

    @discardableResult
    private func requireService() throws(Problem) -> PaymentService.Simulation {
        switch service {
        case .none: throw .paymentServiceMissing
        case .simulator(.unavailable): throw .paymentUnavailable
        case .simulator(let simulation): return simulation
        }
    }
}

extension Problem {
    /// The code of a declined card: terminals of every version end the sale with it and show the detail.
    fileprivate static let paymentServiceMissing = Problem(
        status: 409, code: .paymentDeclined, title: "The hub takes no cards",
        detail: "No payment service is configured at the hub (`payments`), so no card can be taken.")

    fileprivate static let paymentUnavailable = Problem(
        status: 503, code: .storeUnavailable, title: "The payment service is not available",
        detail: "Nothing was decided. Ask again with the same key.")

    fileprivate static let paymentUnknown = Problem.notFound("No authorisation has this key.")

    fileprivate static let paymentKeyMissing = Problem(
        status: 400, code: .idempotencyKeyMissing, title: "The idempotency key is missing",
        detail: "The header Idempotency-Key names the authorisation, in 1 to 64 visible ASCII characters.")

    fileprivate static let paymentKeyReused = Problem(
        status: 422, code: .idempotencyKeyReused, title: "The key names another payment",
        detail: "The key was used for another order or amount.")
}
