package import HubProtocol
package import Retail
import Base

internal import DirectSQLite
internal import GRDB
internal import OfflineCore
internal import OfflineMode
internal import Pricing

/// What this till granted to other tills of what it has, and they to it: the table `grants`.
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
        /// - `to`: who has it by a grant.
        case refused(ClaimRefusal, to: String? = nil)
    }

    /// All that there is, in order of takers and claims.
    package struct Known: Sendable {
        /// Those whose notes are written.
        package var given: [GrantedRight] = []
        /// Of those, the ones that are open.
        package var open: [GrantedRight] = []
        /// What was taken away from this till, and whose note it does not know to be written.
        package var reserved: [GrantedRight] = []
        /// What other tills granted to this one.
        package var held: [GrantedRight] = []
    }

    let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) { self.database = database }

    package func known() async throws(StorageError) -> Known {
        try await database.ledgerRead { connection in
            var known = Known()
            let own = try JournalHead.read(connection).terminalId
            for row in try GrantTable(connection).rows() {
                guard row.grant.to != own else {
                    known.held.append(row.grant)
                    continue
                }
                if row.isNoted { known.given.append(row.grant) } else { known.reserved.append(row.grant) }
                if row.isNoted, row.state == .open { known.open.append(row.grant) }
            }
            return known
        }
    }

    /// Takes an amount of a sale away from this till, in one transaction with what it gave back itself, or a
    /// parked cart; the same claim again has the same result.
    ///
    /// - Parameters:
    ///   - turn: of a cart, the number of the new ownership.
    ///   - epoch: of a cart, the one in which it was put aside; nothing of an earlier one is given.
    ///   - refunds: what notes say was given back of the sale, in minor units by the refunds' ids.
    ///   - leasesAtHand: of which nothing is given, since a sale here is about to spend them.
    ///   - arbiter: of a receipt, the hub where it decided.
    ///   - now: Unix milliseconds.
    package func reserve(
        _ claim: RightClaim, for taker: String, turn: Int64 = 1, epoch: Int64 = 0,
        refunds: [String: Int64], leasesAtHand: Set<String> = [], arbiter: RefundArbiter? = nil,
        at now: Int64
    ) async throws(StorageError) -> Reservation {
        let database = database
        return try await database.ledgerWrite { connection in
            let table = GrantTable(connection)
            if let row = try table.row(taker, claim.claimId) {
                return row.state == .back ? .refused(.spent) : .granted(row.grant)
            }
            if claim.kind == RightKind.cart.rawValue {
                return try Self.reserveCart(
                    claim, for: taker, turn: turn, epoch: epoch, at: now, in: connection)
            }
            if claim.kind == RightKind.lease.rawValue {
                return try Self.reserveLease(
                    claim, for: taker, besides: leasesAtHand, at: now, in: connection, of: database)
            }
            guard claim.kind == RightKind.receipt.rawValue else { return .refused(.unknownKind) }
            guard let inquiry = claim.document.flatMap({ try? RefundInquiry(json: $0) }),
                let sale = try SaleReader(connection).sale(orderNumber: claim.right),
                let sequence = try SaleReader(connection).sequence(orderId: sale.orderId),
                // What an earlier copy of this disk gave back of an older sale is not known here.
                try sequence >= Self.epochStart(in: connection)
            else { return .refused(.notMine) }
            guard try !RefundReader(connection).isVoidedAtHub(sale),
                let lines = try Self.lines(of: sale, for: inquiry, claim.amount, refunds, in: connection)
            else { return .refused(.spent) }
            let before = try table.rows(of: claim.right).filter { $0.state != .back }
            let grant = GrantedRight(
                claim, of: .receipt, to: taker,
                given: before.reduce(claim.amount) { $0 + $1.grant.amount }, madeAt: now, arbiter: arbiter)
            try table.insert(GrantTable.Row(grant: grant, lines: lines))
            return .granted(grant)
        }
    }

    /// The first entry of the present epoch, whose refunds and voids this disk has all of.
    private static func epochStart(in connection: Database) throws -> Int64 {
        let epoch = try JournalHead.read(connection).epoch
        return try JournalOriginFact.read(epoch: epoch, in: connection)?.epochStart ?? .max
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

    /// The note of a grant is written. Of a part of a lease that is an entry of the journal, too.
    package func noteWritten(
        _ grant: GrantedRight, as note: JSONValue? = nil, at now: Int64 = 0
    ) async throws(StorageError) {
        let database = database
        try await database.ledgerWrite { connection in
            try Self.note(grant, as: note, at: now, in: connection, of: database)
        }
    }

    /// Gives back what was reserved, unless its note is written.
    package func unreserve(_ taker: String, _ claimId: String) async throws(StorageError) {
        let lowered = try await database.ledgerWrite { connection -> [String: Int64] in
            let table = GrantTable(connection)
            guard let row = try table.row(taker, claimId), !row.isNoted else { return [:] }
            try table.delete(taker, claimId)
            if let cart = row.cart { try SQLiteCarts.insert(cart, in: connection) }
            return row.grant.kind == .lease ? try Self.giveBack(row.grant, in: connection) : [:]
        }
        if !lowered.isEmpty { database.orderNumbers.lower(spent: lowered) }
    }

    /// Sets what became of a grant.
    package func set(_ state: State, of taker: String, _ claimId: String) async throws(StorageError) {
        try await database.ledgerWrite { try GrantTable($0).set(state, taker, claimId) }
    }

    /// Whether a claim was granted before, whatever became of it.
    package func isGranted(_ taker: String, _ claimId: String) async throws(StorageError) -> Bool {
        try await database.ledgerRead { try GrantTable($0).row(taker, claimId) != nil }
    }

    /// Keeps what an earlier copy of this disk granted, by its note.
    package func accept(
        _ grant: GrantedRight, as note: JSONValue? = nil, at now: Int64 = 0
    ) async throws(StorageError) {
        let database = database
        try await database.ledgerWrite { connection in
            let table = GrantTable(connection)
            if try table.row(grant.to, grant.claimId) == nil {
                let cart = try Self.giveUp(grant, in: connection)
                if grant.kind == .lease { try Self.takeOff(grant, in: connection, of: database) }
                try table.insert(
                    GrantTable.Row(
                        grant: grant, lines: [], cart: cart, state: grant.kind == .lease ? .closed : .open))
            }
            try Self.note(grant, as: note, at: now, in: connection, of: database)
        }
    }
}

