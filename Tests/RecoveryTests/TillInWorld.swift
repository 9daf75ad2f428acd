import Base
import Crypto
import Foundation
import GRDB
import HubCore
import HubProtocol
import HubStore
import OfflineCore
import OfflineMode
import Pricing
import Retail
import TerminalStore

/// A till's data folder with its store, and what its agent does with it: sells, sends, recovers.
final class TillInWorld {
    let home: String
    let key: Curve25519.Signing.PrivateKey
    private let clock: StepClock
    private(set) var database: TerminalDatabase
    private(set) var facts: SQLiteTerminalFacts
    private var outbox: SQLiteOutbox
    private var absences: HubAbsences

    static let files = FileManager.default

    /// Opens the data folder `home`.
    init(home: String, key: Curve25519.Signing.PrivateKey, clock: StepClock) throws {
        self.home = home
        self.key = key
        self.clock = clock
        database = try TerminalDatabase.open(home: home, creating: true, wallMilliseconds: { clock.now })
        facts = SQLiteTerminalFacts(database)
        outbox = SQLiteOutbox(database)
        absences = HubAbsences(database)
    }

    private func reopen() throws {
        let clock = clock
        database = try TerminalDatabase.open(home: home, wallMilliseconds: { clock.now })
        facts = SQLiteTerminalFacts(database)
        outbox = SQLiteOutbox(database)
        absences = HubAbsences(database)
    }

    func end() { database.close() }

    var publicKey: String { key.publicKey.rawRepresentation.base64EncodedString() }

    func enrol(at hub: HubInWorld) async throws {
        let record = try await hub.enrol(publicKey: publicKey)
        try await facts.enrol(
            Enrolment(
                terminalId: record.id, storeId: record.storeId, terminalNumber: record.number, token: "token",
                tokenExpiresAt: "2027-01-01T00:00:00.000Z"), epoch: 1, hubKeys: HubInWorld.keys)
    }

    /// One sale, durable on the disk.
    func sell() async throws -> Sale {
        let line = SaleLine(
            sku: "S1", barcode: "4006381333931", name: "Milk",
            price: try PricedLine(quantityMilli: 1000, unitPrice: 125, discount: 0, taxBasisPoints: 900),
            discountReason: nil, isCounted: false)
        let totals = try ReceiptTotals(lines: [line.price])
        guard let day = BusinessDay(number: 20_261_121) else { throw WorldFault.noDay }
        let draft = SaleDraft(
            key: ULID(random: clock.now), orderId: nil, businessDay: day,
            content: SaleContent(
                mode: .online, madeAt: clock.now, timeZone: "UTC", currency: "CNY", cashierId: "c1",
                memberId: nil, coupons: [], lines: [line], totals: totals,
                payments: [SalePayment(method: .cash, amount: totals.total)], cashRounding: 0, change: 0))
        return try await SQLiteSaleLedger(database).commit(draft).sale
    }

    /// The head as it goes with every request.
    func head() async throws -> SignedHead? {
        let end = try await facts.journalEnd()
        guard let terminalId = end.terminalId else { return nil }
        return SignedHead(
            terminalId: terminalId, epoch: end.epoch, sequence: end.sequence, hash: end.hash,
            orderCounter: end.orderCounter, origin: end.origin, at: clock.now,
            sign: { try? self.key.signature(for: Data($0)).base64EncodedString() })
    }

    private func device() async throws -> DeviceIdentity? {
        try await facts.enrolment().map { DeviceIdentity(terminalId: $0.terminalId, storeId: $0.storeId) }
    }

    /// A report of services, which brings the head to the hub without a push.
    func report(to hub: HubInWorld) async throws {
        guard let device = try await device(), let head = try await head(),
            try await hub.ledger.terminal(device.terminalId) != nil
        else { return }
        try await hub.ledger.note(.signed(head), of: device, at: clock.now)
    }

    /// What became of a drain.
    enum Ending { case drained, superseded, notEnrolled }

