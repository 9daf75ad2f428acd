import Base
import CurlHTTP
import CurlTransport
import OfflineCore
import Testing

@Suite("Outcome classifier", .timeLimit(.minutes(2)))
struct OutcomeClassifierTests {
    struct Row: Sendable {
        let status: Int
        let type: String?
        let body: String
        let outcome: OutcomeClass
    }

    @Test(
        "every kind of response is evidence of one thing",
        arguments: [
            Row(status: 200, type: "application/json", body: "{}", outcome: .success),
            Row(status: 201, type: "application/json; charset=utf-8", body: "{}", outcome: .success),
            Row(status: 204, type: nil, body: "", outcome: .success),
            Row(status: 304, type: nil, body: "", outcome: .success),
            Row(status: 200, type: "application/json", body: #"{"a":"#, outcome: .service(.brokenBody)),
            Row(
                status: 200, type: "application/json", body: #"{"a":1,"a":2}"#, outcome: .service(.brokenBody)
            ),
            Row(status: 200, type: "application/json", body: "", outcome: .service(.brokenBody)),
            Row(status: 200, type: "text/plain", body: "{}", outcome: .service(.brokenBody)),
            Row(status: 200, type: nil, body: "{}", outcome: .service(.brokenBody)),
            Row(status: 200, type: "text/html", body: "welcome", outcome: .portal(.foreignBody)),
            Row(status: 200, type: "application/json", body: " <HTML>", outcome: .portal(.foreignBody)),
            Row(status: 200, type: nil, body: "\u{FEFF}<!DOCTYPE html>", outcome: .portal(.foreignBody)),
            Row(status: 302, type: nil, body: "", outcome: .portal(.redirect)),
            Row(status: 307, type: "application/json", body: "{}", outcome: .portal(.redirect)),
            Row(status: 404, type: "text/html", body: "<html>", outcome: .portal(.foreignBody)),
            Row(status: 401, type: "text/html", body: "<html>", outcome: .portal(.foreignBody)),
            Row(status: 511, type: "text/html", body: "<html>", outcome: .portal(.foreignBody)),
            Row(status: 502, type: "text/html", body: "<html>", outcome: .service(.status(502))),
            Row(status: 503, type: "application/problem+json", body: "{}", outcome: .service(.status(503))),
            Row(status: 500, type: nil, body: "", outcome: .service(.status(500))),
            // Only the hub's own codes are about the account.
            Row(status: 401, type: "application/problem+json", body: "{}", outcome: .business(status: 401)),
            Row(status: 403, type: "application/problem+json", body: "{}", outcome: .business(status: 403)),
            Row(
                status: 401, type: "application/problem+json", body: problem(401, "token_expired"),
                outcome: .auth(status: 401)),
            Row(
                status: 403, type: "application/problem+json",
                body: problem(403, "terminal_unconfirmed"),
                outcome: .auth(status: 403)),
            Row(
                status: 403, type: "application/problem+json", body: problem(403, "blocked_by_filter"),
                outcome: .business(status: 403)),
            Row(status: 404, type: "application/problem+json", body: "{}", outcome: .business(status: 404)),
            Row(status: 409, type: "application/problem+json", body: "{}", outcome: .business(status: 409)),
            Row(status: 422, type: nil, body: "", outcome: .business(status: 422)),
            Row(
                status: 429, type: "application/problem+json", body: "{}", outcome: .throttle(retryAfter: nil)
            ),
            Row(status: 100, type: nil, body: "", outcome: .service(.brokenBody)),
        ])
    func responses(row: Row) {
        let headers = row.type.map { [HTTPHeader("content-type", $0)] } ?? []
        let response = HTTPResponse(status: row.status, headers: headers, body: Array(row.body.utf8))
        #expect(classify(.success(response)) == row.outcome, "\(row)")
    }

    private static func problem(_ status: Int, _ code: String) -> String {
        #"{"type":"urn:pos:problem:\#(code)","title":"t","status":\#(status),"detail":"d","code":"\#(code)"}"#
    }

    @Test(
        "every failure is evidence of one thing",
        arguments: [
            (TransferFailure.nameNotResolved, OutcomeClass.network(.dns)),
            (.deadlinePassed(.resolving), .network(.dns)), (.notConnected, .network(.connect)),
            (.connectTimedOut, .network(.connectTimeout)),
            (.deadlinePassed(.connecting), .network(.connectTimeout)),
            (.deadlinePassed(.waiting), .network(.silent)),
            (.deadlinePassed(.receiving), .service(.timedOutAfterConnect)),
            (.connectionBroken, .network(.reset)), (.tlsFailed(detail: ""), .network(.tls)),
            (.certificateRefused(.foreign), .portal(.foreignCertificate)),
            (.certificateRefused(.outOfValidity), .portal(.expiredCertificate)),
            (.responseCutOff, .service(.brokenBody)), (.responseTooLarge, .service(.brokenBody)),
            (.responseMalformed(detail: ""), .service(.brokenBody)), (.cancelled, .cancelled),
            (.sessionClosed, .cancelled), (.notSendable(detail: ""), .cancelled),
        ])
    func failures(failure: TransferFailure, outcome: OutcomeClass) {
        #expect(classify(.failure(failure)) == outcome)
    }

    @Test(
        "Retry-After is read in seconds, as a date by the sender's clock, and cut when it is absurd",
        arguments: [
            ("7", Duration.seconds(7)), ("0", .zero), (" 12 ", .seconds(12)), ("86400", .seconds(3600)),
            ("99999999999999999999999", .seconds(3600)), ("Sun, 06 Nov 1994 08:49:47 GMT", .seconds(10)),
            ("Sun, 06 Nov 1994 08:49:07 GMT", .zero), ("Mon, 06 Nov 2094 08:49:37 GMT", .seconds(3600)),
        ])
    func retryAfter(value: String, expected: Duration) {
        let response = HTTPResponse(
            status: 429,
            headers: [
                HTTPHeader("Retry-After", value), HTTPHeader("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ])
        #expect(classify(.success(response)) == .throttle(retryAfter: expected))
    }

    @Test(
        "a Retry-After that cannot be read is none",
        arguments: [
            "", "-5", "soon", "1.5", "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        ])
    func unreadableRetryAfter(value: String) {
        #expect(RetryAfter.duration(of: value, wallMilliseconds: 0) == nil)
    }

    @Test("without the sender's clock a date is compared with ours")
    func ownClock() {
        #expect(
            RetryAfter.duration(of: "Sun, 06 Nov 1994 08:49:37 GMT", wallMilliseconds: 784_111_772_000)
                == .seconds(5))
    }

    private func classify(_ result: Result<HTTPResponse, TransferFailure>) -> OutcomeClass {
        let now = Instant(nanoseconds: 0)
        let exchange = HTTPExchange(result: result, timings: HTTPTimings(startedAt: now, finishedAt: now))
        return OutcomeClassifier.classify(exchange, wallMilliseconds: 0).outcome
    }
}
