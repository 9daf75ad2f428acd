internal import CurlHTTP
package import Base

package import HubProtocol

internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode

/// How the terminal gets and renews its device token.
extension HubClient {
    /// Trades an enrolment code for an identity and a token, and proves the key that it brings.
    ///
    /// When the clock is off, it signs once more with the hub's time, whatever that is: the proof is good for
    /// its code alone, which works once and soon ends.
    ///
    /// - Parameter sign: gives the Ed25519 signature of the bytes in base64, or nil when there is no key.
    /// - Throws: `.refused` with code `enrolment_refused` for a used, unknown or expired code, or a signature
    ///   that is not the key's.
    package func enrol(
        _ request: EnrolmentRequest, sign: @Sendable ([UInt8]) async -> String?
    ) async throws(HubCallError) -> EnrolmentGrant {
        let host = configuration.hub.host.lowercased()
        let order = SignedOrder(
            path: Routes.terminals, headers: [HTTPHeader(HeaderNames.host, host)],
            body: request.json.canonicalBytes
        ) { path, date, body in
            SignedRequest.signedBytes(method: "POST", path: path, date: date, body: body, host: host)
        }
        return try await send(order, ahead: nil, read: EnrolmentGrant.init(json:), sign: sign)
    }

    /// Gets a new token by signing a request with the device's key.
    ///
    /// When the clock is off, it signs once more with the hub's time, no further ahead of its own than
    /// ``SignedRequest/maximumLeadMilliseconds``.
    ///
    /// - Parameters:
    ///   - readmission: the proof for a hub that has no record of the terminal; nil: none.
    ///   - sign: gives the Ed25519 signature of the bytes in base64, or nil when there is no key.
    package func renewToken(
        terminalId: String, readmission: ReadmissionRequest? = nil,
        sign: @Sendable ([UInt8]) async -> String?
    ) async throws(HubCallError) -> TokenGrant {
        let host = configuration.hub.host.lowercased()
        let order = SignedOrder(
            path: Routes.tokenRenewal,
            headers: [
                HTTPHeader(HeaderNames.terminal, terminalId), HTTPHeader(HeaderNames.host, host),
            ],
            body: readmission?.json.canonicalBytes ?? []
        ) { path, date, body in
            SignedRequest.signedBytes(
                method: "POST", path: path, date: date, body: body, host: host, terminalId: terminalId)
        }
        return try await send(
            order, ahead: SignedRequest.maximumLeadMilliseconds, read: TokenGrant.init(json:), sign: sign)
    }

    /// What does not change between two tries of a signed request.
    private struct SignedOrder {
        let path: String
        let headers: [HTTPHeader]
        let body: [UInt8]
        let signedBytes: @Sendable (_ path: String, _ date: String, _ body: [UInt8]) -> [UInt8]
    }

    /// Sends a request that is signed with this machine's time, and once more with the hub's when the clocks
    /// disagree.
    ///
    /// - Parameter lead: how far ahead of this machine's clock it signs, in milliseconds; nil: no limit.
    private func send<Grant>(
        _ order: SignedOrder, ahead lead: Int64?, read: (JSONValue) throws(ShapeError) -> Grant,
        sign: @Sendable ([UInt8]) async -> String?
    ) async throws(HubCallError) -> Grant {
        let here = time.wallMilliseconds()
        do {
            return try await send(order, date: Timestamp.text(milliseconds: here), read: read, sign: sign)
        } catch .refused(let problem) where problem.code == .clockSkew {
            guard let offered = problem.extensions["hubTime"]?.string.flatMap(Timestamp.milliseconds(of:))
            else { throw .notContract(detail: "`clock_skew` without `hubTime`") }
            if let lead, offered - here > lead {
                throw .notContract(
                    detail:
                        "the hub's clock is at \(Timestamp.text(milliseconds: offered)), more than a day "
                        + "ahead of this machine's clock; set the clock")
            }
            return try await send(order, date: Timestamp.text(milliseconds: offered), read: read, sign: sign)
        }
    }

