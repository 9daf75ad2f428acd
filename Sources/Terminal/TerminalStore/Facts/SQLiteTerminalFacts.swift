internal import GRDB
package import HubProtocol
internal import OfflineMode
package import Retail

/// The terminal's own data: its enrolment, and facts by name.
package struct SQLiteTerminalFacts: Sendable {
    /// Why a fact was not read or kept.
    package enum Failure: Error, Hashable, Sendable {
        /// The store on disk failed; `detail` is its own text.
        case unavailable(detail: String)
    }

    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// Nil before the first enrolment.
    package func enrolment() async throws(Failure) -> Enrolment? {
        try await reading { connection in
            let head = try JournalHead.read(connection)
            guard let terminalId = head.terminalId, let storeId = head.storeId,
                let number = head.terminalNumber, let token = try Self.fact("token", in: connection),
                let expires = try Self.fact("tokenExpiresAt", in: connection)
            else { return nil }
            return Enrolment(
                terminalId: terminalId, storeId: storeId, terminalNumber: number, token: token,
                tokenExpiresAt: expires)
        }
    }

    /// The hub's time that was followed last, with the machine's moment; nil: none so far. Of one that an
    /// earlier version kept the moment is unknown, as one of another boot.
    package func hubTime() async throws(Failure) -> KnownHubTime? {
        try await reading { connection in
            guard let hub = try Self.hubTime(in: connection) else { return nil }
            let moment = try Self.fact(Self.hubMomentName, in: connection).flatMap(Self.moment)
            return KnownHubTime(hub: hub, at: moment ?? MachineMoment(wall: 0, boot: 0, bootId: ""))
        }
    }

    /// In Unix milliseconds; nil: none so far, and for a number that is no time.
    static func hubTime(in connection: Database) throws -> Int64? {
        try fact(hubTimeName, in: connection).flatMap { Int64($0) }.flatMap { times.contains($0) ? $0 : nil }
    }

    /// Keeps the hub's time that is followed now.
    package func keep(hubTime known: KnownHubTime) async throws(Failure) {
        let moment = "\(known.at.wall) \(known.at.boot) \(known.at.bootId)"
        try await writing(isSynced: false) { connection in
            try Self.keep(String(known.hub), as: Self.hubTimeName, in: connection)
            try Self.keep(moment, as: Self.hubMomentName, in: connection)
        }
    }

    private static func moment(_ text: String) -> MachineMoment? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let wall = Int64(parts[0]), let boot = Int64(parts[1]),
            times.contains(boot)
        else { return nil }
        return MachineMoment(wall: wall, boot: boot, bootId: String(parts[2]))
    }

    /// Up to the year 9999, so that no sum of two overflows.
    private static let times: Range<Int64> = 0..<253_402_300_800_000
    private static let hubTimeName = "hubTime"
    private static let hubMomentName = "hubTimeAt"

    /// Where the journal ends.
    package func journalEnd() async throws(Failure) -> JournalEnd {
        try await reading { connection in
            let head = try JournalHead.read(connection)
            return JournalEnd(
                terminalId: head.terminalId, epoch: head.epoch, sequence: head.sequence, hash: head.hash,
                orderCounter: head.orderMark.counter,
                origin: try JournalOriginFact.read(epoch: head.epoch, in: connection))
        }
    }

    /// Takes an enrolment over. Journal, outbox and order counter stay; the epoch and the pinned keys of the
    /// hub are the new identity's. At the same store of the same hub the journal goes on: the hub gets what
    /// it lacks of before, too.
    package func enrol(
        _ enrolment: Enrolment, epoch: Int64, hubKeys: HubKeyList? = nil
    ) async throws(Failure) {
        try await writing { connection in
            let head = try JournalHead.read(connection)
            let keys = try Self.fact(Self.hubKeysName, in: connection)
            let isSameHub = head.storeId == enrolment.storeId && Self.sharesKey(keys, hubKeys)
            let before = try isSameHub ? JournalOriginFact.read(epoch: head.epoch, in: connection) : nil
            let start = try JournalOriginFact.start(in: connection)
            let origin = JournalOrigin(
                epochStart: start, journalStart: before?.journalStart ?? start, ends: before?.ends ?? [])
            try connection.execute(
                sql: "UPDATE terminal SET terminal_id = ?, store_id = ?, terminal_number = ?, epoch = ?",
                arguments: [enrolment.terminalId, enrolment.storeId, enrolment.terminalNumber, epoch])
            try LeaseTable(database: connection).endAll()
            try Self.keep(enrolment.token, as: "token", in: connection)
            try Self.keep(enrolment.tokenExpiresAt, as: "tokenExpiresAt", in: connection)
            try Self.keep(hubKeys?.json.canonicalText, as: Self.hubKeysName, in: connection)
            try JournalOriginFact.keep(origin, epoch: epoch, in: connection)
            try Self.keep(String(start - 1), as: Self.baseName, in: connection)
            try Self.keep(nil, as: Self.readmissionName, in: connection)
        }
    }

    /// Whether a hub that offers `keys` is the one whose keys are kept as `text`.
    private static func sharesKey(_ text: String?, _ keys: HubKeyList?) -> Bool {
        guard let text, let keys, let json = try? JSONParser.parse(text.utf8),
            let kept = try? HubKeyList(json: json)
        else { return false }
        let known = Set((kept.signing + kept.sealing).map(\.publicKey))
        return (keys.signing + keys.sealing).contains { known.contains($0.publicKey) }
    }

    /// The last sequence that had a result when this identity began.
    static let baseName = "enrolledBehind"
    static let hubKeysName = "hubKeys"
    private static let readmissionName = "readmission"

    /// Whether a hub without a record of the terminal got a request to readmit it that has no result yet.
    package func isComingBack() async throws(Failure) -> Bool {
        try await fact(Self.readmissionName) != nil
    }

    /// Prepares the journal for a hub without a record of the terminal: that hub has no entry of this
    /// identity, so all kept entries are sent again. Done before the request to the hub, so that no accepted
    /// push states that the journal begins later.
    package func prepareReturn() async throws(Failure) {
        try await writing { connection in
            guard try Self.fact(Self.readmissionName, in: connection) == nil else { return }
            let epoch = try JournalHead.read(connection).epoch
            let origin = try JournalOriginFact.read(epoch: epoch, in: connection)
            let known = try Self.fact(Self.baseName, in: connection).flatMap { Int64($0) } ?? 0
            let base = origin.map { $0.journalStart - 1 } ?? known
            _ = try SQLiteOutbox.reopen(above: base, in: connection)
            try connection.execute(
                sql: "UPDATE terminal SET acknowledged_through = min(acknowledged_through, ?)",
                arguments: [base])
            if var origin {
                origin.epochStart = base + 1
                try JournalOriginFact.keep(origin, epoch: epoch, in: connection)
            }
            try Self.keep("asked", as: Self.readmissionName, in: connection)
        }
    }

    /// The pinned keys of the hub, those to use now first; nil where no hub named any.
    package func hubKeys() async throws(Failure) -> HubKeyList? {
        guard let text = try await fact(Self.hubKeysName) else { return nil }
        do {
            return try HubKeyList(json: try JSONParser.parse(text.utf8))
        } catch {
            throw .unavailable(detail: "the pinned keys of the hub: \(error)")
        }
    }

    /// Pins keys of the hub in the place of those that are pinned; durable when it returns.
    package func pin(_ keys: HubKeyList) async throws(Failure) {
        try await writing { try Self.keep(keys.json.canonicalText, as: Self.hubKeysName, in: $0) }
    }

    /// Replaces the device token, and the terminal's number where the hub gave its own to another meanwhile:
    /// the next sale is numbered by the new one.
    package func renewToken(
        _ token: String, expiresAt: String, terminalNumber: Int64? = nil
    ) async throws(Failure) {
        try await writing { connection in
            if let terminalNumber {
                try connection.execute(
                    sql: "UPDATE terminal SET terminal_number = ?1 WHERE terminal_number <> ?1",
                    arguments: [terminalNumber])
            }
            try Self.keep(token, as: "token", in: connection)
            try Self.keep(expiresAt, as: "tokenExpiresAt", in: connection)
            try Self.keep(nil, as: Self.readmissionName, in: connection)
        }
    }

    /// The fact `name`; nil when it was never kept.
    package func fact(_ name: String) async throws(Failure) -> String? {
        try await reading { try Self.fact(name, in: $0) }
    }

    /// Keeps `value` as the fact `name`, for example `lastPullAt` or `lastSnapshot`; nil forgets it. A power
    /// failure may take it, since nothing waits for a sync of it.
    package func keep(_ value: String?, as name: String) async throws(Failure) {
        try await writing(isSynced: false) { try Self.keep(value, as: name, in: $0) }
    }

    static func fact(_ name: String, in connection: Database) throws -> String? {
        let statement = try connection.cachedStatement(sql: "SELECT value FROM facts WHERE name = ?")
        return try String.fetchOne(statement, arguments: [name])
    }

    static func keep(_ value: String?, as name: String, in connection: Database) throws {
        guard let value else {
            return try connection.execute(sql: "DELETE FROM facts WHERE name = ?", arguments: [name])
        }
        try connection.execute(
            sql: "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", arguments: [name, value])
    }

    private func reading<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(Failure) -> Value {
        do throws(StoreFailure) {
            return try await database.read(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }

    private func writing(
        isSynced: Bool = true, _ body: @escaping @Sendable (Database) throws -> Void
    ) async throws(Failure) {
        do throws(StoreFailure) {
            try await isSynced ? database.write(body) : database.writeUnsynced(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }
}
