internal import HubCore
internal import HubProtocol
internal import HubStore
internal import ServiceLifecycle

/// The payment service: none, a gateway, or the simulator, in which no money moves; every response states
/// this. Idempotent by key; a key that was voided ahead stays voided (http.md section 6).
struct PaymentRoutes: Sendable {
    let ledger: any Ledger
    let service: PaymentService
    /// Nil without a service.
    let gateway: (any PaymentGateway)?
    let limits: IntakeLimits
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
        try requireService()
        let wanted = try wanted(key, try await request.json())
        // Before anything is kept: a payment that was refused a place is not one.
        let place = try waitsElsewhere ? request.requireWait(upTo: longestWait) : nil
        defer { place?.end() }
        let outcome = try await ledger.decide(wanted, by: device.terminalId, at: now(), within: limits)
        if waitsElsewhere { request.turn?.end() }
        if service == .simulator(.silent) {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.silence) }
        }
        switch outcome {
        case .decided(let payment):
            return shown(
                try await decided(payment, named: key, by: device.terminalId), under: key, status: 201)
        case .known(let payment):
            return shown(try await decided(payment, named: key, by: device.terminalId), under: key)
                .with(HeaderNames.idempotentReplayed, "true")
        case .keyReused: throw Problem.paymentKeyReused
        case .pastQuota: throw pastQuota
        }
    }

    /// Whether an authorisation waits for a gateway, or for nothing at all as the silent simulator does. A
    /// till whose cards hang goes on pushing meanwhile.
    private var waitsElsewhere: Bool { gateway != nil || service == .simulator(.silent) }

    private var longestWait: Duration { gateway?.timeout ?? Self.silence }

    /// The payment with the gateway's decision, which is requested by its key until it is known. The row is
    /// on disk before the request, and stays unknown without a response.
    private func decided(
        _ payment: PaymentAuthorization, named key: String, by terminalId: String
    ) async throws -> PaymentAuthorization {
        guard payment.state == .unknown, let gateway else { return payment }
        return try await settled(
            payment, named: key, by: terminalId,
            after: gateway.authorize(GatewayPayment(payment, terminalId: terminalId)))
    }

    /// What is kept of a payment once the gateway has responded: meanwhile it may have been voided.
    private func settled(
        _ payment: PaymentAuthorization, named key: String, by terminalId: String,
        after response: GatewayResponse
    ) async throws -> PaymentAuthorization {
        guard case .decided(let decision) = response else {
            return try await ledger.payment(key: key, of: terminalId) ?? payment
        }
        return try await ledger.settle(key: payment.key, by: decision, at: now()) ?? payment
    }

    private static func key(_ request: HubRequest) throws(Problem) -> String {
        let key = request.idempotencyKey ?? ""
        guard PaymentRules.isKey(key) else { throw .paymentKeyMissing }
        return key
    }

    /// - Parameter key: as the terminal names it.
    private func shown(
        _ payment: PaymentAuthorization, under key: String, status: Int = 200
    ) -> HubResponse {
        var payment = payment.kept(under: key)
        payment.isSimulated = service.isSimulated
        return .json(payment.json, status: status)
    }

    /// The payment as it is kept before the gateway has decided; the simulator decides at once.
    private func wanted(_ key: String, _ json: JSONValue) throws(Problem) -> PaymentAuthorization {
        do throws(ShapeError) {
            let money = try json.requiredObject("amount")
            let isDeclined = service == .simulator(.decline)
            return PaymentAuthorization(
                key: key, orderId: try json.requiredString("orderId"),
                state: service.isSimulated ? isDeclined ? .declined : .authorized : .unknown,
                amount: try money.requiredInteger("amount", in: 1...(1 << 53 - 1)),
                currency: try money.requiredString("currency"),
                approvalCode: service.isSimulated && !isDeclined
                    ? SimulatedGateway.approvalCode(of: key) : nil,
                declineReason: isDeclined ? "insufficient_funds" : nil)
        } catch {
            throw .malformed(error)
        }
    }

    @Sendable private func show(_ request: HubRequest) async throws -> HubResponse {
        try requireService()
        let device = try request.requireDevice()
        let key = request.parameters["key"] ?? ""
        guard
            try await ledger.count(.lookUp, of: device.terminalId, at: now(), within: limits)
        else { throw pastQuota }
        guard let payment = try await ledger.payment(key: key, of: device.terminalId) else {
            throw Problem.paymentUnknown
        }
        guard payment.state == .unknown, let gateway else { return shown(payment, under: key) }
        let place = try request.requireWait(upTo: longestWait)
        defer { place?.end() }
        request.turn?.end()
        let response = await gateway.decision(key: payment.key)
        return shown(
            try await settled(payment, named: key, by: device.terminalId, after: response), under: key)
    }

    @Sendable private func capture(_ request: HubRequest) async throws -> HubResponse {
        try requireService()
        let device = try request.requireDevice()
        let key = request.parameters["key"] ?? ""
        guard let payment = try await ledger.capture(key: key, of: device.terminalId) else {
            throw Problem.paymentUnknown
        }
        switch payment.state {
        case .captured: return shown(payment, under: key)
        case .authorized, .declined, .voided, .refunded, .unknown, .storedOffline, .forwardDeclined:
            throw Problem.conflict("The payment is \(payment.state.rawValue).")
        }
    }

    @Sendable private func void(_ request: HubRequest) async throws -> HubResponse {
        try requireService()
        let device = try request.requireDevice()
        let key = request.parameters["key"] ?? ""
        guard (1...64).contains(key.utf8.count) else { throw Problem.paymentUnknown }
        let payment: PaymentAuthorization
        switch try await ledger.void(key: key, of: device.terminalId, at: now(), within: limits) {
        case .kept(let kept): payment = kept
        case .pastQuota: throw pastQuota
        }
        switch payment.state {
        case .captured, .storedOffline, .forwardDeclined: throw Problem.paymentPaysSale
        case .authorized, .declined, .voided, .refunded, .unknown:
            return shown(payment, under: key)
        }
    }

    private var pastQuota: Problem {
        .quotaExceeded(retryAfterMilliseconds: TerminalUsage.milliseconds(toTheNextDayAt: now()))
    }

    private func requireService() throws(Problem) {
        switch service {
        case .none: throw .paymentServiceMissing
        case .simulator(.unavailable): throw .paymentUnavailable
        case .simulator, .http: break
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

    fileprivate static let paymentPaysSale = Problem.conflict(
        "An accepted sale was paid by it. Void that sale, or refund it.")

    fileprivate static let paymentUnknown = Problem.notFound("No authorisation has this key.")

    fileprivate static let paymentKeyMissing = Problem(
        status: 400, code: .idempotencyKeyMissing, title: "The idempotency key is missing",
        detail: "The header Idempotency-Key names the authorisation, in 1 to 64 visible ASCII characters.")

    fileprivate static let paymentKeyReused = Problem(
        status: 422, code: .idempotencyKeyReused, title: "The key names another payment",
        detail: "The key was used for another order or amount.")
}