    /// Sends until nothing waits and an empty push finds nothing missing, as the agent does.
    ///
    /// - Parameter losesResponses: the hub takes one push, and the till does not get the response.
    @discardableResult
    func drain(to hub: HubInWorld, losesResponses: Bool = false) async throws -> Ending {
        for _ in 0..<300 {
            guard let device = try await device() else { return .notEnrolled }
            if try await hub.ledger.terminal(device.terminalId) == nil { try await comeBack(to: hub) }
            let depth = try await outbox.depth()
            let items = try await outbox.pending(after: 0, limit: 30)
            let request = IntakeRequest(
                device: device, epoch: depth.epoch, epochStart: depth.epochStart,
                lowSequence: depth.lowSequence,
                mutations: try items.map { try ReceivedMutation(json: try JSONParser.parse($0.body)) },
                receivedAt: clock.now, head: try await head().map(HeadClaim.signed))
            let response = try await hub.ledger.ingest(request)
            if losesResponses { return .drained }
            switch response {
            case .refused(.epochSuperseded(_, let ends, let number)):
                try await outbox.keep(
                    SupersedingJournal(
                        ends: ends.map {
                            SupersedingJournal.End(epoch: $0.epoch, sequence: $0.sequence, hash: $0.hash)
                        }, headOrderNumber: number))
                return .superseded
            case .refused(.forked(let epoch, let sequence, let hash, let number)):
                try await outbox.adopt(
                    epoch: epoch, headSequence: sequence, headHash: hash, headOrderNumber: number)
            case .refused(let refusal): throw WorldFault.refused(refusal)
            case .results(let results):
                let wire = try MutationBatchResponse(
                    json: try JSONParser.parse(results.json.canonicalBytes))
                if try await take(wire), items.isEmpty { return .drained }
            }
        }
        throw WorldFault.doesNotEnd
    }

    /// - Returns: whether nothing waits now.
    private func take(_ response: MutationBatchResponse) async throws -> Bool {
        await absences.note(response.extent, isWhole: response.results.isEmpty)
        let results = response.results.map { result in
            PushResult(
                id: result.id, outcome: result.outcome == .rejected ? .rejected : .applied,
                document: result.json.canonicalText)
        }
        try await outbox.record(results, acknowledgedThrough: response.acknowledgedThrough)
        let waiting = Set(try await outbox.pending(after: 0, limit: 100_000).map(\.sequence))
        let lost = response.missing.filter { !waiting.contains($0) }
        if !lost.isEmpty { try await outbox.reopen(sequences: lost) }
        return try await outbox.depth().pending == 0
    }

    /// The hub has no record of this terminal: it comes back by its key.
    private func comeBack(to hub: HubInWorld) async throws {
        guard let enrolment = try await facts.enrolment() else { return }
        try await facts.prepareReturn()
        let record = try await hub.ledger.readmit(
            TerminalRecord(
                id: enrolment.terminalId, storeId: enrolment.storeId, number: enrolment.terminalNumber,
                name: "till", publicKey: publicKey, enrolledAt: clock.now, revokedAt: nil,
                tokenExpiresAt: clock.now * 2, unconfirmedSince: clock.now, renewalDate: clock.now))
        try await facts.renewToken(
            "token", expiresAt: "2027-01-01T00:00:00.000Z", terminalNumber: record.number)
    }

    /// What `pos doctor` has to say about entries that are missing.
    func findings() async throws -> [String] {
        var found: [String] = []
        if let absence = try await facts.absentAtHub() { found.append(absence.json.canonicalText) }
        if let lost = try await facts.lastRepair()?["lostCount"]?.integer, lost > 0 { found.append("repair") }
        if try await facts.journalLoss() != nil { found.append("loss") }
        return found
    }

    /// The ids of all entries on the disk.
    func entries() throws -> Set<String> {
        let queue = try DatabaseQueue(path: home + "/terminal.sqlite")
        defer { try? queue.close() }
        return try queue.read { Set(try String.fetchAll($0, sql: "SELECT id FROM journal")) }
    }
}

