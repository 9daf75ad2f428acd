internal import HubProtocol
internal import OfflineCore
public import OfflineMode

/// Calls the hub as the contract has it: standard headers, one renewal of an expired token, JSON both ways.
///
/// Every business call is reported to the observer when it ends, cancelled ones included, and once when it
/// stalls. Probes are not, and of QoS calls only those that were answered well or not at all.
public final class HubClient: Sendable {
    public let configuration: HubClientConfiguration
    let session: CurlSession
    let time: any SystemTime
    private let access: HubAccess
    private let renewal: TokenRenewal
    private let observer: (any OutcomeObserving)?
    private let onSchemaMessage: @Sendable (SchemaMessage) -> Void
    private let onHubTime: @Sendable (Int64) -> Void

    /// - Parameters:
    ///   - observer: told of every business call; nil during enrolment, when nobody listens yet.
    ///   - onSchemaWord: told with every answer of the hub, QoS's apart, what it says of this version.
    ///   - onHubTime: told with the same answers the hub's time, in Unix milliseconds, from their `Date`.
    public init(
        session: CurlSession, configuration: HubClientConfiguration, access: HubAccess,
        time: any SystemTime, observer: (any OutcomeObserving)?,
        onSchemaMessage: @escaping @Sendable (SchemaMessage) -> Void = { _ in },
        onHubTime: @escaping @Sendable (Int64) -> Void = { _ in }
    ) {
        self.session = session
        self.configuration = configuration
        self.access = access
        self.time = time
        self.observer = observer
        self.onSchemaMessage = onSchemaMessage
        self.onHubTime = onHubTime
        renewal = TokenRenewal(access: access)
    }

    /// One business call, reported to the observer.
    ///
    /// On a 401 the token is renewed and the call sent once more, each within its own `timeout`, unless the
    /// terminal was revoked, which no renewal mends; what is reported is the last answer. A call that a hub
    /// refused which did not know the terminal is not sent again, and counts as never made once it is back.
    ///
    /// - Parameter isContract: whether a success holds what the contract promises. One that does not is told
    ///   and returned as a broken answer of the service: whoever it was, the hub's work is not done.
    public func call(
        _ call: HubCall, isContract: (HubReply) -> Bool = { _ in true }
    ) async -> HubReply {
        var reply = await sendRenewing(call, base: configuration.hub, reportsStall: true)
        if case .success = reply.outcome, !isContract(reply) { reply.outcome = .service(.brokenBody) }
        report(reply, of: call)
        if let word = reply.schemaMessage {
            onSchemaMessage(word)
            if let date = reply.response?.header("Date").flatMap(HTTPDate.milliseconds(of:)) {
                onHubTime(date)
            }
        }
        return reply
    }

    /// One call of the hub that is evidence of nothing, reported to nobody.
    func callUnreported(_ call: HubCall) async -> HubReply {
        await sendRenewing(call, base: configuration.hub, reportsStall: false)
    }

    /// One call of the QoS service, reported to nobody.
    func callQoS(_ call: HubCall) async -> HubReply {
        await sendRenewing(call, base: configuration.qos, reportsStall: false)
    }

    /// A QoS answer that could be read. Where it came over the way to the hub it is evidence of that way and
    /// saves a probe.
    func noteGoodAnswer(_ reply: HubReply, of call: HubCall) {
        if configuration.qos == configuration.hub { report(reply, of: call) }
    }

    /// A QoS call that brought no answer. Over the way to the hub the silence makes the till probe, or one
    /// that polls often would find a dead way late; a fault of QoS itself does not.
    func noteFailure(_ reply: HubReply, of call: HubCall) {
        guard configuration.qos == configuration.hub, case .network = reply.outcome else { return }
        report(reply, of: call)
    }

    private func report(_ reply: HubReply, of call: HubCall) {
        observer?.requestFinished(
            RequestOutcome(
                api: call.api, outcome: reply.outcome, startedAt: reply.timings.startedAt,
                firstByteAt: reply.timings.firstByteAt, finishedAt: reply.timings.finishedAt,
                retryAfter: reply.retryAfter))
    }

    private func sendRenewing(_ call: HubCall, base: HubURL, reportsStall: Bool) async -> HubReply {
        let token = call.isAuthorized ? await access.token() : nil
        let first = await send(call, base: base, token: token, reportsStall: reportsStall)
        guard call.isAuthorized, first.outcome == .auth(status: 401),
            first.problem?.code != .terminalRevoked, await renewal.renew(refused: token),
            let renewed = await access.token()
        else { return first }
        if first.problem?.code == .terminalUnknown {
            // The hub took the terminal back and has none of its journal: what was asked came from before
            // that.
            var stale = first
            stale.outcome = .cancelled
            return stale
        }
        return await send(call, base: base, token: renewed, reportsStall: reportsStall)
    }

    private func send(
        _ call: HubCall, base: HubURL, token: String?, reportsStall: Bool
    ) async -> HubReply {
        let request = call.request(base: base, token: token, timeout: configuration.requestTimeout)
        var onStall: (@Sendable (Instant) -> Void)?
        if reportsStall, let observer {
            onStall = { startedAt in observer.requestStalled(call.api, startedAt: startedAt) }
        }
        let exchange = await session.send(request, onStall: onStall)
        return HubReply(exchange, wallMilliseconds: time.wallMilliseconds())
    }
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
