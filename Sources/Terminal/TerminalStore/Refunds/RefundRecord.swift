internal import GRDB
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Pricing
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
    /// Nil where the sale moved no points, or is not here.
    var points: ReturnedPoints?

    /// Decides `draft` by what is on the disk now. Nothing is written.
    static func decided(
        _ draft: RefundDraft, in connection: Database
    ) throws -> Result<RefundRecord, OrderRefusal> {
        let decided: Result<RefundRecord, OrderRefusal> =
            switch draft.source {
            case .order(let id): try ofOrder(id, draft, in: connection)
            case .absent(let sale): try ofAbsent(sale, draft, in: connection)
            }
        if case .success(let record) = decided, let promised = draft.promised,
            record.plan.total + record.plan.cashRounding != promised
        {
            return .failure(.changedMeanwhile)
        }
        return decided
    }

    private static func ofOrder(
        _ orderId: String, _ draft: RefundDraft, in connection: Database
    ) throws -> Result<RefundRecord, OrderRefusal> {
        let entry = draft.entry
        guard let sale = try SaleReader(connection).sale(orderId: orderId) else {
            return .failure(.unknownOrder(orderId))
        }
        let reader = RefundReader(connection)
        guard try !reader.isVoidedAtHub(sale) else {
            return .failure(.voidedAtHub(orderNumber: sale.orderNumber.description))
        }
        let refunds = try reader.refunds(of: sale)
        let given = try GrantTable(connection).given(of: sale.orderNumber.description)
        let source = RefundSource(
            paid: sale.content.payments, change: sale.content.change,
            after: refunds.flatMap(\.content.payments), to: entry.repaidTenders,
            byMachine: entry.machineTenders)
        let plan: RefundPlan
        do throws(OrderRefusal) {
            plan = try RefundPlan(
                of: sale, after: refunds.flatMap(\.content.lines) + given.flatMap(\.lines),
                items: entry.items,
                smallestCoin: entry.smallestCoin, to: source,
                repaid: RepaidCash(of: refunds.map(\.content)))
        } catch {
            return .failure(error)
        }
        let isElsewhere = !given.isEmpty || !draft.noted.isEmpty
        guard
            !isElsewhere
                || ReturnedAmounts(refunds, given.map(\.grant), draft.noted).leave(
                    plan.total, of: sale.content.totals.total, for: entry.key.description)
        else { return .failure(.returnedElsewhere(orderNumber: sale.orderNumber.description)) }
        return .success(
            RefundRecord(
                entry: entry, plan: plan,
                origin: RefundPayload.Origin(
                    orderId: sale.orderId, orderNumber: sale.orderNumber.description),
                currency: sale.content.currency, timeZone: sale.content.timeZone,
                dependsOn: [sale.mutationId],
                orderingKey: try SQLiteOrderArchive.orderingKey(of: sale, in: connection),
                isCounted: sale.content.lines.map(\.isCounted),
                points: ReturnedPoints(of: sale, by: plan, after: refunds)))
    }

    private static func ofAbsent(
        _ sale: AbsentSale, _ draft: RefundDraft, in connection: Database
    ) throws -> Result<RefundRecord, OrderRefusal> {
        let entry = draft.entry
        let (reader, number) = (RefundReader(connection), sale.receipt?.orderNumber)
        let earlier = try number.map { try reader.refunds(ofAbsent: $0) } ?? []
        let reported = Set(sale.returned.map(\.refundId))
        let unreported = earlier.filter { !reported.contains($0.id) }
        let plan: RefundPlan
        do throws(OrderRefusal) {
            plan = try RefundPlan(
                of: sale.lines, after: unreported.flatMap(\.content.lines), items: entry.items,
                smallestCoin: entry.smallestCoin, orderNumber: number ?? "",
                repaid: RepaidCash(of: earlier.map(\.content)))
        } catch {
            return .failure(error)
        }
        guard
            draft.noted.isEmpty
                || ReturnedAmounts(earlier, [], draft.noted).leave(
                    plan.total, of: sale.lines.reduce(0) { $0 + $1.total }, for: entry.key.description)
        else { return .failure(.returnedElsewhere(orderNumber: number ?? "")) }
        if !draft.isAboveLimits, let limits = sale.limits {
            // No business day began more than two days ago.
            let today = try reader.withoutOrder(on: entry.businessDay, since: entry.madeAt - 172_800_000)
            if let refusal = limits.refusal(of: plan.total, currency: sale.currency, after: today) {
                return .failure(refusal)
            }
        }
        return .success(
            RefundRecord(
                entry: entry, plan: plan,
                origin: RefundPayload.Origin(
                    orderId: sale.orderId, orderNumber: number, receiptCode: sale.receipt?.text),
                currency: sale.currency, timeZone: entry.timeZone, dependsOn: [], orderingKey: number,
                isCounted: sale.lines.map(\.isCounted)))
    }

    /// Appends the entry within a transaction that has begun.
    ///
    /// - Returns: the refund as it was written.
    func write(_ clocks: EntryClocks, in connection: Database) throws -> Refund {
        var journal = try JournalWriter(connection, clocks)
        let id = entry.key.description
        var content = RefundContent(
            mode: entry.mode, madeAt: entry.madeAt, timeZone: timeZone, currency: currency,
            cashierId: entry.cashierId, approverId: entry.approverId, reason: entry.reason,
            lines: plan.lines, total: plan.total, taxes: plan.taxes, cashRounding: plan.cashRounding,
            payments: plan.payments, shiftId: journal.head.openShift, points: points)
        content.judgement = entry.judgement
        try connection.keep(entry.attachments, at: entry.madeAt)
        let day = try journal.businessDay(of: entry.businessDay, madeAt: entry.madeAt)
        _ = try journal.append(
            JournalWriter.NewEntry(
                type: "refund.completed", entity: "refund", entityId: id, dependsOn: dependsOn,
                orderingKey: orderingKey, attachments: entry.attachments.map(\.id), madeAt: entry.madeAt,
                payload: RefundPayload.completed(
                    content, id: id, of: origin, businessDay: day, hubTime: journal.hubTime
                ).bytes,
                stock: .refunded(plan.lines, isCounted: isCounted)))
        if let orderId = origin.orderId {
            try CardReturnTable(database: connection).insert(
                plan.payments, refundId: id, orderId: orderId, orderNumber: origin.orderNumber ?? "",
                currency: currency, at: entry.madeAt)
            try VoucherTable(database: connection).giveBack(plan.payments, of: orderId)
        }
        try journal.finish()
        guard let refund = try RefundReader(connection).refund(id: id) else {
            throw StoreFailure.refused(detail: "the refund \(id) cannot be read back")
        }
        return refund
    }
}