    private func send<Grant>(
        _ order: SignedOrder, date: String, read: (JSONValue) throws(ShapeError) -> Grant,
        sign: @Sendable ([UInt8]) async -> String?
    ) async throws(HubCallError) -> Grant {
        guard let signature = await sign(order.signedBytes(order.path, date, order.body)) else {
            throw .notContract(detail: "the device's key cannot sign")
        }
        let call = HubCall(
            .post, template: order.path,
            headers: order.headers + [
                HTTPHeader(HeaderNames.date, date), HTTPHeader(HeaderNames.signature, signature),
            ], body: order.body, isAuthorized: false)
        return try await result(of: call, read)
    }
}

/// The `200` of `POST /v1/terminals/self/token`.
package struct TokenGrant: Hashable, Sendable {
    /// The new device token, sent as `Authorization: Bearer`.
    @Secret package private(set) var token: String
    /// RFC 3339.
    package let tokenExpiresAt: String
    /// The terminal's number from now on; nil: as it was.
    package let terminalNumber: Int64?
    /// Nil: as they were.
    package let hubKeys: HubKeyList?

    /// Throws when a required member is missing or one has another shape.
    package init(json: JSONValue) throws(ShapeError) {
        token = try json.requiredString("token")
        tokenExpiresAt = try json.requiredString("tokenExpiresAt")
        terminalNumber = try json.optionalInteger("terminalNumber", in: 1...(1 << 31))
        hubKeys = try HubKeyList(ofResponse: json)
    }
}

/// What the terminal reads of the hub's data.
extension HubClient {
    /// The longest page that is accepted complete, in bytes: twice the 2 MiB after which a hub ends a page,
    /// since the row that crosses this limit is still in the page. Half of it would refuse correct pages;
    /// doubled, a small terminal keeps more of them in memory than it needs.
    private static let pageBytes = 4 << 20
    /// The longest response that is read for the cursor after a row, in bytes. A hub accepts bodies of 1 MiB,
    /// so no correct row comes near it; beyond it the pull fails and is tried again.
    private static let rowBytes = 64 << 20
    /// For reading such a row: 64 MiB within it need a connection of 9 Mbit/s, and a page has a sixth of this
    /// time.
    private static let rowTimeout = Duration.seconds(60)

    /// One page of the change feed; a nil `cursor` begins at the beginning.
    ///
    /// - Parameter limit: 1 to 1,000 changes.
    /// - Throws: `.refused` with code `cursor_expired` when the pull has to start again without a cursor.
    package func changes(cursor: String?, limit: Int) async throws(HubCallError) -> ChangeResponse {
        precondition((1...1000).contains(limit), "a page holds 1 to 1,000 changes")
        let hubCall = HubCall.changes(cursor: cursor, limit: limit, maximumBodyBytes: Self.pageBytes)
        var page: ChangePage?
        let reply = await call(hubCall) { reply in
            page = reply.json.flatMap { try? ChangePage(json: $0) }
            return page != nil
        }
        if let page { return .page(page) }
        switch (reply.failure, reply.outcome) {
        case (.responseTooLarge, _): return .tooLarge
        case (.deadlinePassed(.receiving), _): return .tooSlow
        case (nil, .service(.brokenBody)): return .unreadable
        case (_, _): throw Self.reason(of: reply)
        }
    }

    /// The cursor after the next row, without the row's value: for a row that is too large, or that this
    /// version cannot read.
    package func changeBehind(cursor: String?) async throws(HubCallError) -> PassedChange {
        var call = HubCall.changes(cursor: cursor, limit: 1, maximumBodyBytes: Self.rowBytes)
        call.timeout = Self.rowTimeout
        call.keepsOutline = true
        return try await result(of: call, PassedChange.init(json:))
    }

