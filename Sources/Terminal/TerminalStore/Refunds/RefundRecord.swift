internal import GRDB
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail
import Base

/// A decided refund on its way into the journal.
struct RefundRecord {
    let entry: RefundEntry
    let plan: RefundPlan
    let origin: RefundPayload.Origin
    let currency: String
    let timeZone: String
    /// The sale's own mutation, of a sale that is here.
    let dependsOn: [String]
    /// Nil: the refund follows nothing.
    let orderingKey: String?
    /// By the line's place in the sale.
    let isCounted: [Bool]

    /// Appends the entry within a transaction that has begun.
    func write(in connection: Database) throws {
        var journal = try JournalWriter(connection)
        let id = entry.key.description
        let content = RefundContent(
            mode: entry.mode, madeAt: entry.madeAt, timeZone: timeZone, currency: currency,
            cashierId: entry.cashierId, approverId: entry.approverId, reason: entry.reason,
            lines: plan.lines, total: plan.total, taxes: plan.taxes, cashRounding: plan.cashRounding)
        try connection.keep(entry.attachments, at: entry.madeAt)
        let day = try journal.head.businessDay(
            of: entry.businessDay, madeAt: entry.madeAt, in: connection)
        _ = try journal.append(
            JournalWriter.NewEntry(
                type: "refund.completed", entity: "refund", entityId: id, dependsOn: dependsOn,
                orderingKey: orderingKey, attachments: entry.attachments.map(\.id), madeAt: entry.madeAt,
                payload: RefundPayload.completed(content, id: id, of: origin, businessDay: day).bytes,
                stock: .refunded(plan.lines, isCounted: isCounted)))
        try journal.finish()
    }
}

extension JournalHead {
    /// The business day of an entry: never before the last one that was used.
    func businessDay(
        of today: BusinessDay, madeAt: Int64, in connection: Database
    ) throws -> BusinessDay {
        orderMark.businessDay(
            today: today, madeAt: madeAt, hubTime: try SQLiteTerminalFacts.hubTime(in: connection))
    }
}
