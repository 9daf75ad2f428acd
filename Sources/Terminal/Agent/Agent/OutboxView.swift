import Base

internal import AgentAPI
internal import CurlTransport
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore
internal import MachineRuntime

/// The outbox as `pos sync` shows it: what lies on disk, with what the drainer knows of each row.
struct OutboxView {
    let parts: AgentParts
    /// Whether the drainer runs. In a process that only reads the disk it does not.
    var isRunning = true

    func document() async throws(TerminalError) -> OutboxResponse {
        let depth = try await Self.depth(parts.outbox)
        let counts = OutboxCounts(
            depth, wallNow: parts.time.wallMilliseconds(), retryAfterEnds: await retryAfterEnds(),
            losesLargePackets: await parts.drainer.losesLargePackets)
        let attachments = AttachmentsView(parts: parts, isRunning: isRunning)
        return OutboxResponse(
            counts: counts, items: try await items(waits: try await attachments.waits()),
            attachments: try await attachments.unfinished(), drain: await drain(),
            schema: parts.schema.word.state)
    }

    /// What the drainer does. Without one, only a version that the hub refuses is known.
    private func drain() async -> String? {
        if isRunning { return Self.words(await parts.drainer.status) }
        return parts.schema.word == .refused ? Self.words(.upgradeRequired) : nil
    }

    /// Asks the hub anew, drains to empty or first failure, pulls the catalogue, and answers as the status.
    func syncNow() async throws(TerminalError) -> AgentAnswer {
        await awaitFirstStatus()
        parts.offline.retryNow()
        parts.token.renewSoon()
        parts.drainer.checkIn()
        var report = await parts.drainer.syncNow()
        if await AttachmentsView(parts: parts).syncNow() > 0 {
            let rest = await parts.drainer.syncNow()
            report = DrainReport(ending: rest.ending, verdicts: report.verdicts + rest.verdicts)
        }
        let problem = await parts.feed.pull(isAsked: true)
        await parts.telemetry.sendNow()
        let pull = parts.feed.record.document(at: parts.time.wallMilliseconds(), hasFailed: problem != nil)
        return AgentAnswer(
            SyncNowCall.Response(
                outbox: try await document(), catalogue: pull, sent: Int64(report.verdicts),
                stoppedBy: await reason(of: report.ending),
                retryHelps: await retryHelps(after: report.ending)
            ).json)
    }

    /// The end of the hub's `Retry-After` in Unix milliseconds; nil while none holds.
    private func retryAfterEnds() async -> Int64? {
        await parts.drainer.retryAfterEnds.map { parts.offline.wallMilliseconds(of: $0) }
    }

    /// Why a drain ended before the outbox was empty, for people; nil when it was drained.
    private func reason(of ending: DrainReport.Ending) async -> String? {
        switch ending {
        case .hubTrouble, .serverWait:
            // The drain may have met the request to wait itself.
            guard let ends = await retryAfterEnds() else { return Self.words(ending) }
            let time = parts.tuning.checkoutPolicy.calendar.localTime(at: ends)
            return "the hub asked to wait until \(time), and nothing is sent before"
        case .drained, .keysWaiting, .manualOffline, .stopped, .storeTrouble, .interrupted:
            return Self.words(ending)
        }
    }

    /// Whether the same command again, with nothing else done, may bring more.
    private func retryHelps(after ending: DrainReport.Ending) async -> Bool {
        switch ending {
        case .manualOffline, .stopped: false
        case .hubTrouble, .serverWait: await retryAfterEnds() == nil
        case .drained, .keysWaiting, .storeTrouble, .interrupted: true
        }
    }

    /// A command that is its own agent asks before the manual flag was read from the disk; until then nothing
    /// leaves.
    private func awaitFirstStatus() async {
        for await status in parts.offline.statuses() {
            parts.drainer.setManualOffline(status.causes.contains(.manual))
            return
        }
    }

    static func depth(_ outbox: SQLiteOutbox) async throws(TerminalError) -> OutboxDepth {
        do throws(OutboxStorageError) {
            return try await outbox.depth()
        } catch {
            throw TerminalError(.notDurable, code: "store_unavailable", "the outbox cannot be read: \(error)")
        }
    }

    private func items(waits: [String: [String]]) async throws(TerminalError) -> [OutboxItemState] {
        let rows: [TerminalStore.OutboxEntry]
        do throws(OutboxStorageError) {
            rows = try await parts.outbox.entries(limit: 1000)
        } catch {
            throw TerminalError(.notDurable, code: "store_unavailable", "the outbox cannot be read: \(error)")
        }
        let known = Dictionary(
            await parts.drainer.rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return rows.map { item($0, known[$0.id], waitsFor: waits[$0.id] ?? []) }
    }

    private func item(
        _ row: TerminalStore.OutboxEntry, _ view: OutboxRowView?, waitsFor attachments: [String]
    ) -> OutboxItemState {
        let next = view?.nextAttempt.map { parts.offline.wallMilliseconds(of: $0) }
        return OutboxItemState(
            id: row.id, sequence: row.sequence, type: row.type,
            attempts: max(row.attempts, Int64(view?.attempts ?? 0)),
            nextAttemptAt: next.map(Timestamp.text(milliseconds:)),
            state: row.state == .pending && view?.isSending == true ? "sending" : row.state.rawValue,
            problem: row.problem.map { (try? JSONParser.parse($0.utf8)) ?? .string($0) },
            waitsForAttachments: attachments)
    }

    private static func words(_ status: DrainStatus) -> String {
        switch status {
        case .idle: "idle"
        case .draining: "draining"
        case .waiting: "waiting"
        case .routeLost: "offline"
        case .manualOffline: "manual"
        case .stopped(let stop): words(stop)
        case .storeTrouble: "store trouble"
        }
    }

    static func words(_ stop: DrainStop) -> String {
        switch stop {
        case .signInNeeded: "the hub does not accept this terminal's token; run `pos init` to sign it in"
        case .upgradeRequired: "the hub wants a newer version of this terminal"
        case .epochSuperseded: "another copy of this terminal goes on; run `pos init` to enrol this one anew"
        }
    }

    private static func words(_ ending: DrainReport.Ending) -> String? {
        switch ending {
        case .drained: nil
        case .keysWaiting:
            "some rows wait for what they depend on or carry, or the hub has a problem with them"
        case .hubTrouble: "the hub was not reached or could not serve"
        case .serverWait: "the hub asked to wait"
        case .manualOffline: "switched off by hand; `pos offline off` ends it"
        case .stopped(let stop): words(stop)
        case .storeTrouble: "the outbox on disk could not be read or written"
        case .interrupted: "the agent stopped"
        }
    }
}
