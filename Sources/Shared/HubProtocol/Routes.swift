/// The routes of the contract by method and template, one place for both ends.
public enum Routes {
    public static let terminals = "/v1/terminals"
    public static let tokenRenewal = "/v1/terminals/self/token"
    public static let mutation = "/v1/mutations"
    public static let mutationBatch = "/v1/mutations/batch"
    public static let changes = "/v1/changes"
    public static let productByBarcode = "/v1/products/{barcode}"
    public static let sessions = "/v1/sessions"
    public static let members = "/v1/members"
    public static let member = "/v1/members/{id}"
    public static let promotionEvaluation = "/v1/promotions/evaluate"
    public static let authorizations = "/v1/payments/authorizations"
    public static let authorization = "/v1/payments/authorizations/{key}"
    public static let authorizationCapture = "/v1/payments/authorizations/{key}/capture"
    public static let authorizationVoid = "/v1/payments/authorizations/{key}/void"
    public static let qosReports = "/v1/qos/reports"
    public static let qosDecisions = "/v1/qos/decisions"
    public static let qosServices = "/v1/qos/services"
    public static let qosOverride = "/v1/qos/services/{service}/override"
    public static let attachments = "/v1/attachments"
    public static let attachmentContent = "/v1/attachments/{id}/content"
    public static let telemetry = "/v1/telemetry"
    public static let health = "/healthz"
    public static let ready = "/readyz"
    /// On a hub's local socket: what its public address serves.
    public static let servedRoutes = "/admin/routes"
}

/// The headers of the contract beside the standard ones.
public enum HeaderNames {
    public static let schema = "Pos-Schema"
    public static let epoch = "Pos-Epoch"
    public static let lowSequence = "Pos-Low-Sequence"
    /// On a single push: where the journal ends, ``SignedHead``.
    public static let head = "Pos-Head"
    public static let terminal = "Pos-Terminal"
    public static let date = "Pos-Date"
    public static let signature = "Pos-Signature"
    /// The host that a renewal is meant for, without a port.
    public static let host = "Pos-Host"
    public static let idempotencyKey = "Idempotency-Key"
    public static let idempotentReplayed = "Idempotent-Replayed"
    public static let retryAfter = "Retry-After"
    public static let deprecation = "Deprecation"
    public static let sunset = "Sunset"
}

/// The schema numbers that this build speaks, writes and accepts.
public enum Schema {
    /// The value of `Pos-Schema`. 2: coupons and telephone numbers come as keyed digests.
    public static let current: Int64 = 2
    public static let minimum: Int64 = 1
    /// The schema of mutations that this build writes. Its shape is that of 1, which older hubs know too:
    /// they would reject a higher one, and with it a sale.
    public static let written: Int64 = 1
}