    /// The product with `barcode`, an opaque text.
    ///
    /// - Throws: `.refused` with code `not_found` when the hub has none.
    package func product(barcode: String) async throws(HubCallError) -> ProductRecord {
        let call = HubCall(
            .get, template: Routes.productByBarcode,
            path: Routes.productByBarcode.filled("barcode", barcode))
        return try await result(of: call, ProductRecord.init(json:))
    }
}

extension HubClient {
    /// The sale of a receipt that this terminal does not hold.
    ///
    /// - Throws: `.refused` with code `not_found` when the hub does not have it yet, with
    ///   `receipt_code_invalid` when no terminal of the hub signed the code.
    package func receiptSale(code: String) async throws(HubCallError) -> ReceiptSale {
        let body: JSONValue = ["receiptCode": .string(code)]
        let call = HubCall(.post, template: Routes.receiptLookup, body: body.canonicalBytes)
        return try await result(of: call, ReceiptSale.init(json:))
    }

    /// Whether a refund or void may be made; what is granted is reserved for this terminal.
    ///
    /// - Throws: `.refused` with code `too_many_refund_decisions` when this terminal has too many open ones.
    package func refundDecision(_ inquiry: RefundInquiry) async throws(HubCallError) -> RefundDecision {
        let call = HubCall(.post, template: Routes.refundDecisions, body: inquiry.json.canonicalBytes)
        return try await result(of: call, RefundDecision.init(json:))
    }

    /// Gives back what was reserved for a refund that is not made; nothing happens where nothing was.
    package func releaseRefund(_ refundId: String) async throws(HubCallError) {
        let call = HubCall(
            .delete, template: Routes.refundDecision,
            path: Routes.refundDecision.filled("refundId", refundId))
        let reply = await self.call(call)
        guard case .success = reply.outcome else { throw Self.reason(of: reply) }
    }
}

extension HubCall {
    fileprivate static func changes(cursor: String?, limit: Int, maximumBodyBytes: Int) -> HubCall {
        let position = cursor.map { "&cursor=\($0.percentEncoded)" } ?? ""
        return HubCall(
            .get, template: Routes.changes, path: "\(Routes.changes)?limit=\(limit)\(position)",
            maximumBodyBytes: maximumBodyBytes)
    }
}

/// The result of a request for changes. Every case but a page may be caused by its rows: a request for fewer
/// rows may succeed.
package enum ChangeResponse: Hashable, Sendable {
    case page(ChangePage)
    /// Larger than a terminal accepts.
    case tooLarge
    /// It is complete and breaks the contract: one of its rows cannot be read.
    case unreadable
    /// It began and was not complete in time; its rows are unknown.
    case tooSlow
}

/// A row of the change feed that was skipped, and the cursor after it.
package struct PassedChange: Hashable, Sendable {
    /// Empty where the row has none.
    package let entity: String
    /// Empty where the row has none, or one that is too long.
    package let entityId: String
    /// The page without its row.
    package let page: ChangePage

    init(json: JSONValue) throws(ShapeError) {
        let rows = try json.requiredArray("changes")
        guard rows.count <= 1 else { throw ShapeError(path: "changes", expected: "one row at most") }
        entity = rows.first?["entity"]?.string ?? ""
        entityId = rows.first?["entityId"]?.string ?? ""
        let cursor = try json.requiredString("cursor")
        guard !cursor.isEmpty else { throw ShapeError(path: "cursor", expected: "a cursor") }
        page = ChangePage(changes: [], cursor: cursor, hasMore: json["hasMore"]?.bool ?? false)
    }
}

extension String {
    /// A route template with one of its variables filled in.
    func filled(_ variable: String, _ value: String) -> String {
        guard let range = firstRange(of: "{\(variable)}") else { return self }
        return replacing(range, with: value.percentEncoded)
    }

    func firstRange(of part: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
            start = index(after: start)
        }
        return nil
    }

    private func replacing(_ range: Range<Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}

