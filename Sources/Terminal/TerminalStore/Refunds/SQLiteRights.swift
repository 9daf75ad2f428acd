package import HubProtocol
package import Retail
import Base

internal import GRDB
internal import OfflineCore
internal import OfflineMode
internal import Pricing

/// What this till granted to other tills of what it has: the table `grants`.
package struct SQLiteRights: Sendable {
    /// What becomes of a grant.
    package enum State: String, Sendable {
        /// Its taker can use it.
        case open
        /// Its taker used it.
        case closed
        /// It is this till's again.
        case back
    }

    /// What became of a claim.
    package enum Reservation: Hashable, Sendable {
        /// This till itself can use it no more.
        case granted(GrantedRight)
        case refused(ClaimRefusal)
    }

    /// All that there is, in order of takers and claims.
    package struct Known: Sendable {
        /// Those whose notes are written.
        package var given: [GrantedRight] = []
        /// Of those, the ones that are open.
        package var open: [GrantedRight] = []
        /// What was taken away from this till, and whose note it does not know to be written.
        package var reserved: [GrantedRight] = []
    }

    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) { self.database = database }

    package func known() async throws(StorageError) -> Known {
        try await database.ledgerRead { connection in
            var known = Known()
            for row in try GrantTable(connection).rows() {
                if row.isNoted { known.given.append(row.grant) } else { known.reserved.append(row.grant) }
                if row.isNoted, row.state == .open { known.open.append(row.grant) }
            }
            return known
        }
    }

    /// Takes an amount of a sale away from this till, in one transaction with what it gave back itself; the
    /// same claim again has the same result.
    ///
    /// - Parameters:
    ///   - refunds: what notes say was given back of the sale, in minor units by the refunds' ids.
    ///   - now: Unix milliseconds.
    package func reserve(
        _ claim: RightClaim, for taker: String, refunds: [String: Int64], at now: Int64
    ) async throws(StorageError) -> Reservation {
        try await database.ledgerWrite { connection in
            let table = GrantTable(connection)
            if let row = try table.row(taker, claim.claimId) {
                return row.state == .back ? .refused(.spent) : .granted(row.grant)
            }
            guard claim.kind == RightKind.receipt.rawValue else { return .refused(.unknownKind) }
            guard let inquiry = claim.document.flatMap({ try? RefundInquiry(json: $0) }),
                let sale = try SaleReader(connection).sale(orderNumber: claim.right),
                let sequence = try SaleReader(connection).sequence(orderId: sale.orderId),
                // What an earlier copy of this disk gave back of an older sale is not known here.
                sequence >= (try JournalOriginFact.start(in: connection))
            else { return .refused(.notMine) }
            guard try !RefundReader(connection).isVoidedAtHub(sale),
                let lines = try Self.lines(of: sale, for: inquiry, claim.amount, refunds, in: connection)
            else { return .refused(.spent) }
            let before = try table.rows(of: claim.right).filter { $0.state != .back }
            let grant = GrantedRight(
                claim, of: .receipt, to: taker,
                given: before.reduce(claim.amount) { $0 + $1.grant.amount }, madeAt: now)
            try table.insert(GrantTable.Row(grant: grant, lines: lines))
            return .granted(grant)
        }
    }

    /// The lines that would come back; nil: that is more than is left, of goods or of money.
    private static func lines(
        of sale: Sale, for inquiry: RefundInquiry, _ amount: Int64, _ noted: [String: Int64],
        in connection: Database
    ) throws -> [RefundLine]? {
        let own = try RefundReader(connection).refunds(of: sale)
        let given = try GrantTable(connection).given(of: sale.orderNumber.description)
        let items = inquiry.lines.map { RefundEntry.Item(article: $0.sku, quantityMilli: $0.quantityMilli) }
        guard !items.isEmpty,
            let plan = try? RefundPlan(
                of: sale, after: own.flatMap(\.content.lines) + given.flatMap(\.lines), items: items,
                smallestCoin: 1),
            plan.total >= amount,
            ReturnedAmounts(own, given.map(\.grant), noted).leave(
                amount, of: sale.content.totals.total, for: inquiry.refundId)
        else { return nil }
        return plan.lines
    }

    /// The note of a grant is written.
    package func noteWritten(_ grant: GrantedRight) async throws(StorageError) {
        try await database.ledgerWrite { try GrantTable($0).note(grant) }
    }

    /// Gives back what was reserved, unless its note is written.
    package func unreserve(_ taker: String, _ claimId: String) async throws(StorageError) {
        try await database.ledgerWrite { try GrantTable($0).delete(taker, claimId) }
    }

    /// Sets what became of a grant.
    package func set(_ state: State, of taker: String, _ claimId: String) async throws(StorageError) {
        try await database.ledgerWrite { try GrantTable($0).set(state, taker, claimId) }
    }

    /// Keeps what an earlier copy of this disk granted, by its note.
    package func accept(_ grant: GrantedRight) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            let table = GrantTable(connection)
            if try table.row(grant.to, grant.claimId) == nil {
                try table.insert(GrantTable.Row(grant: grant, lines: []))
            }
            try table.note(grant)
        }
    }
}

