/// The routes of the contract by method and template, one place for both ends.
package enum Routes {
    /// `POST`: enrols a terminal with a code; needs no token.
    package static let terminals = "/v1/terminals"
    /// `POST`, for operators: enrolment codes of a store.
    package static let enrolmentCodes = "/v1/enrolment-codes"
    /// `POST`: renews the device token; authorised by the device key's signature.
    package static let tokenRenewal = "/v1/terminals/self/token"
    /// `POST`: one mutation, with `Idempotency-Key`.
    package static let mutation = "/v1/mutations"
    /// `POST`: up to ``MutationBatch/maximumCount`` mutations.
    package static let mutationBatch = "/v1/mutations/batch"
    /// `POST`: a ``SealedPiece`` of another terminal of the store.
    package static let relayed = "/v1/journal/relayed"
    /// `GET`: the change feed from a cursor on.
    package static let changes = "/v1/changes"
    /// `GET`: one article by its barcode.
    package static let productByBarcode = "/v1/products/{barcode}"
    /// `POST`: checks a cashier's PIN.
    package static let sessions = "/v1/sessions"
    /// `GET` with `?phone=`: the members with this telephone number, at most 20.
    package static let members = "/v1/members"
    /// `GET`: one member by id.
    package static let member = "/v1/members/{id}"
    /// `POST`: lends a terminal what a sale is about to spend; see ``LeaseRequest``.
    package static let leases = "/v1/leases"
    /// `POST`: takes leases back that a terminal spends nothing more of; see ``LeaseReturn``.
    package static let leaseReturns = "/v1/leases/returns"
    /// `POST`: what promotions and coupons take off a basket.
    package static let promotionEvaluation = "/v1/promotions/evaluate"
    /// `POST` with the signed code of a receipt: the sale that it is of, for a refund at another terminal.
    package static let receiptLookup = "/v1/receipts/lookup"
    /// `POST`: whether a refund or void may be made, before money moves; see ``RefundInquiry``.
    package static let refundDecisions = "/v1/refunds/decisions"
    /// `DELETE`: gives back what was reserved under a refund's id.
    package static let refundDecision = "/v1/refunds/decisions/{refundId}"
    /// `POST` with `Idempotency-Key`: requests a card authorisation.
    package static let authorizations = "/v1/payments/authorizations"
    /// `GET`: the state of an authorisation; `key` is its idempotency key.
    package static let authorization = "/v1/payments/authorizations/{key}"
    /// `POST`: takes the authorised money.
    package static let authorizationCapture = "/v1/payments/authorizations/{key}/capture"
    /// `POST`: voids an authorisation; also for a key whose authorisation never arrived.
    package static let authorizationVoid = "/v1/payments/authorizations/{key}/void"
    /// `POST`: a terminal's counts of successes and failures; the response has the decisions.
    package static let qosReports = "/v1/qos/reports"
    /// `GET` with `?services=`: the decisions that apply to this terminal.
    package static let qosDecisions = "/v1/qos/decisions"
    /// `GET`, for operators: the state of every service with its history.
    package static let qosServices = "/v1/qos/services"
    /// `PUT` and `DELETE`, for operators: sets or ends a manual override of one service.
    package static let qosOverride = "/v1/qos/services/{service}/override"
    /// `POST`, for a second operator: confirms an override for the chain.
    package static let qosConfirmation = "/v1/qos/services/{service}/override/confirmation"
    /// `GET`: the journal feed: what a back office books, in the order of arrival.
    package static let journal = "/v1/journal"
    /// `GET`, for operators and back offices: the orders, newest business day first.
    package static let orders = "/v1/orders"
    /// `GET`: one order by its id, number or mutation.
    package static let order = "/v1/orders/{id}"
    /// `GET` with `?by=`: the figures of sales.
    package static let sales = "/v1/sales"
    /// `GET`, for back offices: server-sent events, `change` whenever something changed.
    package static let events = "/v1/events"
    /// `GET`: what stores have of articles.
    package static let stock = "/v1/stock"
    /// `GET`: the shifts of the terminals (section 14 of the back office's page).
    package static let shifts = "/v1/shifts"
    /// `GET`: one shift with its statements.
    package static let shift = "/v1/shifts/{id}"
    /// `GET`: the statements that the hub signed.
    package static let statements = "/v1/statements"
    /// `PUT`: master data of a kind, as a file of `pos-hub import`.
    package static let importedList = "/v1/imports/{kind}"
    /// `GET`: the alarms.
    package static let alarms = "/v1/alarms"
    /// `POST`: notes that somebody looked at an alarm.
    package static let alarmAcknowledgement = "/v1/alarms/{id}/acknowledgement"
    /// `GET`: cards that were taken offline and refused afterwards.
    package static let debts = "/v1/debts"
    /// `POST`: notes that a debt was paid or written off.
    package static let debtSettlement = "/v1/debts/{id}/settlement"
    /// `GET`: the flags of accepted mutations.
    package static let flags = "/v1/flags"
    /// `GET`: the refused mutations.
    package static let refusals = "/v1/refusals"
    /// `GET`: one refused mutation.
    package static let refusal = "/v1/refusals/{id}"
    /// `POST`: notes what somebody decided about a refused mutation.
    package static let refusalResolution = "/v1/refusals/{id}/resolution"
    /// `POST`: announces an attachment and gets the URL for its bytes.
    package static let attachments = "/v1/attachments"
    /// `PUT`: the bytes of an attachment; authorised by the signature in the URL's query.
    package static let attachmentContent = "/v1/attachments/{id}/content"
    /// `POST`: a terminal's report about itself, when it goes with no batch.
    package static let telemetry = "/v1/telemetry"
    /// `GET` with `?nonce=`: the terminals' probe. It reads no store and needs no token.
    package static let health = "/healthz"
    /// `GET`: whether the hub's store can be written; needs no token.
    package static let ready = "/readyz"
    /// On a hub's local socket: what its public address serves.
    package static let servedRoutes = "/admin/routes"
}

