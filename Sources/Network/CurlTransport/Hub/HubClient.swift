package import CurlHTTP
import Base

package import HubProtocol
package import MachineRuntime
package import OfflineMode

package import OfflineCore

/// Calls the hub as the contract has it: standard headers, one renewal of an expired token, JSON both ways.
///
/// Every business call is reported to the observer when it ends, cancelled ones included, and once when it
/// stalls. Probes are not reported. QoS calls are reported only after a readable response or none.
package final class HubClient: Sendable {
    /// Fixed for the life of the client; a changed configuration needs a new one.
    package let configuration: HubClientConfiguration
    let session: any HTTPSession
    let time: any SystemTime
    private let access: HubAccess
    private let renewal: TokenRenewal
    private let observer: (any OutcomeObserving)?
    private let onSchemaMessage: @Sendable (SchemaMessage) -> Void
    private let onHubTime: @Sendable (Int64) -> Void
    private let onFeedMoved: @Sendable () -> Void
    private let onExchange: @Sendable (HubExchange) -> Void

    /// - Parameters:
    ///   - observer: gets every business call; nil during enrolment, when there is no observer yet.
    ///   - onSchemaWord: gets the hub's notice about this version with every response of the hub, except QoS
    ///     responses.
    ///   - onHubTime: gets the hub's time with the same responses and those of QoS, in Unix milliseconds,
    ///     from their `Date`.
    ///   - onFeedMoved: called when a response says that the feed has something to pull at once
    ///     (``HeaderNames/feed``).
    ///   - onExchange: gets every request that was sent, with its names, for a log.
    package init(
        session: any HTTPSession, configuration: HubClientConfiguration, access: HubAccess,
        time: any SystemTime, observer: (any OutcomeObserving)?,
        onSchemaMessage: @escaping @Sendable (SchemaMessage) -> Void = { _ in },
        onHubTime: @escaping @Sendable (Int64) -> Void = { _ in },
        onFeedMoved: @escaping @Sendable () -> Void = {},
        onExchange: @escaping @Sendable (HubExchange) -> Void = { _ in }
    ) {
        self.session = session
        self.configuration = configuration
        self.access = access
        self.time = time
        self.observer = observer
        self.onSchemaMessage = onSchemaMessage
        self.onHubTime = onHubTime
        self.onFeedMoved = onFeedMoved
        self.onExchange = onExchange
        renewal = TokenRenewal(access: access)
    }

    /// One business call, reported to the observer.
    ///
    /// On a 401 the token is renewed and the call sent once more, each within its own `timeout`, unless the
    /// terminal was revoked, which a renewal cannot change; only the last response is reported. A call that a
    /// hub without a record of the terminal refused is not sent again; after the terminal's readmission it
    /// counts as never made.
    ///
    /// - Parameter isContract: whether a success contains what the contract requires. One that does not is
    ///   reported and returned as a malformed response of the service: the hub has not done the work.
    package func call(
        _ call: HubCall, isContract: (HubReply) -> Bool = { _ in true }
    ) async -> HubReply {
        var reply = await sendRenewing(call, base: configuration.hub, reportsStall: true)
        if case .success = reply.outcome, !isContract(reply) { reply.outcome = .service(.brokenBody) }
        report(reply, of: call)
        if let word = reply.schemaMessage {
            onSchemaMessage(word)
            noteTime(of: reply)
        }
        return reply
    }

    /// One call of the hub that is no evidence and is not reported.
    func callUnreported(_ call: HubCall) async -> HubReply {
        await sendRenewing(call, base: configuration.hub, reportsStall: false)
    }

    /// One call of the QoS service, not reported.
    func callQoS(_ call: HubCall) async -> HubReply {
        await sendRenewing(call, base: configuration.qos, reportsStall: false)
    }

    /// A readable QoS response. Where it came over the path to the hub it is evidence about that path and
    /// saves a probe.
    func noteGoodResponse(_ reply: HubReply, of call: HubCall) {
        noteTime(of: reply)
        if configuration.qos == configuration.hub { report(reply, of: call) }
    }

    /// A QoS call without a response. Over the path to the hub the silence makes the terminal probe;
    /// otherwise a terminal that polls often would find a dead path late. A fault of QoS itself does not.
    func noteFailure(_ reply: HubReply, of call: HubCall) {
        guard configuration.qos == configuration.hub, case .network = reply.outcome else { return }
        report(reply, of: call)
    }

    /// The clock of a server that has proved to be the hub.
    private func noteTime(of reply: HubReply) {
        if let date = reply.response?.date { onHubTime(date) }
    }

    private func report(_ reply: HubReply, of call: HubCall) {
        observer?.requestFinished(
            RequestOutcome(
                api: call.api, outcome: reply.outcome, startedAt: reply.timings.startedAt,
                firstByteAt: reply.timings.firstByteAt, finishedAt: reply.timings.finishedAt,
                retryAfter: reply.retryAfter))
    }

    /// - Parameter reportsStall: whether a stall, and bytes that move, are reported to the observer.
    private func sendRenewing(_ call: HubCall, base: ServerURL, reportsStall: Bool) async -> HubReply {
        let token = call.isAuthorized ? await access.token() : nil
        let first = await send(call, base: base, token: token, reportsStall: reportsStall)
        guard call.isAuthorized, first.outcome == .auth(status: 401),
            first.problem?.code != .terminalRevoked, await renewal.renew(refused: token),
            let renewed = await access.token()
        else { return first }
        if first.problem?.code == .terminalUnknown {
            // The hub readmitted the terminal and has none of its journal: the request was made before that.
            var stale = first
            stale.outcome = .cancelled
            return stale
        }
        return await send(call, base: base, token: renewed, reportsStall: reportsStall)
    }

    private func send(
        _ call: HubCall, base: ServerURL, token: String?, reportsStall: Bool
    ) async -> HubReply {
        var generator = SystemRandomNumberGenerator()
        let now = UInt64(clamping: time.wallMilliseconds())
        let trace = RequestTrace(
            request: ULID(milliseconds: min(now, 1 << 48 - 1), using: &generator),
            entry: call.entries.first.flatMap { ULID($0) })
        let request = call.request(
            base: base, token: token, timeout: configuration.requestTimeout, trace: trace)
        var onStall: (@Sendable (Instant) -> Void)?
        var onMove: (@Sendable (Instant) -> Void)?
        if reportsStall, let observer {
            onStall = { startedAt in observer.requestStalled(call.api, startedAt: startedAt) }
            onMove = { since in observer.requestMoves(since: since) }
        }
        let exchange = await session.send(request, onStall: onStall, onMove: onMove)
        let reply = HubReply(exchange, wallMilliseconds: time.wallMilliseconds())
        // A pull that says so of itself would go on for ever.
        if reply.response?.header(HeaderNames.feed) == HeaderNames.feedMoved,
            call.api.template != Routes.changes
        {
            onFeedMoved()
        }
        onExchange(
            HubExchange(
                api: call.api, entries: call.entries, trace: trace, status: reply.response?.status,
                duration: reply.timings.finishedAt - reply.timings.startedAt))
        return reply
    }
}

