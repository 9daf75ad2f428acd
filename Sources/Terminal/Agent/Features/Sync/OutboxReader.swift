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
struct OutboxReader: Sendable {
    let outbox: SQLiteOutbox
    let drainer: OutboxDrainer
    let attachments: UnfinishedAttachments
    let schema: SchemaStatus
    let time: any SystemTime
    /// Turns a moment of the machine into Unix milliseconds.
    let wall: @Sendable (Instant) -> Int64
    /// Whether the drainer runs. In a process that only reads the disk it does not.
    let isRunning: Bool

    func document() async throws(TerminalError) -> OutboxResponse {
        let depth = try await self.depth()
        let counts = OutboxCounts(
            depth, wallNow: time.wallMilliseconds(), retryAfterEnds: await retryAfterEnds(),
            losesLargePackets: await drainer.losesLargePackets)
        return OutboxResponse(
            counts: counts, items: try await items(waits: try await attachments.waits()),
            attachments: try await attachments.unfinished(), drain: await drain(),
            schema: schema.word.state)
    }

    /// What the drainer does. Without one, only a version that the hub refuses is known.
    private func drain() async -> String? {
        if isRunning { return Self.word(await drainer.status) }
        return schema.word == .refused ? Self.word(.stopped(.upgradeRequired)) : nil
    }

    /// The end of the hub's `Retry-After` in Unix milliseconds; nil while none holds.
    func retryAfterEnds() async -> Int64? {
        await drainer.retryAfterEnds.map { wall($0) }
    }

    func depth() async throws(TerminalError) -> OutboxDepth {
        do throws(OutboxStorageError) {
            return try await outbox.depth()
        } catch {
            throw TerminalError(.notDurable, code: "store_unavailable") { $0.unreadable(.outbox, "\(error)") }
        }
    }

    private func items(waits: [String: [String]]) async throws(TerminalError) -> [OutboxItemState] {
        let rows: [JournalEntry]
        do throws(OutboxStorageError) {
            rows = try await outbox.entries(limit: 1000)
        } catch {
            throw TerminalError(.notDurable, code: "store_unavailable") { $0.unreadable(.outbox, "\(error)") }
        }
        let known = Dictionary(
            await drainer.rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return rows.map { item($0, known[$0.id], waitsFor: waits[$0.id] ?? []) }
    }

    private func item(
        _ row: JournalEntry, _ view: OutboxRowView?, waitsFor attachments: [String]
    ) -> OutboxItemState {
        let next = view?.nextAttempt.map { wall($0) }
        return OutboxItemState(
            id: row.id, sequence: row.sequence, type: row.type,
            attempts: max(row.attempts, Int64(view?.attempts ?? 0)),
            nextAttemptAt: next.map(Timestamp.text(milliseconds:)),
            state: row.state == .pending && view?.isSending == true ? "sending" : row.state.rawValue,
            problem: row.problem.map { (try? JSONParser.parse($0.utf8)) ?? .string($0) },
            waitsForAttachments: attachments)
    }

    private static func word(_ status: DrainStatus) -> String {
        switch status {
        case .idle: "idle"
        case .draining: "draining"
        case .waiting: "waiting"
        case .routeLost: "offline"
        case .manualOffline: "manual"
        case .stopped(let stop): Language.english.errorTexts.text(stop)
        case .storeTrouble: "store trouble"
        }
    }
}
