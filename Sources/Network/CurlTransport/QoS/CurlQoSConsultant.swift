public import Base
public import HubProtocol
public import OfflineCore
public import OfflineMode
internal import MachineRuntime

/// Gets decisions from the QoS service and sends reports to it, through libcurl.
///
/// Keeps the last response to each request with its `ETag`; a `304` is that response again and renews it.
public actor CurlQoSConsultant: QoSConsulting {
    private struct Remembered {
        let etag: String
        let response: QoSResponse
    }

    private let client: HubClient
    private let head: @Sendable () async -> SignedHead?
    private var remembered: [String: Remembered] = [:]
    /// When QoS last sent decisions or renewed them; nil: not in this run.
    public private(set) var lastResponseAt: Instant?

    /// - Parameter head: where the journal ends, signed; it goes with each report. Nil for none.
    public init(client: HubClient, head: @escaping @Sendable () async -> SignedHead? = { nil }) {
        self.client = client
        self.head = head
    }

    /// Sends the stored `ETag`. The call is evidence only where QoS has the hub's own address.
    public func decisions(for services: [String], timeout: Duration) async -> QoSResponse? {
        let list = services.map(\.percentEncoded).joined(separator: ",")
        let known = remembered[list]
        let call = HubCall(
            .get, template: Routes.qosDecisions, path: "\(Routes.qosDecisions)?services=\(list)",
            headers: known.map { [HTTPHeader("If-None-Match", $0.etag)] } ?? [], timeout: timeout)
        let reply = await client.callQoS(call)
        guard case .success = reply.outcome else {
            client.noteFailure(reply, of: call)
            return nil
        }
        if reply.response?.status == 304, let known {
            lastResponseAt = client.time.now()
            client.noteGoodResponse(reply, of: call)
            return known.response
        }
        guard let json = reply.json, let response = QoSResponse(json: json) else { return nil }
        lastResponseAt = client.time.now()
        client.noteGoodResponse(reply, of: call)
        if let etag = reply.response?.header("ETag") {
            remembered[list] = Remembered(etag: etag, response: response)
        } else {
            remembered[list] = nil
        }
        return response
    }

    /// Converts the window to wall-clock time and adds the signed head of the journal.
    public func report(_ report: QoSReport, timeout: Duration) async -> QoSResponse? {
        let time = client.time
        let (now, wall) = (time.now(), time.wallMilliseconds())
        let body = report.json { moment in wall - (now - moment).wholeMilliseconds }.with(await head())
        let call = HubCall(
            .post, template: Routes.qosReports, body: body.canonicalBytes, timeout: timeout)
        let reply = await client.callQoS(call)
        guard case .success = reply.outcome, let json = reply.json, let response = QoSResponse(json: json)
        else {
            client.noteFailure(reply, of: call)
            return nil
        }
        lastResponseAt = client.time.now()
        client.noteGoodResponse(reply, of: call)
        return response
    }
}
