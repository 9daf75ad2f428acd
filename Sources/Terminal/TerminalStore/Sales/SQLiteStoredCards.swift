internal import Base
internal import GRDB
internal import Glibc
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
package import Retail

/// Card payments that were taken offline: rows that their sales wrote, and `<home>/offline-cards.json` beside
/// the database, which an old copy of it does not undo.
package struct SQLiteStoredCards: StoredCardStore {
    private let database: TerminalDatabase
    private let path: String

    /// Makes the access to the database and the file of the data folder `home`; reads nothing yet.
    package init(_ database: TerminalDatabase, home: String) {
        self.database = database
        path = home + "/offline-cards.json"
    }

    private static let rows = """
        SELECT request.*, card.key, business_day, wall, boot, boot_id, shift_id, settled_at
        FROM stored_cards card LEFT JOIN device_requests request USING (key)
        """

    /// What the database knows of a payment goes before what the file says. The file is written before every
    /// row, so where it is missing beside rows it was lost.
    package func cards() async throws(StorageError) -> StoredCards {
        let rows = try await database.ledgerRead { connection in
            try Row.fetchAll(connection, sql: Self.rows + " ORDER BY card.key").map(Self.card)
        }
        let sold = rows.compactMap(\.self)
        let areReadable = sold.count == rows.count
        switch DurableFile.read(path, limit: 4 << 20) {
        case .absent: return StoredCards(sold, isComplete: rows.isEmpty)
        case .unreadable: return StoredCards(sold, isComplete: false)
        case .bytes(let bytes):
            guard let kept = Self.cards(in: bytes) else { return StoredCards(sold, isComplete: false) }
            let known = Set(sold.map(\.key))
            return StoredCards(
                (sold + kept.cards.filter { !known.contains($0.key) }).sorted { $0.key < $1.key },
                isComplete: areReadable && kept.isComplete)
        }
    }

    /// Waits for the disk on the caller's thread.
    package func keep(_ cards: StoredCards) throws(StorageError) {
        var members: JSONObject = ["cards": .array(cards.cards.map(Self.json))]
        if !cards.isComplete { members["incomplete"] = true }
        let document = JSONValue.object(members)
        do throws(FileError) {
            try DurableFile.replace(
                path, with: document.canonicalBytes + [0x0A], temporaryName: ".offline-cards.tmp")
        } catch {
            throw error.code == ENOSPC || error.code == EDQUOT
                ? .diskFull(path: path) : .unavailable(detail: "\(error)")
        }
    }

    /// A payment of a lost database has no row, and nothing happens.
    package func settle(_ card: StoredCard) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            try connection.execute(
                sql: "UPDATE stored_cards SET settled_at = ? WHERE key = ?",
                arguments: [card.settledAt, card.key])
            // The request of a machine is kept by its own device.
            guard connection.changesCount == 1, card.isToken else { return }
            try SQLiteDeviceRequests.keep(card.request, in: connection)
        }
    }

    /// By the index of refused ones; those of a lost database are in the file alone, and have no order.
    package func debts() async throws(StorageError) -> [CardDebt] {
        var listed: [StoredCard] = []
        if case .bytes(let bytes) = DurableFile.read(path, limit: 4 << 20) {
            listed = (Self.cards(in: bytes)?.cards ?? []).filter(\.isRefused)
        }
        return try await database.ledgerRead { [listed] connection in
            let rows = try Row.fetchAll(
                connection,
                sql: Self.rows + " WHERE kind = 'token' AND state = 'declined' ORDER BY request.key")
            let (sales, refunds) = (SaleReader(connection), RefundReader(connection))
            let debts = try rows.compactMap { row -> CardDebt? in
                guard let card = Self.card(row) else { return nil }
                let sale = try (row["order_id"] as String?).flatMap { try sales.sale(orderId: $0) }
                return CardDebt(
                    card, orderNumber: sale?.orderNumber.description,
                    after: try sale.map { try refunds.refunds(of: $0).map(\.content) } ?? [])
            }
            let lost = try listed.filter { card in
                try Row.fetchOne(
                    connection, sql: "SELECT 1 FROM stored_cards WHERE key = ?", arguments: [card.key]) == nil
            }
            return (debts + lost.compactMap { CardDebt($0, orderNumber: nil) }).sorted { $0.key < $1.key }
        }
    }

    /// Whether the payment service refused a payment after its sale.
    static func isRefused(_ key: String, in connection: Database) throws -> Bool {
        let statement = try connection.cachedStatement(
            sql: "SELECT 1 FROM device_requests WHERE key = ? AND kind = 'token' AND state = 'declined'")
        return try Bool.fetchOne(statement, arguments: [key]) ?? false
    }

    /// In the transaction of the payment's sale.
    static func insert(_ card: StoredCard, orderId: String, in connection: Database) throws {
        if card.isToken {
            var request = card.request
            _ = request.handle(.sold, at: Instant(nanoseconds: 0))
            try SQLiteDeviceRequests.keep(request, in: connection)
            try connection.execute(
                sql: "UPDATE device_requests SET order_id = ?, stage = ? WHERE key = ?",
                arguments: [orderId, SQLiteDeviceRequests.Stage.seen.rawValue, card.key])
        }
        try connection.execute(
            sql: """
                INSERT INTO stored_cards (key, business_day, wall, boot, boot_id, shift_id)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                card.key, card.businessDay.number, card.takenAt.wall, card.takenAt.boot, card.takenAt.bootId,
                card.shiftId,
            ])
    }

    /// In the transaction that voids the payment's sale.
    static func void(orderId: String, in connection: Database) throws {
        let keys = try String.fetchAll(
            connection, sql: "SELECT key FROM device_requests WHERE order_id = ? AND kind = 'token'",
            arguments: [orderId])
        for key in keys { _ = try SQLiteDeviceRequests.handle(.givenUp, of: key, in: connection) }
    }

    private static func card(_ row: Row) -> StoredCard? {
        guard (row["purpose"] as String?) != nil, let request = try? SQLiteDeviceRequests.request(row),
            let day = BusinessDay(number: row["business_day"])
        else { return nil }
        return StoredCard(
            request, businessDay: day,
            takenAt: MachineMoment(wall: row["wall"], boot: row["boot"], bootId: row["boot_id"]),
            shiftId: row["shift_id"], settledAt: row["settled_at"])
    }

    private static func json(_ card: StoredCard) -> JSONValue {
        var members: JSONObject = [
            "key": .string(card.key), "amount": .integer(card.amount), "currency": .string(card.currency),
            "businessDay": .integer(card.businessDay.number), "wall": .integer(card.takenAt.wall),
            "boot": .integer(card.takenAt.boot), "bootId": .string(card.takenAt.bootId),
            "shiftId": JSONValue(card.shiftId), "state": .string(card.request.state.name),
            "kind": JSONValue(card.request.origin?.kind.rawValue),
        ]
        if case .declined(let reason) = card.request.state { members["reason"] = .string(reason) }
        members["settledAt"] = card.settledAt.map(JSONValue.integer)
        return .object(members)
    }

    private static func cards(in bytes: [UInt8]) -> StoredCards? {
        guard let document = try? JSONParser.parse(bytes), let listed = document["cards"]?.array else {
            return nil
        }
        var cards: [StoredCard] = []
        for entry in listed {
            guard let card = card(entry) else { return nil }
            cards.append(card)
        }
        return StoredCards(cards, isComplete: document["incomplete"]?.bool != true)
    }

    /// A sale that is on disk has a row, which goes before this: without it a token counts as not sold.
    private static func card(_ entry: JSONValue) -> StoredCard? {
        guard let key = entry["key"]?.string, let amount = entry["amount"]?.integer, amount >= 0,
            let currency = entry["currency"]?.string,
            let day = entry["businessDay"]?.integer.flatMap({ BusinessDay(number: $0) }),
            let wall = entry["wall"]?.integer, let boot = entry["boot"]?.integer,
            let bootId = entry["bootId"]?.string,
            let kind = entry["kind"]?.string.flatMap(DeviceKind.init(rawValue:)),
            let state = SQLiteDeviceRequests.state(
                entry["state"]?.string ?? "", detail: entry["reason"]?.string, DeviceProof(reference: key))
        else { return nil }
        let isSold = kind.agreesLater && state.name == "requested"
        let request = DeviceRequest(
            .charge, key: key, chargeKey: key, amount: amount, currency: currency, openedAt: wall,
            state: isSold ? .intent : state, origin: DeviceRequest.Origin(kind: kind, address: ""),
            reported: nil)
        return StoredCard(
            request, businessDay: day, takenAt: MachineMoment(wall: wall, boot: boot, bootId: bootId),
            shiftId: entry["shiftId"]?.string, settledAt: entry["settledAt"]?.integer)
    }
}
