internal import Base
internal import HubCore
internal import HubProtocol
internal import HubStore

/// Who decides on cards behind the hub. Every call has an idempotency key: however often it is made, money
/// moves once.
protocol PaymentGateway: Sendable {
    /// How long a call takes at most.
    var timeout: Duration { get }

    /// Requests a decision; again by the same key it is the same decision.
    func authorize(_ payment: GatewayPayment) async -> GatewayResponse

    /// What was decided under a key.
    func decision(key: String) async -> GatewayResponse

    /// Captures, voids or gives back.
    ///
    func perform(_ call: PaymentCall) async -> PaymentCallOutcome
}

/// What came of a call about a payment.
enum PaymentCallOutcome: Hashable, Sendable {
    case done
    /// The gateway never will: the same call again gets the same response.
    case refused
    /// The gateway does not read the request: sent again, and a person has to look at it.
    case unreadable
    /// No response, or a passing one: sent again.
    case open
}

/// A payment as a gateway gets it.
struct GatewayPayment: Sendable {
    let key: String
    let orderId: String
    let amount: Int64
    let currency: String
    let terminalId: String
    /// The opaque token of a card machine; nil for a card that is there now.
    @Secret var token: [UInt8]?
    /// When the terminal took the token, milliseconds since 1970.
    var storedAt: Int64?

    init(_ payment: PaymentAuthorization, terminalId: String) {
        key = payment.key
        orderId = payment.orderId
        amount = payment.amount
        currency = payment.currency
        self.terminalId = terminalId
    }
}

/// What a gateway responded.
enum GatewayResponse: Hashable, Sendable {
    case decided(PaymentDecision)
    /// Nothing was decided under the key.
    case notFound
    /// The request can never be decided as it is: the gateway does not read it.
    case refused
    /// No response, a malformed one, or one that it has not decided: asked again later.
    case unknown
}

/// The gateway in which no money moves.
struct SimulatedGateway: PaymentGateway {
    let simulation: PaymentService.Simulation

    var timeout: Duration { .zero }

    func authorize(_ payment: GatewayPayment) async -> GatewayResponse {
        switch simulation {
        case .approve: .decided(.authorized(approvalCode: Self.approvalCode(of: payment.key)))
        case .decline: .decided(.declined(reason: "insufficient_funds"))
        case .silent, .unavailable: .unknown
        }
    }

    func decision(key: String) async -> GatewayResponse { .notFound }

    func perform(_ call: PaymentCall) async -> PaymentCallOutcome {
        simulation == .unavailable ? .open : .done
    }

    /// Six digits that the receipt shows; the same for the same key.
    static func approvalCode(of key: String) -> String {
        let digest = Digest.sha256Hex(Array(key.utf8))
        let number = (Int(digest.prefix(8), radix: 16) ?? 0) % 1_000_000
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}
