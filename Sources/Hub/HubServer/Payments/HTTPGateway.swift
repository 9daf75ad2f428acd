import Base

internal import CurlHTTP
internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore

/// A payment gateway over HTTP, as `docs/reference/payment-gateway.md` describes it.
struct HTTPGateway: PaymentGateway {
    /// Where the gateway is; a slash at its end is left aside.
    let url: String
    /// Sent as bearer token; nil: none.
    @Secret var token: String?
    /// For one complete exchange.
    let timeout: Duration
    let session: any HTTPSession

    func authorize(_ payment: GatewayPayment) async -> GatewayResponse {
        var body: JSONObject = [
            "key": .string(payment.key), "orderId": .string(payment.orderId),
            "terminalId": .string(payment.terminalId),
            "amount": ["amount": .integer(payment.amount), "currency": .string(payment.currency)],
        ]
        if let token = payment.token { body["token"] = .string(Data(token).base64EncodedString()) }
        if let storedAt = payment.storedAt {
            body["storedAt"] = .string(Timestamp.text(milliseconds: storedAt))
        }
        return Self.response(
            await send(.post, ["authorizations"], key: payment.key, body: .object(body)), to: payment.key)
    }

    func decision(key: String) async -> GatewayResponse {
        Self.response(await send(.get, ["authorizations", key], key: nil, body: nil), to: key)
    }

    func perform(_ call: PaymentCall) async -> PaymentCallOutcome {
        let body: JSONValue = [
            "amount": ["amount": .integer(call.amount), "currency": .string(call.currency)]
        ]
        let response = await send(
            .post, ["authorizations", call.key, call.kind.rawValue], key: call.callKey, body: body)
        guard let status = response?.status else { return .open }
        switch (status, call.kind) {
        case (200..<300, _): return .done
        // A void of what never arrived there: no money is reserved.
        case (404, .void): return .done
        case (404, _), (409, _): return .refused
        case _: return Self.unreadable.contains(status) ? .unreadable : .open
        }
    }

    /// Statuses of a request that the gateway does not read: it does not become better by repeating it.
    /// Others, such as a wrong token of the hub's or too many requests, are of all payments alike and pass.
    private static let unreadable: Set<Int> = [400, 413, 422]

    private static func response(
        _ response: (status: Int, body: JSONValue)?, to key: String
    ) -> GatewayResponse {
        guard let (status, body) = response else { return .unknown }
        if status == 404 { return .notFound }
        if unreadable.contains(status) { return .refused }
        guard (200..<300).contains(status), body["key"]?.string == key else { return .unknown }
        switch body["state"]?.string {
        case "authorized", "captured":
            return .decided(.authorized(approvalCode: shown(body["approvalCode"]?.string)))
        case "declined":
            return .decided(.declined(reason: shown(body["declineReason"]?.string)))
        case _: return .unknown
        }
    }

    /// One line for paper.
    private static func shown(_ text: String?) -> String {
        String(
            (text ?? "").unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(64).map(
                Character.init))
    }

    private func send(
        _ method: HTTPRequest.Method, _ path: [String], key: String?, body: JSONValue?
    ) async -> (status: Int, body: JSONValue)? {
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        var request = HTTPRequest(
            method: method, url: base + path.map { "/" + PathStep.encoded($0) }.joined(),
            body: body?.canonicalBytes, timeout: timeout, connectTimeout: min(timeout, .seconds(5)),
            maximumBodyBytes: Self.longestResponse)
        if let key { request.headers.append(HTTPHeader(HeaderNames.idempotencyKey, key)) }
        if let token { request.headers.append(HTTPHeader("Authorization", "Bearer \(token)")) }
        if body != nil { request.headers.append(HTTPHeader("Content-Type", "application/json")) }
        guard case .success(let response) = await session.send(request).result else { return nil }
        return (response.status, (try? JSONParser.parse(response.body)) ?? .null)
    }

    /// In bytes: a decision has some hundred.
    private static let longestResponse = 65_536
}