/// The table `grants` within one access of the database.
struct GrantTable {
    struct Row {
        let grant: GrantedRight
        /// Of a receipt, what its taker may take back.
        var lines: [RefundLine]
        var state = SQLiteRights.State.open
        var isNoted = false
    }

    private let database: Database

    init(_ database: Database) { self.database = database }

    func rows() throws -> [Row] {
        try GRDB.Row.fetchAll(database, sql: "SELECT * FROM grants ORDER BY taker, claim_id").map(Self.row)
    }

    func row(_ taker: String, _ claimId: String) throws -> Row? {
        try GRDB.Row.fetchOne(
            database, sql: "SELECT * FROM grants WHERE taker = ? AND claim_id = ?",
            arguments: [taker, claimId]
        ).map(Self.row)
    }

    /// What was granted of a sale, by its number.
    func rows(of orderNumber: String) throws -> [Row] {
        try GRDB.Row.fetchAll(
            database, sql: "SELECT * FROM grants WHERE kind = 'receipt' AND right_id = ?",
            arguments: [orderNumber]
        ).map(Self.row)
    }

    /// Of that, what this till gives back no more.
    func given(of orderNumber: String) throws -> [Row] {
        try rows(of: orderNumber).filter { $0.state != .back }
    }

    func insert(_ row: Row) throws {
        try database.execute(
            sql: """
                INSERT INTO grants (taker, claim_id, kind, right_id, body, content, state, is_noted)
                VALUES (?, ?, ?, ?, ?, ?, ?, 0)
                """,
            arguments: [
                row.grant.to, row.grant.claimId, row.grant.kind.rawValue, row.grant.right,
                row.grant.json.canonicalText,
                JSONValue.array(row.lines.map { RefundPayload.line($0).json }).canonicalText,
                row.state.rawValue,
            ])
    }

    func note(_ grant: GrantedRight) throws {
        try database.execute(
            sql: "UPDATE grants SET is_noted = 1 WHERE taker = ? AND claim_id = ?",
            arguments: [grant.to, grant.claimId])
    }

    func set(_ state: SQLiteRights.State, _ taker: String, _ claimId: String) throws {
        try database.execute(
            sql: "UPDATE grants SET state = ? WHERE taker = ? AND claim_id = ?",
            arguments: [state.rawValue, taker, claimId])
    }

    func delete(_ taker: String, _ claimId: String) throws {
        try database.execute(
            sql: "DELETE FROM grants WHERE taker = ? AND claim_id = ? AND is_noted = 0",
            arguments: [taker, claimId])
    }

    private static func row(_ row: GRDB.Row) throws -> Row {
        let body = try JSONParser.parse(Array((row["body"] as String).utf8))
        let content = try JSONParser.parse(Array((row["content"] as String).utf8))
        let state = SQLiteRights.State(rawValue: row["state"]) ?? .open
        return Row(
            grant: try GrantedRight(json: body),
            lines: try (content.array ?? []).map {
                try RefundPayload.line(CompletedRefund.Line(json: $0))
            }, state: state, isNoted: row["is_noted"] == 1)
    }
}
