import Base
import HubProtocol
import OfflineCore

@testable import CurlHTTP
@testable import CurlTransport

extension Parser {
    /// What the hub, or whatever responds in its place, sends to the terminal.
    static let responses = [
        Parser("push-answer", seeds: [applied, rejected, fork]) { bytes in
            for status in [200, 201, 409, 422] {
                let reply = reply(status, bytes)
                if let fault = result(PushResponse.outcome(of: reply, single: id), of: reply) { return fault }
                if let fault = result(PushResponse.outcome(of: reply, batch: [id]), of: reply) {
                    return fault
                }
            }
            return nil
        },
        Parser("qos-answer", seeds: [decisions]) { bytes in
            if let document = try? JSONParser.parse(bytes) {
                _ = QoSResponseShape(json: document).map(QoSResponse.init)
            }
            return nil
        },
        Parser("probe-answer", seeds: [#"{"status":"ok","nonce":"N"}"#, "<html>sign in</html>"]) { bytes in
            let response = HTTPResponse(status: 200, body: bytes)
            let result = ProbeResponse.hub(
                HTTPExchange(result: .success(response), timings: timings), nonce: "N")
            let echoes = (try? JSONParser.parse(bytes))?["nonce"] == "N"
            guard case .good = result else { return nil }
            return echoes ? nil : "a body without the nonce counts as the hub's"
        },
    ]

    private static let id = "01KAH3Z0000000000000000002"
    private static let timings = HTTPTimings(
        startedAt: Instant(nanoseconds: 0), finishedAt: Instant(nanoseconds: 0))
    private static let applied =
        #"{"id":"\#(id)","outcome":"applied","hlc":"1-1","receivedAt":"","flags":[]}"#
    private static let rejected = #"""
        {"type":"urn:pos:problem:invalid","title":"no","status":422,"code":"invalid","id":"\#(id)",
        "outcome":"rejected"}
        """#
    private static let fork = #"""
        {"type":"urn:pos:problem:journal_forked","title":"fork","status":409,"code":"journal_forked","epoch":2,
        "head":{"sequence":4,"hash":"00","orderNumber":"S1-1-20261121-0001"}}
        """#
    private static let decisions = #"""
        {"decisions":[{"service":"order","state":"faulty","scope":"global","generation":3,
        "since":"2026-11-21T04:05:06.789Z","reason":"r","source":"reports",
        "expiresAt":"2026-11-21T04:10:06.789Z","pollAfterMs":5000,
        "resume":{"afterMs":10,"ratePerMinute":60}}],"issuer":"i","issuedAt":"2026-11-21T04:05:06.789Z"}
        """#

    private static func reply(_ status: Int, _ body: [UInt8]) -> HubReply {
        HubReply(
            outcome: status < 400 ? .success : .business(status: status),
            response: HTTPResponse(status: status, body: body),
            json: try? JSONParser.parse(body), retryAfter: nil, timings: timings)
    }

    /// A row may leave the outbox only on a document that names it and an outcome of the contract.
    private static func result(_ outcome: PushOutcome, of reply: HubReply) -> String? {
        guard case .results(let results, _, _) = outcome else { return nil }
        guard results.map(\.id) == [id] else { return "a result for a row that was not sent" }
        let text = reply.json?.canonicalText ?? ""
        return text.contains(id) && text.contains("outcome") ? nil : "a verdict that the answer does not hold"
    }
}