/// The table `grants` within one access of the database.
struct GrantTable {
    struct Row {
        let grant: GrantedRight
        /// Of a receipt, what its taker may take back.
        var lines: [RefundLine]
        /// Of a cart, as it stood here; nil where that is not known.
        var cart: KeptCart?
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

    /// What was granted of a sale, by its number, or of a cart, by its id.
    func rows(of right: String, _ kind: RightKind = .receipt) throws -> [Row] {
        try GRDB.Row.fetchAll(
            database, sql: "SELECT * FROM grants WHERE kind = ? AND right_id = ?",
            arguments: [kind.rawValue, right]
        ).map(Self.row)
    }

    /// The till that has a cart by the last grant of it; nil: this one, or nobody granted it.
    func owner(ofCart id: String) throws -> String? {
        let bodies = try DirectStatement(
            "SELECT body FROM grants WHERE kind = 'cart' AND right_id = ?", in: database
        ).all({ $0.add(id) }) { $0.text(0) }
        guard !bodies.isEmpty else { return nil }
        let grants = try bodies.map { try GrantedRight(json: JSONParser.parse(Array($0.utf8))) }
        let last = grants.max { $0.turn < $1.turn }
        return last?.to == (try JournalHead.read(database).terminalId) ? nil : last?.to
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
                GrantContent(row).json.canonicalText,
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
        let content = try GrantContent(json: JSONParser.parse(Array((row["content"] as String).utf8)))
        let state = SQLiteRights.State(rawValue: row["state"]) ?? .open
        return Row(
            grant: try GrantedRight(json: body), lines: try content.lines.map(RefundPayload.line),
            cart: content.kept(row["right_id"]), state: state, isNoted: row["is_noted"] == 1)
    }
}
