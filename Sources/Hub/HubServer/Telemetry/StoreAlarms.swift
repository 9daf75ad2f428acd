internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Synchronization

/// Raises what terminals found in their own databases, once a day for each terminal and kind: the finding is
/// in every report of a week.
final class StoreAlarms: Sendable {
    private struct Raised: Hashable {
        let terminalId: String
        let finding: StoreFinding
    }

    private struct Day {
        var number: Int64 = 0
        var raised: Set<Raised> = []
    }

    private let ledger: any Ledger
    private let day = Mutex(Day())

    init(ledger: any Ledger) {
        self.ledger = ledger
    }

    /// - Parameter now: milliseconds since 1970.
    func note(_ report: TelemetryReport, of terminalId: String, at now: Int64) async {
        for finding in StoreFinding.found(in: report) {
            let raised = Raised(terminalId: terminalId, finding: finding)
            let isNew = day.withLock { day in
                if day.number != now / 86_400_000 { day = Day(number: now / 86_400_000) }
                return day.raised.insert(raised).inserted
            }
            guard isNew else { continue }
            try? await ledger.raise(
                Alarm(
                    kind: finding.alarm, terminalId: terminalId, detail: finding.detail,
                    at: now))
        }
    }
}

extension StoreFinding {
    fileprivate var alarm: AlarmKind {
        switch self {
        case .journalLoss: .terminalJournalLoss
        case .entriesHeldBack: .terminalEntriesHeldBack
        case .keptOverdue: .terminalKeptOverdue
        }
    }

    fileprivate var detail: String {
        switch self {
        case .journalLoss: "its database holds less than it recorded; compare the receipts with the audit"
        case .entriesHeldBack: "entries are not sent, since their content is not what was written"
        case .keptOverdue: "it keeps sales of other tills that have not come here for a week"
        }
    }
}
