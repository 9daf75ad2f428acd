internal import AgentAPI
internal import CurlTransport
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// The status, the manual switch, QoS's decisions and the history of offline periods.
struct ModesHandler: RequestHandler {
    let status: StatusReader
    let revisions: StatusRevisions
    let offline: OfflineService
    let authority: Authority
    let qos: CurlQoSConsultant
    let history: any OfflineHistory
    let doctor: Doctor
    let drill: OutageDrill
    /// Whether a command runs the agent that found none: it ends with that command.
    let isOfCommand: Bool
    /// Ends the agent's work for another program that needs the data folder; nil where nothing runs.
    let handOver: (@Sendable () -> Void)?

    /// A watcher sends its request again after so long without a change. Its connection may be idle for
    /// longer than this; halved, an idle terminal wakes up twice as often.
    private static let longestWait = Duration.seconds(25)

    var routes: [AgentRoute] {
        [
            AgentRoute("GET", AgentRoutes.ping, ping),
            AgentRoute("GET", AgentRoutes.status, on: .background, show),
            AgentRoute("GET", AgentRoutes.statusStream, on: .background, next),
            AgentRoute("POST", AgentRoutes.manual, setManual), AgentRoute("GET", AgentRoutes.qos, services),
            AgentRoute("GET", AgentRoutes.history, on: .background, history),
            AgentRoute("GET", AgentRoutes.doctor, on: .background, examine),
            AgentRoute("POST", AgentRoutes.drill, on: .background, playOutage),
            AgentRoute("POST", AgentRoutes.seenLosses, acknowledgeLosses),
            AgentRoute("POST", AgentRoutes.handover, letGo),
        ]
    }

    private func ping(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        AgentResponse(PingCall.Response(version: TerminalVersion.current, isOfCommand: isOfCommand))
    }

    private func letGo(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        guard handOver != nil else {
            throw TerminalError(.unusable, code: "agent_runs") { $0.sellOwnsFolder }
        }
        return try await ping(request, [])
    }

    /// The connection ends with the agent's work, so the response goes first.
    func delivered(_ response: AgentResponse, to request: AgentRequest) async {
        if request.path == AgentRoutes.handover, response.status == 200 { handOver?() }
    }

    private func show(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let subject: PointsSubject =
            if let member = StatusCall(query: request.query).member {
                .member(member)
            } else {
                .openCart(try FrontEnd(of: request))
            }
        return AgentResponse(try await status.response(of: subject))
    }

    /// The status once it is another than the one of revision `after`, or as it is after a while.
    private func next(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let call = NextStatusCall(query: request.query)
        await revisions.wait(after: call.after, limit: Self.longestWait)
        let revision = revisions.current
        return AgentResponse(
            NextStatusCall.Response(revision: revision, status: try await status.response()))
    }

    private func setManual(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse
    {
        let call = try TerminalError.reading { () throws(RequestRefusal) in
            try SetManualCall(body: request.body)
        }
        let person = try await authority.authorize(call.person, [.manualOffline])
        do throws(ManualSwitchError) {
            let status = try await offline.setManual(
                on: call.isOn, by: person.cashierId ?? call.by, reason: call.reason)
            return AgentResponse(ManualState(status))
        } catch {
            throw TerminalError(error)
        }
    }

    /// QoS's decision on each service beside the terminal's own state.
    private func services(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let own = offline.status.services
        let response = await qos.decisions(for: own.map(\.service), timeout: .seconds(3))
        let decisions = Dictionary(
            (response?.decisions ?? []).map { ($0.service, $0) }, uniquingKeysWith: { first, _ in first })
        return AgentResponse(
            ServicesCall.Response(
                hasResponse: response != nil, issuer: response?.issuer,
                services: own.map { service($0, decisions[$0.service]) }
            ))
    }

    private func service(_ own: ServiceStatus, _ decision: ServiceDecision?) -> ServicesCall.Service {
        ServicesCall.Service(
            service: own.service, isCore: own.isCore, state: own.state,
            source: own.source, generation: own.generation,
            qos: decision.map {
                ServicesCall.Service.Decision(
                    state: $0.state, scope: $0.scope, source: $0.source,
                    reason: $0.reason, generation: $0.generation)
            })
    }

    private func history(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        AgentResponse(try await HistoryCall.Response(history))
    }

    private func playOutage(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse
    {
        let doctor = doctor(for: request)
        var drill = drill
        drill.language = doctor.language
        let played = try await drill.run()
        return AgentResponse(DrillCall.Response(checks: played + (await doctor.examine().checks)))
    }

    private func acknowledgeLosses(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse
    {
        let condition = try await StoreCondition.acknowledge(doctor.store)
        revisions.advance()
        return AgentResponse(AcknowledgeLossesCall.Response(condition.loss(in:)))
    }

    private func examine(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        AgentResponse(await doctor(for: request).examine())
    }

    private func doctor(for request: AgentRequest) -> Doctor {
        var doctor = doctor
        doctor.language = DoctorCall(query: request.query).language(of: doctor.tuning.configuration.language)
        return doctor
    }
}
