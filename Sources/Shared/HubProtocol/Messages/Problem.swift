/// An error of the contract: RFC 9457 `application/problem+json` with a stable name in `code`.
package struct Problem: Error, Hashable, Sendable {
    /// The HTTP status, for example 409; also for a result within a batch.
    package let status: Int
    /// What programs decide by; docs/reference/errors.md has all of them.
    package let code: ProblemCode
    /// A short text for a person, the same for every problem of this kind.
    package let title: String
    /// What to do in this case, for a person; empty where a peer sent none.
    package let detail: String
    /// Extension members, for example `hubTime`, `epoch`, `id` and `outcome`.
    package let extensions: JSONObject
    /// What a page in another language says in the place of ``detail``; nil where that is all there is, and
    /// for a problem that came over the network.
    package let reason: ProblemReason?

    /// Makes a problem; by default without extension members and without a reason for pages.
    package init(
        status: Int, code: ProblemCode, title: String, detail: String, extensions: JSONObject = [:],
        reason: ProblemReason? = nil
    ) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.extensions = extensions
        self.reason = reason
    }

    /// Reads a problem document; nil when the document is none.
    package init?(json: JSONValue) {
        guard let code = json["code"]?.string, let status = json["status"]?.integer else { return nil }
        self.status = Int(clamping: status)
        self.code = ProblemCode(rawValue: code)
        title = json["title"]?.string ?? code
        detail = json["detail"]?.string ?? ""
        let standard: Set = ["type", "title", "status", "detail", "code"]
        extensions = (json.object ?? [:]).filter { !standard.contains($0.key) }
        reason = nil
    }

    /// The value of `Content-Type` (RFC 9457, section 3).
    package static let contentType = "application/problem+json"

    /// The document with `type` `urn:pos:problem:<code>`; the standard members win over ``extensions``.
    package var json: JSONValue {
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
    package static func quotaExceeded(retryAfterMilliseconds wait: Int64) -> Problem {
        Problem(
            status: 429, code: .quotaExceeded, title: "This terminal's quota of the day is used up",
            detail: "Keep everything and send it again after the time in Retry-After, or raise limits.*.",
            extensions: ["retryAfterMs": .integer(max(1, wait))])
    }
}