/// What the hub takes off a sale (http.md section 6). The request changes nothing: a coupon is used up by the
/// sale that contains it.
extension HubClient {
    /// `POST /v1/promotions/evaluate`. Lines and coupons of the result have the order of `basket`.
    package func reductions(for basket: BasketShape) async throws(HubCallError) -> ReductionsShape {
        let call = HubCall(.post, template: Routes.promotionEvaluation, body: basket.json.canonicalBytes)
        return try await result(of: call, ReductionsShape.init(json:))
    }
}

/// Requests about cashiers and members (http.md section 6).
extension HubClient {
    /// Whether `pin` is the cashier's; returns when it is, with name and role as far as the hub gave them.
    ///
    /// - Throws: `.refused` with code `pin_refused` when it is not, or no cashier has that id, and with
    ///   `pin_locked` after too many wrong ones.
    @discardableResult
    package func openSession(
        cashierId: String, pin: String
    ) async throws(HubCallError) -> (name: String?, role: String?) {
        let body: JSONValue = ["cashierId": .string(cashierId), "pin": .string(pin)]
        let call = HubCall(.post, template: Routes.sessions, body: body.canonicalBytes)
        let responded = try await result(of: call) { json throws(ShapeError) in
            // A role that only a newer hub has is no reason to refuse its cashier.
            (
                id: try json.requiredString("cashierId"), name: json["name"]?.string,
                role: json["role"]?.string
            )
        }
        guard responded.id == cashierId else {
            throw .notContract(detail: "the response is about another cashier")
        }
        return (responded.name, responded.role)
    }

    /// The member with `id`; nil when the hub has none.
    package func member(id: String) async throws(HubCallError) -> MemberRecord? {
        let call = HubCall(.get, template: Routes.member, path: Routes.member.filled("id", id))
        do throws(HubCallError) {
            return try await result(of: call, MemberRecord.init(json:))
        } catch {
            guard case .refused(let problem) = error, problem.code == .notFound else { throw error }
            return nil
        }
    }

    /// The members with the digits of `phone`, at most 20, by id.
    package func members(phone: String) async throws(HubCallError) -> [MemberRecord] {
        let call = HubCall(
            .get, template: Routes.members, path: "\(Routes.members)?phone=\(phone.percentEncoded)")
        return try await result(of: call) { json throws(ShapeError) in
            var members: [MemberRecord] = []
            for member in try json.requiredArray("members") { members.append(try MemberRecord(json: member)) }
            return members
        }
    }
}

/// Leases (http.md section 6).
extension HubClient {
    /// The terminal's leases of a subject, after the hub has lent what the request lacks as far as it can;
    /// none at a hub of before, which lends nothing.
    package func lend(_ wanted: LeaseRequest) async throws(HubCallError) -> LentLeases {
        let call = HubCall(.post, template: Routes.leases, body: wanted.json.canonicalBytes)
        do throws(HubCallError) {
            return try await result(of: call, LentLeases.init(json:))
        } catch {
            guard case .refused(let problem) = error, problem.code == .notFound else { throw error }
            return LentLeases(leases: [])
        }
    }

    /// Returns leases of which the terminal spends nothing more. Safe to repeat.
    ///
    /// - Returns: what is lent to the terminal again.
    package func giveBack(_ leases: LeaseReturn) async throws(HubCallError) -> LentLeases {
        let call = HubCall(.post, template: Routes.leaseReturns, body: leases.json.canonicalBytes)
        return try await result(of: call, LentLeases.init(json:))
    }
}

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
    package func authorize(
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
    package func authorization(
        key: String, timeout: Duration? = nil
    ) async throws(HubCallError) -> PaymentAuthorization {
        let call = HubCall(
            .get, template: Routes.authorization, path: Routes.authorization.filled("key", key),
            timeout: timeout)
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

extension HubClient {
    /// Sends the terminal's own figures to the hub. The outcome is no evidence, so it is not reported to the
    /// observer.
    ///
    /// - Returns: whether the hub took it.
    package func sendTelemetry(_ telemetry: JSONValue) async -> Bool {
        let call = HubCall(.post, template: Routes.telemetry, body: telemetry.canonicalBytes)
        return await callUnreported(call).outcome == .success
    }
}
