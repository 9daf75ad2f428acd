import Foundation
import HubProtocol

/// A request to a payment gateway, as `docs/reference/payment-gateway.md` has it.
package struct GatewayCall: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case authorize
        /// What was decided under a key; moves nothing.
        case decision
        case capture, void, refund
    }

    package let kind: Kind
    /// The payment's.
    package let key: String
    /// The same one again moves nothing more; empty where nothing moves.
    package let idempotencyKey: String
    /// Minor units.
    package let amount: Int64
    /// ISO 4217; empty where nothing moves.
    package let currency: String
    /// Of a card that was taken without the hub; nil: the card is at the machine now.
    package let token: String?

    /// Nil for a request of another form.
    init?(_ request: ScriptedRequest) {
        let parts = request.path.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
        guard parts.first == "authorizations" else { return nil }
        let body = (try? JSONParser.parse(request.body)) ?? .null
        idempotencyKey = request.headers["idempotency-key"] ?? ""
        amount = body["amount"]?["amount"]?.integer ?? 0
        currency = body["amount"]?["currency"]?.string ?? ""
        token = body["token"]?.string
        switch (request.method, parts.count) {
        case ("POST", 1): (kind, key) = (.authorize, idempotencyKey)
        case ("GET", 2): (kind, key) = (.decision, parts[1])
        case ("POST", 3):
            guard let kind = Kind(rawValue: parts[2]), kind != .authorize, kind != .decision else {
                return nil
            }
            (self.kind, key) = (kind, parts[1])
        case _: return nil
        }
    }
}

/// What a payment gateway did with the money of each payment.
///
/// It is strict where a real one may be lenient: only what is reserved is captured, once and in full, and no
/// more is given back than was captured. A request against that is refused for good, and noted.
package struct GatewayBook: Sendable {
    /// One payment; minor units.
    package struct Account: Hashable, Sendable {
        package fileprivate(set) var authorized: Int64 = 0
        package fileprivate(set) var captured: Int64 = 0
        package fileprivate(set) var refunded: Int64 = 0
        /// Of the authorisation.
        package fileprivate(set) var currency = ""
        package fileprivate(set) var isDeclined = false
        package fileprivate(set) var isVoided = false

        /// Whether money is reserved that was neither captured nor given up.
        package var isReserved: Bool { authorized > 0 && captured == 0 && !isVoided }
        /// What the card's holder has paid in the end.
        package var charged: Int64 { isVoided ? 0 : captured - refunded }
    }

    /// What a request got, under its idempotency key.
    private struct Kept {
        let call: GatewayCall
        let response: Response
    }

    /// Status and body.
    typealias Response = (status: Int, body: JSONValue)

    /// By the payment's key.
    package private(set) var accounts: [String: Account] = [:]
    /// Idempotency keys of what moved money, in order.
    package private(set) var moves: [String] = []
    /// Tokens by the payment's key.
    package private(set) var tokens: [String: String] = [:]
    /// Requests that a correct hub never sends.
    package private(set) var objections: [String] = []
    private var kept: [String: Kept] = [:]

    /// Does what is requested, once for each idempotency key.
    ///
    /// - Parameter declines: whether an authorisation that is not decided yet is declined.
    mutating func perform(_ call: GatewayCall, declines: Bool) -> Response {
        if call.kind == .decision { return kept[call.key]?.response ?? (404, [:]) }
        if let known = kept[call.idempotencyKey] {
            if known.call != call { objections.append("\(call) has the key of \(known.call)") }
            return known.response
        }
        var account = accounts[call.key] ?? Account()
        let response = perform(call, on: &account, declines: declines)
        accounts[call.key] = account
        kept[call.idempotencyKey] = Kept(call: call, response: response)
        if let token = call.token { tokens[call.key] = token }
        return response
    }

    private mutating func perform(
        _ call: GatewayCall, on account: inout Account, declines: Bool
    ) -> Response {
        switch call.kind {
        case .decision: return (404, [:])
        case .authorize:
            // A void that came first is kept.
            guard !account.isVoided, !declines else {
                account.isDeclined = true
                let reason: JSONValue = account.isVoided ? "voided" : "stolen_card"
                return (200, ["key": .string(call.key), "state": "declined", "declineReason": reason])
            }
            (account.authorized, account.currency) = (call.amount, call.currency)
            moves.append(call.idempotencyKey)
            return (
                200,
                [
                    "key": .string(call.key), "state": "authorized",
                    "approvalCode": .string("OK-\(call.key)"),
                ]
            )
        case .capture:
            guard account.isReserved, call.amount == account.authorized,
                call.currency == account.currency
            else {
                return refused(call, account)
            }
            account.captured = call.amount
        case .void: account.isVoided = true
        case .refund:
            guard call.amount > 0, call.amount <= account.charged, call.currency == account.currency
            else { return refused(call, account) }
            account.refunded += call.amount
        }
        moves.append(call.idempotencyKey)
        return (200, [:])
    }

    private mutating func refused(_ call: GatewayCall, _ account: Account) -> Response {
        objections.append("\(call.idempotencyKey) of \(call.amount) for \(account)")
        return (409, [:])
    }
}