/// One request to the hub as a log has it.
package struct HubExchange: Sendable {
    /// Method and route.
    package let api: APIRoute
    /// The ids of the journal entries that it sent.
    package let entries: [String]
    /// What it is called in both logs.
    package let trace: RequestTrace
    /// Of the response; nil without one.
    package let status: Int?
    /// From its start to the end of its response, or of the wait for one.
    package let duration: Duration
}

extension HubReply {
    init(_ exchange: HTTPExchange, wallMilliseconds: Int64) {
        let (outcome, json) = OutcomeClassifier.classify(exchange, wallMilliseconds: wallMilliseconds)
        let response = try? exchange.result.get()
        self.init(
            outcome: outcome, response: response, json: json,
            retryAfter: response?.retryAfter(wallMilliseconds: wallMilliseconds), timings: exchange.timings)
        if case .failure(let failure) = exchange.result { self.failure = failure }
    }
}

/// Where the hub is and how this terminal presents itself.
package struct HubClientConfiguration: Hashable, Sendable {
    /// Every call goes there, except those to QoS.
    package let hub: ServerURL
    /// Where QoS decisions are requested; the hub itself by default.
    package let qos: ServerURL
    /// For one business call. Default 10 s (`sync.requestTimeoutSeconds`).
    package let requestTimeout: Duration

    /// `qos` is nil where the hub itself decides; the timeout is not checked here.
    package init(hub: ServerURL, qos: ServerURL? = nil, requestTimeout: Duration = .seconds(10)) {
        self.hub = hub
        self.qos = qos ?? hub
        self.requestTimeout = requestTimeout
    }

    /// The `User-Agent` of the contract, for ``CurlSessionConfiguration/userAgent``: `pos/1.2.3 (Debian 12)`.
    package static func userAgent(version: String, system: String) -> String {
        "pos/\(version) (\(system.filter { $0 != "(" && $0 != ")" }))"
    }
}

/// Turns replies into results or the reason why there is none.
extension HubClient {
    /// Sends `hubCall` and reads its 2xx response.
    func result<Result>(
        of hubCall: HubCall, _ read: (JSONValue) throws(ShapeError) -> Result
    ) async throws(HubCallError) -> Result {
        var result: Result?
        var misfit: HubCallError?
        let reply = await call(hubCall) { reply in
            guard let json = reply.json else {
                misfit = .notContract(detail: "a response without a body")
                return false
            }
            do throws(ShapeError) {
                result = try read(json)
            } catch {
                misfit = .notContract(detail: error.description)
            }
            return misfit == nil
        }
        if let result { return result }
        throw misfit ?? Self.reason(of: reply)
    }

    /// Why a response that is no success has no result.
    static func reason(of reply: HubReply) -> HubCallError {
        switch reply.outcome {
        case .business, .auth:
            reply.problem.map(HubCallError.refused)
                ?? .notContract(detail: "a refusal without a problem document")
        case .success, .network, .service, .throttle, .portal, .cancelled: .noResponse(reply.outcome)
        }
    }
}
