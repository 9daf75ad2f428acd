import Base

internal import HubProtocol
internal import HubStore
internal import Logging
internal import OfflineCore

/// The texts of the hub's refusals, in one place. None reveals more than its reader can use.
extension Problem {
    /// What a request that failed is answered with. What is no refusal is logged.
    init(of error: any Error, _ logger: Logger) {
        switch error {
        case let problem as Problem: self = problem
        case let error as LedgerError:
            logger.warning("the store refused", metadata: ["reason": "\(error)"])
            self = error == .tooCostly ? .pushTooCostly : .storeUnavailable
        case _:
            logger.error("a request failed", metadata: ["reason": "\(error)"])
            self = .internalError
        }
    }

    static func malformed(_ detail: String, _ reason: ProblemReason? = nil) -> Problem {
        Problem(
            status: 400, code: .malformedRequest, title: "The request cannot be read", detail: detail,
            reason: reason)
    }

    static func malformed(_ error: ShapeError) -> Problem {
        malformed("In the body, \(error).")
    }

    /// What `read` makes of a body; a shape that is not as it has to be becomes a malformed request.
    static func reading<Value>(_ read: @autoclosure () throws(ShapeError) -> Value) throws(Problem) -> Value {
        do throws(ShapeError) {
            return try read()
        } catch {
            throw .malformed(error)
        }
    }

    static func bodyTooLarge(_ maximum: Int) -> Problem {
        Problem(
            status: 413, code: .bodyTooLarge, title: "The body is too large",
            detail: "A body holds at most \(maximum) bytes.")
    }

    static let headersTooLarge = Problem(
        status: 431, code: .headersTooLarge, title: "The headers are too large",
        detail: "Headers hold at most 16384 bytes, 64 fields and 8192 bytes in one of them.")

    /// Written to a connection that finds no room; nobody has read its request.
    static let connectionsExhausted = Problem(
        status: 503, code: .connectionsExhausted, title: "The hub has no room for another connection",
        detail: "Nothing was read. Come again after the time in Retry-After.")

    static let requestTimeout = Problem(
        status: 408, code: ProblemCode(rawValue: "request_timeout"), title: "The body took too long",
        detail: "The body did not arrive in time.")

    static let notFound = Problem(
        status: 404, code: .notFound, title: "There is nothing here",
        detail: "Nothing is at this path: check it. The pages begin at /, the routes of programs with /v1/.",
        reason: .noPage)

    static func notFound(_ detail: String, _ reason: ProblemReason? = nil) -> Problem {
        Problem(status: 404, code: .notFound, title: "Not found", detail: detail, reason: reason)
    }

    static func noTerminal(_ id: String) -> Problem {
        notFound(
            "No terminal has the id \(id.printable); `pos-hub terminals list` names them.",
            .unknown(.terminal, id: id))
    }

    static let methodNotAllowed = Problem(
        status: 405, code: .methodNotAllowed, title: "The method is not allowed here",
        detail: "The header Allow names what is.")

    static let tokenInvalid = Problem(
        status: 401, code: .tokenInvalid, title: "The token is not valid",
        detail: "Send the device token of this hub, or enrol the terminal.")

    static let tokenExpired = Problem(
        status: 401, code: .tokenExpired, title: "The token has expired", detail: "Renew it.")

    static let terminalRevoked = Problem(
        status: 401, code: .terminalRevoked, title: "The terminal was revoked",
        detail: "An operator took this terminal's access back.")

    static let terminalUnknown = Problem(
        status: 401, code: .terminalUnknown, title: "The terminal is not known here",
        detail: "The hub was restored, or lost its terminals. Renew with the body {token, publicKey, name}.")

    static let terminalUnconfirmed = Problem(
        status: 403, code: .terminalUnconfirmed, title: "The terminal waits for an operator",
        detail: "It came back to a hub that did not know it; `pos-hub terminals confirm` lets it go on.")

    static let hostMismatch = Problem(
        status: 401, code: .hostMismatch, title: "The request is meant for another hub",
        detail: "Pos-Host is none of this hub's names.")

    static let enrolmentRefused = Problem(
        status: 401, code: .enrolmentRefused, title: "The enrolment is refused",
        detail:
            "The code is unknown, used or expired: ask for a new one. Or the key is that of a terminal of "
            + "another store: revoke that terminal first.")

    static let enrolmentUnproven = Problem(
        status: 401, code: .enrolmentRefused, title: "The enrolment is refused",
        detail: "Pos-Date and Pos-Signature do not prove the public key for this hub; the code stays unused. "
            + "A program of before does not sign: update it.")

    static let operatorRequired = Problem(
        status: 401, code: .operatorRequired, title: "This is for operators",
        detail: "Send an operator token, or sign in at /login.")

    static let operatorTokenExpired = Problem(
        status: 401, code: .operatorRequired, title: "The operator token has expired",
        detail: "`pos-hub operator add` gives a new one.")

    static let operatorForbidden = Problem(
        status: 403, code: ProblemCode(rawValue: "operator_forbidden"), title: "Your role may not do this",
        detail: "A manager can do it, or give you a role that may: `pos-hub operator add NAME --role ROLE`.",
        reason: .forbidden)

    static let csrfRefused = Problem(
        status: 403, code: ProblemCode(rawValue: "csrf_refused"), title: "The form is not of this session",
        detail: "The form is of an earlier session: load the page again, and send it again. A program with a "
            + "session sends the page's token in X-CSRF-Token.", reason: .staleForm)

    static let hostRefused = Problem(
        status: 421, code: ProblemCode(rawValue: "host_refused"), title: "This is not a name of this hub",
        detail: "Add the name to `ops.hosts` in the hub's configuration, or use a loopback name.")

    static func upgradeRequired(_ minimum: Int64) -> Problem {
        Problem(
            status: 426, code: .upgradeRequired, title: "This version is too old",
            detail: "Update the terminal; it sells on meanwhile and keeps its outbox.",
            extensions: ["minimumSchema": .integer(minimum)])
    }

    static func rateLimited(_ wait: Duration) -> Problem {
        Problem(
            status: 429, code: .rateLimited, title: "Too many calls",
            detail: "This terminal calls too often. Go on after the time in Retry-After.",
            extensions: ["retryAfterMs": .integer(max(1, wait.wholeMilliseconds))])
    }

    /// For calls without a token.
    static func addressRateLimited(_ wait: Duration) -> Problem {
        Problem(
            status: 429, code: .rateLimited, title: "Too many calls",
            detail: "Calls without a token come too often from here. Go on after the time in Retry-After.",
            extensions: ["retryAfterMs": .integer(max(1, wait.wholeMilliseconds))])
    }

    static let storeUnavailable = Problem(
        status: 503, code: .storeUnavailable, title: "The store is not available",
        detail: "Nothing was recorded. Try again with the same key.")

    /// The wait is how long the store refuses its terminal then.
    static let pushTooCostly = Problem(
        status: 503, code: .pushTooCostly, title: "The push took too long",
        detail: "Nothing was recorded. Send fewer mutations at once after the time in Retry-After.",
        extensions: ["retryAfterMs": 30_000])

    static let internalError = Problem(
        status: 500, code: .internalError, title: "The hub failed",
        detail: "The hub could not do this; its log has the reason.")

    static func conflict(_ detail: String) -> Problem {
        Problem(status: 409, code: .conflict, title: "That collides with the present state", detail: detail)
    }
}