/// The stable codes of ``Problem``. A struct, since a newer hub may send codes that are not known yet.
package struct ProblemCode: RawRepresentable, Hashable, Sendable {
    /// The text on the wire, for example `clock_skew`.
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension ProblemCode {
    /// 401: the enrolment code is unknown, used or expired.
    package static let enrolmentRefused = ProblemCode(rawValue: "enrolment_refused")
    /// 401: `Pos-Date` is over 5 minutes off, or not after the last renewal's. `hubTime` has the hub's time.
    package static let clockSkew = ProblemCode(rawValue: "clock_skew")
    /// 401: the terminal renews its token.
    package static let tokenExpired = ProblemCode(rawValue: "token_expired")
    /// 401: no token, one of another hub, or a renewal whose signature is wrong.
    package static let tokenInvalid = ProblemCode(rawValue: "token_invalid")
    /// 401: the hub has no such terminal, after a restore for example. It renews with ``ReadmissionRequest``.
    package static let terminalUnknown = ProblemCode(rawValue: "terminal_unknown")
    /// 403: the terminal came back and waits for `pos-hub terminals confirm`; people and offers are refused
    /// until then.
    package static let terminalUnconfirmed = ProblemCode(rawValue: "terminal_unconfirmed")
    /// 401: a renewal's `Pos-Host` is none of the hub's `renewal.hosts`.
    package static let hostMismatch = ProblemCode(rawValue: "host_mismatch")
    /// 401: an operator revoked the terminal; it can only be enrolled again.
    package static let terminalRevoked = ProblemCode(rawValue: "terminal_revoked")
    /// 401: an operators' route without a valid session or token.
    package static let operatorRequired = ProblemCode(rawValue: "operator_required")
    /// 426: the schema is below the minimum, `minimumSchema`. The terminal sells on and keeps its outbox.
    package static let upgradeRequired = ProblemCode(rawValue: "upgrade_required")
    /// 400: no HTTP/1.1, no JSON, or a field of the wrong form. The same request always fails again.
    package static let malformedRequest = ProblemCode(rawValue: "malformed_request")
    /// 413: over ``MutationBatch/maximumBytes``, or an attachment's part over its chunk size.
    package static let bodyTooLarge = ProblemCode(rawValue: "body_too_large")
    /// 413: over ``MutationBatch/maximumCount``; nothing of the batch was applied.
    package static let tooManyMutations = ProblemCode(rawValue: "too_many_mutations")
    /// 431: over 16 KiB, 64 fields, or 8 KiB in one field.
    package static let headersTooLarge = ProblemCode(rawValue: "headers_too_large")
    /// 503: the hub has no room for another connection; nothing was read.
    package static let connectionsExhausted = ProblemCode(rawValue: "connections_exhausted")
    /// 429: one terminal sends too many PIN checks. No PIN was checked and none counts as wrong.
    package static let tooManyPINChecks = ProblemCode(rawValue: "too_many_pin_checks")
    /// 429: too many requests of one terminal or address; wait for `Retry-After`.
    package static let rateLimited = ProblemCode(rawValue: "rate_limited")
    /// 422: no terminal of this hub signed the receipt's code.
    package static let receiptCodeInvalid = ProblemCode(rawValue: "receipt_code_invalid")
    /// 429: the terminal has ``RefundInquiry/mostOpen`` refunds reserved that it neither made nor gave back.
    package static let tooManyRefundDecisions = ProblemCode(rawValue: "too_many_refund_decisions")
    /// 404: no such route or record.
    package static let notFound = ProblemCode(rawValue: "not_found")
    /// 405: the header `Allow` names the methods of this route.
    package static let methodNotAllowed = ProblemCode(rawValue: "method_not_allowed")
    /// 400: no `Idempotency-Key`, or on a push another one than the mutation's id.
    package static let idempotencyKeyMissing = ProblemCode(rawValue: "idempotency_key_missing")
    /// 422: the key was accepted with other content.
    package static let idempotencyKeyReused = ProblemCode(rawValue: "idempotency_key_reused")
    /// 409: the first request with this key has not ended; wait for `Retry-After`.
    package static let idempotencyInProgress = ProblemCode(rawValue: "idempotency_in_progress")
    /// 422, `rejected`: the content is not valid for its type.
    package static let invalidMutation = ProblemCode(rawValue: "invalid_mutation")
    /// 409, `conflict`: it collides with the hub's state; a result has `policy` and `serverState`.
    package static let conflict = ProblemCode(rawValue: "conflict")
    /// 409, `deferred`: a mutation or an attachment that it names is not there yet.
    package static let dependencyMissing = ProblemCode(rawValue: "dependency_missing")
    /// 422, `rejected`: a mutation that it depends on was rejected or discarded.
    package static let dependencyRejected = ProblemCode(rawValue: "dependency_rejected")
    /// 422, `rejected`: an edit of it was accepted, or it was discarded, before it arrived.
    package static let superseded = ProblemCode(rawValue: "superseded")
    /// 422, `rejected`: the response was kept for 30 days and is gone. The mutation is never run again.
    package static let expiredReplay = ProblemCode(rawValue: "expired_replay")
    /// 409: the sequence belongs to another mutation. `epoch` is the next one, `head` the end of the hub's
    /// journal.
    package static let journalForked = ProblemCode(rawValue: "journal_forked")
    /// 409: another copy of this terminal went on in a later epoch. Enrol this one again.
    package static let epochSuperseded = ProblemCode(rawValue: "epoch_superseded")
    /// 409: not the epoch after the hub's last, which is in `epoch`.
    package static let epochInvalid = ProblemCode(rawValue: "epoch_invalid")
    /// 400: no piece of a journal, or one that has other entries than its header says.
    package static let pieceInvalid = ProblemCode(rawValue: "piece_invalid")
    /// 401: the terminal that a piece names did not sign it.
    package static let pieceSignatureInvalid = ProblemCode(rawValue: "piece_signature_invalid")
    /// 409: a file or a piece is encrypted to a key that the hub does not have.
    package static let exportKeyUnknown = ProblemCode(rawValue: "export_key_unknown")
    /// 422, `rejected`: a void or refund of another store's order.
    package static let orderForeignStore = ProblemCode(rawValue: "order_foreign_store")
    /// 422, `rejected`: it edits or discards a mutation of another terminal.
    package static let mutationForeign = ProblemCode(rawValue: "mutation_foreign")
    /// 422, `rejected`: the mutation was edited before; only its newest edit can be edited.
    package static let editRepeated = ProblemCode(rawValue: "edit_repeated")
    /// 422, `rejected`: more points than `limits.pointsPerMutation`.
    package static let pointsLimit = ProblemCode(rawValue: "points_limit")
    /// 422, `rejected`: points are adjusted without anybody of the store who may approve it.
    package static let approvalMissing = ProblemCode(rawValue: "approval_missing")
    /// 429, or `retry`: past a limit of the day; wait for `retryAfterMs`.
    package static let quotaExceeded = ProblemCode(rawValue: "quota_exceeded")
    /// 503: the push exceeded its time budget in the store and was undone; wait 30 s.
    package static let pushTooCostly = ProblemCode(rawValue: "push_too_costly")
    /// 410: the cursor cannot be served; pull everything again without one.
    package static let cursorExpired = ProblemCode(rawValue: "cursor_expired")
    /// 410: the next documents of the journal feed are in the files that are named.
    package static let archived = ProblemCode(rawValue: "archived")
    /// 409: an archive is being made, or was made under the name.
    package static let archiveOpen = ProblemCode(rawValue: "archive_open")
    /// 409: the id was announced with other content.
    package static let attachmentDiffers = ProblemCode(rawValue: "attachment_differs")
    /// 413: over ``AttachmentInfo/maximumSize``.
    package static let attachmentTooLarge = ProblemCode(rawValue: "attachment_too_large")
    /// 429: the terminal has 100 unfinished uploads; finish some first.
    package static let tooManyUploads = ProblemCode(rawValue: "too_many_uploads")
    /// 403: the signature of the upload's URL is wrong; announce the attachment again.
    package static let uploadInvalid = ProblemCode(rawValue: "upload_url_invalid")
    /// 410: the upload's URL has expired. A new announcement continues the upload.
    package static let uploadExpired = ProblemCode(rawValue: "upload_url_expired")
    /// 422: the complete attachment has another digest. All its bytes were deleted.
    package static let digestMismatch = ProblemCode(rawValue: "digest_mismatch")
    /// 409: the hub has no payment service, so every card is refused.
    package static let paymentDeclined = ProblemCode(rawValue: "payment_declined")
    /// 422: no cashier of the store has this id and PIN.
    package static let pinRefused = ProblemCode(rawValue: "pin_refused")
    /// 422: five wrong PINs of this cashier at this terminal; wait for `retryAfterMs`.
    package static let pinLocked = ProblemCode(rawValue: "pin_locked")
    /// 422: a discount above its line, or more than money can hold.
    package static let invalidBasket = ProblemCode(rawValue: "invalid_basket")
    /// 503: the store or the payment service does not respond. Nothing was recorded; repeat with the same
    /// key.
    package static let storeUnavailable = ProblemCode(rawValue: "store_unavailable")
    /// 500: a bug of the hub; its log has the reason.
    package static let internalError = ProblemCode(rawValue: "internal_error")
}
