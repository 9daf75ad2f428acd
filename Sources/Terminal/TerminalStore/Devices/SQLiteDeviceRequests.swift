internal import Base
internal import GRDB
package import HubProtocol
package import Retail

/// Keeps requests of devices beside the till in the terminal's database.
package struct SQLiteDeviceRequests: DeviceLedger, DevicePeriodKeeping {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// One row. A charge without a sale that the shop owes, or whose void was only taken on, is among what
    /// card machines have to give back, in the same transaction.
    @discardableResult
    package func keep(_ request: DeviceRequest) async throws(StorageError) -> Bool {
        try await database.ledgerWrite { try Self.keep(request, in: $0) }
    }

    /// One row and an entry of the journal.
    package func decide(
        _ request: DeviceRequest, isDone: Bool, text: String, by act: DeviceAct
    ) async throws(StorageError) {
        var decision = CardDecision()
        (decision.key, decision.verdict) = (request.key, isDone ? .charged : .notCharged)
        decision.purpose = request.decidedPurpose
        (decision.amount, decision.currency) = (request.amount, request.currency)
        if isDone { decision.reference = text } else { decision.reason = text }
        (decision.cashierId, decision.approverId) = (act.person.cashierId, act.person.approverId)
        try await database.ledgerWrite { [decision] connection in
            try Self.keep(request, in: connection)
            try CardReturnTable(database: connection).settle(
                requested: request.key, isDone: isDone, reason: text)
            // What is said of a charge's void is said of its reversal.
            try connection.execute(
                sql: "UPDATE device_requests SET state = ? WHERE key = ? AND state = 'requested'",
                arguments: [isDone ? "charged" : "declined", CardDevice.undoKey(of: request.key)])
            var journal = try JournalWriter(connection, database.clocks())
            var decision = decision
            decision.shiftId = journal.head.openShift
            decision.businessDay = try journal.businessDay(of: act.businessDay, madeAt: act.madeAt).text
            try journal.append(decision.json, CardDecision.type, request.key, act)
        }
    }

    /// One row and an entry of the journal.
    package func close(
        _ closing: DeviceRequest, _ figures: DeviceFigures, by act: DeviceAct
    ) async throws(StorageError) {
        var day = CardDayClosing()
        (day.kind, day.machineId) = (closing.origin?.kind.rawValue ?? "", closing.origin?.machineId)
        (day.machine, day.till, day.currency) = (figures.device, figures.till, figures.currency)
        day.cashierId = act.person.cashierId
        try await database.ledgerWrite { [day] connection in
            try Self.keep(closing, in: connection)
            var journal = try JournalWriter(connection, database.clocks())
            var day = day
            day.shiftId = journal.head.openShift
            day.businessDay = try journal.businessDay(of: act.businessDay, madeAt: act.madeAt).text
            try journal.append(day.json, CardDayClosing.type, closing.key, act)
        }
    }

    package func periods(at address: String) async throws(StorageError) -> DevicePeriods {
        try await database.ledgerRead { connection in
            guard let text = try SQLiteTerminalFacts.fact(Self.periodsName(address), in: connection),
                let json = try? JSONParser.parse(text.utf8)
            else { return DevicePeriods() }
            return (try? DevicePeriods(json: json)) ?? DevicePeriods()
        }
    }

    package func keep(_ periods: DevicePeriods, at address: String) async throws(StorageError) {
        try await database.ledgerWrite {
            try SQLiteTerminalFacts.keep(
                periods.json.canonicalText, as: Self.periodsName(address), in: $0)
        }
    }

    private static func periodsName(_ address: String) -> String { "devicePeriods \(address)" }

    /// - Returns: false where it had ended, and stays as it is.
    @discardableResult
    static func keep(_ request: DeviceRequest, in connection: Database) throws -> Bool {
        let (proof, origin) = (request.proof ?? request.reported, request.origin)
        try connection.execute(
            sql: """
                INSERT INTO device_requests (key, purpose, charge_key, amount, currency,
                    opened_at, state, kind, address, machine_id, request_id, last_receipt, last_moment, detail, proof,
                    receipt, stage, till_id, turn)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                    (SELECT COALESCE(MAX(turn), 0) + 1 FROM device_requests))
                ON CONFLICT (key) DO UPDATE SET state = excluded.state, kind = excluded.kind,
                    address = excluded.address, machine_id = excluded.machine_id,
                    request_id = excluded.request_id, till_id = excluded.till_id, last_receipt = excluded.last_receipt,
                    last_moment = excluded.last_moment, detail = excluded.detail, proof = excluded.proof,
                    receipt = excluded.receipt, stage = COALESCE(excluded.stage, stage),
                    -- The order in which the till saw numbers of bookings.
                    turn = CASE WHEN excluded.receipt IS NULL OR receipt IS excluded.receipt THEN turn
                        ELSE excluded.turn END
                WHERE state NOT IN ('declined', 'sold', 'voided', 'owed') OR kind = 'token'
                """,
            arguments: [
                request.key, request.purpose.rawValue, request.chargeKey, request.amount,
                request.currency, request.openedAt, request.state.name, origin?.kind.rawValue ?? "",
                origin?.address ?? "", origin?.machineId, origin?.requestId,
                origin?.lastReceipt, origin?.lastMoment, Self.detail(of: request.state),
                proof.map { DeviceProofContent.json($0).canonicalText },
                // A booking that was reported alone may have been undone by the machine.
                request.proof?.receipt, request.isGivenUp ? Stage.givenUp.rawValue : nil,
                origin?.tillId,
            ])
        let isKept = connection.changesCount == 1
        let returns = CardReturnTable(database: connection)
        switch request.state {
        case .owed(_, let reason): try returns.insert(withoutSale: request.key, refused: reason)
        case .voidRequested: try returns.insert(withoutSale: request.key, refused: nil)
        case .intent, .sent, .unknown, .charged, .requested, .declined, .sold, .voiding, .voided: break
        }
        return isKept
    }

    /// One read by an index that has nothing else.
    package func unconfirmedDecisions() async throws(StorageError) -> [CardDecision] {
        try await database.ledgerRead { connection in
            let rows = try Row.fetchAll(
                connection,
                sql: """
                    SELECT type, body FROM journal INDEXED BY journal_card_machine
                    WHERE type IN ('\(CardDecision.type)', '\(CardDayClosing.type)') ORDER BY sequence
                    """)
            var decisions: [CardDecision] = []
            for row in rows {
                let payload = try SQLiteRefusals.mutation(row["body"]).payload
                if (row["type"] as String) == CardDecision.type {
                    if let decision = try? CardDecision(json: payload) { decisions.append(decision) }
                } else if let day = try? CardDayClosing(json: payload), day.difference == 0 {
                    decisions = []
                }
            }
            return decisions
        }
    }

    /// One read by the primary key.
    package func request(_ key: String) async throws(StorageError) -> DeviceRequest? {
        try await database.ledgerRead { connection in
            try Self.requests("WHERE key = ?", [key], in: connection).first
        }
    }

    /// One read by an index that has nothing else.
    package func open() async throws(StorageError) -> [DeviceRequest] {
        try await database.ledgerRead { connection in
            try Self.requests(
                // As the index has it.
                "WHERE kind <> 'token' AND state IN ('sent', 'unknown', 'voiding', 'requested', 'voidRequested') "
                    + "AND kind <> 'hub' "
                    // The reversal of a charge is listed as the charge.
                    + "AND NOT (state = 'requested' AND key = charge_key || '.V') ORDER BY key",
                [],
                in: connection)
        }
    }

    /// Of the rows of one device, by its id where both sides have one.
    private static let ofDevice = """
        (machine_id = :machine OR (machine_id IS NULL OR :machine IS NULL) AND address = :address)
        """

    private static func arguments(_ device: DevicePlace) -> [String: (any DatabaseValueConvertible)?] {
        ["machine": device.machineId, "address": device.address]
    }

    /// One read of the device's rows since its last end of day: by their order, whatever the clock says.
    package func figures(
        of device: DevicePlace
    ) async throws(StorageError) -> (sum: Int64, currency: String)? {
        try await database.ledgerRead { connection in
            let row = try Row.fetchOne(
                connection,
                sql: """
                    SELECT SUM(CASE purpose WHEN 'charge' THEN amount ELSE -amount END) AS sum, MAX(currency) AS
                        currency
                    FROM device_requests
                    WHERE \(Self.ofDevice) AND purpose != 'closing' AND (
                        purpose = 'charge'
                            AND state IN ('charged', 'sold', 'voiding', 'voided', 'voidRequested', 'owed')
                        OR purpose != 'charge' AND state IN ('charged', 'requested'))
                        AND turn > COALESCE((SELECT MAX(turn) FROM device_requests
                            WHERE \(Self.ofDevice) AND purpose = 'closing'), 0)
                    """, arguments: StatementArguments(Self.arguments(device)))
            guard let row, let sum: Int64 = row["sum"], let currency: String = row["currency"] else {
                return nil
            }
            return (sum, currency)
        }
    }

    /// That of the request that was written last.
    package func lastReceipt(of device: DevicePlace) async throws(StorageError) -> Int64? {
        try await database.ledgerRead { connection in
            try Int64.fetchOne(
                connection,
                sql: """
                    SELECT receipt FROM device_requests WHERE \(Self.ofDevice) AND receipt IS NOT NULL
                    ORDER BY turn DESC LIMIT 1
                    """, arguments: StatementArguments(Self.arguments(device)))
        }
    }

    /// One read of the rows behind the charge's, by their order.
    package func receipts(behind charge: DeviceRequest) async throws(StorageError) -> [Int64] {
        guard let device = charge.place else { return [] }
        return try await database.ledgerRead { connection in
            try Int64.fetchAll(
                connection,
                sql: """
                    SELECT receipt FROM device_requests
                    WHERE turn > (SELECT turn FROM device_requests WHERE key = :key) AND receipt IS NOT NULL
                        AND key <> :key AND \(Self.ofDevice)
                    ORDER BY turn
                    """,
                arguments: StatementArguments(Self.arguments(device).merging(["key": charge.key]) { $1 }))
        }
    }

    /// One read of the rows behind the charge's.
    package func isDayClosed(behind charge: DeviceRequest) async throws(StorageError) -> Bool {
        guard let device = charge.place else { return false }
        return try await database.ledgerRead { connection in
            try Row.fetchOne(
                connection,
                sql: """
                    SELECT 1 FROM device_requests WHERE \(Self.ofDevice) AND purpose = 'closing'
                        AND turn > (SELECT turn FROM device_requests WHERE key = :key)
                    """,
                arguments: StatementArguments(Self.arguments(device).merging(["key": charge.key]) { $1 })
            ) != nil
        }
    }

    /// What the sale of a charge wants of it; nil on disk: the sale is being made, or was.
    enum Stage: String {
        /// It waits as a parked cart.
        case waiting
        /// It will not be made.
        case givenUp
        /// Whoever requested it has its answer.
        case seen
    }

    /// Gives an event, for which the time is nothing, to what is on disk of `key`.
    ///
    /// - Returns: the request as it is then, and the effects; nil: there is none.
    static func handle(
        _ event: DeviceRequest.Event, of key: String, in connection: Database
    ) throws -> (request: DeviceRequest, effects: [DeviceRequest.Effect])? {
        guard var request = try requests("WHERE key = ?", [key], in: connection).first else { return nil }
        let effects = request.handle(event, at: Instant(nanoseconds: 0))
        if effects.contains(.keep) { try keep(request, in: connection) }
        return (request, effects)
    }

    /// The sale of `orderId` takes the charge over. A result that was not kept is kept with it.
    ///
    /// - Returns: false where it is given back, or was never there.
    static func take(_ charge: DeviceRequest, orderId: String, in connection: Database) throws -> Bool {
        let known = "SELECT 1 FROM device_requests WHERE key = ? AND order_id = ?"
        guard let proof = charge.proof,
            try Row.fetchOne(connection, sql: known, arguments: [charge.key, orderId]) != nil
        else { return false }
        _ = try handle(.ended(.done(proof)), of: charge.key, in: connection)
        guard case .sold = try handle(.sold, of: charge.key, in: connection)?.request.state else {
            return false
        }
        try connection.execute(
            sql: "UPDATE device_requests SET stage = NULL WHERE key = ?", arguments: [charge.key])
        return true
    }

    private static func requests(
        _ clause: String, _ arguments: StatementArguments, in connection: Database
    ) throws -> [DeviceRequest] {
        try Row.fetchAll(
            connection, sql: "SELECT * FROM device_requests " + clause, arguments: arguments
        ).map(request)
    }

    /// - Parameter row: all columns of the table.
    static func request(_ row: Row) throws -> DeviceRequest {
        let proof = (row["proof"] as String?).flatMap { DeviceProofContent.proof($0) }
        guard let purpose = DeviceRequest.Purpose(rawValue: row["purpose"]),
            let state = state(row["state"], detail: row["detail"], proof)
        else { throw JournalChain.Broken(detail: "a request of a device cannot be read") }
        let origin = DeviceKind(rawValue: row["kind"]).map { kind in
            DeviceRequest.Origin(
                kind: kind, address: row["address"], machineId: row["machine_id"],
                requestId: row["request_id"], tillId: row["till_id"], lastReceipt: row["last_receipt"],
                lastMoment: row["last_moment"])
        }
        return DeviceRequest(
            purpose, key: row["key"], chargeKey: row["charge_key"], amount: row["amount"],
            currency: row["currency"], openedAt: row["opened_at"], state: state, origin: origin,
            reported: proof, isGivenUp: (row["stage"] as String?) == Stage.givenUp.rawValue)
    }

    private static func detail(of state: DeviceRequest.State) -> String? {
        switch state {
        case .unknown(let detail): detail
        case .declined(let reason), .owed(_, let reason): reason
        case .intent, .sent, .charged, .requested, .sold, .voiding, .voided, .voidRequested: nil
        }
    }

    /// Nil for what no version wrote.
    static func state(
        _ name: String, detail: String?, _ proof: DeviceProof?
    ) -> DeviceRequest.State? {
        switch (name, proof) {
        case ("intent", _): .intent
        case ("sent", _): .sent
        case ("unknown", _): .unknown(detail: detail ?? "")
        case ("declined", _): .declined(reason: detail ?? "")
        case ("voided", _): .voided
        case ("charged", let proof?): .charged(proof)
        case ("requested", let proof?): .requested(proof)
        case ("sold", let proof?): .sold(proof)
        case ("voiding", let proof?): .voiding(proof)
        case ("voidRequested", let proof?): .voidRequested(proof)
        case ("owed", let proof?): .owed(proof, reason: detail ?? "")
        case _: nil
        }
    }
}

extension JournalWriter {
    /// An entry about the terminal's card machine, which ends the transaction's writing.
    fileprivate mutating func append(
        _ payload: JSONValue, _ type: String, _ key: String, _ act: DeviceAct
    ) throws {
        _ = try append(
            NewEntry(
                type: type, entity: CardDecision.entity, entityId: key, orderingKey: key, madeAt: act.madeAt,
                payload: dated(payload)))
        try finish()
    }
}