/// What people and accidents do to a data folder.
extension TillInWorld {
    /// Copies the data folder; the till is closed meanwhile.
    func copy(to folder: String) throws {
        database.close()
        try Self.replace(folder, by: home)
        try reopen()
    }

    func putBack(_ folder: String) throws {
        database.close()
        try Self.replace(home, by: folder)
        try reopen()
    }

    private static func replace(_ folder: String, by source: String) throws {
        try? files.removeItem(atPath: folder)
        try files.copyItem(atPath: source, toPath: folder)
    }

    /// The process ends at once: log and reserved numbers stay as they are.
    func kill() throws {
        let names = ["terminal.sqlite", "terminal.sqlite-wal"]
        var kept: [String: Data] = [:]
        for name in names { kept[name] = Self.files.contents(atPath: home + "/" + name) }
        // The file keeps its identity, by which a copy differs from it.
        let mark = home + "/high-water.json"
        let link = home + "/kept.json"
        try? Self.files.linkItem(atPath: mark, toPath: link)
        database.close()
        for name in names + ["terminal.sqlite-shm"] { try? Self.files.removeItem(atPath: home + "/" + name) }
        for (name, bytes) in kept { try bytes.write(to: URL(fileURLWithPath: home + "/" + name)) }
        if Self.files.fileExists(atPath: link) {
            try? Self.files.removeItem(atPath: mark)
            try Self.files.moveItem(atPath: link, toPath: mark)
        }
        try reopen()
    }

    /// An entry that a damage destroys.
    enum Loss { case none, last, beforeLast }

    /// A page of an index is damaged, and perhaps an entry, too; `pos repair` follows.
    func repair(losing: Loss) throws {
        database.close()
        let path = home + "/terminal.sqlite"
        let queue = try DatabaseQueue(path: path)
        let (root, size, body) = try queue.read { connection in
            (
                try Int.fetchOne(
                    connection,
                    sql: "SELECT rootpage FROM sqlite_master WHERE type = 'index' "
                        + "AND tbl_name = 'journal' LIMIT 1")
                    ?? 0, try Int.fetchOne(connection, sql: "PRAGMA page_size") ?? 4096,
                try Data.fetchOne(
                    connection,
                    sql: "SELECT body FROM journal ORDER BY sequence DESC LIMIT 1 OFFSET ?",
                    arguments: [losing == .beforeLast ? 1 : 0])
            )
        }
        try queue.close()
        var bytes = Self.files.contents(atPath: path) ?? Data()
        guard root > 1 else { throw WorldFault.damageNotFound }
        bytes.replaceSubrange(
            (root - 1) * size..<(root - 1) * size + 64, with: Data(repeating: 0x5A, count: 64))
        if losing != .none, let body {
            guard let place = bytes.range(of: body) else { throw WorldFault.damageNotFound }
            bytes.replaceSubrange(
                place.lowerBound..<place.lowerBound + 80, with: Data(repeating: 0x20, count: 80))
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        for suffix in ["-wal", "-shm"] { try? Self.files.removeItem(atPath: path + suffix) }
        _ = try DatabaseRepair(home: home).run(at: clock.now)
        try reopen()
    }

    /// The file of `pos sync export`.
    func exported(to path: String) async throws -> JournalExport {
        try? Self.files.removeItem(atPath: path)
        let order = SQLiteJournalExport.Order(
            exportedAt: Timestamp.text(milliseconds: clock.now), plainReason: "a test", publicKey: publicKey,
            sign: { [key] in try? key.signature(for: Data($0)).base64EncodedString() })
        _ = try await SQLiteJournalExport(database, attachments: AttachmentFolder(home: home))
            .write(to: path, order)
        return try JournalExport(Array(Self.files.contents(atPath: path) ?? Data()))
    }
}
