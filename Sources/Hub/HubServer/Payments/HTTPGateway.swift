import Base

internal import Foundation
internal import FoundationNetworking
internal import HubCore
internal import HubProtocol
internal import HubStore

/// A payment gateway over HTTP, as `docs/reference/payment-gateway.md` describes it.
struct HTTPGateway: PaymentGateway {
    /// Where the gateway is, without a slash at its end.
    let url: URL
    /// Sent as bearer token; nil: none.
    let token: String?
    private let session: URLSession

    init(url: URL, token: String?, timeout: Duration) {
        self.url = url
        self.token = token
        let configuration = URLSessionConfiguration.ephemeral
        let seconds = Double(timeout.components.seconds) + Double(timeout.components.attoseconds) / 1e18
        configuration.timeoutIntervalForRequest = seconds
        configuration.timeoutIntervalForResource = seconds
        session = URLSession(configuration: configuration)
    }

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
            await send("POST", ["authorizations"], key: payment.key, body: .object(body)), to: payment.key)
    }

    func decision(key: String) async -> GatewayResponse {
        Self.response(await send("GET", ["authorizations", key], key: nil, body: nil), to: key)
    }

    func perform(_ call: PaymentCall) async -> PaymentCallOutcome {
        let body: JSONValue = [
            "amount": ["amount": .integer(call.amount), "currency": .string(call.currency)]
        ]
        let response = await send(
            "POST", ["authorizations", call.key, call.kind.rawValue], key: call.callKey, body: body)
        guard let status = response?.status else { return .open }
        switch (status, call.kind) {
        case (200..<300, _): return .done
        // A void of what never arrived there: no money is reserved.
        case (404, .void): return .done
        case (404, _), (409, _): return .refused
        case _: return .open
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
        _ method: String, _ path: [String], key: String?, body: JSONValue?
    ) async -> (status: Int, body: JSONValue)? {
        var request = URLRequest(url: path.reduce(url) { $0.appendingPathComponent($1) })
        request.httpMethod = method
        if let key { request.setValue(key, forHTTPHeaderField: HeaderNames.idempotencyKey) }
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(body.canonicalBytes)
        }
        guard let (data, response) = try? await session.data(for: request),
            let status = (response as? HTTPURLResponse)?.statusCode
        else { return nil }
        return (status, (try? JSONParser.parse(Array(data))) ?? .null)
    }
}
