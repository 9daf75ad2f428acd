internal import GRDB
package import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Pricing
package import Retail

/// The table `card_returns`, within one access of the database.
struct CardReturnTable {
    let database: Database

    /// Records what of `payments` the card machine has to give back; nothing for other payments. What is
    /// there already stays as it is.
    func insert(
        _ payments: [SalePayment], refundId: String, orderId: String, orderNumber: String, currency: String,
        at madeAt: Int64
    ) throws {
        for payment in payments {
            guard let key = payment.details.machine?.key, payment.amount > 0 else { continue }
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO card_returns
                        (refund_id, key, order_id, order_number, method, amount, currency, made_at, state)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting')
                    """,
                arguments: [
                    refundId, key, orderId, orderNumber, payment.method.name, payment.amount, currency,
                    madeAt,
                ])
        }
    }

    /// Records a charge which no sale has: by the id that the order would have had, and without a number.
    ///
    /// - Parameter reason: why the machine does not give it back, so that the shop owes it; nil: the machine
    ///   took its void on and says no more.
    func insert(withoutSale key: String, refused reason: String?) throws {
        try database.execute(
            sql: """
                INSERT OR IGNORE INTO card_returns (refund_id, key, order_id, order_number, method, amount,
                    currency, made_at, state, reason)
                SELECT order_id, key, order_id, '', COALESCE(method, 'card'), amount, currency, opened_at,
                    ?, ?
                FROM device_requests WHERE key = ? AND order_id IS NOT NULL
                """, arguments: [reason == nil ? "requested" : "refused", reason, key])
    }

    /// Those of a refund, or of an order's void.
    func returns(of refundId: String) throws -> [CardReturn] {
        try returns("WHERE refund_id = ? ORDER BY key", [refundId])
    }

    /// Those without an end, oldest first.
    func open() throws -> [CardReturn] {
        try returns("WHERE state IN ('waiting', 'requested', 'refused') ORDER BY made_at, refund_id, key", [])
    }

    /// A person said what became of what the machine only took on.
    ///
    /// - Parameter request: of the machine, made of the ids of refund and charge; of a charge without a sale
    ///   its key.
    func settle(requested request: String, isDone: Bool, reason: String) throws {
        for card in try open() where card.state == .requested {
            let requests = CardDevice.returnKeys(of: card.key, by: card.refundId)
            guard requests.contains(request) || card.key == request else { continue }
            _ = try change(
                card, from: "requested", to: isDone ? "returned" : "refused", reason: isDone ? nil : reason)
        }
    }

    /// Those that can be paid in cash: refused ones, and those that wait for a card while the machine was
    /// sent nothing of them, or declined it.
    func payable(of all: [CardReturn]) throws -> [CardReturn] {
        try all.filter { card in
            switch card.state {
            case .refused: return true
            case .waiting, .requested, .returned, .paidInCash: return false
            case .waitingForCard:
                let keys = CardDevice.returnKeys(of: card.key, by: card.refundId)
                return try Row.fetchOne(
                    database,
                    sql: """
                        SELECT 1 FROM device_requests
                        WHERE key IN (?, ?) AND state NOT IN ('intent', 'declined')
                        """, arguments: [keys[0], keys[1]]) == nil
            }
        }
    }

    /// - Returns: whether it was in the state `from` until now.
    func change(_ card: CardReturn, from: String, to state: String, reason: String?) throws -> Bool {
        try database.execute(
            sql: """
                UPDATE card_returns SET state = ?, reason = ? WHERE refund_id = ? AND key = ? AND state = ?
                """, arguments: [state, reason, card.refundId, card.key, from])
        return database.changesCount == 1
    }

    private func returns(_ clause: String, _ arguments: StatementArguments) throws -> [CardReturn] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT refund_id, key, order_id, order_number, method, amount, currency, made_at, state,
                    reason
                FROM card_returns
                """ + " " + clause, arguments: arguments
        ).map { row in
            CardReturn(
                refundId: row["refund_id"], key: row["key"], orderId: row["order_id"],
                orderNumber: row["order_number"], method: row["method"], amount: row["amount"],
                currency: row["currency"], madeAt: row["made_at"],
                state: Self.state(row["state"], reason: row["reason"]))
        }
    }

