internal import Base
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Logging
internal import ServiceLifecycle

/// Looks every hour at what is lent to terminals of which nothing comes any more: an alarm for each, and an
/// end of what their stores let go by itself.
struct LeaseWatch: Service {
    let ledger: any Ledger
    /// Milliseconds since 1970.
    let now: @Sendable () -> Int64
    let logger: Logger

    /// Half of it finds nothing sooner that matters: the silence is counted in days.
    private static let interval: Duration = .seconds(3600)
    /// Whom the released leases name.
    static let name = "hub"

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { await look() } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }

    /// One round.
    func look() async {
        do {
            let time = now()
            let lent = try await ledger.lent()
            let silent = try await ledger.silentTerminals(among: lent, at: time)
            for (terminalId, since) in silent.all {
                let parts = lent.filter { $0.terminalId == terminalId && $0.left > 0 }
                guard !parts.isEmpty else { continue }
                try await raise(parts, of: terminalId, since: since, at: time)
                for storeId in Set(parts.map(\.storeId)).sorted() {
                    try await release(terminalId, of: storeId, since: since, at: time)
                }
            }
        } catch {
            logger.warning("what is lent was not looked at", metadata: ["reason": "\(error)"])
        }
    }

    /// Once for each silence, whichever process of the hub finds it.
    private func raise(
        _ parts: [LentPart], of terminalId: String, since: Int64, at time: Int64
    ) async throws {
        let kind = AlarmKind.leasesOfSilentTerminal
        let raised = try await ledger.alarms(terminal: terminalId, limit: 100)
        guard !raised.contains(where: { $0.first.kind == kind.rawValue && $0.first.at > since }) else {
            return
        }
        let lent = parts.map { "\($0.kind) \($0.left)" }.joined(separator: ", ")
        try await ledger.raise(
            Alarm(
                kind: kind, terminalId: terminalId,
                detail:
                    "nothing has come since \(Timestamp.text(milliseconds: since)); reserved, and at most "
                    + "spent twice when it is released: \(lent)", at: time))
    }

    private func release(
        _ terminalId: String, of storeId: String, since: Int64, at time: Int64
    ) async throws {
        let settings = try await ledger.storeSettings(of: storeId)
        guard let days = settings.values[StoreSetting.leaseRelease.key]?.integer,
            (time - since) / 86_400_000 >= days
        else { return }
        var count = 0
        while true {
            let portion = try await ledger.releaseExpired(
                of: terminalId, by: Self.name,
                reason: "nothing has come from the terminal for \(days) days", at: time)
            count += portion
            if portion == 0 { break }
        }
        guard count > 0 else { return }
        logger.notice(
            "released the leases of a silent terminal",
            metadata: ["terminal": "\(terminalId)", "store": "\(storeId)", "count": "\(count)"])
    }
}

/// What one terminal has of open leases of one kind.
struct LentPart: Hashable, Sendable {
    let terminalId: String
    let storeId: String
    /// As ``LeaseKind`` spells it.
    let kind: String
    let left: Int64
    /// When the newest of them was lent, in milliseconds since 1970.
    let lentAt: Int64
}

extension Ledger {
    /// What is lent, by terminal and kind.
    func lent() async throws(LedgerError) -> [LentPart] {
        try await rows(of: BackOfficeQuery.lentByTerminal).map { row in
            LentPart(
                terminalId: row.text("terminal_id") ?? "", storeId: row.text("store_id") ?? "",
                kind: row.text("kind") ?? "", left: row.integer("left_over") ?? 0,
                lentAt: row.integer("lent_at") ?? 0)
        }
    }

    func silentTerminals(
        among lent: [LentPart], at now: Int64
    ) async throws(LedgerError) -> SilentTerminals {
        let lastLent = Dictionary(lent.map { ($0.terminalId, $0.lentAt) }) { max($0, $1) }
        return SilentTerminals(
            lastContacts: lent.isEmpty ? [:] : try await lastContacts(), lastLent: lastLent, at: now)
    }

    /// When the last thing came of each terminal: an entry or a report.
    private func lastContacts() async throws(LedgerError) -> [String: Int64] {
        var contacts = try await lastMutations()
        for (terminalId, records) in try await telemetry() {
            let reported = records.map(\.receivedAt).max() ?? 0
            contacts[terminalId] = max(contacts[terminalId] ?? 0, reported)
        }
        return contacts
    }
}
