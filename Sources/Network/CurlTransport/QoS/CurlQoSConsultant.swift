internal import CurlHTTP
package import Base
package import HubProtocol
package import OfflineCore
import OfflineMode
internal import MachineRuntime

/// Gets decisions from the QoS service and sends reports to it, through libcurl.
///
/// Keeps the last response to each request with its `ETag`; a `304` is that response again and renews it.
package actor CurlQoSConsultant: QoSConsulting {
    private struct Remembered {
        let etag: String
        let response: QoSResponse
    }

    private let client: HubClient
    private let head: @Sendable () async -> SignedHead?
    private var remembered: [String: Remembered] = [:]
    private let makeNonce: @Sendable () -> String
    /// When QoS last sent decisions or renewed them; nil: not in this run.
    package private(set) var lastResponseAt: Instant?
    /// When the decisions of ``lastResponseAt`` were issued by the clock of QoS, in Unix milliseconds; nil
    /// after a renewal, which has no time of its own.
    package private(set) var lastIssuedAt: Int64?

    /// - Parameters:
    ///   - head: where the journal ends, signed; it goes with each report. Nil for none.
    ///   - makeNonce: something new for every request; 128 random bits in hexadecimal by default.
    package init(
        client: HubClient, head: @escaping @Sendable () async -> SignedHead? = { nil },
        makeNonce: @escaping @Sendable () -> String = CurlHubProbe.randomNonce
    ) {
        self.client = client
        self.head = head
        self.makeNonce = makeNonce
    }

    /// Sends the stored `ETag`. The call is evidence only where QoS has the hub's own address.
    package func decisions(for services: [String], timeout: Duration) async -> QoSResponse? {
        let list = services.map(\.percentEncoded).joined(separator: ",")
        let known = remembered[list]
        let call = HubCall(
            .get, template: Routes.qosDecisions, path: "\(Routes.qosDecisions)?services=\(list)",
            headers: known.map { [HTTPHeader("If-None-Match", $0.etag)] } ?? [], timeout: timeout)
        guard let reply = await freshReply(to: call) else { return nil }
        if reply.response?.status == 304, let known {
            note(reply, of: call, issuedAt: nil)
            return known.response
        }
        guard let response = response(of: reply, to: call) else { return nil }
        if let etag = reply.response?.header("ETag") {
            remembered[list] = Remembered(etag: etag, response: response)
        } else {
            remembered[list] = nil
        }
        return response
    }

    /// Converts the window to wall-clock time and adds the signed head of the journal.
    package func report(_ report: QoSReport, timeout: Duration) async -> QoSResponse? {
        let time = client.time
        let (now, wall) = (time.now(), time.wallMilliseconds())
        let body = report.json { moment in wall - (now - moment).wholeMilliseconds }.with(await head())
        let call = HubCall(
            .post, template: Routes.qosReports, body: body.canonicalBytes, timeout: timeout)
        guard let reply = await freshReply(to: call) else { return nil }
        return response(of: reply, to: call)
    }

    /// Sends `call` with a nonce of its own.
    ///
    /// - Returns: a success with that nonce. One without it is an older hub's, or was made for another
    ///   request and kept by a cache on the way: what it decides may be long past, and it is no evidence.
    private func freshReply(to call: HubCall) async -> HubReply? {
        let nonce = makeNonce()
        var call = call
        call.headers.append(HTTPHeader(HeaderNames.nonce, nonce))
        let reply = await client.callQoS(call)
        guard case .success = reply.outcome else {
            client.noteFailure(reply, of: call)
            return nil
        }
        return reply.response?.header(HeaderNames.nonce) == nonce ? reply : nil
    }

    private func response(of reply: HubReply, to call: HubCall) -> QoSResponse? {
        guard let shape = reply.json.flatMap(QoSResponseShape.init(json:)) else { return nil }
        note(reply, of: call, issuedAt: shape.issuedAt)
        return QoSResponse(shape)
    }

    private func note(_ reply: HubReply, of call: HubCall, issuedAt: Int64?) {
        (lastResponseAt, lastIssuedAt) = (client.time.now(), issuedAt)
        client.noteGoodResponse(reply, of: call)
    }
}
