public import HubProtocol

/// Card payments. The budget of a sale never applies here; a call waits for its own deadline.
extension HubClient {
    /// Requests the authorisation of a card payment, 60 s by default.
    ///
    /// After `.noResponse` the outcome is unknown: request it with ``authorization(key:timeout:)`` under the
    /// same key, and never authorise under another one.
    ///
    /// - Parameters:
    ///   - key: a ULID, durable on disk before this call.
    ///   - amount: minor units.
    public func authorize(
        key: String, orderId: String, amount: Int64, currency: String, timeout: Duration = .seconds(60)
    ) async throws(HubCallError) -> PaymentAuthorization {
        let body: JSONValue = [
            "orderId": .string(orderId),
            "amount": ["amount": .integer(amount), "currency": .string(currency)],
        ]
        let call = HubCall(
            .post, template: Routes.authorizations,
            headers: [HTTPHeader(HeaderNames.idempotencyKey, "\"\(key)\"")],
            body: body.canonicalBytes, timeout: timeout)
        return try await authorization(of: call, key: key)
    }

    /// What became of an authorisation.
    ///
    /// - Throws: `.refused` with code `not_found` when the hub never saw the key.
    public func authorization(
        key: String, timeout: Duration? = nil
    ) async throws(HubCallError) -> PaymentAuthorization {
        let call = HubCall(
            .get, template: Routes.authorization, path: Routes.authorization.filled("key", key),
            timeout: timeout)
        return try await authorization(of: call, key: key)
    }

    /// Takes the money of an authorisation. Safe to repeat.
    public func capture(key: String, timeout: Duration? = nil) async throws(HubCallError)
        -> PaymentAuthorization
    {
        let call = HubCall(
            .post, template: Routes.authorizationCapture,
            path: Routes.authorizationCapture.filled("key", key), body: Array("{}".utf8), timeout: timeout)
        return try await authorization(of: call, key: key)
    }

    /// Gives an authorisation back. Safe to repeat.
    public func void(key: String, timeout: Duration? = nil) async throws(HubCallError) -> PaymentAuthorization
    {
        let call = HubCall(
            .post, template: Routes.authorizationVoid, path: Routes.authorizationVoid.filled("key", key),
            body: Array("{}".utf8), timeout: timeout)
        return try await authorization(of: call, key: key)
    }

    private func authorization(
        of call: HubCall, key: String
    ) async throws(HubCallError) -> PaymentAuthorization {
        let response = try await result(of: call, PaymentAuthorization.init(json:))
        guard response.key == key else { throw .notContract(detail: "the response is about another payment") }
        return response
    }
}
