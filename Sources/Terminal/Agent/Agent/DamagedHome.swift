import Base

internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import TerminalStore

/// What is said of a terminal whose database cannot be opened: no agent runs, and people still have to see
/// which mode it is in, what is wrong and what helps. Changes nothing.
struct DamagedHome: AgentConnection {
    let home: TerminalHome
    let configuration: TerminalConfiguration
    /// Why the database was not opened.
    let error: TerminalError

    func call(_ request: AgentRequest) async throws(TerminalError) -> AgentResponse {
        switch (request.method, request.path) {
        case ("GET", AgentRoutes.ping):
            AgentResponse(PingCall.Response(version: TerminalVersion.current))
        case ("GET", AgentRoutes.status): AgentResponse(status)
        case ("GET", AgentRoutes.doctor):
            AgentResponse(
                DoctorCall.Response(checks: [
                    DoctorCall.Check(
                        name: "store", isOk: false, detail: texts(for: request).unusable(error.message))
                ]))
        default: AgentResponse(error)
        }
    }

    private func texts(for request: AgentRequest) -> any DoctorTexts {
        DoctorCall(query: request.query).language(of: configuration.language).doctorTexts
    }

    func watchStatus() -> AsyncStream<StatusResponse> {
        AsyncStream { continuation in
            continuation.yield(status)
            continuation.finish()
        }
    }

    func close() async {}

    /// As an agent that starts now would begin: the manual flag and the network's state of the last run lie
    /// outside the database.
    private var status: StatusResponse {
        let run = LastRunFile(home: home).load()
        let manual = manual
        let isDown = run?.networkIsDown ?? false
        let causes: [OfflineCause] = (manual.isOn ? [.manual] : []) + (isDown ? [.network] : [])
        let report = TerminalDatabase.salvageReport(home: home.path)
        return StatusResponse(
            mode: causes.isEmpty ? .online : .offline, since: manual.since, causes: causes, manual: manual,
            network: NetworkState(
                state: isDown ? .unreachable : .suspect, since: nil,
                evidence: [isDown ? "lastRun" : "starting"], debounceMilliseconds: nil,
                deadlineInMilliseconds: nil),
            services: [], connectivity: connectivity(run), capabilities: [:],
            outbox: OutboxCounts(
                pending: Int64(report.pending), rejected: Int64(report.refused), conflicted: 0),
            banner: banner(report), hub: configuration.hubURL, terminalId: report.terminalId, storeId: nil,
            version: TerminalVersion.current, store: StoreCondition(damage: error.message).state,
            running: nil)
    }

    private var manual: ManualState {
        switch ManualFlagFile(home: home.path).load() {
        case .absent: ManualState(isOn: false)
        case .corrupt: ManualState(isOn: true, reason: "flag_corrupt")
        case .set(let flag):
            ManualState(
                isOn: true, since: Timestamp.text(milliseconds: flag.since), by: flag.by, reason: flag.reason)
        }
    }

    private func connectivity(_ run: LastRunOnDisk?) -> ConnectivityState {
        ConnectivityState(
            state: .localNetworkOnly, transport: .unknown, isMetered: false, isConstrained: false,
            latencyMilliseconds: nil,
            lastInternetOkAt: run?.lastInternetOk.map(Timestamp.text(milliseconds:)),
            lastBackendOkAt: run?.lastBackendOk.map(Timestamp.text(milliseconds:)),
            captivePortalSuspected: false, reason: .none, calls: nil)
    }

    private func banner(_ report: SalvageReport) -> BannerTextsByLanguage {
        let texts = Language.texts { language in
            BannerLine(texts: language.bannerTexts, pending: report.pending, lastGood: nil, waitEnds: nil)
                .stopped(by: .databaseDamaged, action: .repair)
        }
        return BannerTextsByLanguage(
            troubles: [Banner.Trouble.databaseDamaged.word], texts: texts,
            action: Banner.Action.repair.rawValue, command: StoreCondition.repairCommand,
            language: configuration.language?.rawValue,
            advice: Banner.Trouble.databaseDamaged.advice(isOffline: true))
    }
}