    /// The reason of what waits for a card.
    static let card = "card"

    private static func state(_ name: String, reason: String?) -> CardReturn.State {
        switch name {
        case "returned": .returned
        case "requested": .requested
        case "paid": .paidInCash
        case "refused": .refused(reason: reason ?? "")
        case "waiting" where reason == card: .waitingForCard
        // What no version wrote is sent: the machine repeats its response.
        case _: .waiting
        }
    }
}

/// What the card machine has to give back, in the terminal's database.
package struct SQLiteCardReturns: CardReturnLedger {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// One read by an index that has nothing else.
    package func open() async throws(StorageError) -> [CardReturn] {
        try await database.ledgerRead { try CardReturnTable(database: $0).open() }
    }

    /// One read by the primary key.
    package func returns(of refundId: String) async throws(StorageError) -> [CardReturn] {
        try await database.ledgerRead { try CardReturnTable(database: $0).returns(of: refundId) }
    }

    /// One row.
    package func settle(_ card: CardReturn, as state: CardReturn.State) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            let table = CardReturnTable(database: connection)
            let (name, reason): (String, String?) =
                switch state {
                case .returned: ("returned", nil)
                case .requested: ("requested", nil)
                case .refused(let reason): ("refused", reason)
                case .waiting, .paidInCash: ("waiting", nil)
                case .waitingForCard: ("waiting", CardReturnTable.card)
                }
            guard state != .paidInCash else { return }
            _ = try table.change(card, from: "waiting", to: name, reason: reason)
        }
    }

    /// The movement has the id of the refund, so that a repair finds what was paid; where the machine refuses
    /// a second card of the same refund later, an id of its own.
    package func payInCash(
        _ payment: CardReturnPayment
    ) async throws(StorageError) -> Result<CashMove, OrderRefusal> {
        return try await database.ledgerWrite { connection in
            let table = CardReturnTable(database: connection)
            let all = try table.returns(of: payment.refundId)
            let payable = try table.payable(of: all)
            guard let first = payable.first else {
                guard !all.isEmpty else { return .failure(.unknownCardReturn(payment.refundId)) }
                return .failure(
                    all.allSatisfy(\.isSettled)
                        ? .cardReturnSettled(payment.refundId) : .cardReturnWaiting(payment.refundId))
            }
            var journal = try JournalWriter(connection, database.clocks())
            let isPaidBefore = all.contains { $0.state == .paidInCash }
            let id = isPaidBefore ? journal.mintId(at: payment.madeAt) : payment.refundId
            let day = try journal.businessDay(of: payment.businessDay, madeAt: payment.madeAt)
            let move = CashMove(
                moveId: id, shiftId: journal.head.openShift, kind: .out,
                amount: payable.reduce(0) { $0 + $1.amount }, currency: first.currency,
                reason: "card refund of \(first.orderNumber) in cash: "
                    + (payable.refused.isEmpty ? "no card was presented" : "the card machine refused it"),
                cashierId: payment.person.cashierId, approverId: payment.person.approverId,
                businessDay: day.text, timeZone: payment.timeZone)
            _ = try journal.append(
                JournalWriter.NewEntry(
                    type: CashMove.type, entity: CashMove.entity, entityId: id, madeAt: payment.madeAt,
                    payload: journal.dated(move.json)))
            for card in payable {
                if case .refused(let reason) = card.state {
                    _ = try table.change(card, from: "refused", to: "paid", reason: reason)
                } else {
                    _ = try table.change(card, from: "waiting", to: "paid", reason: CardReturnTable.card)
                }
            }
            try journal.finish()
            return .success(move)
        }
    }
}