/// The headers of the contract beside the standard ones.
package enum HeaderNames {
    /// An integer: the schema that the terminal speaks; see ``Schema``.
    package static let schema = "Pos-Schema"
    /// On a single push: the journal's epoch, from 1.
    package static let epoch = "Pos-Epoch"
    /// On a single push: the smallest sequence without a result on the terminal's disk.
    package static let lowSequence = "Pos-Low-Sequence"
    /// The sequence at which the journal's epoch began.
    package static let epochStart = "Pos-Epoch-Start"
    /// On a single push: where the journal ends, ``SignedHead``.
    package static let head = "Pos-Head"
    /// On a renewal: the terminal's id.
    package static let terminal = "Pos-Terminal"
    /// On an enrolment and a renewal: when it was signed, RFC 3339 UTC.
    package static let date = "Pos-Date"
    /// On an enrolment and a renewal: the device key's Ed25519 signature in base64; see ``SignedRequest``.
    package static let signature = "Pos-Signature"
    /// The host that an enrolment or a renewal is meant for, without a port.
    package static let host = "Pos-Host"
    /// On a single push the mutation's ULID in double quotes, on a card authorisation its key (IETF draft
    /// idempotency-key-header).
    package static let idempotencyKey = "Idempotency-Key"
    /// `true` on a response that repeats the first one for the same key.
    package static let idempotentReplayed = "Idempotent-Replayed"
    /// What a sender calls one attempt of a request; both logs have it. See ``RequestTrace``.
    package static let request = "Pos-Request"
    /// On a QoS request and its response: something new for each request, at most ``longestNonce``
    /// characters. A response without the request's nonce is another request's, from a cache perhaps, and
    /// does not count.
    package static let nonce = "Pos-Nonce"
    /// Twice the 256 bits of a careful sender in hexadecimal; a longer nonce is not sent back.
    package static let longestNonce = 128
    /// On responses to a terminal: ``feedMoved`` when the feed has something that it should pull at once.
    package static let feed = "Pos-Feed"
    /// The value of ``feed``.
    package static let feedMoved = "moved"
    /// The trace that a request belongs to (W3C Trace Context).
    package static let traceParent = "traceparent"
    /// Whole seconds until the next attempt (RFC 9110, section 10.2.3).
    package static let retryAfter = "Retry-After"
    /// On every response to a deprecated schema (RFC 9745); see ``SchemaNotice``.
    package static let deprecation = "Deprecation"
    /// From when on a deprecated schema may be refused (RFC 8594); see ``SchemaNotice``.
    package static let sunset = "Sunset"
}

/// The schema numbers that this build speaks, writes and accepts.
package enum Schema {
    /// The value of `Pos-Schema`. 2: coupons and telephone numbers come as keyed digests. 3: the keys
    /// by which receipts of the store are signed come as `terminalKey`. 4: `lease`, `statement` and
    /// `payment` come to the terminal that they are for. 5: promotions with ``PromotionTerms`` come.
    package static let current: Int64 = 5
    /// The default of the hub's minimum: a lower `Pos-Schema` is `426 upgrade_required`.
    package static let minimum: Int64 = 1
    /// The schema of mutations that this build writes. Its shape is that of 1, which older hubs know too:
    /// they would reject a higher one, and with it a sale.
    package static let written: Int64 = 1
}
