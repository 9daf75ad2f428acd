/// An error of the contract: RFC 9457 `application/problem+json` with a stable name in `code`.
public struct Problem: Error, Hashable, Sendable {
    public let status: Int
    public let code: ProblemCode
    public let title: String
    public let detail: String
    /// Extension members, for example `hubTime`, `epoch`, `id` and `outcome`.
    public let extensions: JSONObject

    public init(
        status: Int, code: ProblemCode, title: String, detail: String, extensions: JSONObject = [:]
    ) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.extensions = extensions
    }

    /// Reads a problem document; nil when the document is none.
    public init?(json: JSONValue) {
        guard let code = json["code"]?.string, let status = json["status"]?.integer else { return nil }
        self.status = Int(clamping: status)
        self.code = ProblemCode(rawValue: code)
        title = json["title"]?.string ?? code
        detail = json["detail"]?.string ?? ""
        let standard: Set = ["type", "title", "status", "detail", "code"]
        extensions = (json.object ?? [:]).filter { !standard.contains($0.key) }
    }

    public static let contentType = "application/problem+json"

    public var json: JSONValue {
        var members = extensions
        members["type"] = .string("urn:pos:problem:\(code.rawValue)")
        members["title"] = .string(title)
        members["status"] = .integer(Int64(status))
        members["detail"] = .string(detail)
        members["code"] = .string(code.rawValue)
        return .object(members)
    }
}

extension Problem {
    /// What is past a quota of the day; the terminal keeps it and sends it again later.
    public static func quotaExceeded(retryAfterMilliseconds wait: Int64) -> Problem {
        Problem(
            status: 429, code: .quotaExceeded, title: "This terminal's quota of the day is used up",
            detail: "Keep everything and send it again after the time in Retry-After, or raise limits.*.",
            extensions: ["retryAfterMs": .integer(max(1, wait))])
    }
}

/// The stable codes of ``Problem``. A struct, since a newer hub may send codes that are not known yet.
public struct ProblemCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension ProblemCode {
    public static let enrolmentRefused = ProblemCode(rawValue: "enrolment_refused")
    public static let clockSkew = ProblemCode(rawValue: "clock_skew")
    public static let tokenExpired = ProblemCode(rawValue: "token_expired")
    public static let tokenInvalid = ProblemCode(rawValue: "token_invalid")
    public static let terminalUnknown = ProblemCode(rawValue: "terminal_unknown")
    public static let terminalUnconfirmed = ProblemCode(rawValue: "terminal_unconfirmed")
    public static let hostMismatch = ProblemCode(rawValue: "host_mismatch")
    public static let terminalRevoked = ProblemCode(rawValue: "terminal_revoked")
    public static let operatorRequired = ProblemCode(rawValue: "operator_required")
    public static let upgradeRequired = ProblemCode(rawValue: "upgrade_required")
    public static let malformedRequest = ProblemCode(rawValue: "malformed_request")
    public static let bodyTooLarge = ProblemCode(rawValue: "body_too_large")
    public static let tooManyMutations = ProblemCode(rawValue: "too_many_mutations")
    public static let headersTooLarge = ProblemCode(rawValue: "headers_too_large")
    public static let connectionsExhausted = ProblemCode(rawValue: "connections_exhausted")
    public static let tooManyPINChecks = ProblemCode(rawValue: "too_many_pin_checks")
    public static let rateLimited = ProblemCode(rawValue: "rate_limited")
    public static let notFound = ProblemCode(rawValue: "not_found")
    public static let methodNotAllowed = ProblemCode(rawValue: "method_not_allowed")
    public static let idempotencyKeyMissing = ProblemCode(rawValue: "idempotency_key_missing")
    public static let idempotencyKeyReused = ProblemCode(rawValue: "idempotency_key_reused")
    public static let idempotencyInProgress = ProblemCode(rawValue: "idempotency_in_progress")
    public static let invalidMutation = ProblemCode(rawValue: "invalid_mutation")
    public static let conflict = ProblemCode(rawValue: "conflict")
    public static let dependencyMissing = ProblemCode(rawValue: "dependency_missing")
    public static let dependencyRejected = ProblemCode(rawValue: "dependency_rejected")
    public static let superseded = ProblemCode(rawValue: "superseded")
    public static let expiredReplay = ProblemCode(rawValue: "expired_replay")
    public static let journalForked = ProblemCode(rawValue: "journal_forked")
    public static let epochSuperseded = ProblemCode(rawValue: "epoch_superseded")
    public static let epochInvalid = ProblemCode(rawValue: "epoch_invalid")
    public static let orderForeignStore = ProblemCode(rawValue: "order_foreign_store")
    public static let mutationForeign = ProblemCode(rawValue: "mutation_foreign")
    public static let editRepeated = ProblemCode(rawValue: "edit_repeated")
    public static let pointsLimit = ProblemCode(rawValue: "points_limit")
    public static let quotaExceeded = ProblemCode(rawValue: "quota_exceeded")
    public static let pushTooCostly = ProblemCode(rawValue: "push_too_costly")
    public static let cursorExpired = ProblemCode(rawValue: "cursor_expired")
    public static let attachmentDiffers = ProblemCode(rawValue: "attachment_differs")
    public static let attachmentTooLarge = ProblemCode(rawValue: "attachment_too_large")
    public static let tooManyUploads = ProblemCode(rawValue: "too_many_uploads")
    public static let uploadInvalid = ProblemCode(rawValue: "upload_url_invalid")
    public static let uploadExpired = ProblemCode(rawValue: "upload_url_expired")
    public static let digestMismatch = ProblemCode(rawValue: "digest_mismatch")
    public static let paymentDeclined = ProblemCode(rawValue: "payment_declined")
    public static let pinRefused = ProblemCode(rawValue: "pin_refused")
    public static let pinLocked = ProblemCode(rawValue: "pin_locked")
    public static let invalidBasket = ProblemCode(rawValue: "invalid_basket")
    public static let storeUnavailable = ProblemCode(rawValue: "store_unavailable")
    public static let internalError = ProblemCode(rawValue: "internal_error")
}
