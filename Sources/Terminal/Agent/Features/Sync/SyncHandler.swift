internal import Base
internal import AgentAPI
internal import CurlTransport
internal import HubProtocol
internal import OfflineCore
internal import MachineRuntime
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// The outbox, its drain on request, and the export of the journal.
struct SyncHandler: RequestHandler {
    let reader: OutboxReader
    let offline: OfflineService
    let token: TokenKeeper
    let feed: CatalogueFeed
    let telemetry: TelemetryFeed
    let tuning: RemoteConfiguration
    let hubClock: HubTimeKeeper
    let export: @Sendable (ExportCall) async throws(TerminalError) -> ExportCall.Response

    private var drainer: OutboxDrainer { reader.drainer }

    var routes: [AgentRoute] {
        [
            AgentRoute("GET", AgentRoutes.sync, on: .background, show),
            AgentRoute("POST", AgentRoutes.syncNow, on: .background, syncNow),
            AgentRoute("POST", AgentRoutes.retry, retry),
            AgentRoute("POST", AgentRoutes.syncExport, on: .background, exportJournal),
        ]
    }

    private func show(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        AgentResponse(try await reader.document())
    }

    private func retry(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        offline.retryNow()
        drainer.nudge()
        return AgentResponse(RetryCall.Response())
    }

    private func exportJournal(
        _ request: AgentRequest, _: [String]
    ) async throws(TerminalError) -> AgentResponse {
        let call = try TerminalError.reading { () throws(RequestRefusal) in
            try ExportCall(body: request.body)
        }
        return AgentResponse(try await export(call))
    }

    /// Queries the hub anew, drains to empty or first failure, pulls the catalogue, and responses as the
    /// status.
    private func syncNow(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        await awaitFirstStatus()
        offline.retryNow()
        token.renewSoon()
        drainer.checkIn()
        var report = await drainer.syncNow()
        if await reader.attachments.syncNow() > 0 {
            let rest = await drainer.syncNow()
            report = DrainReport(ending: rest.ending, results: report.results + rest.results)
        }
        let problem = await feed.pull(isRequested: true)
        await telemetry.sendNow()
        let pull = feed.record.document(at: reader.time.wallMilliseconds(), hasFailed: problem != nil)
        return AgentResponse(
            SyncNowCall.Response(
                outbox: try await reader.document(), catalogue: pull, sent: Int64(report.results),
                stoppedBy: await reason(of: report.ending),
                retryHelps: await retryHelps(after: report.ending)
            ))
    }

    /// Why a drain ended before the outbox was empty.
    private func reason(of ending: DrainReport.Ending) async -> @Sendable (Language) -> String? {
        // The drain may have met the request to wait itself.
        let waitEnds = await reader.retryAfterEnds().map(tuning.checkoutPolicy.calendar.localTime(at:))
        let hubAhead = hubClock.comparison().hubAhead
        return { Self.text(ending, waitEnds: waitEnds, hubAhead: hubAhead, in: $0) }
    }

    /// Whether the same command again, with nothing else done, may bring more.
    private func retryHelps(after ending: DrainReport.Ending) async -> Bool {
        switch ending {
        case .manualOffline, .stopped: false
        case .hubTrouble, .serverWait: await reader.retryAfterEnds() == nil
        case .drained, .keysWaiting, .storeTrouble, .interrupted: true
        }
    }

    /// A command that is its own agent may come before the manual flag was read from the disk; until then
    /// nothing leaves.
    private func awaitFirstStatus() async {
        for await status in offline.statuses() {
            drainer.setManualOffline(status.causes.contains(.manual))
            return
        }
    }

    /// What ended the drain; nil: nothing is left. The clock comes before the token, since none is renewed
    /// while this terminal's is more than a day behind the hub's.
    ///
    /// - Parameter hubAhead: how far the hub's clock is ahead of this machine's, in milliseconds; nil while
    ///   unknown.
    static func text(
        _ ending: DrainReport.Ending, waitEnds: String? = nil, hubAhead: Int64?, in language: Language
    ) -> String? {
        let texts = language.errorTexts
        guard let text = texts.text(ending, waitEnds: waitEnds) else { return nil }
        guard case .stopped(.signInNeeded) = ending, let apart = hubAhead?.magnitude,
            apart > SignedRequest.maximumLeadMilliseconds
        else { return text }
        let hours = ClockComparison.rounded(Int64(clamping: apart)) / 3_600_000
        return texts.first(language.bannerTexts.clockDiffers(hours: hours), then: text)
    }
}
